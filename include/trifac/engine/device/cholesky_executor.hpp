#pragma once
// The executor of Cholesky's loop nests on a device.

#include <limits>

#include "trifac/engine/device/panel_cholesky.hpp"
#include "trifac/engine/device/solves.hpp"
#include "trifac/engine/device/two_queues.hpp"
#include "trifac/engine/kernel/cholesky_blocked.hpp"
#include "trifac/engine/kernel/cholesky_diagonal.hpp"
#include "trifac/engine/kernel/cholesky_diagonal_group.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The block operations of the blocked nests, with the equations of backend.hpp. Between
/// factor_block (or update_ahead) and solve_below_block, the factor of the diagonal block stays
/// packed on the device, as do the strips that solve_below_block writes for update_ahead.
template <class Runtime, class T>
class cholesky_executor : public launcher<Runtime, T> {
 public:
  using base = launcher<Runtime, T>;
  using base::base;
  using typename base::operand;
  using typename base::scratch;
  using typename base::view;

  /// See device::two_queues.
  template <class Ahead, class Rest>
  void in_two_queues(Ahead ahead, Rest rest) {
    queues_.run(*this, ahead, rest);
  }
  /// With groups of many items, diagonal blocks are worth a second queue, and kernels handle blocks
  /// of at most widest_block() columns.
  bool uses_two_queues() const { return this->shape().diagonal_items > 1; }
  index_t widest_block() const {
    return uses_two_queues() ? kernel::largest_diagonal : std::numeric_limits<index_t>::max();
  }

  void update(view C, operand A, operand B) {
    if (!products_.update_by_library(C, A, B)) products_.update(C, A, B);
  }
  void update_lower(view C, view A) {
    if (!products_.update_lower_by_library(C, A)) products_.update_lower(C, A);
  }
  void solve_lower(operand L, view B, diagonal diag) { solves_.solve_lower(L, B, diag); }
  void solve_upper(operand U, view B, diagonal diag) { solves_.solve_upper(U, B, diag); }
  void solve_right_upper(operand U, view B) { solves_.solve_right_upper(U, B); }
  void copy_lower(view A, view B) { products_.copy_lower(A, B); }
  void set_identity(view A, index_t first) { products_.set_identity(A, first); }
  /// X := U⁻¹·L⁻¹·X; unchanged after a failed factorization.
  void solve_both(operand L, operand U, view X) { solves_.solve_both(L, U, X); }

  /// Lower triangle of A := L with A = L·Lᴴ.
  void factor_block(view A, index_t first) {
    if (A.rows() > widest_block()) return factor_columns(*this, A, first);
    last_block_ = A;
    prepare_diagonal(A.rows());
    if (!uses_two_queues()) return launch_update_ahead(A, diagonal_, 0, A.rows(), 1, first);
    kernels_.launch("cholesky_diagonal", {},
                    {static_cast<std::size_t>(this->shape().diagonal_items)}, lower(A), is_upper(A),
                    diagonal_, height_, first);
  }
  /// A21 := A21·L11⁻ᴴ with the last factored block, of at most widest_block() columns; without the
  /// library also writes the rows of A21 to packed strips.
  void solve_below_block(view A21) {
    if (uses_two_queues() && solves_.right_by_library(adjoint(last_block_), A21)) return;
    const index_t strip = this->shape().strip();
    base::template reserve<T>(strips_, padded(A21.cols()) * (A21.rows() + strip));
    kernels_.launch("cholesky_solve", {parts_of(A21.rows(), strip)},
                    {static_cast<std::size_t>(this->shape().solve_items())}, lower(A21),
                    is_upper(A21), diagonal_, height_, strips_);
  }
  /// A22 := A22 − A21·A21ᴴ from the strips, A21 having nb columns, and its leading block of order
  /// nb := L, in one launch. Not if uses_two_queues().
  void update_ahead(view A22, index_t nb, index_t first) {
    launch_update_ahead(A22, strips_, nb, std::min(nb, A22.rows()),
                        std::max(2, this->facts().units), first);
  }

  /// Columns of a panel. PoCL (two cores, Zen 4, double): n = 1000 takes 13 ms with 192, 15 with
  /// 128; n = 400 takes 1.1 ms with 128, 1.2 with 64 or 192. H200, double: n = 1024 takes 0.75 ms
  /// with 64, 0.73 with 512, in float 0.65 and 0.68; n = 2048 1.8 and 1.6; n = 16384 takes 142 ms
  /// with 64, 54 with 256, 44 with 512, 42 with 1024. Other GPUs were not measured.
  index_t panel_width(index_t n) const {
    if (uses_two_queues()) return n < 2048 ? 64 : n < 16384 ? 512 : 1024;
    return n <= 768 ? 128 : n <= 1536 ? 192 : 256;
  }

 private:
  // Kernels take a lower triangle, or its transpose in row-major storage.
  static int is_upper(const view& A) { return A.runs_along_rows(); }
  static view lower(const view& A) { return is_upper(A) ? A.transposed() : A; }
  index_t padded(index_t nb) const { return round_up(nb, this->shape().solve_n); }
  void launch_update_ahead(view A, const scratch& strips, index_t nb, index_t next, int groups,
                           index_t first) {
    kernels_.launch("cholesky_update_ahead", {static_cast<std::size_t>(groups)}, {}, lower(A),
                    is_upper(A), strips, static_cast<int>(nb), diagonal_, height_,
                    static_cast<int>(next), first);
  }
  /// Memory for a packed diagonal block and the reciprocals of its diagonal: see the kernel
  /// cholesky_diagonal.
  void prepare_diagonal(index_t nb) {
    const tile_shape& s = this->shape();
    height_ = static_cast<int>(padded(nb)) + s.solve_v * s.vector;
    base::template reserve<T>(diagonal_, padded(nb) * (height_ + 1));
  }

  products<Runtime, T> products_{*this};
  solves<Runtime, T> solves_{products_};
  lazy_program<Runtime, T> kernels_{
      *this,
      "cholesky_blocked",
      {kernel::cholesky_diagonal, kernel::cholesky_diagonal_group, kernel::cholesky_blocked}};
  view last_block_;
  scratch diagonal_, strips_;
  int height_ = 0;
  device::two_queues<Runtime, cholesky_executor> queues_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

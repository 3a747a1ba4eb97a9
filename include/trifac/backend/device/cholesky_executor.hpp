#pragma once
// The executor of Cholesky's loop nests on a device.

#include "trifac/backend/device/solves.hpp"
#include "trifac/backend/device/study/cholesky_elements.hpp"
#include "trifac/kernel/cholesky_blocked.hpp"
#include "trifac/kernel/cholesky_diagonal.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The block operations of the blocked nests; see backend.hpp for their equations. Between
/// factor_block (or update_ahead) and solve_below_block the factor of the diagonal block stays
/// packed on the device, and so do the strips that solve_below_block makes for update_ahead.
template <class Runtime, class T>
class cholesky_executor : public launcher<Runtime, T> {
 public:
  using base = launcher<Runtime, T>;
  using base::base;
  using typename base::operand;
  using typename base::scratch;
  using typename base::view;

  void update(view C, operand A, operand B) { products_.update(C, A, B); }
  void update_lower(view C, view A) { products_.update_lower(C, A); }
  void solve_lower(operand L, view B, diagonal diag) { solves_.solve_lower(L, B, diag); }
  void solve_upper(operand U, view B, diagonal diag) { solves_.solve_upper(U, B, diag); }
  void solve_right_upper(operand U, view B) { solves_.solve_right_upper(U, B); }
  void copy_lower(view A, view B) { products_.copy_lower(A, B); }
  void set_identity(view A, index_t first) { products_.set_identity(A, first); }
  /// X := U⁻¹·L⁻¹·X, which remains B after a failure.
  void solve_both(operand L, operand U, view X) { solves_.solve_both(L, U, X); }

  /// Lower triangle of A := L with A = L·Lᴴ.
  void factor_block(view A, index_t first) {
    prepare_diagonal(A.rows());
    if (looks_ahead()) return launch_update_ahead(A, diagonal_, 0, A.rows(), 1, first);
    kernels_.launch("cholesky_diagonal", {},
                    {static_cast<std::size_t>(this->shape().diagonal_items)}, lower(A), is_upper(A),
                    diagonal_, height_, first);
  }
  /// A21 := A21·L11⁻ᴴ with the block factored last, and its rows in packed strips.
  void solve_below_block(view A21) {
    solved_ = A21;
    const index_t strip = this->shape().strip();
    base::template reserve<T>(strips_, padded(A21.cols()) * (A21.rows() + strip));
    kernels_.launch("cholesky_solve", {parts_of(A21.rows(), strip)},
                    {static_cast<std::size_t>(this->shape().solve_items())}, lower(A21),
                    is_upper(A21), diagonal_, height_, strips_);
  }
  /// A22 := A22 − A21·A21ᴴ from the strips, A21 having nb columns, and its leading block of the
  /// same order := L.
  void update_ahead(view A22, index_t nb, index_t first) {
    const index_t next = std::min(nb, A22.rows());
    if constexpr (Runtime::has_second_queue)
      if (A22.rows() > nb && nb % this->shape().strip() == 0) return update_beside(A22, nb, first);
    if (looks_ahead())
      return launch_update_ahead(A22, strips_, nb, next, std::max(2, this->facts().units), first);
    products_.update_by_strips(lower(A22), strips_.get(), strips_.get(), nb, padded(nb),
                               part_of(A22));
    factor_block(A22.block(0, 0, next, next), first);
  }

  /// Columns of a panel. On PoCL (two cores, Zen 4, double): n = 1000 takes 13 ms with 192, 15 with
  /// 128; n = 400 1.1 ms with 128, 1.2 with 64 or 192.
  index_t panel_width(index_t n) const {
    if (this->shape().diagonal_items > 1) return 64;
    return n <= 768 ? 128 : n <= 1536 ? 192 : 256;
  }

  /// The executor of the nests by elements.
  cholesky_elements<Runtime, T>& elements() { return elements_; }

 private:
  // The kernels take a lower triangle, or, where the storage runs along rows, its transpose.
  static int is_upper(const view& A) { return A.runs_along_rows(); }
  static view lower(const view& A) { return is_upper(A) ? A.transposed() : A; }
  static product_part part_of(const view& A) {
    return is_upper(A) ? product_part::upper : product_part::lower;
  }

  /// update_ahead() with the next diagonal block in a queue of its own, beside the rest; nb are whole
  /// strips.
  void update_beside(view A22, index_t nb, index_t first) {
    const index_t rest = A22.rows() - nb, columns = padded(nb);
    const bool upper = is_upper(A22);
    const view C = lower(A22);
    const product_part part = part_of(A22);
    const auto top = strips_.get();
    const auto below = Runtime::at(top, static_cast<std::uint64_t>(nb * columns) * sizeof(T));

    typename Runtime::second_queue ahead(this->runtime());
    this->runs_beside(true);
    products_.update_by_strips(C.block(0, 0, nb, nb), top, top, nb, columns, part);
    factor_block(A22.block(0, 0, nb, nb), first);
    this->runs_beside(false);
    if (!rest_by_library(A22, nb)) {
      if (upper)
        products_.update_by_strips(C.block(0, nb, nb, rest), top, below, nb, columns,
                                   product_part::whole);
      else
        products_.update_by_strips(C.block(nb, 0, rest, nb), below, top, nb, columns,
                                   product_part::whole);
      products_.update_by_strips(C.block(nb, nb, rest, rest), below, below, nb, columns, part);
    }
    ahead.join();
  }
  /// The rest of A22 := A22 − A21·A21ᴴ by the library, A21 being what was solved last.
  bool rest_by_library(view A22, index_t nb) {
    if constexpr (Runtime::has_library) {
      const index_t rest = A22.rows() - nb;
      if (!products_.uses_library(rest, rest, nb)) return false;
      const auto& library = this->library();
      const bool upper = is_upper(A22);
      // Of a Hermitian matrix that is stored as its transpose, Cᵀ = C̄, all factors are conjugates:
      // C̄ −= Ā·Aᵀ, and Ā is the adjoint of Aᵀ.
      const view top = solved_.block(0, 0, nb, nb), below = solved_.block(nb, 0, rest, nb);
      const view square = A22.block(nb, nb, rest, rest), left = A22.block(nb, 0, rest, nb);
      if (upper)
        return library.update(left.transposed(), operand(top, is_complex<T>),
                              operand(below.transposed())) &&
               library.update_triangle(square.transposed(), operand(below, is_complex<T>),
                                       triangle::upper);
      return library.update(left, operand(below), adjoint(top)) &&
             library.update_triangle(square, operand(below), triangle::lower);
    }
    return false;
  }

  index_t padded(index_t nb) const { return round_up(nb, this->shape().solve_n); }
  bool looks_ahead() const {
    return this->shape().stage_k == 0 && this->shape().diagonal_items == 1;
  }
  void launch_update_ahead(view A, const scratch& strips, index_t nb, index_t next, int groups,
                           index_t first) {
    kernels_.launch("cholesky_update_ahead", {static_cast<std::size_t>(groups)}, {}, lower(A),
                    is_upper(A), strips, static_cast<int>(nb), diagonal_, height_,
                    static_cast<int>(next), first);
  }
  /// Memory for a packed diagonal block and the reciprocals of its diagonal: kernel
  /// cholesky_diagonal.
  void prepare_diagonal(index_t nb) {
    const tile_shape& s = this->shape();
    height_ = static_cast<int>(padded(nb)) + s.solve_v * s.vector;
    base::template reserve<T>(diagonal_, padded(nb) * (height_ + 1));
  }

  products<Runtime, T> products_{*this};
  solves<Runtime, T> solves_{products_};
  cholesky_elements<Runtime, T> elements_{*this};
  lazy_program<Runtime, T> kernels_{
      *this, "cholesky_blocked", {kernel::cholesky_diagonal, kernel::cholesky_blocked}};
  scratch diagonal_, strips_;
  view solved_;  // what strips_ holds, in the matrix
  int height_ = 0;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

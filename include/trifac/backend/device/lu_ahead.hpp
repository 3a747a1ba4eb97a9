#pragma once
// The verbs of LU with look-ahead on a device, and what all of LU's verbs share: the interchanges
// and the memory of a panel.

#include <limits>
#include <span>

#include "trifac/backend/device/update.hpp"
#include "trifac/kernel/lu_ahead.hpp"
#include "trifac/kernel/lu_interchanges.hpp"
#include "trifac/kernel/lu_panel.hpp"
#include "trifac/kernel/lu_panel_pivots.hpp"
#include "trifac/kernel/lu_pivot.hpp"
#include "trifac/kernel/substitute_tile.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A panel of b columns that factor_ahead() has factored stays packed on the device until
/// finish_panel() has put it back. Needs tiles of vectors and a matrix whose columns lie in one
/// piece: looks_ahead().
template <class Runtime, class T>
class lu_ahead_verbs : public update_verbs<Runtime, T> {
 public:
  using base = update_verbs<Runtime, T>;
  using typename base::handle;
  using typename base::scratch;
  using typename base::view;

  /// `count` interchanges, at the start none.
  lu_ahead_verbs(session<Runtime>& s, const device_settings& settings, index_t count)
      : base(s, settings),
        own_interchanges_(base::template borrow<index_t>(count)),
        interchanges_(own_interchanges_.get()) {
    if (count > 0) this->runtime().clear(interchanges_, bytes_of(count));
  }
  /// For the second queue; see executor_base. The interchanges are those of `first`.
  lu_ahead_verbs(const lu_ahead_verbs& first, device_queue queue)
      : base(first, queue), interchanges_(first.interchanges_) {}

  /// The interchanges := those of the host, and back. Reading waits. On the device they are
  /// distances.
  void write_interchanges(std::span<const index_t> from) {
    std::vector<index_t> distances(from.begin(), from.end());
    for (std::size_t k = 0; k < distances.size(); ++k) distances[k] -= index_of(k);
    this->runtime().write(interchanges_, 0, distances.data(), from.size_bytes());
  }
  void read_interchanges(std::span<index_t> to) {
    this->runtime().read(interchanges_, 0, to.data(), to.size_bytes());
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += index_of(k);
  }

  bool looks_ahead(const view& A) const {
    return this->shape().stage_k == 0 && this->shape().diagonal_items == 1 && A.row_stride() == 1 &&
           panel_height(A.rows()) <= std::numeric_limits<int>::max();
  }
  /// Groups of many items have panels that are worth a queue of their own.
  bool works_beside() const { return this->shape().diagonal_items > 1; }
  /// Columns of a panel. With look-ahead a wide panel costs little but the last one.
  index_t panel_width(index_t n) const {
    if (works_beside() || n <= 512) return 64;
    return n <= 3072 ? 128 : 192;
  }

  /// The first b columns of A := L\U with partial pivoting, for the largest b of all panels.
  void factor_first_panel(view A, index_t b) {
    reserve<T>(panel_, panel_height(A.rows()) * (b + kernel::panel_cols_beyond));
    reserve<T>(step_, kernel::panel_cols_beyond * (b + kernel::panel_cols_beyond));
    reserve<T>(left_, strips_of(A.rows()) * padded(b));
    reserve<T>(above_, strips_of(A.cols()) * padded(b));
    reserve<index_t>(moves_, 3 * b + 1);
    reserve<index_t>(places_, A.rows());
    this->runtime().clear(places_.get(), bytes_of(A.rows()));
    launch_update_ahead(A, 0, b, 0);
  }
  /// [A11 A12; A21 …]: the panel of b columns is put in its place, A12 := L11⁻¹·P·A12, A22 := P·A22,
  /// and A21 and A12 are packed for update_ahead.
  void finish_panel(view A, index_t b, index_t first) {
    const index_t right = A.cols() - b;
    const auto down = base::parts_of(A.rows(), this->shape().strip());
    launch("lu_beside_panel", {down + base::parts_of(right, this->shape().strip())}, A.memory(),
           A.offset(), static_cast<int>(A.rows()), static_cast<int>(b), right, A.col_stride(),
           panel_.get(), height_of(A), moves_.get(), static_cast<index_t>(down), left_.get(),
           above_.get(), first, this->state());
  }
  /// A22 := A22 − A21·A12, A21 having `depth` columns, and meanwhile its first `next` columns := L\U,
  /// the next panel.
  void update_ahead(view A22, index_t depth, index_t next, index_t first) {
    if (!A22.empty()) launch_update_ahead(A22, depth, next, first);
  }
  /// The interchanges of later panels in the columns of all but the last.
  void swap_left(view A, index_t steps, index_t block) {
    const index_t columns = (steps - 1) / block * block;
    if (columns > 0) launch_swap(program(), A.block(0, 0, A.rows(), columns), 0, steps, 0, block);
  }

 protected:
  static index_t round_up(index_t n, index_t unit) { return (n + unit - 1) / unit * unit; }
  static index_t index_of(std::size_t n) { return static_cast<index_t>(n); }
  static std::uint64_t bytes_of(index_t count) {
    return static_cast<std::uint64_t>(count) * sizeof(index_t);
  }
  /// Memory that is kept until a larger piece is wanted.
  template <class Element>
  void reserve(scratch& s, index_t count) {
    if (s.bytes() < static_cast<std::uint64_t>(count) * sizeof(Element))
      s = base::template borrow<Element>(count);
  }
  // An odd number of cache lines, so that columns do not meet in the same set.
  static index_t panel_height(index_t rows) {
    return (rows + kernel::panel_rows_beyond + 15) / 16 * 16 + 8;
  }

  /// A program with kernel::lu_interchanges. On CPUs an item takes several columns, as neighbouring
  /// items have nothing to share.
  void launch_swap(typename Runtime::program& from_program, view A, index_t from, index_t to,
                   int backward, index_t block) {
    const index_t share = works_beside() ? 1 : 8;
    const extent items = works_beside() ? this->line(A.cols()) : extent{};
    this->enqueue(from_program, "swap_rows", {base::parts_of(A.cols(), share * index_of(items.x))},
                  items, A.memory(), A.offset(), A.cols(), A.row_stride(), A.col_stride(), from, to,
                  backward, static_cast<int>(share), block, interchanges_);
  }

  scratch own_interchanges_;
  handle interchanges_;
  scratch panel_, step_;

 private:
  index_t padded(index_t b) const { return round_up(b, this->shape().solve_n); }
  index_t strips_of(index_t rows) const { return round_up(rows, this->shape().strip()); }
  static int height_of(const view& A) { return static_cast<int>(panel_height(A.rows())); }

  void launch_update_ahead(view A, index_t depth, index_t next, index_t first) {
    const int groups = depth > 0 ? std::max(2, this->facts().units) : 1;
    launch("lu_update_ahead", {static_cast<std::size_t>(groups)}, A.memory(), A.offset(), A.rows(),
           A.cols(), A.col_stride(), left_.get(), above_.get(), static_cast<int>(depth),
           static_cast<int>(next), panel_.get(), height_of(A), step_.get(), first, interchanges_,
           places_.get(), moves_.get(), this->state());
  }
  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, const Arguments&... arguments) {
    this->runtime().launch(program(), kernel_name, groups, {}, arguments...);
  }
  typename Runtime::program& program() {
    if (!program_)
      program_ = &this->load_tiled(
          "lu_ahead", {kernel::lu_pivot, kernel::lu_panel_pivots, kernel::lu_panel,
                       kernel::substitute_tile, kernel::lu_ahead, kernel::lu_interchanges});
    return *program_;
  }

  scratch left_, above_, moves_, places_;
  typename Runtime::program* program_ = nullptr;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

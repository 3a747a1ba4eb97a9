#pragma once
// A panel distributed over the processes of a process column, and messages of candidate rows.

#include <cstdint>
#include <span>

#include "trifac/engine/distributed/array.hpp"
#include "trifac/engine/distributed/memory.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// The interchanges that move rows candidates[0], candidates[1], … to first, first + 1, … b²/2
/// comparisons; blas::interchanges_from_candidates would need two numbers per row of the matrix on
/// every process.
inline void interchanges_of(std::span<const index_t> candidates, index_t first,
                            std::span<index_t> interchanges) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    index_t at = candidates[i];  // and its position after the previous steps
    for (std::size_t j = 0; j < i; ++j)
      if (at == first + static_cast<index_t>(j)) at = interchanges[j];
    interchanges[i] = at;
  }
}

/// Candidate rows of a tournament as a message: their number, row numbers and elements.
template <class T>
class candidate_rows {
 public:
  /// At most b rows of b elements.
  static index_t elements(index_t b) { return head(b) + b * b; }

  candidate_rows(T* message, index_t b) : message_(message), b_(b) {}

  T* data() const { return message_; }
  index_t count() const { return number(0); }
  void set_count(index_t count) const { set(0, count); }
  index_t row(index_t i) const { return number(1 + i); }
  void set_row(index_t i, index_t row) const { set(1 + i, row); }
  trifac::matrix_view<T> values() const { return column_major(message_ + head(b_), b_, b_); }

 private:
  static index_t head(index_t b) {
    return elements_for<T>(detail::as_size(1 + b) * sizeof(std::int64_t));
  }
  index_t number(index_t i) const {
    index_t x;
    unpack(&x, message_, sizeof x, i);
    return x;
  }
  void set(index_t i, index_t x) const { pack(message_, &x, sizeof x, i); }

  T* message_;
  index_t b_;
};

template <class T>
struct search_memory {
  search_memory() = default;
  search_memory(index_t rows, index_t b, int processes)
      : copy(rows * b),
        saved(rows * b),
        stacked(2 * b * b),
        candidates(candidate_rows<T>::elements(b)),
        others(candidate_rows<T>::elements(b)),
        both(candidate_rows<T>::elements(b)),
        order(rows + 2 * b),
        found((processes + 1) * (pivot_head + 2 * b)) {}
  bool ok() const {
    return copy.get() && saved.get() && stacked.get() && candidates.get() && others.get() &&
           both.get() && order.get() && found.get();
  }

  static constexpr index_t pivot_head = elements_for<T>(sizeof(std::int64_t));
  buffer<T> copy, saved, stacked, candidates, others, both;
  buffer<index_t> order;
  buffer<T> found;  ///< of one process, then of all
};

/// This process's rows of a panel: b columns from row `first` of the matrix on. The diagonal block
/// is entirely on the process `root`, with at least one block row below it.
template <class T>
struct split_panel {
  axis rows;
  trifac::matrix_view<T> column;  ///< all local rows
  index_t first, top;             ///< top: the first local row of the panel
  int root;

  index_t width() const { return column.cols(); }
  trifac::matrix_view<T> here() const {
    return column.block(top, 0, column.rows() - top, column.cols());
  }
  bool at_root() const { return rows.line->rank() == root; }
};

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac

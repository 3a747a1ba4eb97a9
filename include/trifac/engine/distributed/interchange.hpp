#pragma once
// Blocks of row interchanges of a distributed matrix, each in one all-to-all exchange.

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "trifac/engine/base/interchange_order.hpp"
#include "trifac/engine/distributed/array.hpp"
#include "trifac/engine/distributed/memory.hpp"

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// The net effect of interchanges: row `to` becomes the old row `from`.
struct row_move {
  index_t to, from;
};

/// The moves equivalent to exchanging rows first + i and rows[i] for i = 0, 1, … (backward: in
/// reverse order), sorted by `to`; `places` and `moves` have room for 2·rows.size().
///
/// Worked example with 4 rows a, b, c, d, first = 0 and rows 2, 3, 2: c d a b, so the moves are
/// 0 ← 2, 1 ← 3, 2 ← 0, 3 ← 1.
inline std::span<row_move> moves_of(std::span<const index_t> rows, index_t first,
                                    detail::interchange_order order, std::span<index_t> places,
                                    std::span<row_move> moves) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places[count++] = first + static_cast<index_t>(i);
    places[count++] = rows[i];
  }
  std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
  count = static_cast<std::size_t>(end - places.begin());
  for (std::size_t i = 0; i < count; ++i) moves[i] = {places[i], places[i]};
  const auto move_of = [&](index_t row) -> row_move& {
    return moves[static_cast<std::size_t>(std::lower_bound(places.begin(), end, row) -
                                          places.begin())];
  };
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const std::size_t i = order == detail::interchange_order::backward ? rows.size() - 1 - s : s;
    std::swap(move_of(first + static_cast<index_t>(i)).from, move_of(rows[i]).from);
  }
  const auto moved =
      std::remove_if(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const row_move& m) { return m.to == m.from; });
  return moves.first(static_cast<std::size_t>(moved - moves.begin()));
}

/// Buffers for up to `steps` interchanges in up to `cols` local columns.
template <class T>
struct interchange_memory {
  interchange_memory() = default;
  interchange_memory(index_t steps, index_t cols, int processes)
      : out(2 * steps * cols),
        in(2 * steps * cols),
        places(4 * steps),
        moves(2 * steps),
        counts(4 * processes),
        steps_(steps) {}
  bool ok() const { return out.get() && in.get() && places.get() && moves.get() && counts.get(); }
  std::span<row_move> moves_of(std::span<const index_t> rows, index_t first,
                               detail::interchange_order order) {
    const std::size_t room = detail::as_size(2 * steps_);
    return distributed::moves_of(rows, first, order, {places.get(), room}, {moves.get(), room});
  }

  buffer<T> out, in;
  buffer<index_t> places;  ///< rows involved; then the local rows sent and received
  buffer<row_move> moves;
  buffer<int> counts;  ///< out, in; start of each

 private:
  index_t steps_ = 0;
};

/// Applies the moves to the local columns of A and B, two parts of one local array; either may be
/// empty. Collective over the axis of the rows: each process sends each other process all of its
/// rows in one message.
template <class T>
void interchange(const axis& rows, std::span<const row_move> moves, const trifac::matrix_view<T>& A,
                 const trifac::matrix_view<T>& B, interchange_memory<T>& memory, traffic& moved) {
  const int processes = rows.size(), me = rows.line->rank();
  const index_t cols = A.cols() + B.cols();
  index_t *const out_rows = memory.places.get(), *const in_rows = out_rows + moves.size();
  int* const out_counts = memory.counts.get();
  int *const in_counts = out_counts + processes, *const out_starts = in_counts + processes,
             *const in_starts = out_starts + processes;
  // The local rows sent to, and received from, each process.
  index_t out = 0, in = 0;
  for (int p = 0; p < processes; ++p) {
    const index_t out_before = out, in_before = in;
    for (const row_move& m : moves) {
      const int to = rows.owner(m.to / rows.block), from = rows.owner(m.from / rows.block);
      if (from == me && to == p) out_rows[out++] = rows.local(m.from);
      if (to == me && from == p) in_rows[in++] = rows.local(m.to);
    }
    out_counts[p] = static_cast<int>((out - out_before) * cols);
    in_counts[p] = static_cast<int>((in - in_before) * cols);
    out_starts[p] = static_cast<int>(out_before * cols);
    in_starts[p] = static_cast<int>(in_before * cols);
  }
  // A message is a column-major matrix of its rows.
  const auto pass = [&](T* data, const index_t* local, const int* counts, auto each) {
    for (int p = 0; p < processes; ++p) {
      const index_t count = cols > 0 ? counts[p] / cols : 0;
      for (const auto& part : {A, B})
        for (index_t j = 0; j < part.cols(); ++j)
          for (index_t i = 0; i < count; ++i) each(part(local[i], j), *data++);
      local += count;
    }
  };
  pass(memory.out.get(), out_rows, out_counts, [](T& a, T& message) { message = a; });
  T* received = memory.out.get();
  if (processes > 1) {
    received = memory.in.get();
    rows.line->all_to_all(memory.out.get(), out_counts, out_starts, received, in_counts, in_starts,
                          moved);
  }
  pass(received, in_rows, in_counts, [](T& a, T& message) { a = message; });
}

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac

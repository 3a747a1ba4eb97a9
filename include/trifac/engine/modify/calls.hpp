#pragma once
// The definition of calls<T, B>::modify: memory, backend, nest.

#include "trifac/backend.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/modify/low_rank.hpp"

namespace trifac {

inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::modify(const B& backend, modification how, const view& L,
                           const operand<T>& X) noexcept {
  TRIFAC_TRY {
    const index_t n = L.rows(), k = X.cols();
    // Columns of L at a time; by rows two lines of each.
    const index_t b = detail::min<index_t>(n, k == 1                ? simd::rotation_columns
                                              : L.row_stride() == 1 ? 16
                                                                    : simd::reflector_columns);
    const index_t rows = simd::whole_packets(b),
                  groups = (k + reflector_width - 1) / reflector_width,
                  ld = (n + 15) / 16 * 16 + 16, columns = groups * reflector_width;
    detail::workspace memory({}, detail::scratch_bytes<T>(ld * columns) +
                                     detail::scratch_bytes<T>(rows * b) +
                                     detail::scratch_bytes<reflector<T>>(b * groups));
    if (!memory.ok()) return detail::no_workspace();
    const auto copy = memory.take<T>(ld * columns), D = memory.take<T>(rows * b);
    const auto reflectors = memory.take<reflector<T>>(b * groups);
    const auto Y = column_major(copy.data(), n, k, ld);
    for (index_t c = 0; c < k; ++c)
      for (index_t i = 0; i < n; ++i) Y(i, c) = X(i, c);
    const double order = static_cast<double>(n);
    status outcome;
    run(backend, outcome, 2 * order * order * static_cast<double>(k),
        [&](auto& on) { modify_lower(on, how, L, Y, b, D.data(), reflectors.data()); });
    return outcome;
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac

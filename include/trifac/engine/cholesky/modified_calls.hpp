#pragma once
// The definition of calls<T, B>::modified_cholesky: memory, backend, nest.

#include <limits>
#include <span>

#include "trifac/backend.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cholesky/modified.hpp"
#include "trifac/engine/cpu/run.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// γ: max |a_ii|; of a matrix whose diagonal is zero max |a_ij|, or 1.
template <class T>
real_t<T> modified_scale(const matrix_view<const T>& A) {
  using R = real_t<T>;
  R size(0);
  for (index_t i = 0; i < A.rows(); ++i) size = max_or_nan(size, R(absolute(real_part(A(i, i)))));
  for (index_t j = 0; j < A.cols() && size == R(0); ++j)
    for (index_t i = j + 1; i < A.rows(); ++i) size = max(size, R(absolute(A(i, j))));
  return size == R(0) ? R(1) : size;
}

}  // namespace detail
}  // namespace TRIFAC_ABI

inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::modified_cholesky(const B& backend, const view& A, index_t columns,
                                      std::span<index_t> interchanges, std::span<real_t<T>> E,
                                      index_t& phase_two) noexcept {
  TRIFAC_TRY {
    using namespace detail;
    using R = real_t<T>;
    const index_t n = A.rows();
    workspace memory({}, 2 * scratch_bytes<R>(n));
    if (!memory.ok()) return no_workspace();
    const auto diagonal = memory.take<R>(n), bounds = memory.take<R>(n);
    modified_state<T> state = {.gamma = modified_scale<T>(A),
                               .interchanges = interchanges,
                               .diagonal = diagonal.span(),
                               .bounds = bounds.span(),
                               .E = E};
    // Pivots stay normal numbers, of a denormal A too.
    state.gamma = max(state.gamma, R(std::numeric_limits<R>::min() / state.tau_bar));
    for (index_t i = 0; i < n; ++i) {
      state.bound(i) = E[as_size(i)] = R(0);
      state.d(i) = real_part(A(i, i));
      if (!is_finite(state.d(i))) return status::at(status_kind::not_finite, 0);
    }
    const index_t block = columns > 0 ? columns : min(n, default_pivoted_block);
    const double order = static_cast<double>(n);
    status outcome;
    run(backend, outcome, order * order * order / 3,
        [&](auto& on) { cholesky_pivoted(on, A, block, state); });
    phase_two = state.phase_two == state.never ? n : state.phase_two;
    return outcome ? state.outcome : outcome;
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac

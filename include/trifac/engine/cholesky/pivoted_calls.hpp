#pragma once
// The definition of calls<T, B>::pivoted_cholesky: memory, backend, nest.

#include <limits>
#include <span>

#include "trifac/backend.hpp"
#include "trifac/engine/base/from_double.hpp"
#include "trifac/engine/blas/lower_is_finite.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cholesky/pivoted.hpp"
#include "trifac/engine/cholesky/pivoted_options.hpp"
#include "trifac/engine/cpu/run.hpp"

namespace trifac {
inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::pivoted_cholesky(const B& backend, const view& A,
                                     const pivoted_cholesky_options& options,
                                     std::span<index_t> interchanges, index_t& rank) noexcept {
  TRIFAC_TRY {
    using namespace detail;
    using R = real_t<T>;
    const index_t n = A.rows();
    workspace memory({}, scratch_bytes<R>(n));
    if (!memory.ok()) return no_workspace();
    const auto diagonal = memory.take<R>(n);
    R largest(0);
    for (index_t i = 0; i < n; ++i) {
      const R d = diagonal.span()[as_size(i)] = real_part(A(i, i));
      if (!is_finite(d)) return status::at(status_kind::not_finite, 0);
      largest = max(largest, d);
    }
    const R rounding = from_index<R>(n) * std::numeric_limits<R>::epsilon() * largest;
    const R tolerance = options.tolerance < 0 ? rounding : from_double<R>(options.tolerance);
    pivoted_state<T> state = {tolerance, -max(rounding, tolerance), interchanges, diagonal.span()};
    const index_t block = options.block > 0 ? options.block : min(n, default_pivoted_block);
    const double order = static_cast<double>(n);
    status outcome;
    run(backend, outcome, order * order * order / 3,
        [&](auto& on) { cholesky_pivoted(on, A, block, state); });
    rank = state.rank;
    if (outcome) outcome = state.outcome;
    // What no pivot has met.
    const index_t left = n - rank;
    if (outcome && !lower_is_finite<T>(A.block(rank, rank, left, left)))
      return status::at(status_kind::not_finite, rank);
    return outcome;
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac

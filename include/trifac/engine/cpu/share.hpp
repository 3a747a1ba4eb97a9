#pragma once
// The definition of calls<T, B>::share.

#include "trifac/engine/call/call.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/cpu/run.hpp"

namespace trifac {
inline namespace TRIFAC_CALLS {

template <class T, class B>
status calls<T, B>::share(const B& backend, double flops, index_t pieces,
                          void (*piece)(void* work, index_t i), void* work) noexcept {
  TRIFAC_TRY {
    status outcome;
    run(backend, outcome, flops, [&](auto& on) {
      on.pieces(nest_step::batch_piece, pieces, [&](index_t i) { piece(work, i); });
    });
    return outcome;
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac

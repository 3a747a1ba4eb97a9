#pragma once
// How many matrices of a batch are a group, in the lanes of vectors.

#include "trifac/engine/batch/pieces/plan.hpp"
#include "trifac/engine/calls/batch_calls.hpp"
#include "trifac/engine/calls/calls.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Matrices of a group of a batch of such matrices; 0: they are factored one by one.
template <class T>
index_t lanes_for(index_t rows, index_t cols) {
  if constexpr (LapackScalar<T>)
    if (goes_in_lanes<T>(rows, cols)) return batch_calls<T>::lanes();
  return 0;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

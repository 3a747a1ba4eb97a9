#pragma once
// grid_of(context): the process grid of a BLACS context, for ScaLAPACK programs. Link with
// trifac::blacs (CMake) or with ScaLAPACK.

#include "trifac/engine/distributed/array.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
MPI_Comm Cblacs2sys_handle(int handle);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
}

namespace trifac {
namespace distributed {
inline namespace TRIFAC_ABI {

/// Collective in the context. On processes outside of it the grid is unusable, and they make no
/// calls on it.
inline grid grid_of(int context) {
  int rows = 0, cols = 0, row = -1, col = -1, handle = 0;
  if (context >= 0) Cblacs_gridinfo(context, &rows, &cols, &row, &col);
  if (row < 0 || col < 0) return {};
  constexpr int handle_of_context = 10;
  // Not freed: BLACS has one handle for a context, which the caller may have asked for, too.
  Cblacs_get(context, handle_of_context, &handle);
  return {Cblacs2sys_handle(handle), rows, cols, row, col};
}

/// An array from ScaLAPACK's pointer and desc[9]; the context is that of the grid.
template <LapackScalar T>
array<T> array_of(const grid& on, T* local, const int* desc) {
  return {on, descriptor::of(desc), local};
}
template <LapackScalar T>
array<T> array_of(const grid&& on, T* local, const int* desc) = delete;

}  // namespace TRIFAC_ABI
}  // namespace distributed
}  // namespace trifac

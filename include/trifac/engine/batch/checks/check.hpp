#pragma once
// Argument checks of batches: sizes, strides, memory, and whether the right-hand sides fit.

#include <cstdint>

#include "trifac/batch_view.hpp"
#include "trifac/engine/base/float_model.hpp"
#include "trifac/engine/base/min_max.hpp"
#include "trifac/engine/batch/layout/overlap.hpp"
#include "trifac/engine/batch/layout/sides.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/simd/isa/isa.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

constexpr status check_floats(float_model floats) {
  return floats == float_model::ieee || floats == float_model::fast
             ? status()
             : status::argument("options.floats", "is not one of its enumeration");
}

/// One extent of a batch and how far apart its elements are.
struct batch_extent {
  index_t count, stride;
};

/// True where the extents nest: ordered by stride, each stride spans all that the smaller ones
/// reach. Then no two elements share memory.
template <class T>
constexpr bool are_nested(batch_extent (&extents)[4]) {
  for (int i = 1; i < 4; ++i)  // insertion: four of them
    for (int k = i; k > 0 && extents[k].stride < extents[k - 1].stride; --k) {
      const batch_extent other = extents[k];
      extents[k] = extents[k - 1];
      extents[k - 1] = other;
    }
  index_t span = 1;
  for (const batch_extent& e : extents) {
    if (e.count <= 1) continue;
    if (e.stride < span || e.stride > most_elements<T> / e.count) return false;
    span = e.count * e.stride;
  }
  return true;
}

/// Matrices by pointers: each one there, and neighbours apart.
template <class T>
status check_pointers(const batch_view<T>& A, const char* argument) {
  if (A.pointers() == nullptr)
    return status::argument(argument, "has matrices but no pointers (null pointer)");
  if (const status s = check_view(matrix_view<T>(A.pointers()[0], A.rows(), A.cols(),
                                                 A.strides().row_stride, A.strides().col_stride),
                                  argument);
      !s)
    return s;
  const index_t reach = (A.rows() - 1) * distance(A.strides().row_stride) +
                        (A.cols() - 1) * distance(A.strides().col_stride) + 1;
  const auto where = [&](index_t b) { return reinterpret_cast<std::uintptr_t>(A.pointers()[b]); };
  const auto bytes = static_cast<std::uintptr_t>(reach) * sizeof(T);
  for (index_t b = 0; b < A.batch(); ++b) {
    if (A.pointers()[b] == nullptr)
      return status::argument(argument, "has a matrix without memory (null pointer)");
    if (b > 0 && max(where(b), where(b - 1)) - min(where(b), where(b - 1)) < bytes &&
        overlap(A[b], part_in_use::whole, A[b - 1], part_in_use::whole))
      return status::argument(argument, "has matrices that overlap");
  }
  return {};
}

/// A view that can be a batch: sizes not negative, batch·rows·cols a number, data where there are
/// elements, strides that keep all of them apart and within the address space.
template <class T>
status check_batch(const batch_view<T>& A, const char* argument) {
  if (A.batch() < 0 || A.rows() < 0 || A.cols() < 0)
    return status::argument(argument, "has a negative size");
  if (A.batch() > most_elements<std::int32_t> - simd::most_lanes)
    return status::argument(argument, "has more matrices than an address space has numbers for");
  if (A.empty()) return {};
  if (A.rows() > most_elements<T> / A.cols() ||
      A.batch() > most_elements<T> / (A.rows() * A.cols()))
    return status::argument(argument, "has more elements than an address space has room for");
  if (A.has_pointers()) return check_pointers(A, argument);
  if (A.data() == nullptr)
    return status::argument(argument, "has elements but no memory (null pointer)");
  const auto& s = A.strides();
  if (s.chunk < 1 || s.chunk > most_elements<T> || s.first < 0 || s.first >= s.chunk)
    return status::argument(argument, "has a chunk of no matrices");
  const index_t chunks = (s.first + (A.batch() - 1)) / s.chunk + 1;
  const index_t in_chunk = chunks > 1 ? s.chunk : A.batch();
  batch_extent extents[4] = {{in_chunk, s.lane_stride},
                             {A.rows(), s.row_stride},
                             {A.cols(), s.col_stride},
                             {chunks, s.chunk_stride}};
  for (const batch_extent& e : extents)
    if (e.stride < -most_elements<T> || e.stride > most_elements<T>)
      return status::argument(argument, "has strides that no address space has room for");
  for (batch_extent& e : extents) e.stride = distance(e.stride);
  if (!are_nested<T>(extents))
    return status::argument(argument,
                            "has strides with which its matrices overlap or leave the address "
                            "space");
  return {};
}

/// What a call says of an X that does not fit its matrices.
struct misfit_texts {
  const char *count, *rows, *overlap;
};

/// X of systems with the matrices A: one for each matrix of A, unless A is one for all.
template <class T>
status check_solutions(const batch_view<const T>& A, const batch_sides<T>& sides,
                       const misfit_texts& texts) {
  const batch_view<T>& X = sides.X;
  if (const status s = check_batch(X, sides.name()); !s) return s;
  if (X.batch() != A.batch() && A.batch() != 1) return status::argument(sides.name(), texts.count);
  if (X.rows() != A.rows()) return status::argument(sides.name(), texts.rows);
  if (batches_overlap<T>(A, X)) return status::argument(sides.name(), texts.overlap);
  return {};
}

/// B, where there is one, beside X.
template <class T>
status check_right_hand_sides(const batch_sides<T>& sides) {
  if (!sides.B) return {};
  const batch_view<const T>& B = *sides.B;
  const batch_view<T>& X = sides.X;
  if (const status s = check_batch(B, "B"); !s) return s;
  if (B.batch() != X.batch() && B.batch() != 1)
    return status::argument("B", "must have as many matrices as X, or be one for all");
  if (B.rows() != X.rows() || B.cols() != X.cols())
    return status::argument("B", "must have the rows and columns of X");
  return batches_overlap<T>(B, X) ? status::argument("B", "overlaps X") : status();
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

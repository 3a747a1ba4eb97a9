#pragma once
// The systems of a piece of a batch in lanes: in place where they lie so, else packed and unpacked.

#include "trifac/engine/batch/checks/outcome.hpp"
#include "trifac/engine/batch/pieces/lanes_of.hpp"
#include "trifac/engine/calls/batch_calls.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// conj(X) of packed lanes.
template <class Target, class T>
void conjugate_lanes(Target, const simd::lane_matrix<T>& X) {
  constexpr index_t w = simd::lanes_of_vector<Target, T>;
  for (index_t j = 0; j < X.cols; ++j)
    for (index_t i = 0; i < X.rows; ++i)
      for (index_t l = w; l < 2 * w; ++l) X.at(i, j)[l] = -X.at(i, j)[l];
}

/// I in every lane.
template <class Target, class T>
void set_identity_lanes(Target, const simd::lane_matrix<T>& X) {
  constexpr index_t w = simd::lanes_of_vector<Target, T>;
  for (index_t j = 0; j < X.cols; ++j)
    for (index_t i = 0; i < X.rows; ++i)
      for (index_t l = 0; l < w * simd::planes<T>; ++l)
        X.at(i, j)[l] = real_t<T>(i == j && l < w ? 1 : 0);
}

/// B := A⁻¹·B, by what S says A is; b: the first system.
template <class Target, class T>
void solve_groups(Target target, const batch_systems<T>& S, const simd::lane_groups<T>& A,
                  const simd::lane_groups<T>& B, index_t b, real_t<T>* divisors) {
  using task = typename batch_systems<T>::task;
  if (S.what == task::solve_triangle)
    solve_triangle_lanes(target, A, B, S.part, S.diag, divisors);
  else if (S.what == task::solve_forward)
    solve_forward_lanes(target, A, B, divisors);
  else if (S.what == task::solve_backward)
    solve_backward_lanes(target, A, B, divisors);
  else if (S.is_lu)
    solve_lu_lanes(
        target, A, B,
        simd::lane_pivots{const_cast<std::int32_t*>(S.interchanges.data()), S.factors.rows()},
        S.is_one_factor() ? 0 : b, S.op, divisors);
  else
    solve_cholesky_lanes(target, A, B, divisors);
}

/// Whether contiguous real systems are solved one by one: with as many right-hand sides as lanes,
/// which then fill the vectors of one system; where a group of factors leaves the cache; and where
/// there are many interchanges, which lanes make one after another. One factor for several systems
/// is packed once for all in lanes. Special path one-by-one-solve.
template <class T>
bool solves_one_by_one(const batch_systems<T>& S, index_t lanes) {
  const index_t n = S.factors.rows(), sides = S.sides.cols();
  if (n > 128) return true;
  if (S.is_one_factor() && S.sides.batch() > 1) return false;
  if (n >= 96 && !S.interchanges.empty()) return true;
  return n >= (sides > lanes ? 16 : 48) && sides >= lanes;
}

/// The first system of from … to−1 whose factorization failed, else `to`.
template <class T>
index_t first_failed(const batch_systems<T>& S, index_t from, index_t to) {
  if (S.is_one_factor()) return S.info_of(0) != 0 ? from : to;
  return first_failed(S.info.data(), from, to);
}

/// A bit for each system of from … to−1, set where its factorization did not fail.
template <class T>
unsigned good_lanes(const batch_systems<T>& S, index_t from, index_t to) {
  unsigned good = 0;
  for (index_t b = from; b < to; ++b) good |= unsigned{S.info_of(b) == 0} << (b - from);
  return good;
}

/// Right-hand sides of system b and of the following ones, before `to`, as packed lanes.
template <class Target, class T>
void pack_sides(Target target, const batch_systems<T>& S, index_t b, index_t to,
                const simd::lane_matrix<T>& lanes) {
  if (S.what == batch_systems<T>::task::invert) return set_identity_lanes(target, lanes);
  simd::pack(target, S.sides, b, to, simd::lane_part::whole, lanes);
  if constexpr (is_complex<T>)
    if (S.conjugated) conjugate_lanes(target, lanes);
}
/// Packed lanes back to the systems whose factorization did not fail.
template <class Target, class T>
void unpack_sides(Target target, const batch_systems<T>& S, const simd::lane_matrix<T>& lanes,
                  index_t b, index_t to) {
  constexpr index_t w = simd::lanes_of_vector<Target, T>;
  const bool is_triangle = S.what == batch_systems<T>::task::invert && !S.is_lu;
  if constexpr (is_complex<T>)
    if (S.conjugated) conjugate_lanes(target, lanes);
  simd::unpack(target, lanes, S.sides, b, to, good_lanes(S, b, min(to, b + w)),
               is_triangle ? simd::lane_part::lower : simd::lane_part::whole);
}

/// Systems from … to−1. Those whose factorization failed are left as they are.
template <class Target, class T>
void solve_piece(Target target, const batch_systems<T>& S, index_t from, index_t to,
                 std::byte* memory) {
  constexpr index_t w = simd::lanes_of_vector<Target, T>;
  constexpr index_t step = w * simd::planes<T>;
  const index_t n = S.factors.rows(), k = S.factors.cols(), cols = S.sides.cols();
  const index_t ld = packed_ld<T>(n) * step, most = packed_groups<T>(n, k, cols);
  real_t<T>* const divisors = reinterpret_cast<real_t<T>*>(memory);
  real_t<T>* const sides = divisors + n * (step + w);
  real_t<T>* const factors = sides + most * ld * cols;
  const auto part = S.is_lu                     ? simd::lane_part::whole
                    : S.part == triangle::lower ? simd::lane_part::lower
                                                : simd::lane_part::upper;
  const simd::lane_groups<T> packed{simd::packed_lanes<Target, T>(target, factors, n, k), to,
                                    S.is_one_factor() ? 0 : ld * k};
  const simd::lane_groups<T> packed_sides{simd::packed_lanes<Target, T>(target, sides, n, cols), to,
                                          ld * cols};
  if (S.is_one_factor()) simd::pack(target, S.factors, 0, 1, part, packed.first);
  for (index_t b = from; b < to;) {
    auto A = S.is_one_factor() ? packed : simd::groups_in_place(target, S.factors, b, to);
    auto B = simd::groups_in_place(target, S.sides, b, to);
    if (S.what == batch_systems<T>::task::invert) B.count = 0;
    // Where both lie in lanes: up to the first failed system, which must not be written.
    index_t groups = (first_failed(S, b, b + min(A.count, B.count) * w) - b) / w;
    bool packs_sides = false;
    if (groups == 0) {
      groups = min(most, (to - b + w - 1) / w);
      if (A.count > 0) groups = min(groups, A.count);
      if (B.count > 0) groups = min(groups, B.count);
      const index_t end = min(to, b + groups * w);
      packs_sides = B.count == 0 || first_failed(S, b, end) < end;
    }
    const index_t next = min(to, b + groups * w), after = min(to, next + groups * w);
    if (A.count == 0) {
      simd::prefetch(S.factors, next, after);
      A = packed;
      for (index_t g = 0; g < groups; ++g) simd::pack(target, S.factors, b + g * w, to, part, A[g]);
    }
    if (packs_sides) {
      simd::prefetch(batch_view<const T>(S.sides), next, after);
      B = packed_sides;
      for (index_t g = 0; g < groups; ++g) pack_sides(target, S, b + g * w, to, B[g]);
    }
    A.count = groups;
    solve_groups(target, S, A, B, b, divisors);
    for (index_t g = 0; g < groups && packs_sides; ++g)
      unpack_sides(target, S, B[g], b + g * w, to);
    b += groups * w;
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif

#pragma once
// The systems of a piece of a batch in lanes: in place where they lie so, else packed and unpacked.

#include "trifac/batch/lanes_of.hpp"
#include "trifac/linked/batch_calls.hpp"

#if TRIFAC_SIMD

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// conj(X) of packed lanes.
template <class Target, class T>
void conjugate_lanes(Target, const simd::lane_matrix<T>& X) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t j = 0; j < X.cols; ++j)
    for (index_t i = 0; i < X.rows; ++i)
      for (index_t l = w; l < 2 * w; ++l) X.at(i, j)[l] = -X.at(i, j)[l];
}

/// I in every lane.
template <class Target, class T>
void set_identity_lanes(Target, const simd::lane_matrix<T>& X) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  for (index_t j = 0; j < X.cols; ++j)
    for (index_t i = 0; i < X.rows; ++i)
      for (index_t l = 0; l < w * simd::planes<T>; ++l)
        X.at(i, j)[l] = real_t<T>(i == j && l < w ? 1 : 0);
}

using linked::batch_systems;

/// B := A⁻¹·B, by what S says A is; b: the first system.
template <class Target, class T>
void solve_groups(Target target, const batch_systems<T>& S, const simd::lane_groups<T>& A,
                  const simd::lane_groups<T>& B, index_t b, real_t<T>* divisors) {
  if (S.what == batch_systems<T>::task::solve_triangle)
    solve_triangle_lanes(target, A, B, S.part, S.diag, divisors);
  else if (S.is_lu)
    solve_lu_lanes(
        target, A, B,
        simd::lane_pivots{const_cast<std::int32_t*>(S.interchanges.data()), S.factors.rows()},
        S.is_one_factor() ? 0 : b, S.op, divisors);
  else
    solve_cholesky_lanes(target, A, B, divisors);
}

/// Systems from … to−1. Those whose factorization failed are left as they are.
template <class Target, class T>
void solve_piece(Target target, const batch_systems<T>& S, index_t from, index_t to,
                 std::byte* memory) {
  constexpr index_t w = Target::vector_bytes / index_t{sizeof(real_t<T>)};
  constexpr index_t step = w * simd::planes<T>;
  const index_t n = S.factors.rows();
  real_t<T>* const divisors = reinterpret_cast<real_t<T>*>(memory);
  real_t<T>* const sides = divisors + n * (step + w);
  real_t<T>* const factors = sides + packed_ld<T>(n) * S.sides.cols() * step;
  const bool inverts = S.what == batch_systems<T>::task::invert;
  const auto part = S.is_lu                     ? simd::lane_part::whole
                    : S.part == triangle::lower ? simd::lane_part::lower
                                                : simd::lane_part::upper;
  const auto written = inverts && !S.is_lu ? simd::lane_part::lower : simd::lane_part::whole;
  const simd::lane_groups<T> packed{simd::packed_lanes<Target, T>(target, factors, n, n), to};
  if (S.is_one_factor()) simd::pack(target, S.factors, 0, 1, part, packed.first);
  for (index_t b = from; b < to;) {
    auto A = S.is_one_factor() ? packed : simd::groups_in_place(target, S.factors, b, to);
    auto B = inverts ? simd::lane_groups<T>{.first = {}, .count = 0}
                     : simd::groups_in_place(target, S.sides, b, to);
    const index_t many = A.count > 0 && B.count > 0 ? min(A.count, B.count) : 1;
    const index_t end = min(to, b + many * w);
    bool failed = false;
    for (index_t i = b; i < end; ++i) failed = failed || S.info_of(i) != 0;
    if (many > 1 && !failed) {
      A.count = many;
      solve_groups(target, S, A, B, b, divisors);
      b = end;
      continue;
    }
    // One group: a failed system must not be written.
    const index_t last = min(to, b + w);
    unsigned good = 0;
    for (index_t i = b; i < last; ++i) good |= unsigned{S.info_of(i) == 0} << (i - b);
    const bool whole = good == (1u << w) - 1;
    if (A.count == 0) {
      A.first = packed.first;
      simd::pack(target, S.factors, b, last, part, A.first);
    }
    const bool in_place = B.count > 0 && whole;
    if (!in_place) {
      B.first = simd::packed_lanes<Target, T>(target, sides, n, S.sides.cols());
      if (inverts)
        set_identity_lanes(target, B.first);
      else
        simd::pack(target, S.sides, b, last, simd::lane_part::whole, B.first);
      if constexpr (is_complex<T>)
        if (S.conjugated) conjugate_lanes(target, B.first);
    }
    A.count = B.count = 1;
    solve_groups(target, S, A, B, b, divisors);
    if (!in_place) {
      if constexpr (is_complex<T>)
        if (S.conjugated) conjugate_lanes(target, B.first);
      simd::unpack(target, B.first, S.sides, b, last, good, written);
    }
    b = last;
  }
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#endif

#pragma once
// The calls that the library trifac::kernels brings compiled: factorizations in every variant,
// solves, inverses, modifications, pivoted and modified Cholesky, for s, d, c, z, on one thread or
// on threads that the caller starts. Functions over plain data: one library serves all instruction
// sets, and programs compiled with any flags. cmake/kernels.cpp defines them. Batches:
// batch_calls.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "trifac/backend.hpp"
#include "trifac/engine/base/modification.hpp"
#include "trifac/engine/cholesky/options.hpp"
#include "trifac/engine/cholesky/pivoted_options.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/version.hpp"

#define TRIFAC_LINKED_JOIN_(a, b) v##a##_##b
#define TRIFAC_LINKED_JOIN(a, b) TRIFAC_LINKED_JOIN_(a, b)
#define TRIFAC_LINKED_VERSION TRIFAC_LINKED_JOIN(TRIFAC_VERSION_MAJOR, TRIFAC_VERSION_MINOR)

namespace trifac {
namespace backend {
class operation_times;
}

namespace linked {

// Headers and a library of different versions do not link.
inline namespace TRIFAC_LINKED_VERSION {

/// Who starts the threads of a call: the program, whose compiler knows how. By default nobody,
/// and nobody times it.
struct threads {
  using body = void(void* work, int size);
  using clock = std::int64_t(void* work);

  /// Calls each(work, size) on each thread of a team of `size` that suits so many flops, and
  /// returns when all have come back; or returns false, having called nothing, where one thread is
  /// better. worked(work) is then the time that they have worked together, in nanoseconds.
  bool (*start)(const void* policy, double flops, body* each, clock* worked, void* work) = nullptr;
  const void* policy = nullptr;
  status usable = {};                         ///< what check_backend says of the policy
  backend::operation_times* times = nullptr;  ///< of backend::timed, or null
};

inline namespace TRIFAC_ABI {

/// The threads of a backend with start_team(policy, flops, worked, each).
template <class B>
threads threads_of(const B& policy) {
  const auto start = [](const void* which, double flops, threads::body* each,
                        threads::clock* worked, void* work) {
    return start_team(
        *static_cast<const B*>(which), flops, [&] { return worked(work); },
        [&](int size) { each(work, size); });
  };
  return {start, &policy};
}

}  // namespace TRIFAC_ABI

/// As try_cholesky<v>, try_lu<v> and try_solve, their arguments taken apart.
template <class T>
struct TRIFAC_SHARED calls {
  static status cholesky(variant v, const threads& team, const matrix_view<const T>& A,
                         const matrix_view<T>& L, const cholesky_options& options) noexcept;
  static std::size_t cholesky_workspace_bytes(variant v, index_t n,
                                              const cholesky_options& options) noexcept;
  /// factor_small of cholesky/run.hpp.
  static index_t small_cholesky(T* A, index_t n, index_t down, index_t along) noexcept;
  /// `interchanges` has room for min(m, n).
  static status lu(variant v, const threads& team, const matrix_view<T>& A, index_t* interchanges,
                   const lu_options& options) noexcept;
  /// P·A = L·U of a plain n×n matrix with n ≤ simd::small_lu; room for n in `interchanges`.
  static status small_lu(T* A, index_t n, index_t down, index_t along,
                         index_t* interchanges) noexcept;
  /// solve_small of solve/run.hpp.
  static bool small_solve_cholesky(const T* L, index_t down, index_t along, bool conjugated,
                                   const matrix_view<T>& B) noexcept;
  static bool small_solve_lu(const T* LU, index_t down, index_t along, const index_t* interchanges,
                             operation op, const matrix_view<T>& B) noexcept;
  /// L or U and B as try_solve has checked them.
  static status solve_cholesky(const threads& team, const matrix_view<const T>& factor,
                               triangle part, const matrix_view<T>& B, operation op) noexcept;
  static status solve_lu(const threads& team, const matrix_view<const T>& LU,
                         const index_t* interchanges, const matrix_view<T>& B,
                         operation op) noexcept;
  /// A and B as run_triangular_solve (solve/triangle.hpp) has them.
  static status solve_triangle(const threads& team, const operand<T>& A, triangle part,
                               diagonal diag, const matrix_view<T>& B) noexcept;
  /// The same without a look at the numbers, as substitute.
  static status substitute(const threads& team, const operand<T>& A, triangle part, diagonal diag,
                           const matrix_view<T>& B) noexcept;
  /// Factors and X as try_inverse has checked them; L and X as lower triangles.
  static status cholesky_inverse(const threads& team, const matrix_view<const T>& L,
                                 const matrix_view<T>& X) noexcept;
  static status lu_inverse(const threads& team, const matrix_view<const T>& LU,
                           const index_t* interchanges, const matrix_view<T>& X) noexcept;
  /// The lower triangle of L := that of L·Lᴴ ± X·Xᴴ; see modify/run.hpp.
  static status modify(const threads& team, modification how, const matrix_view<T>& L,
                       const operand<T>& X) noexcept;
  /// A, its lower triangle; `interchanges` has room for n; see cholesky/run_pivoted.hpp.
  static status pivoted_cholesky(const threads& team, const matrix_view<T>& A,
                                 const pivoted_cholesky_options& options, index_t* interchanges,
                                 index_t& rank) noexcept;
  /// The same with room for n in `E`; see cholesky/run_modified.hpp.
  static status modified_cholesky(const threads& team, const matrix_view<T>& A, index_t block,
                                  index_t* interchanges, real_t<T>* E, index_t& phase_two) noexcept;
  /// R −= A·X, A whole, or Hermitian with its lower triangle; see refine/residual.hpp.
  static status subtract_product(const threads& team, const operand<T>& A,
                                 const matrix_view<const T>& X, const matrix_view<T>& R) noexcept;
  static status subtract_hermitian(const operand<T>& A, const matrix_view<const T>& X,
                                   const matrix_view<T>& R) noexcept;
};

}  // namespace TRIFAC_LINKED_VERSION

/// A backend whose calls the library has: it says who starts the threads, by argument-dependent
/// lookup.
template <class B>
concept Linked = Backend<B> && requires(const B& b) {
  { threads_for_linked(b) } -> std::same_as<threads>;
};

}  // namespace linked
}  // namespace trifac

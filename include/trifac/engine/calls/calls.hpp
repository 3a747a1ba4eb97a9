#pragma once
// The seam between the calls that a program makes, which check their arguments and measure, and the
// loop nests: plain functions over plain data. calls.hpp of an operation's folder defines them.
//
// Their definitions are compiled in one of three ways (base/config.hpp):
//   - in each file that makes the calls: nothing is defined;
//   - in one file of a program: with TRIFAC_DECLARE in all files and TRIFAC_IMPLEMENTATION in one,
//     which instantiates what the program calls: template struct trifac::calls<double>;
//   - in the library trifac::kernels, for s, d, c, z: TRIFAC_USE_KERNELS.
// nests.hpp brings the definitions to a file that has only the declarations: for other scalar types
// and for backends of a user's own.

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "trifac/backend.hpp"
#include "trifac/engine/base/modification.hpp"
#include "trifac/engine/calls/team.hpp"

namespace trifac {

struct cholesky_options;
struct pivoted_cholesky_options;
struct lu_options;

inline namespace TRIFAC_CALLS {

/// Arguments are checked by the caller. B: call_team, or a user's backend.
template <class T, class B = call_team>
struct TRIFAC_SHARED_CALLS calls {
  using view = matrix_view<T>;
  using const_view = matrix_view<const T>;
  using rows = std::span<const index_t>;

  /// v is best or packed; lower triangles, not empty. L may be A; if it is not, nothing is written
  /// before all memory is allocated.
  TRIFAC_CALL static status cholesky(variant v, const B& backend, const const_view& A,
                                     const view& L, const cholesky_options& options) noexcept;
  /// See cholesky/plan.hpp.
  TRIFAC_CALL static std::size_t cholesky_workspace_bytes(variant v, index_t n,
                                                          const cholesky_options& options) noexcept;
  /// The first columns of a lower triangle, not empty, and the Schur complement; in place.
  TRIFAC_CALL static status partial_cholesky(const B& backend, const view& A, index_t columns,
                                             const cholesky_options& options) noexcept;
  /// Lower triangle of the n×n matrix at A := L by its kernel: all_good, the index of a bad pivot,
  /// or not_small (cholesky/known_order.hpp).
  TRIFAC_CALL static index_t small_cholesky(T* A, index_t n, index_t down, index_t along) noexcept;

  /// v as above; A is not empty. `interchanges` has room for min(m, n).
  TRIFAC_CALL static status lu(variant v, const B& backend, const view& A, index_t* interchanges,
                               const lu_options& options) noexcept;
  /// P·A = L·U of a plain n×n matrix with n ≤ simd::lu_in_one_panel; room for n in `interchanges`.
  TRIFAC_CALL static status small_lu(T* A, index_t n, index_t down, index_t along,
                                     index_t* interchanges) noexcept;

  /// X := (K·Kᴴ)⁻¹·X, K the lower factor (lower_operand).
  TRIFAC_CALL static status solve_cholesky(const B& backend, const operand<T>& K,
                                           const view& X) noexcept;
  TRIFAC_CALL static status solve_lu(const B& backend, const const_view& LU, rows interchanges,
                                     const view& X, operation op) noexcept;
  /// X := A⁻¹·X, A the `part` of a square view. A zero on the diagonal divides.
  TRIFAC_CALL static status substitute(const B& backend, const operand<T>& A, triangle part,
                                       diagonal diag, const view& X) noexcept;
  /// A solve by the small kernel. False, with X unchanged, if the sizes are too large for it.
  TRIFAC_CALL static bool small_solve_cholesky(const T* L, index_t down, index_t along,
                                               bool conjugated, const view& X) noexcept;
  TRIFAC_CALL static bool small_solve_lu(const T* LU, index_t down, index_t along,
                                         const index_t* interchanges, operation op,
                                         const view& X) noexcept;

  /// The lower triangle of X := (L·Lᴴ)⁻¹ with that of L, which may be X.
  TRIFAC_CALL static status cholesky_inverse(const B& backend, const const_view& L,
                                             const view& X) noexcept;
  /// X := A⁻¹ with P·A = L·U.
  TRIFAC_CALL static status lu_inverse(const B& backend, const const_view& LU, rows interchanges,
                                       const view& X) noexcept;

  /// The lower triangle of L := that of L·Lᴴ ± X·Xᴴ; L: n×n, X: n×k, read before L is written.
  TRIFAC_CALL static status modify(const B& backend, modification how, const view& L,
                                   const operand<T>& X) noexcept;

  /// cholesky_pivoted of a lower triangle; `interchanges`: n of them, the identity on entry.
  TRIFAC_CALL static status pivoted_cholesky(const B& backend, const view& A,
                                             const pivoted_cholesky_options& options,
                                             std::span<index_t> interchanges,
                                             index_t& rank) noexcept;
  /// The same with modified_state; E: n elements in the order of the factor. phase_two: its first
  /// column, n where there is none.
  TRIFAC_CALL static status modified_cholesky(const B& backend, const view& A, index_t columns,
                                              std::span<index_t> interchanges,
                                              std::span<real_t<T>> E, index_t& phase_two) noexcept;

  /// R −= A·X; A: m×n, any strides. The rows of R are shared among threads. 2mnr flops.
  TRIFAC_CALL static status subtract_product(const B& backend, const operand<T>& A,
                                             const const_view& X, const view& R) noexcept;
  /// R −= A·X with a Hermitian A, n×n, whose lower triangle is read; with conj(A) where it is
  /// A.conjugated. On the calling thread. 2n²r flops. BLAS: hemm, symm.
  TRIFAC_CALL static status subtract_hermitian(const operand<T>& A, const const_view& X,
                                               const view& R) noexcept;

  /// piece(work, i) for i = 0 … pieces−1, in any order, on as many threads as pay for `flops`.
  TRIFAC_CALL static status share(const B& backend, double flops, index_t pieces,
                                  void (*piece)(void* work, index_t i), void* work) noexcept;
};

}  // namespace TRIFAC_CALLS

inline namespace TRIFAC_ABI {
namespace detail {

/// Complete where the definitions are (calls/defined.hpp).
template <class T>
struct include_trifac_nests_hpp;

/// Asserts that calls<T, B> is declared and linked, or defined in this file.
template <class T, class B>
constexpr void check_defined() {
  if constexpr (!(std::is_same_v<B, call_team> && LapackScalar<T>))
    static_assert(
        requires { sizeof(include_trifac_nests_hpp<T>); },
        "only declared here, for float, double and complex of both on serial, openmp "
        "and threads: include trifac/nests.hpp");
}

/// The backend of calls<T, B>: a call_team, a task backend's host backend, or a user's backend.
template <class T, Backend B>
constexpr decltype(auto) nest_backend(const B& backend) {
  if constexpr (TaskBackend<B>) {
    return nest_backend<T>(backend.on_host());
  } else if constexpr (TeamBackend<B>) {
    check_defined<T, call_team>();
    return team_for_call(backend);
  } else {
    check_defined<T, B>();
    return (backend);
  }
}
template <class B, class T>
using nest_backend_t = std::remove_cvref_t<decltype(nest_backend<T>(std::declval<const B&>()))>;
template <class B, class T>
using calls_on = calls<T, nest_backend_t<B, T>>;

/// True if a matrix of one small panel goes to its kernel directly, on the calling thread.
template <class B>
constexpr bool takes_small_path(const B& backend) {
  if constexpr (requires { backend.takes_small_path(); }) return backend.takes_small_path();
  return SmallPathBackend<B>;
}

/// What a plan of best depends on, of a call on this backend.
template <class B>
constexpr backend_facts facts_for(const B& backend) {
  return {.packs_panels = PackingBackend<B>, .has_small_path = takes_small_path(backend)};
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

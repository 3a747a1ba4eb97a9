#pragma once
// remove(): the Cholesky factor of A without some rows and columns.

#include "trifac/engine/call/lower_operand.hpp"
#include "trifac/engine/calls/calls.hpp"
#include "trifac/update.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

template <Backend Where, class T>
status remove_checked(const Where& backend, cholesky_factor<T>& f, index_t first, index_t count) {
  static_assert(has_limits<real_t<T>>, "remove needs std::numeric_limits of the real scalar type");
  auto& state = factor_access::state(f);
  const matrix_view<T> A = state.writable_view();
  for (const status& s : {check_modified(f, A), check_backend(backend)})
    if (!s) return s;
  const index_t n = A.rows();
  if (first < 0 || first > n) return status::argument("first", "is no row of the factored matrix");
  if (count < 0 || count > n - first)
    return status::argument("count", "is more than there are rows from the first on");
  if (count == 0) return {};
  //     | L00            |
  // L = | …    …         |    L20 stays, L22 := L22′ with L22′·L22′ᴴ = L22·L22ᴴ + L21·L21ᴴ
  //     | L20  L21  L22  |
  const index_t next = first + count, rest = n - next;
  const auto L = lower_view(A, f.part());
  if (rest > 0) {
    const status s = calls_on<Where, T>::modify(nest_backend<T>(backend), modification::update,
                                                L.block(next, next, rest, rest),
                                                operand<T>(L.block(next, first, rest, count)));
    if (!s)
      return record_change(f, s.of_the_matrix() ? status::at(s.kind(), first + s.index()) : s);
  }
  for (index_t j = 0; j < first; ++j)
    for (index_t i = first; i < n - count; ++i) L(i, j) = L(i + count, j);
  for (index_t j = first; j < n - count; ++j)
    for (index_t i = j; i < n - count; ++i) L(i, j) = L(i + count, j + count);
  if (state.owns)
    state.order = n - count;
  else
    state.caller = A.block(0, 0, n - count, n - count);
  return record_change(f, {});
}

}  // namespace detail

/// The factor f of A becomes that of A without the rows and columns first … first+count−1, in its
/// place: of a matrix of the caller f refers to the leading block then. No exception leaves it. On
/// serial, threads and openmp.
/// @return  not_finite with the first pivot that overflowed: f has that status then, and the rows
///          from `first` on are unspecified. The factor's own status where the factorization
///          failed, invalid_argument where f is empty or of a const matrix or has not these rows,
///          and out_of_memory: f is unchanged.
/// f.norm() is NaN afterwards. An update of the m rows below, of rank count: 2m²·count flops.
/// Source: Golub, Van Loan, Matrix Computations, 6.5.4.
template <Backend Where, class T>
requires NestBackend<Where, T> status try_remove(const Where& backend, cholesky_factor<T>& factor,
                                                 index_t first, index_t count = 1)
noexcept {
  return detail::remove_checked(backend, factor, first, count);
}
template <class T>
status try_remove(cholesky_factor<T>& factor, index_t first, index_t count = 1) noexcept {
  return try_remove(backend::serial{}, factor, first, count);
}

#if TRIFAC_EXCEPTIONS
/// try_remove that throws what belongs to its status: numerical_error, argument_error,
/// backend_error or std::bad_alloc.
template <Backend Where, class T>
requires NestBackend<Where, T>
void remove(const Where& backend, cholesky_factor<T>& factor, index_t first, index_t count = 1) {
  if (const status s = try_remove(backend, factor, first, count); !s) detail::throw_status(s);
}
template <class T>
void remove(cholesky_factor<T>& factor, index_t first, index_t count = 1) {
  remove(backend::serial{}, factor, first, count);
}
#endif

}  // namespace TRIFAC_ABI
}  // namespace trifac

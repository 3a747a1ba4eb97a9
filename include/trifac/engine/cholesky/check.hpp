#pragma once
// The checks of the arguments of a Cholesky factorization.

#include "trifac/backend.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/cholesky/options.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

constexpr status check_cholesky_options(const cholesky_options& options) {
  if (!is_one_of(options.part))
    return status::argument("options.part", "is not one of its enumeration");
  if (options.block < 0) return status::argument("options.block", "is negative");
  if (options.cutoff < 0) return status::argument("options.cutoff", "is negative");
  if (options.jitter.first != 0)
    return status::argument("options.jitter", "is for cholesky() of a host's matrix, at run time");
  return {};
}

/// True if all options that a small matrix depends on, but for its triangle, have their defaults.
constexpr bool has_defaults(const cholesky_options& options) {
  return options.block == 0 && options.cutoff == 0 && options.profile == nullptr && !options.norm &&
         options.jitter.first == 0;
}

/// What can be said without a backend and without addresses.
template <class T>
constexpr status check_cholesky_shapes(const matrix_view<const T>& A, const matrix_view<T>& L,
                                       const cholesky_options& options) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (const status s = check_view(L, "L"); !s) return s;
  if (const status s = check_cholesky_options(options); !s) return s;
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (L.rows() != A.rows() || L.cols() != A.cols())
    return status::argument("L", "is not of the size of A");
  return {};
}

template <variant V, Backend B, class T>
status check_cholesky(const B& backend, const matrix_view<const T>& A, const matrix_view<T>& L,
                      const cholesky_options& options) {
  if (const status s = check_cholesky_shapes(A, L, options); !s) return s;
  if (const status s = check_backend(backend); !s) return s;
  if (!supports(backend, V)) return status::argument("variant", "is not supported by this backend");
  const part_in_use part = used_part(options.part);
  if (!is_same_view(A, L) && overlap(A, part, L, part))
    return status::argument("L", "overlaps A without being the same view");
  return {};
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

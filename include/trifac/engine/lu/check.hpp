#pragma once
// The checks of the arguments of an LU factorization.

#include "trifac/engine/base/variant.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

// See is_one_of in call/call.hpp.
constexpr bool is_one_of(pivoting p) {
  return p == pivoting::none || p == pivoting::partial || p == pivoting::tournament;
}
constexpr bool is_one_of(selection s) {
  return s == selection::plain || s == selection::scaled;
}

/// True if the options that a small matrix depends on have their defaults; tournaments' are valid.
constexpr bool has_defaults(const lu_options& options) {
  return options.pivoting == pivoting::partial && options.block == 0 &&
         is_one_of(options.selection) && options.leaves == 0 && options.arity == 0 &&
         options.max_l >= 1 && options.profile == nullptr && !options.growth && !options.norm;
}

template <class T>
constexpr status check_lu_arguments(const matrix_view<T>& A, variant v, const lu_options& options) {
  if (const status s = check_view(A, "A"); !s) return s;
  if (!is_one_of(options.pivoting))
    return status::argument("options.pivoting", "is not one of its enumeration");
  if (!is_one_of(options.selection))
    return status::argument("options.selection", "is not one of its enumeration");
  if (options.block < 0) return status::argument("options.block", "is negative");
  if (options.leaves < 0) return status::argument("options.leaves", "is negative");
  if (options.arity < 0 || options.arity == 1)
    return status::argument("options.arity", "must be 0 or at least 2");
  if (!(options.max_l >= 1)) return status::argument("options.max_l", "must be at least 1");
  if (v != variant::best && never_exchanges(v) != (options.pivoting == pivoting::none))
    return status::argument("options.pivoting", never_exchanges(v)
                                                    ? "must be none for this variant"
                                                    : "must not be none for this variant");
  if (v == variant::recursive && options.pivoting != pivoting::partial)
    return status::argument("options.pivoting", "must be partial for this variant");
  return {};
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

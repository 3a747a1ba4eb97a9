#pragma once
// The names of the algorithms: variants.inl lists them.

#include <array>
#include <cstddef>
#include <string_view>

#include "trifac/engine/base/config.hpp"

namespace trifac {

/// The algorithms; engine/base/variants.inl says what each is.
enum class variant {
#define TRIFAC_VARIANT(name, role) name,
#include "trifac/engine/base/variants.inl"
};

inline constexpr std::array variant_names = {
#define TRIFAC_VARIANT(name, role) std::string_view(#name),
#include "trifac/engine/base/variants.inl"
};

constexpr std::string_view to_string(variant v) {
  return variant_names[static_cast<std::size_t>(v)];
}

inline namespace TRIFAC_ABI {
namespace detail {

/// What a variant factors: A = L·Lᴴ, P·A = L·U, both, or A = L·U without pivoting.
enum class variant_role { both, cholesky, lu_without_pivoting };

constexpr bool has_role(variant v, variant_role role) {
  constexpr std::array roles = {
#define TRIFAC_VARIANT(name, role) variant_role::role,
#include "trifac/engine/base/variants.inl"
  };
  const auto number = static_cast<std::size_t>(v);
  return number < roles.size() && roles[number] == role;
}

/// The variants of which Is is true.
template <bool (*Is)(variant)>
constexpr auto variants_that() {
  constexpr auto count = [] {
    std::size_t n = 0;
    for (std::size_t v = 0; v < variant_names.size(); ++v) n += Is(static_cast<variant>(v));
    return n;
  }();
  std::array<variant, count> list{};
  for (std::size_t v = 0, n = 0; v < variant_names.size(); ++v)
    if (Is(static_cast<variant>(v))) list[n++] = static_cast<variant>(v);
  return list;
}

}  // namespace detail
}  // namespace TRIFAC_ABI

constexpr bool is_cholesky_variant(variant v) {
  using enum detail::variant_role;
  return detail::has_role(v, both) || detail::has_role(v, cholesky);
}
/// LU without pivoting, by this variant always.
constexpr bool never_exchanges(variant v) {
  return detail::has_role(v, detail::variant_role::lu_without_pivoting);
}
constexpr bool is_lu_variant(variant v) {
  return detail::has_role(v, detail::variant_role::both) || never_exchanges(v);
}

inline constexpr auto cholesky_variants = detail::variants_that<is_cholesky_variant>();
inline constexpr auto lu_variants = detail::variants_that<is_lu_variant>();

}  // namespace trifac

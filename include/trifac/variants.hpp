#pragma once
// The published variants, for cholesky<variant::crout>(A) and its like, and variants known at run
// time, for programs that let people choose: those instantiate every variant.

#include <optional>
#include <string_view>
#include <utility>

#include "trifac/cholesky.hpp"
#include "trifac/engine/calls/variant_calls.hpp"
#include "trifac/engine/variants/device/nests.hpp"
#include "trifac/lu.hpp"
#include TRIFAC_DEFINITIONS(variants, calls)

namespace trifac {

/// The variant with this name, or nothing.
constexpr std::optional<variant> variant_from_string(std::string_view name) {
  for (std::size_t i = 0; i < variant_names.size(); ++i)
    if (variant_names[i] == name) return static_cast<variant>(i);
  return std::nullopt;
}

inline namespace TRIFAC_ABI {
namespace detail {

template <variant V>
struct include_trifac_variants_hpp {};

/// Calls f.template operator()<V>() for the V among `list` that equals v, else otherwise().
template <const auto& list, std::size_t i = 0, class F, class G>
auto with_variant(variant v, F&& f, G&& otherwise) {
  if constexpr (i == list.size())
    return otherwise();
  else if (list[i] == v)
    return f.template operator()<list[i]>();
  else
    return with_variant<list, i + 1>(v, std::forward<F>(f), std::forward<G>(otherwise));
}

}  // namespace detail

/// try_cholesky<v>(backend, A, options) with v chosen at run time.
template <Backend B, class T>
[[nodiscard]] cholesky_factor<T> try_cholesky(variant v, const B& backend, matrix_view<T> A,
                                              const cholesky_options& options = {}) noexcept {
  return detail::with_variant<cholesky_variants>(
      v, [&]<variant V>() { return try_cholesky<V>(backend, A, options); },
      [&] {
        return cholesky_factor<T>(A, options.part,
                                  status::argument("variant", "is not one of Cholesky"));
      });
}

/// try_cholesky<v>(backend, A, L, options) with v chosen at run time.
template <Backend B, class T>
[[nodiscard]] cholesky_factor<T> try_cholesky(variant v, const B& backend, matrix_view<const T> A,
                                              matrix_view<T> L,
                                              const cholesky_options& options = {}) noexcept {
  return detail::with_variant<cholesky_variants>(
      v, [&]<variant V>() { return try_cholesky<V>(backend, A, L, options); },
      [&] {
        return cholesky_factor<T>(L, options.part,
                                  status::argument("variant", "is not one of Cholesky"));
      });
}

/// try_lu<v>(backend, A, options) with v chosen at run time.
template <Backend B, class T>
[[nodiscard]] lu_factor<T> try_lu(variant v, const B& backend, matrix_view<T> A,
                                  const lu_options& options = {}) noexcept {
  return detail::with_variant<lu_variants>(
      v, [&]<variant V>() { return try_lu<V>(backend, A, options); },
      [&] { return lu_factor<T>(A, pivots{}, status::argument("variant", "is not one of LU")); });
}

}  // namespace TRIFAC_ABI
}  // namespace trifac

#pragma once
// What can be chosen by name for a measurement: a variant with the storage, or with the pivoting,
// that belong to it. Names only; cholesky_run.hpp runs those of Cholesky.

#include <array>
#include <optional>
#include <string_view>

#include "trifac/engine/base/variant.hpp"
#include "trifac/engine/lu/options.hpp"

namespace trifac {

/// How a matrix lies in memory.
enum class storage { column_major, row_major, row_pointers };

/// A Cholesky variant together with the storage it is defined on: what the published experiments
/// compare.
struct cholesky_method {
  std::string_view name;
  variant algorithm;
  storage layout;
  bool in_place;
};

/// Every Cholesky method by name. The six of the thesis (2016, table 4.1) carry its storage in
/// their name; "transposed" is its word for walking along the rows of a row-major array where the
/// others walk down its columns.
inline constexpr std::array cholesky_methods = {
    cholesky_method{"best", variant::best, storage::column_major, true},
    cholesky_method{"left_looking", variant::left_looking, storage::column_major, true},
    cholesky_method{"right_looking", variant::right_looking, storage::column_major, true},
    cholesky_method{"top_looking", variant::top_looking, storage::column_major, true},
    cholesky_method{"recursive", variant::recursive, storage::column_major, true},
    cholesky_method{"packed", variant::packed, storage::column_major, true},
    cholesky_method{"banachiewicz", variant::banachiewicz, storage::row_major, false},
    cholesky_method{"banachiewicz_in_place", variant::banachiewicz, storage::row_major, true},
    cholesky_method{"crout", variant::crout, storage::row_major, false},
    cholesky_method{"crout_in_place", variant::crout, storage::row_major, true},
    cholesky_method{"crout_distributed_sum", variant::crout_distributed_sum, storage::row_major,
                    false},
    cholesky_method{"crout_distributed_sum_in_place", variant::crout_distributed_sum,
                    storage::row_major, true},
    cholesky_method{"banachiewicz_row_pointers", variant::banachiewicz, storage::row_pointers,
                    false},
    cholesky_method{"crout_row_pointers", variant::crout, storage::row_pointers, false},
    cholesky_method{"crout_contiguous", variant::crout, storage::row_major, false},
    cholesky_method{"crout_contiguous_transposed", variant::crout, storage::column_major, false},
    cholesky_method{"crout_contiguous_in_place", variant::crout, storage::row_major, true},
    cholesky_method{"crout_contiguous_in_place_transposed", variant::crout, storage::column_major,
                    true},
};

/// The method of that name, or nothing.
constexpr std::optional<cholesky_method> cholesky_method_from_string(std::string_view name) {
  for (const cholesky_method& m : cholesky_methods)
    if (m.name == name) return m;
  return std::nullopt;
}

/// An LU variant together with its pivoting.
struct lu_method {
  std::string_view name;
  variant algorithm;
  trifac::pivoting pivoting;
  trifac::selection selection;
};

/// Every LU method by name.
inline constexpr std::array lu_methods = {
    lu_method{"best", variant::best, pivoting::partial, selection::plain},
    lu_method{"right_looking", variant::right_looking, pivoting::partial, selection::plain},
    lu_method{"recursive", variant::recursive, pivoting::partial, selection::plain},
    lu_method{"packed", variant::packed, pivoting::partial, selection::plain},
    lu_method{"tournament", variant::best, pivoting::tournament, selection::plain},
    lu_method{"tournament_scaled", variant::best, pivoting::tournament, selection::scaled},
    lu_method{"none", variant::best, pivoting::none, selection::plain},
    lu_method{"unblocked", variant::unblocked, pivoting::none, selection::plain},
    lu_method{"four_block", variant::four_block, pivoting::none, selection::plain},
};

/// The method of that name, or nothing.
constexpr std::optional<lu_method> lu_method_from_string(std::string_view name) {
  for (const lu_method& m : lu_methods)
    if (m.name == name) return m;
  return std::nullopt;
}

}  // namespace trifac

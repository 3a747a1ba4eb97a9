#pragma once
// The names by which programs choose: what `trifac factor`, the workers of the study and the table
// in docs/variants.md have in common.

#include <array>
#include <span>
#include <string_view>

#include "bench/study/methods.hpp"
#include "trifac/engine/device/settings.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The names of a list of methods.
template <const auto& methods>
inline constexpr auto names_of = [] {
  std::array<std::string_view, methods.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = methods[i].name;
  return names;
}();

}  // namespace detail
}  // namespace TRIFAC_ABI

/// How LU's matrix lies in memory. Cholesky's methods name their storage.
enum class lu_layout { column_major, row_major };

inline constexpr std::array<std::string_view, 2> lu_layout_names = {"column_major", "row_major"};

/// Who has the tasks of the backend starpu.
inline constexpr std::array<std::string_view, 4> starpu_workers_names = {"cpu", "cpu+opencl",
                                                                         "cpu+2opencl", "opencl"};

/// A choice and the names it takes.
struct named_choice {
  std::string_view what;
  std::span<const std::string_view> names;
};

/// Every choice. cholesky and lu: the methods, as `--variant` and the plans' `variant` take them;
/// the others have the names of the plans' factors and, with hyphens, of the program's options.
inline constexpr std::array named_choices = {
    named_choice{"cholesky", detail::names_of<cholesky_methods>},
    named_choice{"lu", detail::names_of<lu_methods>},
    named_choice{"pivoting", pivoting_names},
    named_choice{"selection", selection_names},
    named_choice{"layout", lu_layout_names},
    named_choice{"device", device::device_kind_names},
    named_choice{"workers", starpu_workers_names},
    named_choice{"columns", device::column_kernels_names},
    named_choice{"cutoff_loop", device::cutoff_loop_names},
    named_choice{"blocks", device::block_kernels_names},
    named_choice{"arithmetic", device::float_model_names},
};

/// The names of a choice; none where there is no such choice.
constexpr std::span<const std::string_view> names_for(std::string_view what) {
  for (const named_choice& c : named_choices)
    if (c.what == what) return c.names;
  return {};
}

}  // namespace trifac

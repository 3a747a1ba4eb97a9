#pragma once
// A call on a batch with its info: a number for each matrix, in the caller's memory or new, and the
// outcome that they make.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "trifac/engine/batch/outcome.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Of matrices without elements: all have succeeded.
inline status succeeded(given_or_own& info) {
  std::ranges::fill(info.span(), 0);
  return {};
}

/// Calls factor(info), with the caller's numbers or new ones, and makes an outcome of its status
/// and of info, which it writes for each matrix; `bad` is what a finite bad pivot means.
template <class Factor>
batch_outcome with_info(std::span<std::int32_t> given, index_t batch, status_kind bad,
                        const status& checked, Factor factor) {
  if (!checked) return {checked, {}, bad};
  given_or_own info;
  const status s = without_exceptions([&] {
    if (!given.empty() && static_cast<index_t>(given.size()) < batch)
      return status::argument("options.info", "has fewer numbers than the batch has matrices");
    info = given_or_own(given, batch);
    return factor(info);
  });
  if (!s) return {s, {}, bad};
  batch_outcome outcome(status(), std::move(info), bad);
  if (outcome.failed_count() > 0)
    for (const std::int32_t i : outcome.info())
      if (i == machine_failure)
        return {status::failure(status_kind::out_of_memory, "workspace"), {}, bad};
  return outcome;
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

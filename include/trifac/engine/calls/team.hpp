#pragma once
// call_team: serial, openmp and threads below the seam of calls.hpp. The function that starts
// threads is compiled with the program, whose flags say whether there is OpenMP.

#include <concepts>
#include <cstdint>
#include <string_view>

#include "trifac/backend.hpp"
#include "trifac/engine/base/config.hpp"

namespace trifac {
namespace backend {
class operation_times;
}

inline namespace TRIFAC_CALLS {

/// A backend for the nests. Default: one thread, without a stopwatch.
struct TRIFAC_SHARED_CALLS call_team {
  static constexpr std::string_view name = "team";
  static constexpr bool packs_panels = true;
  static constexpr bool has_small_path = true;

  using body = void(void* work, int size);
  using clock = std::int64_t(void* work);

  /// Starts a team for `flops`, calls each(work, size) on each of its `size` threads and returns
  /// true when all have returned; returns false without a call if one thread is faster.
  /// worked(work): afterwards the sum of their working times in nanoseconds.
  bool (*start)(const void* policy, double flops, body* each, clock* worked, void* work) = nullptr;
  const void* policy = nullptr;
  backend::operation_times* times = nullptr;  ///< of backend::timed, or null

  constexpr availability available() const noexcept { return {true, ""}; }
  /// False with a stopwatch: the small path has no steps to time.
  constexpr bool takes_small_path() const { return times == nullptr; }
  friend constexpr bool supports(const call_team&, variant) { return true; }
};

}  // namespace TRIFAC_CALLS

inline namespace TRIFAC_ABI {

/// The team of a backend with start_team(policy, flops, worked, each).
template <class B>
call_team team_started_by(const B& policy) {
  const auto start = [](const void* which, double flops, call_team::body* each,
                        call_team::clock* worked, void* work) {
    return start_team(
        *static_cast<const B*>(which), flops, [&] { return worked(work); },
        [&](int size) { each(work, size); });
  };
  return {.start = start, .policy = &policy};
}

}  // namespace TRIFAC_ABI

/// A backend that is one thread or a team, by argument-dependent lookup: serial, openmp, threads,
/// timed of these. To add one (backend/threads.hpp is an example): its policy has the members of a
/// Backend; start_team(policy, flops, worked, each) calls each(size) on its threads, or returns
/// false; team_for_call(policy) returns team_started_by(policy), and run() goes on with that.
template <class B>
concept TeamBackend = Backend<B> && requires(const B& b) {
  { team_for_call(b) } -> std::same_as<call_team>;
};

}  // namespace trifac

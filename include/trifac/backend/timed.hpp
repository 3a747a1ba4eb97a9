#pragma once
// The timed backend: any other backend, with time and number of calls of every block operation. For
// benchmarks and profiling.

#include <span>
#include <string_view>
#include <thread>

#include "trifac/backend.hpp"
#include "trifac/engine/calls/team.hpp"
#include "trifac/engine/cpu/timed/operation_times.hpp"
#include "trifac/engine/cpu/timed/stopwatch.hpp"

namespace trifac {
namespace backend {

/// Runs everything on `backend` and records in `times`, which must outlive the calls. Results are
/// those of the backend. With a team, the calling thread's time is measured, including its waits
/// for the others. Operations that contain others (a fallback, a single-threaded part) are counted
/// as the inner operations, if the calling thread runs them. Timing costs some 50 ns per operation.
/// For an executor that does not inherit one of trifac's, only the whole is timed.
template <Backend B>
struct timed {
  static constexpr std::string_view name = B::name;
  static constexpr bool packs_panels = PackingBackend<B>;

  timed(const B& on, operation_times& to) : backend(on), times(&to) {}

  availability available() const noexcept { return backend.available(); }
  status check() const {
    if constexpr (requires { backend.check(); }) return backend.check();
    return {};
  }
  friend constexpr bool supports(const timed& policy, variant v) {
    return supports(policy.backend, v);
  }

  B backend;
  operation_times* times;
};

/// See TeamBackend. A timed backend inside another one has nests of its own.
template <TeamBackend B>
call_team team_for_call(const timed<B>& policy) requires(!requires { policy.backend.times; }) {
  call_team team = team_for_call(policy.backend);
  team.times = policy.times;
  return team;
}

inline namespace TRIFAC_ABI {

/// Runs a loop nest on the inner backend; the calling thread records.
template <class B, class Nest>
void run(const timed<B>& policy, status& outcome, double flops, Nest nest) {
  const std::thread::id caller = std::this_thread::get_id();
  const auto timed_nest = [&](auto& on) {
    if constexpr (requires { on.watch(); }) {
      const stopwatch watch{policy.times, on.watch()};
      const bool mine = std::this_thread::get_id() == caller;
      if (mine) on.watch(&watch);
      nest(on);
      on.watch(watch.next);
    } else {
      nest(on);
    }
  };
  measure([&] { run(policy.backend, outcome, flops, timed_nest); },
          [&](double seconds) { policy.times->add_call(seconds); });
}

/// Times a whole factorization or solve as one operation and one call.
template <class Body>
status time_whole(operation_times& times, timed_operation v, Body body) {
  return measure(body, [&](double seconds) {
    times.add(v, seconds);
    times.add_call(seconds);
  });
}

template <class B, class T>
requires LibraryBackend<B, T> status potrf(const timed<B>& policy, matrix_view<const T> A,
                                           matrix_view<T> L) {
  return time_whole(*policy.times, timed_operation::potrf,
                    [&] { return potrf(policy.backend, A, L); });
}
template <class B, class T>
requires LibraryBackend<B, T> status potrs(const timed<B>& policy, matrix_view<const T> A,
                                           operation op, matrix_view<T> X) {
  return time_whole(*policy.times, timed_operation::potrs,
                    [&] { return potrs(policy.backend, A, op, X); });
}
template <class B, class T>
requires LibraryBackend<B, T> status getrf(const timed<B>& policy, matrix_view<T> A,
                                           std::span<index_t> interchanges) {
  return time_whole(*policy.times, timed_operation::getrf,
                    [&] { return getrf(policy.backend, A, interchanges); });
}
template <class B, class T>
requires LibraryBackend<B, T> status getrs(const timed<B>& policy, matrix_view<const T> A,
                                           std::span<const index_t> interchanges, operation op,
                                           matrix_view<T> X) {
  return time_whole(*policy.times, timed_operation::getrs,
                    [&] { return getrs(policy.backend, A, interchanges, op, X); });
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac

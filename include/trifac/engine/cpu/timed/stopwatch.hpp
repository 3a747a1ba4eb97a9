#pragma once
// A stopwatch: adds the time of each step of a nest to a record.

#include <chrono>
#include <type_traits>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/cpu/timed/operation_times.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// body() with its time handed to record(seconds).
template <class Body, class Record>
auto measure(Body body, Record record) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const auto finish = [&] { record(std::chrono::duration<double>(clock::now() - begin).count()); };
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    finish();
  } else {
    auto result = body();
    finish();
    return result;
  }
}

/// Adds to `times` and, where one timed backend is inside another, to those of `next`.
struct stopwatch {
  using clock = std::chrono::steady_clock;

  operation_times* times;
  const stopwatch* next = nullptr;

  /// One more call of v, which has begun at `begin`.
  void add(timed_operation v, clock::time_point begin) const {
    const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
    for (const stopwatch* s = this; s != nullptr; s = s->next) s->times->add(v, seconds);
  }
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac

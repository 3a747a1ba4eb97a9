#pragma once
// The record that a timed backend keeps: calls and seconds of every step.

#include <array>
#include <cstddef>
#include <cstdint>

#include "trifac/engine/panel/nest_step.hpp"

namespace trifac {
namespace backend {

/// What is timed.
using timed_operation = nest_step;
inline constexpr auto& timed_operation_names = nest_step_names;

/// The record that a timed backend writes: sums over all calls since it was made or cleared. Used
/// by one call of the library at a time.
class operation_times {
 public:
  struct entry {
    std::int64_t calls = 0;
    double seconds = 0;
  };

  const entry& operator[](timed_operation v) const { return entries_[static_cast<std::size_t>(v)]; }
  /// Calls of the library, and their time from the first step's beginning to the last one's end.
  const entry& all() const { return all_; }
  void clear() { *this = {}; }

  /// One more call of v.
  void add(timed_operation v, double seconds) {
    add(entries_[static_cast<std::size_t>(v)], seconds);
  }
  /// One more call of the library.
  void add_call(double seconds) { add(all_, seconds); }

 private:
  static void add(entry& to, double seconds) {
    ++to.calls;
    to.seconds += seconds;
  }

  std::array<entry, timed_operation_names.size()> entries_ = {};
  entry all_;
};

}  // namespace backend
}  // namespace trifac

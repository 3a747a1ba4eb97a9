#pragma once
// The timed backend: any other backend, with the time and the number of calls of every verb. For
// benchmarks and for finding out where a factorization spends its time.

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>

#include "trifac/backend.hpp"

namespace trifac {
namespace backend {

/// What can be timed: the verbs of backend.hpp, the steps of the nests on packed panels, and the
/// whole factorizations and solves of a backend that brings its own.
enum class timed_verb {
  factor_diagonal,
  factor_column,
  factor_row,
  factor_block,
  factor_block_lu,
  factor_panel,
  swap_rows,
  swap_rows_back,
  solve_lower,
  solve_upper,
  solve_right_upper,
  update,
  update_lower,
  copy,
  play,
  adopt_winners,
  judge,
  factor_packed,
  solve_packed,
  update_packed,
  eliminate_packed,
  interchange_left_packed,
  play_packed,
  start_packed,
  solve_left_packed,
  finish_packed,
  potrf,
  potrs,
  getrf,
  getrs,
};

inline constexpr std::array<std::string_view, 30> timed_verb_names = {
    // by elements
    "factor_diagonal", "factor_column", "factor_row",
    // by blocks
    "factor_block", "factor_block_lu", "factor_panel", "swap_rows", "swap_rows_back", "solve_lower",
    "solve_upper", "solve_right_upper", "update", "update_lower", "copy",
    // tournaments
    "play", "adopt_winners", "judge",
    // on packed panels
    "factor_packed", "solve_packed", "update_packed", "eliminate_packed", "interchange_left_packed",
    "play_packed", "start_packed", "solve_left_packed", "finish_packed",
    // whole
    "potrf", "potrs", "getrf", "getrs"};

constexpr std::string_view to_string(timed_verb v) {
  return timed_verb_names[static_cast<std::size_t>(v)];
}

/// The record that a timed backend writes: sums over all calls since it was made or cleared. Used
/// by one call of the library at a time.
class verb_times {
 public:
  struct entry {
    std::int64_t calls = 0;
    double seconds = 0;
  };

  const entry& operator[](timed_verb v) const { return entries_[static_cast<std::size_t>(v)]; }
  /// Calls of the library, and their time from the first verb's beginning to the last one's end.
  const entry& all() const { return all_; }
  void clear() { *this = {}; }

  /// One more call of v.
  void add(timed_verb v, double seconds) { add(entries_[static_cast<std::size_t>(v)], seconds); }
  /// One more call of the library.
  void add_call(double seconds) { add(all_, seconds); }

 private:
  static void add(entry& to, double seconds) {
    ++to.calls;
    to.seconds += seconds;
  }

  std::array<entry, timed_verb_names.size()> entries_ = {};
  entry all_;
};

/// Runs everything on `backend` and writes into `times`, which must outlive the calls. The results
/// are those of the backend. With a team the time is that of the calling thread, its wait for the
/// others included. Verbs that nest (a fallback, a part that runs on one thread) are counted by the
/// verbs inside. A pair of looks at the clock costs some 50 ns for each verb.
template <Backend B>
struct timed {
  static constexpr std::string_view name = B::name;
  static constexpr bool packs_panels = PackingBackend<B>;

  timed(const B& on, verb_times& to) : backend(on), times(&to) {}

  availability available() const noexcept { return backend.available(); }
  friend constexpr bool supports(const timed& policy, variant v) {
    return supports(policy.backend, v);
  }

  B backend;
  verb_times* times;
};

inline namespace TRIFAC_ABI {

/// body() with its time handed to record(seconds).
template <class Body, class Record>
auto stopwatch(Body body, Record record) {
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

/// The verbs of another executor, each between two looks at the clock; without them where `times`
/// is null, as for the other threads of a team.
template <class On>
class timed_executor {
 public:
  static constexpr bool looks_ahead = [] {
    if constexpr (requires { On::looks_ahead; })
      return On::looks_ahead;
    else
      return false;
  }();

  timed_executor(On& on, verb_times* times) : on_(&on), times_(times) {}

  int threads() const { return on_->threads(); }
  bool stopped() const { return on_->stopped(); }

  template <class... Args>
  void factor_diagonal(Args&&... args) {
    time(timed_verb::factor_diagonal, [&] { on_->factor_diagonal(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_column(Args&&... args) {
    time(timed_verb::factor_column, [&] { on_->factor_column(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_row(Args&&... args) {
    time(timed_verb::factor_row, [&] { on_->factor_row(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_block(Args&&... args) {
    time(timed_verb::factor_block, [&] { on_->factor_block(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_block_lu(Args&&... args) {
    time(timed_verb::factor_block_lu, [&] { on_->factor_block_lu(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_panel(Args&&... args) {
    time(timed_verb::factor_panel, [&] { on_->factor_panel(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void swap_rows(Args&&... args) {
    time(timed_verb::swap_rows, [&] { on_->swap_rows(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void swap_rows_back(Args&&... args) {
    time(timed_verb::swap_rows_back, [&] { on_->swap_rows_back(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_lower(Args&&... args) {
    time(timed_verb::solve_lower, [&] { on_->solve_lower(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_upper(Args&&... args) {
    time(timed_verb::solve_upper, [&] { on_->solve_upper(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_right_upper(Args&&... args) {
    time(timed_verb::solve_right_upper,
         [&] { on_->solve_right_upper(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void update(Args&&... args) {
    time(timed_verb::update, [&] { on_->update(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void update_lower(Args&&... args) {
    time(timed_verb::update_lower, [&] { on_->update_lower(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void copy(Args&&... args) {
    time(timed_verb::copy, [&] { on_->copy(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void play(Args&&... args) {
    time(timed_verb::play, [&] { on_->play(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void adopt_winners(Args&&... args) {
    time(timed_verb::adopt_winners, [&] { on_->adopt_winners(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void judge(Args&&... args) {
    time(timed_verb::judge, [&] { on_->judge(std::forward<Args>(args)...); });
  }

  // The steps of the nests on packed panels.
  template <class... Args>
  void factor_packed(Args&&... args) {
    time(timed_verb::factor_packed, [&] { on_->factor_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_packed(Args&&... args) {
    time(timed_verb::solve_packed, [&] { on_->solve_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void update_packed(Args&&... args) {
    time(timed_verb::update_packed, [&] { on_->update_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void eliminate_packed(Args&&... args) {
    time(timed_verb::eliminate_packed, [&] { on_->eliminate_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void interchange_left_packed(Args&&... args) {
    time(timed_verb::interchange_left_packed,
         [&] { on_->interchange_left_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void play_packed(Args&&... args) {
    time(timed_verb::play_packed, [&] { on_->play_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void start_packed(Args&&... args) {
    time(timed_verb::start_packed, [&] { on_->start_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_left_packed(Args&&... args) {
    time(timed_verb::solve_left_packed,
         [&] { on_->solve_left_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void finish_packed(Args&&... args) {
    time(timed_verb::finish_packed, [&] { on_->finish_packed(std::forward<Args>(args)...); });
  }

  // These run a nest with an executor of their own: its verbs are timed, not the whole.
  template <class Nest>
  void fallback(Nest nest) {
    on_->fallback(inside(nest));
  }
  template <class Nest>
  void sequential(Nest nest) {
    on_->sequential(inside(nest));
  }

 private:
  template <class Body>
  void time(timed_verb v, Body body) {
    if (times_ == nullptr) return body();
    stopwatch(body, [&](double seconds) { times_->add(v, seconds); });
  }
  template <class Nest>
  auto inside(Nest& nest) {
    return [&nest, times = times_](auto& on) {
      timed_executor<std::remove_reference_t<decltype(on)>> observed(on, times);
      nest(observed);
    };
  }

  On* on_;
  verb_times* times_;
};

/// Runs a loop nest on the backend inside; the calling thread keeps the record.
template <class B, class Nest>
void run(const timed<B>& policy, status& outcome, double flops, Nest nest) {
  const std::thread::id caller = std::this_thread::get_id();
  const auto observed_nest = [&](auto& on) {
    verb_times* times = std::this_thread::get_id() == caller ? policy.times : nullptr;
    timed_executor<std::remove_reference_t<decltype(on)>> observed(on, times);
    nest(observed);
  };
  stopwatch([&] { run(policy.backend, outcome, flops, observed_nest); },
            [&](double seconds) { policy.times->add_call(seconds); });
}

/// Times a whole factorization or solve, which is one verb and one call at once.
template <class Body>
status time_whole(verb_times& times, timed_verb v, Body body) {
  return stopwatch(body, [&](double seconds) {
    times.add(v, seconds);
    times.add_call(seconds);
  });
}

template <class B, class T>
requires WholeBackend<B, T> status potrf(const timed<B>& policy, matrix_view<T> A) {
  return time_whole(*policy.times, timed_verb::potrf, [&] { return potrf(policy.backend, A); });
}
template <class B, class T>
requires WholeBackend<B, T> status potrs(const timed<B>& policy, matrix_view<const T> A,
                                         operation op, matrix_view<T> X) {
  return time_whole(*policy.times, timed_verb::potrs,
                    [&] { return potrs(policy.backend, A, op, X); });
}
template <class B, class T>
requires WholeBackend<B, T> status getrf(const timed<B>& policy, matrix_view<T> A,
                                         std::span<index_t> interchanges) {
  return time_whole(*policy.times, timed_verb::getrf,
                    [&] { return getrf(policy.backend, A, interchanges); });
}
template <class B, class T>
requires WholeBackend<B, T> status getrs(const timed<B>& policy, matrix_view<const T> A,
                                         std::span<const index_t> interchanges, operation op,
                                         matrix_view<T> X) {
  return time_whole(*policy.times, timed_verb::getrs,
                    [&] { return getrs(policy.backend, A, interchanges, op, X); });
}

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac

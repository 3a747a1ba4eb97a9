#pragma once
// An executor inside a stopwatch: each verb of another one, between two looks at the clock.

#include <chrono>
#include <type_traits>
#include <utility>

#include "trifac/backend/timed/operation_times.hpp"
#include "trifac/detail/config.hpp"

namespace trifac {
namespace backend {
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

  timed_executor(On& on, operation_times* times) : on_(&on), times_(times) {}

  int threads() const { return on_->threads(); }
  bool stopped() const { return on_->stopped(); }

  template <class... Args>
  void factor_diagonal(Args&&... args) {
    time(timed_operation::factor_diagonal,
         [&] { on_->factor_diagonal(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_column(Args&&... args) {
    time(timed_operation::factor_column, [&] { on_->factor_column(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_row(Args&&... args) {
    time(timed_operation::factor_row, [&] { on_->factor_row(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_block(Args&&... args) {
    time(timed_operation::factor_block, [&] { on_->factor_block(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_block_lu(Args&&... args) {
    time(timed_operation::factor_block_lu,
         [&] { on_->factor_block_lu(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void factor_panel(Args&&... args) {
    time(timed_operation::factor_panel, [&] { on_->factor_panel(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void swap_rows(Args&&... args) {
    time(timed_operation::swap_rows, [&] { on_->swap_rows(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void swap_rows_back(Args&&... args) {
    time(timed_operation::swap_rows_back,
         [&] { on_->swap_rows_back(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_lower(Args&&... args) {
    time(timed_operation::solve_lower, [&] { on_->solve_lower(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_upper(Args&&... args) {
    time(timed_operation::solve_upper, [&] { on_->solve_upper(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_right_upper(Args&&... args) {
    time(timed_operation::solve_right_upper,
         [&] { on_->solve_right_upper(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void update(Args&&... args) {
    time(timed_operation::update, [&] { on_->update(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void update_lower(Args&&... args) {
    time(timed_operation::update_lower, [&] { on_->update_lower(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void copy(Args&&... args) {
    time(timed_operation::copy, [&] { on_->copy(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void play(Args&&... args) {
    time(timed_operation::play, [&] { on_->play(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void adopt_winners(Args&&... args) {
    time(timed_operation::adopt_winners, [&] { on_->adopt_winners(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void judge(Args&&... args) {
    time(timed_operation::judge, [&] { on_->judge(std::forward<Args>(args)...); });
  }

  // The steps of the nests on packed panels.
  template <class... Args>
  void factor_packed(Args&&... args) {
    time(timed_operation::factor_packed, [&] { on_->factor_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_packed(Args&&... args) {
    time(timed_operation::solve_packed, [&] { on_->solve_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void update_packed(Args&&... args) {
    time(timed_operation::update_packed, [&] { on_->update_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void eliminate_packed(Args&&... args) {
    time(timed_operation::eliminate_packed,
         [&] { on_->eliminate_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void interchange_left_packed(Args&&... args) {
    time(timed_operation::interchange_left_packed,
         [&] { on_->interchange_left_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void play_packed(Args&&... args) {
    time(timed_operation::play_packed, [&] { on_->play_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void start_packed(Args&&... args) {
    time(timed_operation::start_packed, [&] { on_->start_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void solve_left_packed(Args&&... args) {
    time(timed_operation::solve_left_packed,
         [&] { on_->solve_left_packed(std::forward<Args>(args)...); });
  }
  template <class... Args>
  void finish_packed(Args&&... args) {
    time(timed_operation::finish_packed, [&] { on_->finish_packed(std::forward<Args>(args)...); });
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
  void time(timed_operation v, Body body) {
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
  operation_times* times_;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac

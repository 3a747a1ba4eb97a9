#pragma once
// batch_outcome: how the factorizations of a batch ended, each matrix and the call. Every factor of
// a batch is one.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "trifac/engine/base/as_size.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/views/with_status.hpp"
#include "trifac/status.hpp"

namespace trifac {

inline namespace TRIFAC_ABI {
namespace detail {

/// info of a matrix whose own factorization failed for lack of memory, or as its scalar type threw.
inline constexpr std::int32_t no_memory = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t has_thrown = no_memory + 1;

/// The status of a call of which the work on some matrix ended with `kind`, through no fault of it.
inline status status_of_work(status_kind kind) {
  if (kind == status_kind::out_of_memory) return status::failure(kind, "workspace");
  return status::failure(status_kind::backend_failure, "an operation of the scalar type threw");
}

inline std::int32_t info_of(const status& s) {
  if (!s.of_the_matrix()) return s.kind() == status_kind::out_of_memory ? no_memory : has_thrown;
  const auto index = static_cast<std::int32_t>(s.index() + 1);
  return s.ok() ? 0 : s.kind() == status_kind::not_finite ? -index : index;
}

/// The first matrix of from … to−1 whose info is not 0, else `to`. 64 numbers at a time: one by one
/// they take a tenth of the time of Cholesky factorizations of order 4.
inline index_t first_failed(const std::int32_t* info, index_t from, index_t to) {
  constexpr index_t together = 64;
  for (; to - from >= together; from += together) {
    std::int32_t any = 0;
    for (index_t i = 0; i < together; ++i) any |= info[from + i];
    if (any != 0) break;
  }
  while (from < to && info[from] == 0) ++from;
  return from;
}

/// Numbers in the caller's memory or, where that is empty, in memory of its own.
class int32_buffer {
 public:
  int32_buffer() = default;
  int32_buffer(std::span<std::int32_t> given, index_t count)
      : given_(given.empty() ? given : given.first(as_size(count))),
        own_(given.empty() ? as_size(count) : 0) {}

  std::span<std::int32_t> span() { return given_.empty() ? std::span(own_) : given_; }
  std::span<const std::int32_t> span() const {
    return given_.empty() ? std::span<const std::int32_t>(own_) : given_;
  }

 private:
  std::span<std::int32_t> given_;
  std::vector<std::int32_t> own_;
};

struct batch_state {
  batch_state() = default;
  batch_state(const status& of_call, int32_buffer&& of_each, status_kind of_bad)
      : call(of_call), info(std::move(of_each)), bad(of_bad) {}

  status call = status::of_empty_factor();
  int32_buffer info;
  status_kind bad = status_kind::success;
  index_t failed_count = 0, first_failure = -1;
};

}  // namespace detail
}  // namespace TRIFAC_ABI

/// How the factorizations of a batch ended. Without arguments, and once it was moved from, it is
/// that of nothing: status_kind::empty.
class batch_outcome : public with_status<batch_outcome> {
 public:
  batch_outcome() = default;
  /// `bad`: the kind that a bad pivot has which is finite.
  batch_outcome(const trifac::status& call, detail::int32_buffer&& info, status_kind bad)
      : state_(call, std::move(info), bad) {
    count_failures();
  }

  /// The call's own failure (an argument, memory, the backend), else that of the first matrix that
  /// failed, else success.
  trifac::status status() const {
    return !state_.call.ok() || failed_count() == 0 ? state_.call : status(first_failure());
  }
  /// That of matrix b, as one matrix would have it.
  trifac::status status(index_t b) const {
    if (!state_.call.ok()) return state_.call;
    const std::int32_t i = info()[detail::as_size(b)];
    if (i == 0) return {};
    return i > 0 ? trifac::status::at(state_.bad, i - 1)
                 : trifac::status::at(status_kind::not_finite, -(i + 1));
  }
  /// For each matrix 0, or LAPACK's info k + 1 for a bad pivot k, or −(k + 1) where that is NaN or
  /// infinite. Empty where the call itself failed.
  std::span<const std::int32_t> info() const& { return state_.info.span(); }
  // A view into an outcome that ends with the statement: name the outcome first.
  void info() const&& = delete;
  /// Matrices that failed; none where the call itself did: ask ok() first.
  index_t failed_count() const { return state_.failed_count; }
  /// The first of them, or −1.
  index_t first_failure() const { return state_.first_failure; }

 private:
  friend struct detail::factor_access;

  void count_failures() {
    state_.failed_count = 0;
    state_.first_failure = -1;
    const std::int32_t* const all = info().data();
    const auto count = static_cast<index_t>(info().size());
    for (index_t b = -1; (b = detail::first_failed(all, b + 1, count)) < count;)
      if (state_.failed_count++ == 0) state_.first_failure = b;
  }

  detail::emptied_by_move<detail::batch_state> state_;
};

inline namespace TRIFAC_ABI {
namespace detail {

/// All matrices have succeeded: of a batch without elements.
inline status all_succeeded(std::span<std::int32_t> info) {
  std::ranges::fill(info, 0);
  return {};
}

/// info := a number for each matrix, in the caller's memory or, where that is empty, in its own.
inline status make_info(std::span<std::int32_t> given, index_t batch, int32_buffer& info) {
  if (!given.empty() && static_cast<index_t>(given.size()) < batch)
    return status::argument("options.info", "has fewer numbers than the batch has matrices");
  info = int32_buffer(given, batch);
  return {};
}

/// The outcome of a call that ended with s and, if that is success, wrote info for each matrix.
/// `bad` is what a finite bad pivot means.
inline batch_outcome outcome_of_call(const status& s, int32_buffer&& info, status_kind bad) {
  if (!s) return {s, {}, bad};
  batch_outcome outcome(s, std::move(info), bad);
  if (outcome.failed_count() > 0)
    for (const std::int32_t i : outcome.info())
      if (i == no_memory || i == has_thrown)
        return {status_of_work(i == no_memory ? status_kind::out_of_memory
                                              : status_kind::backend_failure),
                {},
                bad};
  return outcome;
}

/// What a call returned; throws where its status is not a property of a matrix.
template <class Outcome>
Outcome or_throw(Outcome&& outcome) {
  throw_unless_numerical(outcome.status());
  return std::move(outcome);
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

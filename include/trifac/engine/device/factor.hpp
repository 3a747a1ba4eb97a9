#pragma once
// Shared by the factors of matrices in device memory: a result that may still be pending.

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "trifac/engine/views/with_status.hpp"
#include "trifac/status.hpp"

namespace trifac::device {

/// Throws if X, one matrix or a batch, is not a valid operand for the factor.
template <class Factor, class Sides>
void check_sides(const Factor& f, const Sides& X, const char* argument) {
  if (X.rows() != f.rows())
    throw argument_error(
        status::argument(argument, "must have as many rows as the factored matrix"));
  if (&X.backend().session() != &f.backend().session())
    throw argument_error(status::argument(argument,
                                          "is of another session than the factor's: copy the "
                                          "backend, do not make it twice"));
}

/// A factorization that an executor has enqueued. The first query waits for it; any thread may
/// query. Results: fetched with the status, by their member fetch(executor).
template <class B, class Executor, class Results>
class pending_factor {
 public:
  pending_factor(const B& where, std::unique_ptr<Executor> on, Results results)
      : where_(where), on_(std::move(on)), results_(std::move(results)) {}

  const trifac::status& wait() {
    const std::scoped_lock lock(mutex_);
    if (!outcome_) {
      const trifac::status ended = on_->finish();
      results_.fetch(*on_);
      outcome_ = ended;  // set last: if fetch() throws, the next query tries again
    }
    return *outcome_;
  }
  /// The status if already known; never waits, not even for a thread that waits.
  std::optional<trifac::status> known() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock ? outcome_ : std::nullopt;
  }
  /// Discards the status because the same commands were enqueued again.
  void renew() {
    const std::scoped_lock lock(mutex_);
    outcome_.reset();
  }
  /// Valid after wait().
  const Results& results() const { return results_; }
  Executor& executor() const { return *on_; }

 private:
  B where_;  // before the executor, which refers to its session
  std::unique_ptr<Executor> on_;
  Results results_;
  std::mutex mutex_;
  std::optional<trifac::status> outcome_;
};

/// The base of the class Factor. The factorization may be pending until the first call of status().
/// Copies share the result, moves are copies, and a temporary returns everything by value. Where
/// nothing was enqueued, as a try_ form found a wrong argument or the device failed, the status is
/// that, known from the start.
template <class Factor, class View, class B, class Executor, class Results>
class device_factor : public with_status<Factor> {
 public:
  using executor = Executor;
  using view_type = View;

  // Copies only: a moved-from factor keeps its result.
  device_factor(const device_factor&) = default;
  device_factor& operator=(const device_factor&) = default;

  /// The outcome of the factorization; waits for it.
  const trifac::status& status() const& { return pending_ ? pending_->wait() : failure_; }
  trifac::status status() const&& { return pending_ ? pending_->wait() : failure_; }

  index_t rows() const { return view_.rows(); }
  /// The factor in device memory.
  View view() const { return view_; }
  const B& backend() const& { return where_; }
  B backend() const&& { return where_; }
  /// For solve(): the status, if already queried.
  std::optional<trifac::status> known_status() const {
    return pending_ ? pending_->known() : failure_;
  }
  /// For solve(): the executor that holds the status and, for LU, the interchanges on the device.
  /// Only where something was enqueued.
  Executor& pending_executor() const { return pending_->executor(); }
  /// For cuda_graph, which repeats the factorization on the device: the next query waits again.
  /// Invalidates references returned by status() and others.
  void renew() const {
    if (pending_) pending_->renew();
  }

 protected:
  device_factor(const View& view, const B& where, std::unique_ptr<Executor> on, Results results)
      : view_(view),
        where_(where),
        pending_(std::make_shared<pending_factor<B, Executor, Results>>(where, std::move(on),
                                                                        std::move(results))) {}
  device_factor(const View& view, const B& where, const trifac::status& failure, Results results)
      : view_(view), where_(where), failure_(failure), no_results_(std::move(results)) {}
  /// Waits for the results.
  const Results& results() const {
    if (!pending_) return no_results_;
    static_cast<void>(pending_->wait());
    return pending_->results();
  }
  bool is_enqueued() const { return pending_ != nullptr; }

 private:
  View view_;
  B where_;
  trifac::status failure_;
  Results no_results_;
  std::shared_ptr<pending_factor<B, Executor, Results>> pending_;
};

}  // namespace trifac::device

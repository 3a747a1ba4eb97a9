#pragma once
// What the factors of matrices in a device's memory have in common: the answer that may still be
// under way.

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "trifac/engine/views/with_status.hpp"
#include "trifac/status.hpp"

namespace trifac::device {

/// Throws where X, one matrix or a batch, is not what a factor's call can work on.
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

/// A factorization that an executor was given to do. The first who asks waits; any thread may ask.
/// Results: what is fetched with the status, by its member fetch(executor).
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
      outcome_ = ended;  // only now: where fetch() throws, the next who asks tries again
    }
    return *outcome_;
  }
  /// The answer where somebody has it already; does not wait, not for another who waits either.
  std::optional<trifac::status> known() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock ? outcome_ : std::nullopt;
  }
  /// Forgets the answer, as the same commands were enqueued again.
  void renew() {
    const std::scoped_lock lock(mutex_);
    outcome_.reset();
  }
  /// Only after wait().
  const Results& results() const { return results_; }
  const B& where() const { return where_; }
  Executor& executor() const { return *on_; }

 private:
  B where_;  // before the executor, which refers to its session
  std::unique_ptr<Executor> on_;
  Results results_;
  std::mutex mutex_;
  std::optional<trifac::status> outcome_;
};

/// The base of the class Factor. Until status() is asked the factorization may still be under way.
/// Copies share the answer, moves are copies, and of a temporary everything comes by value.
template <class Factor, class View, class B, class Executor, class Results>
class device_factor : public with_status<Factor> {
 public:
  using executor = Executor;
  using view_type = View;

  // Copies only: what a factor was moved from has its answer still.
  device_factor(const device_factor&) = default;
  device_factor& operator=(const device_factor&) = default;

  /// How the factorization ended; waits for it.
  const trifac::status& status() const& { return pending_->wait(); }
  trifac::status status() const&& { return pending_->wait(); }

  index_t rows() const { return view_.rows(); }
  /// The factor where it lies.
  View view() const { return view_; }
  const B& backend() const& { return pending_->where(); }
  B backend() const&& { return pending_->where(); }
  /// For solve(): how the factorization ended, where that was asked before.
  std::optional<trifac::status> known_status() const { return pending_->known(); }
  /// For solve(): where the device keeps the status and, of LU, the interchanges.
  Executor& pending_executor() const { return pending_->executor(); }
  /// For cuda_graph, which has the device do the same again: the next who asks waits anew. Ends the
  /// references that status() and others gave.
  void renew() const { pending_->renew(); }

 protected:
  device_factor(const View& view, const B& where, std::unique_ptr<Executor> on, Results results)
      : view_(view),
        pending_(std::make_shared<pending_factor<B, Executor, Results>>(where, std::move(on),
                                                                        std::move(results))) {}
  /// Waits for them.
  const Results& results() const {
    static_cast<void>(pending_->wait());
    return pending_->results();
  }

 private:
  View view_;
  std::shared_ptr<pending_factor<B, Executor, Results>> pending_;
};

}  // namespace trifac::device

#pragma once
// A factorization that a backend has started and the caller has not yet waited for.

#include <memory>
#include <utility>

#include "trifac/engine/base/config.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// A backend's state of such work. The destructor waits; then the matrix is the caller's again.
class pending_work {
 public:
  pending_work() = default;
  pending_work(const pending_work&) = delete;
  pending_work& operator=(const pending_work&) = delete;
  virtual ~pending_work() = default;

  /// True if all tasks have completed.
  virtual bool done() const noexcept = 0;
  /// Waits for completion; call once.
  virtual status wait() noexcept = 0;
};

/// Work in progress, or the status of work that completed immediately. The destructor waits.
class in_flight {
 public:
  in_flight() = default;
  explicit in_flight(const status& done) : outcome_(done) {}
  explicit in_flight(std::unique_ptr<pending_work> work) : work_(std::move(work)) {}

  bool done() const noexcept { return !work_ || work_->done(); }
  status wait() noexcept {
    if (work_) outcome_ = work_->wait();
    work_.reset();
    return outcome_;
  }

 private:
  std::unique_ptr<pending_work> work_;
  status outcome_;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

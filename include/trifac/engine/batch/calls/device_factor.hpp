#pragma once
// The factors of batches that stay in a device's memory. The first query reads the status of all
// matrices.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trifac/engine/batch/calls/device_batch.hpp"
#include "trifac/engine/batch/calls/factor.hpp"
#include "trifac/engine/device/factor.hpp"

namespace trifac {

namespace device {

/// What a factorization of a batch leaves on the device besides the factors: info of each matrix
/// and row interchanges.
template <class Runtime>
class batch_record {
 public:
  using handle = typename Runtime::handle;

  batch_record(session<Runtime>& s, index_t count, index_t interchanges, status_kind bad)
      : session_(s),
        count_(count),
        interchanges_(interchanges),
        bad_(bad),
        info_memory_(s.borrow(bytes(count))),
        rows_memory_(s.borrow(bytes(interchanges))) {
    s.runtime.clear(info_memory_.get(), bytes(count));
  }

  handle info() const { return info_memory_.get(); }
  handle interchanges() const { return rows_memory_.get(); }

  /// Waits; returns the status of the first matrix that failed.
  status finish() {
    trifac::detail::int32_buffer all({}, count_);
    session_.runtime.read(info(), 0, all.span().data(), all.span().size_bytes());
    session_.runtime.save_programs();
    outcome_ = batch_outcome({}, std::move(all), bad_);
    return outcome_.status();
  }
  /// After finish().
  batch_outcome take_outcome() { return std::move(outcome_); }
  std::vector<std::int32_t> read_interchanges() const {
    std::vector<std::int32_t> rows(trifac::detail::as_size(interchanges_));
    session_.runtime.read(interchanges(), 0, rows.data(), rows.size() * sizeof(std::int32_t));
    return rows;
  }

 private:
  static std::uint64_t bytes(index_t numbers) {
    return static_cast<std::uint64_t>(std::max<index_t>(numbers, 1)) * sizeof(std::int32_t);
  }

  session<Runtime>& session_;
  index_t count_, interchanges_;
  status_kind bad_;
  typename session<Runtime>::scratch info_memory_, rows_memory_;
  batch_outcome outcome_;
};

/// Results that are read with the status.
struct batch_results {
  batch_outcome outcome;

  template <class Record>
  void fetch(Record& on) {
    outcome = on.take_outcome();
  }
};

/// The base of both factors. status() is that of the first matrix that failed. The first of
/// status(), ok(), info(), failed_count() and first_failure() waits and reads a number for each
/// matrix.
template <class Factor, class T, class B>
class device_batch_factor : public device_factor<Factor, typename device_batch<T, B>::view_type, B,
                                                 batch_record<typename B::runtime>, batch_results> {
 public:
  using value_type = T;
  using base = device_factor<Factor, typename device_batch<T, B>::view_type, B,
                             batch_record<typename B::runtime>, batch_results>;
  using base::status;

  index_t batch() const { return this->view().place.count; }
  index_t cols() const { return this->view().place.cols; }
  /// That of matrix b.
  trifac::status status(index_t b) const { return this->results().outcome.status(b); }
  /// As batch_outcome has them.
  std::span<const std::int32_t> info() const& { return this->results().outcome.info(); }
  void info() const&& = delete;
  index_t failed_count() const { return this->results().outcome.failed_count(); }
  index_t first_failure() const { return this->results().outcome.first_failure(); }

 protected:
  device_batch_factor(const device_batch<T, B>& A,
                      std::unique_ptr<batch_record<typename B::runtime>> on)
      : base(A.view(), A.backend(), std::move(on), {}) {}
  device_batch_factor(const device_batch<T, B>& A, const trifac::status& failure)
      : base(A.view(), A.backend(), failure, {batch_outcome(failure, {}, failure.kind())}) {}
};

}  // namespace device

/// The result of cholesky() on a device_batch, which must outlive it and not be assigned to. Copies
/// share the result; any thread may query it.
template <LapackScalar T, DeviceBackend B>
class device_batch_cholesky_factor
    : public device::device_batch_factor<device_batch_cholesky_factor<T, B>, T, B> {
 public:
  using record = device::batch_record<typename B::runtime>;

  device_batch_cholesky_factor(const device_batch<T, B>& A, triangle part, bool mirrored,
                               std::unique_ptr<record> on)
      : device::device_batch_factor<device_batch_cholesky_factor, T, B>(A, std::move(on)),
        part_(part),
        mirrored_(mirrored) {}
  /// The factor of a call that failed before it enqueued anything.
  device_batch_cholesky_factor(const device_batch<T, B>& A, triangle part,
                               const trifac::status& failure)
      : device::device_batch_factor<device_batch_cholesky_factor, T, B>(A, failure),
        part_(part),
        mirrored_(false) {}

  triangle part() const { return part_; }
  /// Whether the other triangle holds the factor, too: groups write Lᴴ there.
  bool mirrored() const { return mirrored_; }

 private:
  triangle part_;
  bool mirrored_;
};

/// The result of lu() on a device_batch: L\U where they lie.
template <LapackScalar T, DeviceBackend B>
class device_batch_lu_factor
    : public device::device_batch_factor<device_batch_lu_factor<T, B>, T, B> {
 public:
  using record = device::batch_record<typename B::runtime>;

  device_batch_lu_factor(const device_batch<T, B>& A, trifac::pivoting pivoting,
                         std::unique_ptr<record> on)
      : device::device_batch_factor<device_batch_lu_factor, T, B>(A, std::move(on)),
        pivoting_(pivoting) {}
  /// The factor of a call that failed before it enqueued anything; it has no interchanges.
  device_batch_lu_factor(const device_batch<T, B>& A, trifac::pivoting pivoting,
                         const trifac::status& failure)
      : device::device_batch_factor<device_batch_lu_factor, T, B>(A, failure),
        pivoting_(pivoting) {}

  trifac::pivoting pivoting() const { return pivoting_; }
  /// A copy of the row interchanges of all matrices, in the order of
  /// batch_lu_factor::interchanges(); reads them from the device.
  std::vector<std::int32_t> interchanges() const {
    if (!this->is_enqueued()) return {};
    static_cast<void>(this->status());
    return this->pending_executor().read_interchanges();
  }

 private:
  trifac::pivoting pivoting_;
};

/// What cholesky() and lu() of a device_batch<T, B> return.
template <class F, class T, class B>
concept DeviceBatchFactor = std::same_as<F, device_batch_cholesky_factor<T, B>> ||
    std::same_as<F, device_batch_lu_factor<T, B>>;

}  // namespace trifac

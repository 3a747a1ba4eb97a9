#pragma once
// What every device backend shares: its settings, the session that a backend's copies refer to
// (runtime, scratch memory, times), and the base of the executors. The verbs are in
// device_cholesky.hpp and device_lu.hpp.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trifac/backend.hpp"
#include "trifac/backend/device_facts.hpp"
#include "trifac/backend/device_view.hpp"
#include "trifac/detail/call.hpp"
#include "trifac/kernel/arithmetic.hpp"

namespace trifac::device {

/// Wall-clock seconds of the parts of one call on host memory. copy_in and copy_out are 0 where the
/// device works on the host's memory.
struct device_times {
  double copy_in = 0, run = 0, copy_out = 0;
};

/// How a device runs the variants by columns (thesis 2016; SYCL note 2021 for rounds).
enum class column_kernels {
  multiple,  ///< per column one item for the diagonal, then an item for each row below
  single,    ///< per column one launch; each item computes the diagonal itself (out of place only)
  rounds,    ///< pivot by a tree reduction in one group, then the pivot row
};

/// Shape of the tiles in the blocked kernels.
enum class tile_choice {
  by_device,  ///< vectors on CPUs, groups on GPUs
  vectors,    ///< one item for each group, wide vectors
  groups,     ///< many items for each group, local memory
};

/// How the blocks of LU without pivoting are run (ECE496, 2012). "packed" is trifac's own, the rest
/// the source's: an item for each row of a block with wide loads, or for each column, one group on
/// one block after another; several groups on one block (its v1); a group for each block, all
/// blocks of a kind at once (v2), also with local memory. Made for row-major storage, as in the
/// source.
enum class block_kernels {
  packed,
  rows,
  columns,
  several_groups,
  group_per_block,
  group_per_block_local
};

/// Who does large products and triangular solves where the device's maker has a library of them
/// (cuBLAS). Only `best` of Cholesky and LU asks for it.
enum class product_kernels {
  by_size,  ///< the library from an order on that its overhead should not matter for
  own,
  library
};

/// How `best` of LU finds its pivots where it is asked for partial pivoting.
enum class panel_choice {
  as_asked,
  by_size  ///< with CUDA by tournaments from an order on at which one work-group for a panel should
           ///< be too few; multipliers are then bounded by lu_options::max_l, not by 1
};

/// Settings of a device backend.
struct device_settings {
  int group = 0;  ///< work-items in a group of the variants by elements; 0: chosen for the device
  column_kernels columns = column_kernels::multiple;
  block_kernels blocks = block_kernels::packed;
  tile_choice tiles = tile_choice::by_device;
  product_kernels products = product_kernels::by_size;
  panel_choice panels = panel_choice::as_asked;
  /// Of the variants by elements only, to repeat an experiment of 2021. With `fast` a matrix with NaN or
  /// infinities may end as a success.
  float_model floats = float_model::ieee;
};

/// The queues of a device: work in one runs beside that in the other, but where one waits.
enum class device_queue { first, second };

inline namespace TRIFAC_ABI {

/// What the copies of one backend value share.
template <class Runtime>
class session {
 public:
  using memory = typename Runtime::memory;

  template <class... Arguments>
  explicit session(Arguments... arguments) : runtime(arguments...) {}

  /// Device memory that goes back to the session when it is no longer held. Because its queue is in
  /// order, that may be before the commands that use it have run.
  class scratch {
   public:
    scratch() = default;
    scratch(session& owner, memory m, std::uint64_t bytes, device_queue queue)
        : owner_(&owner), memory_(std::move(m)), bytes_(bytes), queue_(queue) {}
    scratch(scratch&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          memory_(std::move(other.memory_)),
          bytes_(other.bytes_),
          queue_(other.queue_) {}
    scratch& operator=(scratch other) noexcept {
      std::swap(owner_, other.owner_);
      std::swap(memory_, other.memory_);
      std::swap(bytes_, other.bytes_);
      std::swap(queue_, other.queue_);
      return *this;
    }
    ~scratch() {
      if (owner_) owner_->take_back(std::move(memory_), bytes_, queue_);
    }
    typename Runtime::handle get() const { return memory_.get(); }
    std::uint64_t bytes() const { return bytes_; }

   private:
    session* owner_ = nullptr;
    memory memory_;
    std::uint64_t bytes_ = 0;
    device_queue queue_ = device_queue::first;
  };

  /// At least so many bytes, the smallest piece that fits; their contents are whatever they are.
  /// Each queue has memory of its own, as only its own commands come after those of who had it
  /// before.
  scratch borrow(std::uint64_t bytes, device_queue queue = device_queue::first) {
    {
      const std::scoped_lock lock(mutex_);
      auto& pieces = free_[static_cast<std::size_t>(queue)];
      auto best = pieces.end();
      for (auto it = pieces.begin(); it != pieces.end(); ++it)
        if (it->second >= bytes && it->second / 2 <= bytes &&
            (best == pieces.end() || it->second < best->second))
          best = it;
      if (best != pieces.end()) {
        scratch found(*this, std::move(best->first), best->second, queue);
        pieces.erase(best);
        return found;
      }
    }
    return scratch(*this, allocate(bytes, queue), bytes, queue);
  }

  /// Takes out the memory that nobody has borrowed; whoever gets it keeps it.
  std::vector<std::pair<memory, std::uint64_t>> take_free() {
    const std::scoped_lock lock(mutex_);
    auto all = std::exchange(free_[0], {});
    for (auto& piece : std::exchange(free_[1], {})) all.push_back(std::move(piece));
    return all;
  }

  /// A message that lives as long as the session: what a status can point to.
  const char* keep(std::string message) {
    const std::scoped_lock lock(mutex_);
    for (const std::string& known : messages_)
      if (known == message) return known.c_str();
    return messages_.emplace_back(std::move(message)).c_str();
  }

  device_times times() const {
    const std::scoped_lock lock(mutex_);
    return times_;
  }
  void set_times(const device_times& t) {
    const std::scoped_lock lock(mutex_);
    times_ = t;
  }

  Runtime runtime;

 private:
  static constexpr std::size_t most_free = 24;

  memory allocate(std::uint64_t bytes, device_queue queue) {
    if constexpr (Runtime::has_second_queue)
      if (queue == device_queue::second) return runtime.allocate_beside(bytes);
    return runtime.allocate(bytes);
  }
  void take_back(memory m, std::uint64_t bytes, device_queue queue) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      auto& pieces = free_[static_cast<std::size_t>(queue)];
      if (pieces.size() == most_free) pieces.erase(pieces.begin());
      pieces.emplace_back(std::move(m), bytes);
    } catch (...) {  // no memory for the list: it is released instead
    }
  }

  mutable std::mutex mutex_;
  std::array<std::vector<std::pair<memory, std::uint64_t>>, 2> free_;  // by queue
  std::deque<std::string> messages_;
  device_times times_;
};

/// Status words in device memory (kernel/arithmetic.hpp): kind, index, settled kind, fallback flag,
/// and four for the verbs' own use.
inline constexpr index_t status_words = 8;

/// The base of the executors for element type T: programs, launches, scratch memory and the status.
/// A launch waits for nothing; an executor may be gone before its commands have run.
template <class Runtime, class T>
class executor_base {
 public:
  using runtime_type = Runtime;
  using handle = typename Runtime::handle;
  using view = device_view<T, handle>;
  using operand = device_operand<T, handle>;
  using scratch = typename session<Runtime>::scratch;

  executor_base(session<Runtime>& s, const device_settings& settings)
      : session_(s),
        settings_(settings),
        own_state_(s.borrow(status_words * sizeof(index_t))),
        state_(own_state_.get()) {
    if (std::is_same_v<real_t<T>, double> && !facts().has_double)
      throw backend_error(std::string(Runtime::name) + ": " + facts().name + " has no double");
    runtime().clear(state(), status_words * sizeof(index_t));
  }

  /// An executor for a queue that shares the status of another one, which outlives it. The
  /// library works in the first queue only.
  executor_base(const executor_base& first, device_queue queue)
      : session_(first.session_),
        settings_(first.settings_),
        state_(first.state_),
        beside_(queue == device_queue::second) {
    settings_.products = product_kernels::own;
  }

  /// Takes over how the commands of another executor will have ended.
  void continue_after(const executor_base& other) {
    runtime().copy(other.state(), state(), status_words * sizeof(index_t));
  }

  const device_settings& settings() const { return settings_; }

  /// What a queue will find is not known when it is filled.
  bool stopped() const { return false; }

  /// Waits for all that was enqueued and tells how it ended.
  status finish() const {
    index_t words[2] = {};
    runtime().read(state(), 0, words, sizeof words);
    runtime().save_programs();
    if (words[0] == 0) return {};
    return status::at(static_cast<status_kind>(words[0]), words[1]);
  }

 protected:
  Runtime& runtime() const { return session_.runtime; }
  session<Runtime>& owner() const { return session_; }
  const device_facts& facts() const { return session_.runtime.facts(); }
  handle state() const { return state_; }

  /// -D parameters that every program has.
  static std::vector<std::string> definitions(int vector_width) {
    return {std::string("REAL=") + (std::is_same_v<real_t<T>, double> ? "double" : "float"),
            std::string("DOUBLE=") + (std::is_same_v<real_t<T>, double> ? "1" : "0"),
            std::string("COMPLEX=") + (is_complex<T> ? "1" : "0"),
            "VW=" + std::to_string(vector_width)};
  }

  /// A launch in the queue, or in the second one while runs_beside() is set.
  template <class... Arguments>
  void enqueue(typename Runtime::program& from, const char* kernel_name, extent groups,
               extent items, const Arguments&... arguments) const {
    if constexpr (Runtime::has_second_queue)
      if (beside_) return runtime().launch_beside(from, kernel_name, groups, items, arguments...);
    runtime().launch(from, kernel_name, groups, items, arguments...);
  }
  void runs_beside(bool value) { beside_ = value; }

  /// Whether the library should do a product of that size.
  bool uses_library(index_t m, index_t n, index_t k) const {
    if (!Runtime::has_library || settings_.products == product_kernels::own) return false;
    return settings_.products == product_kernels::library || (std::min(m, n) >= 512 && k >= 32);
  }

  /// Scratch memory for `count` elements of Element.
  template <class Element>
  scratch borrow(index_t count) const {
    return session_.borrow(static_cast<std::uint64_t>(count) * sizeof(Element),
                           beside_ ? device_queue::second : device_queue::first);
  }

 private:
  session<Runtime>& session_;
  device_settings settings_;
  scratch own_state_;
  handle state_;
  bool beside_ = false;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

#pragma once
// The base of the executors of device backends. The verbs are in cholesky.hpp and lu.hpp.

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "trifac/backend.hpp"
#include "trifac/backend/device/facts.hpp"
#include "trifac/backend/device/session.hpp"
#include "trifac/backend/device/settings.hpp"
#include "trifac/backend/device/view.hpp"
#if TRIFAC_USE_KERNELS
  #include "trifac/nests.hpp"
#endif

namespace trifac::device {
inline namespace TRIFAC_ABI {

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

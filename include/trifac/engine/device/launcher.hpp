#pragma once
// Shared by all parts of a device's executor: session, tile shape, launches, scratch memory,
// status.

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "trifac/backend.hpp"
#include "trifac/engine/device/facts.hpp"
#include "trifac/engine/device/session.hpp"
#include "trifac/engine/device/settings.hpp"
#include "trifac/engine/device/tiles.hpp"
#include "trifac/engine/device/view.hpp"
#include "trifac/engine/kernel/arguments.hpp"
#include "trifac/engine/kernel/arithmetic.hpp"
#include "trifac/engine/kernel/packed_update.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// Status words in device memory (kernel/arithmetic.hpp): kind, index, copied kind, fallback flag,
/// and four for internal use by kernels.
inline constexpr index_t status_words = 8;

constexpr index_t round_up(index_t n, index_t unit) {
  return (n + unit - 1) / unit * unit;
}
constexpr std::size_t parts_of(index_t n, index_t part) {
  return static_cast<std::size_t>((n + part - 1) / part);
}

/// The base of the executors for element type T; the parts of an executor refer to it. Launches are
/// asynchronous; an executor may be destroyed before its commands have run.
template <class Runtime, class T>
class launcher {
 public:
  using handle = typename Runtime::handle;
  using view = device_view<T, handle>;
  using operand = device_operand<T, handle>;
  using scratch = typename session<Runtime>::scratch;

  launcher(session<Runtime>& s, const device_settings& settings)
      : session_(s),
        settings_(settings),
        shape_(choose_shape(s.runtime.facts(), settings)),
        own_state_(s.borrow(status_words * sizeof(index_t))),
        state_(own_state_.get()) {
    if (std::is_same_v<real_t<T>, double> && !facts().has_double)
      throw backend_error(std::string(Runtime::name) + ": " + facts().name + " has no double");
    runtime().clear(state(), status_words * sizeof(index_t));
  }
  /// For a second queue; shares the status of `first`, which must outlive this launcher.
  launcher(const launcher& first, device_queue queue)
      : session_(first.session_),
        settings_(first.settings_),
        shape_(first.shape_),
        state_(first.state_),
        second_queue_(queue == device_queue::second) {}
  launcher(const launcher&) = delete;
  launcher& operator=(const launcher&) = delete;

  /// Status := that of another launcher after all commands that it has enqueued so far.
  void continue_after(const launcher& other) {
    runtime().copy(other.state(), state(), status_words * sizeof(index_t));
  }
  /// Always false: the outcome is unknown while a queue is being filled.
  bool stopped() const { return false; }
  /// Waits for all enqueued commands and returns their status.
  status finish() const {
    index_t words[2] = {};
    runtime().read(state(), 0, words, sizeof words);
    runtime().save_programs();
    if (words[0] == 0) return {};
    return status::at(static_cast<status_kind>(words[0]), words[1]);
  }

  Runtime& runtime() const { return session_.runtime; }
  const device_facts& facts() const { return session_.runtime.facts(); }
  const device_settings& settings() const { return settings_; }
  const tile_shape& shape() const { return shape_; }
  handle state() const { return state_; }

  /// Work-items per group for n independent elements.
  extent line(index_t n) const {
    const index_t most = static_cast<index_t>(std::min<std::size_t>(64, facts().most_items));
    return {static_cast<std::size_t>(std::clamp<index_t>(n, 1, most)), 1};
  }
  /// Groups of `line` items for n elements.
  extent lines(index_t n) const { return {parts_of(n, static_cast<index_t>(line(n).x)), 1}; }

  /// -D parameters of every program.
  static std::vector<std::string> definitions(int vector_width) {
    static_assert(LapackScalar<T>,
                  "devices compute in float, double and complex of both: other scalar types run on "
                  "serial, threads and openmp");
    return {std::string("REAL=") + (std::is_same_v<real_t<T>, double> ? "double" : "float"),
            std::string("DOUBLE=") + (std::is_same_v<real_t<T>, double> ? "1" : "0"),
            std::string("COMPLEX=") + (is_complex<T> ? "1" : "0"),
            "VW=" + std::to_string(vector_width)};
  }

  /// Enqueues a launch. A matrix or list of numbers is passed as a buffer and its place in it.
  template <class... Arguments>
  void enqueue(typename Runtime::program& from, const char* kernel_name, extent groups,
               extent items, const Arguments&... arguments) const {
    const auto launch = [&](const auto&... each) {
      if constexpr (Runtime::has_second_queue)
        if (second_queue_)
          return runtime().launch_in_second_queue(from, kernel_name, groups, items, each...);
      runtime().launch(from, kernel_name, groups, items, each...);
    };
    std::apply(launch, std::tuple_cat(argument(arguments)...));
  }
  /// The same for one cluster of groups; false if the device refuses it.
  template <class... Arguments>
  bool enqueue_cluster(typename Runtime::program& from, const char* kernel_name, int groups,
                       extent items, const Arguments&... arguments) const {
    const auto launch = [&](const auto&... each) {
      return runtime().launch_cluster(from,
                                      second_queue_ ? device_queue::second : device_queue::first,
                                      kernel_name, groups, items, each...);
    };
    return std::apply(launch, std::tuple_cat(argument(arguments)...));
  }
  /// The vendor's library on the same queue.
  const auto& library() const {
    return runtime().library(second_queue_ ? device_queue::second : device_queue::first);
  }

  /// Scratch memory for `count` elements of Element.
  template <class Element>
  scratch borrow(index_t count) const {
    return session_.borrow(static_cast<std::uint64_t>(count) * sizeof(Element),
                           second_queue_ ? device_queue::second : device_queue::first);
  }
  /// The same, reused until a larger piece is needed.
  template <class Element>
  void reserve(scratch& s, index_t count) const {
    if (s.bytes() < static_cast<std::uint64_t>(count) * sizeof(Element)) s = borrow<Element>(count);
  }

 private:
  static tile_shape choose_shape(const device_facts& f, const device_settings& settings) {
    const bool vectors =
        Runtime::has_vectors && (settings.tiles == tile_choice::vectors ||
                                 (settings.tiles == tile_choice::by_device && f.is_cpu));
    return vectors ? vector_tiles<T>(f) : group_tiles<T>(f);
  }
  template <class Value>
  static std::tuple<const Value&> argument(const Value& value) {
    return {value};
  }
  static std::tuple<handle, kernel::VIEW> argument(const view& A) {
    return {A.memory(), A.place()};
  }
  static std::tuple<handle, index_t> argument(const device_indices<handle>& list) {
    return {list.memory, list.offset};
  }
  static std::tuple<handle> argument(const scratch& memory) { return {memory.get()}; }

  session<Runtime>& session_;
  device_settings settings_;
  tile_shape shape_;
  scratch own_state_;
  handle state_;
  const bool second_queue_ = false;
};

/// A program that is loaded at the first launch of one of its kernels, so only programs in use are
/// compiled.
template <class Runtime, class T>
class lazy_program {
 public:
  /// Texts that follow packed_tiles.
  lazy_program(const launcher<Runtime, T>& on, const char* name, std::vector<const char*> texts)
      : on_(on), source_{name, std::move(texts), {}} {}
  /// Texts that follow arithmetic.hpp.
  lazy_program(const launcher<Runtime, T>& on, program_source source)
      : on_(on), source_(std::move(source)) {}

  template <class... Arguments>
  void launch(const char* kernel_name, extent groups, extent items, const Arguments&... arguments) {
    load();
    on_.enqueue(*program_, kernel_name, groups, items, arguments..., on_.state());
  }
  template <class... Arguments>
  bool launch_cluster(const char* kernel_name, int groups, extent items,
                      const Arguments&... arguments) {
    load();
    return on_.enqueue_cluster(*program_, kernel_name, groups, items, arguments..., on_.state());
  }
  /// Loads now, so that a later launch compiles nothing.
  void load() {
    if (program_) return;
    std::vector<const char*> texts = {kernel::VIEW_text, kernel::ROUND_text, kernel::arithmetic};
    program_source made = source_;  // a copy: compilation may fail and be retried
    if (made.definitions.empty()) {
      texts.push_back(kernel::packed_tiles);
      made.definitions = on_.definitions(on_.shape().vector);
      for (std::string& d : on_.shape().definitions()) made.definitions.push_back(std::move(d));
    }
    made.texts.insert(made.texts.begin(), texts.begin(), texts.end());
    program_ = &on_.runtime().load(made);
  }

 private:
  const launcher<Runtime, T>& on_;
  program_source source_;
  typename Runtime::program* program_ = nullptr;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

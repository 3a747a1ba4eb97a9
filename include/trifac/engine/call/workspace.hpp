#pragma once
// Workspace of one call: the caller's bytes if given, else the thread's cached memory or one
// allocation.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "trifac/engine/base/config.hpp"
#include "trifac/engine/base/elements.hpp"
#include "trifac/engine/call/workspace_cache.hpp"
#include "trifac/status.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The answer for sizes of which no memory has room, and whether m×n are such: m·(n + 8192)
/// elements are more than any workspace takes.
inline constexpr std::size_t no_such_memory = std::numeric_limits<std::size_t>::max();
template <class T>
constexpr bool fits_memory(index_t m, index_t n) {
  return static_cast<double>(m) * (static_cast<double>(n) + 8192) * sizeof(T) < 0x1p62;
}

/// Bytes that take<T>(count) consumes, including alignment.
template <class T>
constexpr std::size_t scratch_bytes(index_t count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// An array inside a workspace; constructs and destroys its elements.
template <class T>
class scratch {
 public:
  scratch(T* data, index_t count) : data_(data), count_(count) {
    elements::construct(data_, count_);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { elements::destroy(data_, count_); }

  T* data() const { return data_; }
  std::span<T> span() const { return {data_, static_cast<std::size_t>(count_)}; }

 private:
  T* data_ = nullptr;
  index_t count_ = 0;
};

/// `bytes` bytes, taken piece by piece; 0 bytes allocate nothing. ok() is false if the caller's
/// span is too small or the allocation failed; then nothing may be taken.
class workspace {
 public:
  workspace(std::span<std::byte> given, std::size_t bytes) noexcept
      : own_(given.empty() ? bytes : 0), next_(own_.data()), ok_(next_ || bytes == 0) {
    if (bytes == 0 || given.empty()) return;
    // A given span may start at any address: `bytes`, and the size that callers are asked for,
    // include the gap before the first aligned byte.
    const auto past = reinterpret_cast<std::uintptr_t>(given.data()) % workspace_alignment;
    const std::size_t gap = past == 0 ? 0 : workspace_alignment - past;
    ok_ = given.size() >= gap + bytes - workspace_alignment;
    next_ = ok_ ? given.data() + gap : nullptr;
  }
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  bool ok() const { return ok_; }

  template <class T>
  scratch<T> take(index_t count) {
    T* data = reinterpret_cast<T*>(next_);
    next_ += scratch_bytes<T>(count);
    return {data, count};
  }
  /// The same without construction, for kernels that write before they read. Null of a workspace
  /// without bytes.
  std::byte* take_bytes(std::size_t bytes) {
    std::byte* data = next_;
    next_ += scratch_bytes<std::byte>(static_cast<index_t>(bytes));
    return data;
  }

 private:
  call_memory own_;
  std::byte* next_;
  bool ok_;
};

/// The status of a call without workspace: out_of_memory, or the caller's workspace is too small.
constexpr status no_workspace(std::span<std::byte> given = {}) {
  return given.empty() ? status::failure(status_kind::out_of_memory, "workspace")
                       : status::argument("options.workspace", "is too small");
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

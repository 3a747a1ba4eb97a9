#pragma once
// The workspace that a thread keeps from one call to the next. Memory that malloc gives back to the
// system comes with a page fault for every 4 KiB, which together can take as long as a whole
// factorization of order 400.

#include <cstddef>
#include <new>
#include <utility>

#include "trifac/engine/base/config.hpp"

namespace trifac {

/// Most bytes of workspace that a thread keeps between its calls: enough for order 2048 in double,
/// tournaments included. What a call needs beyond that is given back when it ends. A call with
/// `options.workspace`, or one that needs none, uses it only for products outside of packed panels:
/// those of named variants, of scaled tournaments and of solves.
inline constexpr std::size_t most_cached_workspace = std::size_t{24} << 20;

// Not in TRIFAC_ABI: no code belongs to it, and a thread has one for all flags.
namespace workspace_cache_memory {

/// Plain data without a destructor, so that calls which come after the end of the thread's other
/// objects still find it.
struct workspace_of_thread {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool thread_ends = false;
};
TRIFAC_SHARED inline constinit thread_local workspace_of_thread kept{};

}  // namespace workspace_cache_memory

inline namespace TRIFAC_ABI {
namespace detail {
inline constexpr std::size_t workspace_alignment = 64;
}

/// Frees the workspace that the calling thread keeps; a thread that ends does so by itself. For
/// threads that live on without another factorization.
inline void free_workspace_cache() noexcept {
  auto& kept = workspace_cache_memory::kept;
  ::operator delete (std::exchange(kept.data, nullptr),
                     std::align_val_t{detail::workspace_alignment});
  kept.bytes = 0;
}

namespace detail {

/// Its destructor runs when the thread ends.
struct workspace_cache_guard {
  ~workspace_cache_guard() {
    free_workspace_cache();
    workspace_cache_memory::kept.thread_ends = true;
  }
};

/// Memory of one call: what the thread has kept where that suffices, else an allocation; kept for
/// the next call in the end. A call within a call finds nothing kept and has memory of its own.
class call_memory {
 public:
  /// data() is null for 0 bytes and where the allocation failed.
  explicit call_memory(std::size_t bytes) noexcept {
    if (bytes == 0) return;
    auto& kept = workspace_cache_memory::kept;
    if (kept.bytes >= bytes) {
      data_ = std::exchange(kept.data, nullptr);
      bytes_ = std::exchange(kept.bytes, 0);
      return;
    }
    if (bytes <= most_cached_workspace)
      free_workspace_cache();  // too small; this one comes instead
    data_ = static_cast<std::byte*>(
        ::operator new (bytes, std::align_val_t{workspace_alignment}, std::nothrow));
    bytes_ = data_ ? bytes : 0;
  }
  call_memory(const call_memory&) = delete;
  call_memory& operator=(const call_memory&) = delete;
  ~call_memory() {
    auto& kept = workspace_cache_memory::kept;
    if (bytes_ > kept.bytes && bytes_ <= most_cached_workspace && !kept.thread_ends) {
      static thread_local workspace_cache_guard until_the_thread_ends;
      static_cast<void>(until_the_thread_ends);
      std::swap(data_, kept.data);
      std::swap(bytes_, kept.bytes);
    }
    ::operator delete (data_, std::align_val_t{workspace_alignment});
  }

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#pragma once
// Address space without memory behind it: hundreds of gigabytes of zeros of which only the touched
// pages exist.

#include <sys/mman.h>

#include <cstddef>

namespace trifac::test {

class sparse_memory {
 public:
  explicit sparse_memory(std::size_t bytes) : bytes_(bytes) {
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = mapped == MAP_FAILED ? nullptr : mapped;
  }
  sparse_memory(const sparse_memory&) = delete;
  sparse_memory& operator=(const sparse_memory&) = delete;
  ~sparse_memory() {
    if (data_) munmap(data_, bytes_);
  }

  /// nullptr where the system does not give so much address space.
  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace trifac::test

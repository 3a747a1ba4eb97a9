#pragma once
// The environment in which a test program starts StarPU.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trifac::test {

/// Its files go to a folder of this process: programs that run at the same time do not wait for
/// each other, and nothing of the user's is read or written. With `opencl_workers` on the CPU.
class starpu_environment {
 public:
  explicit starpu_environment(int opencl_workers) {
    std::filesystem::create_directories(home_);
    ::setenv("STARPU_HOME", home_.c_str(), 1);
    ::setenv("STARPU_HOSTNAME", "test", 1);
    ::setenv("STARPU_SILENT", "1", 1);
    ::setenv("STARPU_WORKERS_NOBIND", "1", 1);  // other tests run on these cores
    ::setenv("STARPU_NOPENCL", std::to_string(opencl_workers).c_str(), 1);
    if (opencl_workers == 0) return;
    ::setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    ::setenv("STARPU_NCPU", "1", 1);
    ::setenv("POCL_DEVICES", "basic", 1);  // computes in the worker's own thread
  }
  ~starpu_environment() {  // after StarPU's end
    std::error_code ignored;
    std::filesystem::remove_all(home_, ignored);
  }
  starpu_environment(const starpu_environment&) = delete;
  starpu_environment& operator=(const starpu_environment&) = delete;

 private:
  std::filesystem::path home_ =
      std::filesystem::temp_directory_path() / ("trifac_starpu_test_" + std::to_string(::getpid()));
};

}  // namespace trifac::test

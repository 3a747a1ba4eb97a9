// Every program that the executors of a GPU ask for, compiled by the real NVRTC for three
// generations of devices: no warning, and in what `best` launches no register is spilled. Needs
// neither a driver nor a GPU.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/recorded_programs.hpp"
#include "support/scalars.hpp"
#include "trifac/engine/cuda/program.hpp"

namespace trifac::test {
namespace {

struct usage {
  int registers = -1, stored = -1, loaded = -1;  ///< bytes spilled to memory, read from there
  int stack = -1;                                ///< bytes of arrays that are not in registers
};

/// Registers and spills of each kernel, from the log of ptxas.
std::map<std::string, usage> usage_in(const std::string& log) {
  const std::regex properties("Function properties for (\\w+)"),
      spills("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads"),
      used("Used (\\d+) registers");
  std::map<std::string, usage> found;
  std::string kernel;
  std::istringstream lines(log);
  std::smatch m;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, m, properties)) kernel = m[1];
    if (std::regex_search(line, m, spills)) {
      found[kernel].stack = std::stoi(m[1]);
      found[kernel].stored = std::stoi(m[2]);
      found[kernel].loaded = std::stoi(m[3]);
    }
    if (std::regex_search(line, m, used)) found[kernel].registers = std::stoi(m[1]);
  }
  return found;
}

/// The log for a device of that compute capability, with `more` options.
std::string log_of(const device::program_source& source, int capability,
                   const std::vector<std::string>& more = {}) {
  auto options = device::cuda_options(source, "sm_" + std::to_string(capability));
  options.insert(options.end(), {"--ptxas-options=-v", "--ptxas-options=--warn-on-spills"});
  options.insert(options.end(), more.begin(), more.end());
  const device::cuda_image image = device::compile_cuda(source, options);
  EXPECT_FALSE(image.code.empty());
  return image.log;
}

/// These programs for a device of that compute capability; those that are among `best` spill
/// nothing.
void expect_clean(const programs& compiled, const programs& best, int capability) {
  std::ostringstream table;
  for (const auto& [key, p] : compiled) {
    SCOPED_TRACE(key);
    const std::string log = log_of(p.source, capability);
    const bool of_best = best.count(key) > 0;
    // Those of the compiler have a number; those of ptxas are about spills.
    EXPECT_EQ(log.find(of_best ? "arning" : "warning #"), std::string::npos) << log;
    const auto found = usage_in(log);
    for (const std::string& kernel : p.launched) {
      ASSERT_EQ(found.count(kernel), 1u) << kernel << " is not in the log:\n" << log;
      const usage& u = found.at(kernel);
      table << "  " << kernel << " of " << p.source.name << ": " << u.registers << " registers, "
            << u.stored << " bytes spilled\n";
      // A multiprocessor has 65536 registers. Groups of some families may have 1024 threads, those
      // of the others, which say so, 256.
      const std::string_view family = p.source.name;
      const bool any_group = family == "cholesky_elements" || family.starts_with("lu_four_block");
      // Kernels of a factorization start beside a product of cuBLAS.
      const int most = any_group ? 64 : family.starts_with("batch") ? 255 : 128;
      EXPECT_TRUE(0 < u.registers && u.registers <= most) << kernel;
      if (of_best && best.at(key).launched.count(kernel)) {
        EXPECT_EQ(u.stored, 0) << kernel;
        EXPECT_EQ(u.loaded, 0) << kernel;
        if (kernel == "local_lu_held" || kernel == "factor_panel_in_cluster") {
          EXPECT_EQ(u.stack, 0);
        }
      }
    }
  }
  testing::Test::RecordProperty("kernels", table.str());
  if (testing::Test::HasFailure()) std::fputs(table.str().c_str(), stderr);
}

/// What `best` can choose, but for local LUs in memory, as they are the text of panels again, and
/// what a device before compute capability 9.0 has not.
template <class T>
programs programs_of_most(int capability) {
  programs found = programs_of_best<T>();
  std::erase_if(found, [&](const auto& p) {
    const std::string_view name = p.second.source.name;
    return name == "local_lu" || (name == "lu_cluster" && capability < 90);
  });
  return found;
}

template <class T>
class CudaKernels : public testing::Test {};
TYPED_TEST_SUITE(CudaKernels, lapack_scalars, scalar_names);

TYPED_TEST(CudaKernels, BestAsksForWhatItShould) {
  std::set<std::string> names, kernels;
  for (const auto& [key, p] : programs_of_best<TypeParam>()) {
    names.insert(p.source.name);
    kernels.insert(p.launched.begin(), p.launched.end());
  }
  EXPECT_EQ(names, (std::set<std::string>{"cholesky_blocked", "local_lu", "lu", "lu_cluster",
                                          "tournament", "update"}));
  for (const char* kernel :
       {"cholesky_diagonal", "cholesky_solve", "update", "factor_panel", "substitute",
        "interchange", "local_lu", "local_lu_held", "interchanges_from_candidates", "check_growth",
        "factor_panel_in_cluster"})
    EXPECT_EQ(kernels.count(kernel), 1u) << kernel;
}
TYPED_TEST(CudaKernels, OfBestForSm80) {
  const programs most = programs_of_most<TypeParam>(80);
  expect_clean(most, most, 80);
}
TYPED_TEST(CudaKernels, OfAllVariantsForSm90) {
  expect_clean(all_programs<TypeParam>(), programs_of_best<TypeParam>(), 90);
}
TYPED_TEST(CudaKernels, OfBestForSm100) {
  const programs most = programs_of_most<TypeParam>(100);
  expect_clean(most, most, 100);
}
TYPED_TEST(CudaKernels, OfBatchesForSm90) {
  programs batches;
  for (const index_t n : {5, 20}) record_batches<TypeParam>(batches, n, n);
  record_groups<TypeParam>(batches, 256);  // of smaller ones the items have less of the same
  expect_clean(batches, batches, 90);
}

/// More local memory than a kernel can declare comes with the launch.
TEST(CudaLocalMemory, IsNotDeclaredWhereItIsMoreThan48KB) {
  programs groups;
  record_groups<double>(groups, 256, {.panel = 32, .block_height = 64, .block_width = 8});
  int large = 0;
  for (const auto& [key, p] : groups) {
    if (p.source.local_with_launch() == 0) continue;
    ++large;
    const auto found = usage_in(log_of(p.source, 90));
    for (const std::string& kernel : p.launched) EXPECT_EQ(found.at(kernel).stored, 0) << kernel;
    device::program_source declared = p.source;
    std::erase_if(declared.definitions,
                  [](const auto& d) { return d.starts_with(device::program_source::with_launch); });
    EXPECT_THROW(log_of(declared, 90), backend_error);
  }
  EXPECT_EQ(large, 3);  // Cholesky, LU with pivoting and without
}

/// A kernel of one stream may read what one of the other stream writes: no such word is kept in a
/// register, and none comes from the cache for what does not change.
TEST(CudaState, IsReadAnewEachTime) {
  for (auto& [key, p] : programs_of_best<double>()) {
    SCOPED_TRACE(key);
    const std::string text = device::cuda_text(p.source);
    EXPECT_FALSE(std::regex_search(text, std::regex("i64 ?\\* ?state")));
    if (p.source.name != std::string_view("update")) continue;
    const std::string ptx =
        device::compile_cuda(p.source, device::cuda_options(p.source, "compute_90")).code;
    EXPECT_NE(ptx.find("ld.volatile.global"), std::string::npos);
  }
}

TEST(CudaSpills, AreSeenWhereThereAreSome) {
  // 64 numbers across a barrier do not fit in 32 registers.
  constexpr const char* text = R"kernel(
KERNEL void turn(GLOBAL REAL* x)
{
  REAL y[64];
  UNROLL for (int k = 0; k < 64; ++k) y[k] = x[k];
  BARRIER();
  UNROLL for (int k = 0; k < 64; ++k) x[63 - k] = y[k];
}
)kernel";
  const device::program_source source{"turn", {text}, {"REAL=float", "DOUBLE=0", "VW=1"}};
  EXPECT_EQ(usage_in(log_of(source, 90)).at("turn").stored, 0);
  EXPECT_GT(usage_in(log_of(source, 90, {"--maxrregcount=32"})).at("turn").stored, 0);
}

}  // namespace
}  // namespace trifac::test

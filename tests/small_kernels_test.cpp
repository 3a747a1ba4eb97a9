// The table of small kernels (engine/simd/core/small_kernels.hpp): what the plans name for every
// order up to 130 is what tests/small_kernels.txt has recorded, and what the calls run.
//
//   small_kernels_test tests/small_kernels.txt            compares, and calls
//   small_kernels_test --record tests/small_kernels.txt   writes it
//
// A line of the file is operation, type, instruction sets and the kernel of each range of orders. A
// plan depends on an instruction set by its name only, so each machine compares all sets of its
// processor family; --record leaves the lines of other families as they are. What is called are
// kernels that record their name (support/recorded_kernels.inl), on the instruction set in use.

#include <array>
#include <complex>
#include <cstdio>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "trifac/cholesky.hpp"
#include "trifac/lu.hpp"
#include "trifac/matrix.hpp"
#include "trifac/solve.hpp"

namespace trifac::test {
namespace {

/// The first kernel that was called, and how many nests were run.
struct {
  std::string_view kernel;
  simd::isa set;
  int nests;
} called;

bool record(std::string_view kernel, simd::isa set) {
  if (called.kernel.empty()) {
    called.kernel = kernel;
    called.set = set;
  }
  return true;
}

}  // namespace
}  // namespace trifac::test

#define TRIFAC_SIMD_TEXT "tests/support/recorded_kernels.inl"
#include "trifac/engine/simd/isa/each.inl"

namespace trifac::test {
namespace {

/// Of operation, type and instruction set: the kernels, as text.
using key = std::tuple<std::string, std::string, std::string>;
using table = std::map<key, std::string>;

constexpr index_t largest = 130;
constexpr std::array<std::string_view, 4> all_sets = {"baseline", "avx2", "avx512", "neon"};
constexpr std::array<std::string_view, 4> types = {"s", "d", "c", "z"};
constexpr std::array<std::string_view, 6> operations = {
    "Cholesky", "LU", "Cholesky, solve 1", "Cholesky, solve 16", "LU, solve 1", "LU, solve 16"};

std::string text(simd::cholesky_kernel kernel) {
  constexpr std::array names = {"scalars", "one panel", "panels", "blocks", "elements"};
  return names[static_cast<std::size_t>(kernel)];
}
std::string text(simd::lu_kernel kernel) {
  constexpr std::array names = {"scalars", "in registers", "one panel", "panels", "blocks"};
  return names[static_cast<std::size_t>(kernel)];
}
std::string text(simd::solve_kernel kernel) {
  constexpr std::array names = {"scalars", "at once", "pieces", "few sides", "blocks"};
  return names[static_cast<std::size_t>(kernel)];
}
/// A kernel that is not that of the instruction set in use.
std::string on_set(const std::string& kernel, simd::isa set, simd::isa in_use) {
  return set == in_use ? kernel : kernel + " of " + std::string(to_string(set));
}

/// What the plans say.
template <class T>
std::string planned(std::string_view operation, simd::isa set, index_t n) {
  const operand<T> A(matrix_view<const T>(nullptr, n, n, 1, n));
  const auto solve = [&](index_t r, const simd::largest_order& by_scalars) {
    return text(detail::plan_solve(A, r, by_scalars, {}));
  };
  if (operation == "Cholesky")
    return text(detail::plan_cholesky<T, variant::best>(n, {}, {}).kernel);
  if (operation == "Cholesky, solve 1") return solve(1, simd::cholesky_by_scalars);
  if (operation == "Cholesky, solve 16") return solve(16, simd::cholesky_by_scalars);
  if (operation == "LU, solve 1") return solve(1, simd::lu_by_scalars);
  if (operation == "LU, solve 16") return solve(16, simd::lu_by_scalars);
  const auto kernel = detail::plan_lu<T, variant::best>(n, n, {}, {}, set).kernel;
  return on_set(text(kernel),
                kernel == simd::lu_kernel::one_panel ? simd::lu_panel_isa<T>(set, n) : set, set);
}

/// backend::serial, whose nests are counted.
struct counted : backend::serial {
  template <class Nest>
  friend void run(const counted&, status& outcome, double flops, const Nest& nest) {
    ++called.nests;
    run(backend::serial(), outcome, flops, nest);
  }
};

/// What a call runs, in the words of the plans.
template <class T>
std::string ran(std::string_view operation, index_t n) {
  const index_t r = operation.ends_with("16") ? 16 : 1;
  matrix<T> A(n, n), B(n, r);
  for (index_t i = 0; i < n; ++i) A(i, i) = T(1);
  called = {};
  status s;
  if (operation == "Cholesky")
    s = try_cholesky(counted(), A).status();
  else if (operation == "LU")
    s = try_lu(counted(), A).status();
  else if (operation.starts_with("Cholesky"))
    s = try_solve(counted(), cholesky_factor<T>(A.view(), triangle::lower, {}), B);
  else
    s = try_solve(counted(), lu_factor<T>(A.view(), pivots(n), {}), B);
  if (!s) return s.message();
  std::string kernel(called.kernel);
  if (called.nests > 0)
    kernel = kernel == "one panel" ? "panels" : kernel == "at once" ? "pieces" : "blocks";
  return on_set(kernel, called.set, simd::active_isa());
}

/// 1-6 scalars, 7-130 one panel: kernel(n) for each n.
template <class Kernel>
std::string ranges(const Kernel& kernel) {
  std::string all;
  for (index_t n = 1, from = 1; n <= largest; ++n)
    if (const std::string here = kernel(n); n == largest || kernel(n + 1) != here) {
      all += (all.empty() ? "" : ", ") + std::to_string(from) +
             (n > from ? "-" + std::to_string(n) : "") + " " + here;
      from = n + 1;
    }
  return all;
}

/// f.operator()<T>(letter) for each type.
template <class F>
void for_each_type(const F& f) {
  f.template operator()<float>("s");
  f.template operator()<double>("d");
  f.template operator()<std::complex<float>>("c");
  f.template operator()<std::complex<double>>("z");
}

table planned_table() {
  table all;
  for_each_type([&]<class T>(std::string_view type) {
    for (const std::string_view operation : operations)
      for (std::size_t i = 0; i < simd::isa_names.size(); ++i)
        all[key(operation, type, simd::isa_names[i])] =
            ranges([&](index_t n) { return planned<T>(operation, static_cast<simd::isa>(i), n); });
  });
  return all;
}

std::string trimmed(const std::string& word) {
  const auto from = word.find_first_not_of(' ');
  return from == word.npos ? "" : word.substr(from, word.find_last_not_of(' ') + 1 - from);
}

table read(const char* path) {
  table all;
  std::ifstream file(path);
  for (std::string line, operation, type, sets, kernels; std::getline(file, line);) {
    std::istringstream words(line);
    if (line.starts_with("#") || !std::getline(words, operation, '|')) continue;
    std::getline(words, type, '|');
    std::getline(words, sets, '|');
    std::getline(words, kernels);
    std::istringstream names(sets);
    for (std::string set; names >> set;)
      all[{trimmed(operation), trimmed(type), set}] = trimmed(kernels);
  }
  return all;
}

/// Sets with the same kernels share a line.
bool write(const char* path, const table& all) {
  std::ofstream file(path);
  file << "# Which kernel has which order, by operation (right-hand sides), type and instruction "
          "set.\n"
          "# Written by small_kernels_test --record; engine/simd/core/small_kernels.hpp decides.\n";
  for (const std::string_view operation : operations)
    for (const std::string_view type : types) {
      std::vector<std::pair<std::string, std::string>> lines;  // kernels, sets
      for (const std::string_view set : all_sets)
        if (const auto found = all.find(key(operation, type, set)); found != all.end()) {
          auto line = lines.begin();
          while (line != lines.end() && line->first != found->second) ++line;
          if (line == lines.end()) line = lines.insert(line, {found->second, ""});
          line->second += (line->second.empty() ? "" : " ") + std::string(set);
        }
      for (const auto& [kernels, sets] : lines) {
        std::array<char, 64> head{};
        std::snprintf(head.data(), head.size(), "%-18s | %s | %-25s | ", operation.data(),
                      type.data(), sets.c_str());
        file << head.data() << kernels << "\n";
      }
    }
  return file.flush().good();
}

/// Prints what differs; how many lines that are.
int differences(const table& found, const table& wanted, const char* what) {
  int count = 0;
  for (const auto& [name, kernels] : found) {
    const auto line = wanted.find(name);
    if (line != wanted.end() && line->second == kernels) continue;
    const auto& [operation, type, set] = name;
    std::printf("%s, %s, %s: %s; %s: %s\n", operation.c_str(), type.c_str(), set.c_str(),
                kernels.c_str(), what, line == wanted.end() ? "nothing" : line->second.c_str());
    ++count;
  }
  return count;
}

int run(std::span<char*> words) {
  const table plans = planned_table();
  const bool records = words.size() == 3 && std::string_view(words[1]) == "--record";
  if (words.size() != (records ? 3 : 2))
    return std::fputs("small_kernels_test [--record] FILE\n", stderr), 2;
  table recorded = read(words.back());
  if (records) {
    for (const auto& [name, kernels] : plans) recorded[name] = kernels;
    return write(words.back(), recorded) ? 0 : 1;
  }
  int wrong = differences(plans, recorded, "recorded");
  table calls;
  const std::string in_use(to_string(simd::active_isa()));
  for_each_type([&]<class T>(std::string_view type) {
    for (const std::string_view operation : operations)
      calls[key(operation, type, in_use)] = ranges([&](index_t n) { return ran<T>(operation, n); });
  });
  wrong += differences(calls, plans, "planned");
  std::printf("%zu plans compared, %zu called on %s, %d differ\n", plans.size(), calls.size(),
              in_use.c_str(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace trifac::test

int main(int count, char** words) {
  return trifac::test::run({words, static_cast<std::size_t>(count)});
}

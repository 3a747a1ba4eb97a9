// The bits of the factors, as a hash of each, held against those recorded in tests/bits/: a change
// that is not meant to change results shows that it does not. A change that is meant to records
// them anew and says why:
//
//   TRIFAC_ISA=avx2 bits_test --record > tests/bits/fma.txt
//   TRIFAC_ISA=baseline bits_test --record > tests/bits/baseline.txt
//
// (both of a Release build: GCC fuses fewer products of complex LU at -O1)
//
// A line is operation, variant, type, layout and triangle or pivoting, then a hash for each order.
// AVX2, AVX-512 and NEON have the same bits, so they share a file.

#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/layouts.hpp"
#include "support/matrices.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {
namespace {

/// Orders of square matrices: one element, below and above tiles and panels, two panels.
constexpr std::array<index_t, 7> orders = {1, 3, 17, 48, 97, 160, 330};
constexpr std::array<std::array<index_t, 2>, 4> oblong = {
    {{61, 20}, {20, 61}, {400, 90}, {90, 400}}};

/// The 32-bit hash FNV-1a.
class bit_hash {
 public:
  template <class T>
  void add(const T& x) {
    std::array<unsigned char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &x, sizeof(T));
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 16777619u;
  }
  std::string text() const {
    std::array<char, 12> digits{};
    std::snprintf(digits.data(), digits.size(), " %08x", static_cast<unsigned>(value_));
    return digits.data();
  }

 private:
  std::uint32_t value_ = 2166136261u;
};

template <class T>
std::string hash_of(matrix_view<const T> A) {
  bit_hash hash;
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) hash.add(A(i, j));
  return hash.text();
}

/// What stands in the place of a hash where there is no factor.
std::string failure(const status& s) {
  std::string text(1, ' ');
  text.append(s.message());
  return text;
}

template <class T>
std::string cholesky_hash(variant v, layout where, triangle part, index_t n) {
  random_source random(static_cast<std::uint64_t>(n));
  placed_matrix<T> A(random_spd<T>(random, n), where);
  const auto f = try_cholesky(v, backend::serial{}, A.view(), {.part = part});
  return f ? hash_of<T>(A.view()) : failure(f.status());
}

template <class T>
std::string lu_hash(variant v, layout where, const lu_options& options, index_t m, index_t n) {
  random_source random(static_cast<std::uint64_t>(m + 1000 * n));
  const bool dominant = options.pivoting == pivoting::none;
  placed_matrix<T> A(dominant ? dominant_matrix<T>(random, m, n) : random_matrix<T>(random, m, n),
                     where);
  const auto f = try_lu(v, backend::serial{}, A.view(), options);
  if (!f) return failure(f.status());
  bit_hash rows;
  for (const index_t row : f.interchanges().span()) rows.add(row);
  return hash_of<T>(A.view()) + rows.text();
}

/// The lines of one scalar type.
template <class T>
void record(std::ostream& lines) {
  const auto begin = [&](std::string_view operation, variant v, layout where) -> std::ostream& {
    return lines << operation << ' ' << to_string(v) << ' ' << lapack_letter<T> << ' '
                 << (where == layout::padded ? "columns" : "rows") << ' ';
  };
  for (const variant v : cholesky_variants)
    for (const layout where : padded_layouts)
      for (const triangle part : {triangle::lower, triangle::upper}) {
        begin("cholesky", v, where) << (part == triangle::lower ? "lower" : "upper");
        for (const index_t n : orders) lines << cholesky_hash<T>(v, where, part, n);
        lines << '\n';
      }
  struct rule {
    std::string_view name;
    lu_options options;
  };
  const std::array<rule, 4> rules = {{
      {"partial", {}},
      {"tournament", {.pivoting = pivoting::tournament, .leaves = 3, .arity = 2}},
      {"scaled", {.pivoting = pivoting::tournament, .selection = selection::scaled, .leaves = 3}},
      {"none", {.pivoting = pivoting::none}},
  }};
  for (const variant v : lu_variants)
    for (const rule& how : rules) {
      const bool never = never_exchanges(v);
      const bool only_partial = v == variant::recursive;
      if (v != variant::best && never != (how.options.pivoting == pivoting::none)) continue;
      if (only_partial && how.options.pivoting != pivoting::partial) continue;
      for (const layout where : padded_layouts) {
        begin("lu", v, where) << how.name;
        for (const index_t n : orders) lines << lu_hash<T>(v, where, how.options, n, n);
        for (const auto& [m, n] : oblong) lines << lu_hash<T>(v, where, how.options, m, n);
        lines << '\n';
      }
    }
}

/// Of the types among these letters of LAPACK's.
std::string all_lines(std::string_view types) {
  std::ostringstream lines;
  const auto of = [&]<class T>(T) {
    if (types.find(lapack_letter<T>) != types.npos) record<T>(lines);
  };
  of(float());
  of(double());
  of(std::complex<float>());
  of(std::complex<double>());
  return lines.str();
}

/// The lines of a file that are of these types.
std::string lines_of(std::istream& file, std::string_view types) {
  std::string all, operation, name, type;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    words >> operation >> name >> type;
    if (types.find(type) != types.npos) all.append(line).append(1, '\n');
  }
  return all;
}

/// Prints the lines that differ; true where none does.
bool same(const std::string& found, const std::string& expected) {
  std::istringstream now(found), before(expected);
  std::string a, b;
  int differences = 0, lines = 0;
  while (true) {
    const bool more = static_cast<bool>(std::getline(now, a));
    if (more != static_cast<bool>(std::getline(before, b))) {
      std::cout << "the file has another number of lines\n";
      return false;
    }
    if (!more) break;
    ++lines;
    if (a == b) continue;
    ++differences;
    std::cout << "recorded " << b << "\nnow      " << a << '\n';
  }
  std::cout << lines << " lines, " << differences << " differ\n";
  return lines > 0 && differences == 0;
}

}  // namespace
}  // namespace trifac::test

int main(int argc, char** argv) {
  using namespace trifac;
  if (argc == 2 && std::string_view(argv[1]) == "--record") {
    std::cout << test::all_lines("sdcz");
    return 0;
  }
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: bits_test FOLDER [s|d|c|z...] | --record\n";
    return 2;
  }
  const std::string_view types = argc == 3 ? argv[2] : "sdcz";
  const char* wanted = std::getenv("TRIFAC_ISA");
  if (wanted && simd::to_string(simd::active_isa()) != wanted) {
    std::cout << "skipped: this CPU has no " << wanted << '\n';
    return 0;
  }
  const bool fma = simd::with_isa([](auto target) { return decltype(target)::has_fma; });
  const std::string name = std::string(argv[1]).append(fma ? "/fma.txt" : "/baseline.txt");
  std::ifstream file(name);
  if (!file) {
    std::cerr << "cannot read " << name << '\n';
    return 2;
  }
  return test::same(test::all_lines(types), test::lines_of(file, types)) ? 0 : 1;
}

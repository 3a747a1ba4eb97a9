// The command line of trifac-bench.

#include "options.hpp"

#include <algorithm>
#include <charconv>

namespace bench {

const std::string_view help_text =
    R"(trifac-bench: times trifac's factorizations on every backend of this build.

  --sizes=N,N,...      orders of the matrices (default 16,32,...,4096)
  --types=T,T,...      float, double, complex_float, complex_double (default all)
  --threads=N          for openmp and threads (default: theirs)
  --block=N            block size (default the library's choice)
  --rhs=N,N,...        right-hand sides of the solves (default 1,32)

and Google Benchmark's flags (--benchmark_filter=REGEX, --benchmark_repetitions=N,
--benchmark_min_time=SECONDS, --benchmark_out=FILE, --benchmark_counters_tabular=true ...).
Names: cholesky/BACKEND/VARIANT/TYPE/N, lu/BACKEND/VARIANT/TYPE/N,
cholesky_solve/BACKEND/RHS/TYPE/N, lu_solve/BACKEND/RHS/TYPE/N,
cholesky_operations/BACKEND/VARIANT/TYPE/N, lu_operations/BACKEND/VARIANT/TYPE/N.
)";

namespace {

std::vector<std::string> comma_separated(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const auto comma = std::min(list.find(',', at), list.size());
    words.emplace_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

trifac::index_t number(std::string_view flag, std::string_view word, trifac::index_t least) {
  trifac::index_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < least)
    throw usage_error(std::string(flag) + " takes whole numbers from " + std::to_string(least) +
                      ", not \"" + std::string(word) + "\"");
  return value;
}

std::vector<trifac::index_t> numbers(std::string_view flag, std::string_view list) {
  std::vector<trifac::index_t> values;
  for (const std::string& word : comma_separated(list)) values.push_back(number(flag, word, 1));
  return values;
}

std::vector<std::string> types(std::string_view list) {
  const auto known = options{}.types;
  const auto words = comma_separated(list);
  for (const std::string& word : words)
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw usage_error("--types does not know \"" + word + "\"");
  return words;
}

/// True where the argument was one of ours.
bool take(std::string_view argument, options& to) {
  const auto equals = argument.find('=');
  if (equals == argument.npos) return false;
  const auto flag = argument.substr(0, equals), value = argument.substr(equals + 1);
  if (flag == "--sizes")
    to.sizes = numbers(flag, value);
  else if (flag == "--types")
    to.types = types(value);
  else if (flag == "--threads")
    to.threads = static_cast<int>(number(flag, value, 1));
  else if (flag == "--block")
    to.block = number(flag, value, 1);
  else if (flag == "--rhs")
    to.right_hand_sides = numbers(flag, value);
  else
    return false;
  return true;
}

}  // namespace

options take_options(std::vector<std::string_view>& arguments) {
  options result;
  std::erase_if(arguments, [&](std::string_view argument) { return take(argument, result); });
  return result;
}

}  // namespace bench

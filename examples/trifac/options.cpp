// The command line of the program `trifac`: one table of options, one place that checks them.

#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace program {

using trifac::index_t;

const std::string_view help_text =
    R"(trifac: factors a matrix, solves with it and says how good the result is.

  trifac factor FILE.mtx|FILE.npy [options]
  trifac factor --random spd|general|dominant N [--seed S] [options]
  trifac info                 compiler, instruction sets, caches, cores, backends, types
  trifac --help

Without options a symmetric (Hermitian) matrix with a positive diagonal is factored by Cholesky,
any other by LU, on every backend that is there.

  --algorithm cholesky|lu
  --variant NAME|all          a method of this algorithm, or each of them (default best)
  --backend NAME[,NAME]       one or more that `trifac info` lists (default all that are there)
  --type float|double|complex-float|complex-double   (default from the file)
  --threads N                 for backends with threads (default OpenMP's)
  --block N                   block size (default chosen from the size)
  --pivoting none|partial|tournament    LU (default partial)
  --selection plain|scaled    LU: how a tournament compares rows
  --growth                    LU: print max|U| / max|A|
  --upper                     Cholesky: A = U^H U
  --rhs N                     right-hand sides (default 1)
  --repeat N                  the best of N runs is printed (default 3)

Exit status: 0 all results are good, 1 some are not, 2 bad usage or bad file.
)";

namespace {

constexpr std::pair<std::string_view, scalar> scalar_names[] = {
    {"float", scalar::real_single},
    {"double", scalar::real_double},
    {"complex-float", scalar::complex_single},
    {"complex-double", scalar::complex_double}};
constexpr std::pair<std::string_view, algorithm> algorithm_names[] = {
    {"cholesky", algorithm::cholesky}, {"lu", algorithm::lu}};
constexpr std::pair<std::string_view, random_kind> random_names[] = {
    {"spd", random_kind::spd},
    {"general", random_kind::general},
    {"dominant", random_kind::dominant}};
constexpr std::pair<std::string_view, trifac::pivoting> pivoting_names[] = {
    {"none", trifac::pivoting::none},
    {"partial", trifac::pivoting::partial},
    {"tournament", trifac::pivoting::tournament}};
constexpr std::pair<std::string_view, trifac::selection> selection_names[] = {
    {"plain", trifac::selection::plain}, {"scaled", trifac::selection::scaled}};

template <class Value, std::size_t Count>
Value named(std::string_view option, std::string_view word,
            const std::pair<std::string_view, Value> (&names)[Count]) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (name == word) return value;
    (known += known.empty() ? "" : ", ") += name;
  }
  throw usage_error(std::string(option) + " takes " + known + ", not \"" + std::string(word) +
                    "\"");
}

// What no measurement needs more of; beyond lie numbers that only keep the program busy.
constexpr index_t most_elements = index_t{1} << 40;
constexpr index_t most_rhs = 1'000'000;
constexpr int most_runs = 1'000'000;
constexpr int most_threads = 4096;

template <class Integer>
Integer number(std::string_view option, std::string_view word, Integer least, Integer most) {
  Integer value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < least || value > most)
    throw usage_error(std::string(option) + " takes a whole number from " + std::to_string(least) +
                      " to " + std::to_string(most) + ", not \"" + std::string(word) + "\"");
  return value;
}

std::vector<std::string> comma_separated(std::string_view list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const auto comma = std::min(list.find(',', at), list.size());
    names.emplace_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

/// The words of the command line, taken one after another.
class argument_list {
 public:
  explicit argument_list(const std::vector<std::string_view>& words) : words_(words) {}

  bool empty() const { return at_ == words_.size(); }
  std::string_view next() { return words_[at_++]; }
  /// The next word, which belongs to `option`.
  std::string_view value_of(std::string_view option) {
    if (empty()) throw usage_error(std::string(option) + " needs a value");
    return next();
  }

 private:
  const std::vector<std::string_view>& words_;
  std::size_t at_ = 0;
};

using action = std::function<void(std::string_view option, argument_list&, options&)>;

/// Every option of `factor` and what it does with the words behind it.
const std::map<std::string_view, action>& actions() {
  using word = std::string_view;
  using list = argument_list;
  static const std::map<std::string_view, action> table = {
      {"--random",
       [](word o, list& w, options& to) {
         to.random = named(o, w.value_of(o), random_names);
         to.n = number<index_t>(o, w.value_of(o), 1, most_elements);
       }},
      {"--seed",
       [](word o, list& w, options& to) {
         constexpr auto most = std::numeric_limits<std::uint64_t>::max();
         to.seed = number<std::uint64_t>(o, w.value_of(o), 0, most);
       }},
      {"--type",
       [](word o, list& w, options& to) { to.type = named(o, w.value_of(o), scalar_names); }},
      {"--algorithm", [](word o, list& w,
                         options& to) { to.algorithm = named(o, w.value_of(o), algorithm_names); }},
      {"--variant", [](word o, list& w, options& to) { to.variant = w.value_of(o); }},
      {"--backend",
       [](word o, list& w, options& to) { to.backends = comma_separated(w.value_of(o)); }},
      {"--threads",
       [](word o, list& w, options& to) {
         to.threads = number<int>(o, w.value_of(o), 1, most_threads);
       }},
      {"--block",
       [](word o, list& w, options& to) {
         to.block = number<index_t>(o, w.value_of(o), 1, most_elements);
       }},
      {"--pivoting",
       [](word o, list& w, options& to) { to.pivoting = named(o, w.value_of(o), pivoting_names); }},
      {"--selection", [](word o, list& w,
                         options& to) { to.selection = named(o, w.value_of(o), selection_names); }},
      {"--growth", [](word, list&, options& to) { to.growth = true; }},
      {"--upper", [](word, list&, options& to) { to.upper = true; }},
      {"--rhs", [](word o, list& w,
                   options& to) { to.rhs = number<index_t>(o, w.value_of(o), 1, most_rhs); }},
      {"--repeat", [](word o, list& w,
                      options& to) { to.repeat = number<int>(o, w.value_of(o), 1, most_runs); }},
  };
  return table;
}

/// What no option can see alone.
void check(const options& o) {
  if (o.file.empty() && !o.random) throw usage_error("factor needs a file or --random");
  if (!o.file.empty() && o.random) throw usage_error("factor takes a file or --random, not both");
  const bool wants_lu = o.pivoting || o.selection || o.growth;
  if (wants_lu && o.upper)
    throw usage_error("--upper is for Cholesky; --pivoting, --selection and --growth are for LU");
  if (wants_lu && o.algorithm == algorithm::cholesky)
    throw usage_error("--pivoting, --selection and --growth are for LU");
  if (o.upper && o.algorithm == algorithm::lu) throw usage_error("--upper is for Cholesky");
  if (o.selection && o.pivoting != trifac::pivoting::tournament)
    throw usage_error("--selection needs --pivoting tournament");
}

}  // namespace

std::string_view to_string(scalar type) {
  for (const auto& [name, value] : scalar_names)
    if (value == type) return name;
  return "unknown";
}

options parse_options(const std::vector<std::string_view>& arguments) {
  options result;
  argument_list words(arguments);
  if (words.empty()) throw usage_error("say factor, info or --help");
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end() ||
      arguments[0] == "help" || arguments[0] == "-h")
    return result;

  const std::string_view verb = words.next();
  if (verb == "info") {
    if (!words.empty()) throw usage_error("info takes no arguments");
    result.what = command::info;
    return result;
  }
  if (verb != "factor")
    throw usage_error("\"" + std::string(verb) + "\" is neither factor nor info");

  result.what = command::factor;
  while (!words.empty()) {
    const std::string_view word = words.next();
    const auto found = actions().find(word);
    if (found != actions().end()) {
      found->second(word, words, result);
    } else if (word.starts_with("--")) {
      throw usage_error("unknown option " + std::string(word));
    } else if (!result.file.empty()) {
      throw usage_error("one file at a time, not also " + std::string(word));
    } else {
      result.file = word;
      if (result.file.empty()) throw usage_error("the name of the file is empty");
    }
  }
  check(result);
  return result;
}

}  // namespace program

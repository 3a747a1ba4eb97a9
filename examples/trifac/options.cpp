// The command line of the program `trifac`: one table of options, one place that checks them.

#include "options.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "words.hpp"

namespace program {

using trifac::index_t;

namespace {

constexpr std::pair<std::string_view, algorithm> algorithm_names[] = {
    {"cholesky", algorithm::cholesky}, {"lu", algorithm::lu}};
constexpr std::pair<std::string_view, random_kind> random_names[] = {
    {"spd", random_kind::spd},
    {"general", random_kind::general},
    {"dominant", random_kind::dominant}};
// No measurement needs more; larger numbers would only keep the program busy.
constexpr index_t most_elements = index_t{1} << 40;
constexpr index_t most_rhs = 1'000'000;
constexpr int most_runs = 1'000'000;
constexpr int most_threads = 4096;
constexpr int most_items = 65536;  // in a group

/// "starpu:cpu+opencl" is the backend starpu with these workers.
void take_workers(std::string& name, options& to) {
  constexpr std::string_view prefix = "starpu:";
  if (!name.starts_with(prefix)) return;
  to.starpu_workers = name.substr(prefix.size());
  const std::string& words = to.starpu_workers;
  const auto& known = trifac::starpu_workers_names;
  if (std::find(known.begin(), known.end(), words) == known.end())
    throw usage_error("--backend starpu: takes cpu, cpu+opencl, cpu+2opencl, opencl, not \"" +
                      words + "\"");
  name = "starpu";
}

using action = std::function<void(std::string_view option, argument_list&, options&)>;

/// Every option of `factor` and what it does with the words after it.
const std::map<std::string_view, action>& actions() {
  using namespace trifac::device;
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
       [](word o, list& w, options& to) {
         to.backends = comma_separated(w.value_of(o));
         for (std::string& name : to.backends) take_workers(name, to);
       }},
      {"--threads",
       [](word o, list& w, options& to) {
         to.threads = number<int>(o, w.value_of(o), 1, most_threads);
       }},
      {"--block",
       [](word o, list& w, options& to) {
         to.block = number<index_t>(o, w.value_of(o), 1, most_elements);
       }},
      {"--pivoting",
       [](word o, list& w, options& to) {
         to.pivoting = named<trifac::pivoting>(o, w.value_of(o), trifac::pivoting_names);
       }},
      {"--selection",
       [](word o, list& w, options& to) {
         to.selection = named<trifac::selection>(o, w.value_of(o), trifac::selection_names);
       }},
      {"--leaves",
       [](word o, list& w, options& to) {
         to.leaves = number<index_t>(o, w.value_of(o), 1, most_elements);
       }},
      {"--arity",
       [](word o, list& w, options& to) {
         to.arity = number<index_t>(o, w.value_of(o), 2, most_elements);
       }},
      {"--layout",
       [](word o, list& w, options& to) {
         to.layout = named<trifac::lu_layout>(o, w.value_of(o), trifac::lu_layout_names);
       }},
      {"--cutoff",
       [](word o, list& w, options& to) {
         to.cutoff = number<index_t>(o, w.value_of(o), 0, most_elements);
       }},
      {"--device",
       [](word o, list& w, options& to) { to.device = device_named(o, w.value_of(o)); }},
      {"--group",
       [](word o, list& w, options& to) {
         to.settings.group = number<int>(o, w.value_of(o), 1, most_items);
       }},
      {"--columns",
       [](word o, list& w, options& to) {
         to.settings.columns = named<column_kernels>(o, w.value_of(o), column_kernels_names);
       }},
      {"--cutoff-loop",
       [](word o, list& w, options& to) {
         to.settings.cutoff = named<cutoff_loop>(o, w.value_of(o), cutoff_loop_names);
       }},
      {"--blocks",
       [](word o, list& w, options& to) {
         to.settings.blocks = named<block_kernels>(o, w.value_of(o), block_kernels_names);
       }},
      {"--arithmetic",
       [](word o, list& w, options& to) {
         to.settings.floats = named<float_model>(o, w.value_of(o), float_model_names);
       }},
      {"--growth", [](word, list&, options& to) { to.growth = true; }},
      {"--upper", [](word, list&, options& to) { to.upper = true; }},
      {"--rhs",
       [](word o, list& w, options& to) {
         const word value = w.value_of(o);
         if (value.find_first_not_of("0123456789") != value.npos)
           to.rhs_file = value;
         else
           to.rhs = number<index_t>(o, value, 1, most_rhs);
       }},
      {"--out", [](word o, list& w, options& to) { to.out = w.value_of(o); }},
      {"--timeline", [](word o, list& w, options& to) { to.timeline = w.value_of(o); }},
      {"--repeat", [](word o, list& w,
                      options& to) { to.repeat = number<int>(o, w.value_of(o), 1, most_runs); }},
  };
  return table;
}

/// The options of only one algorithm, or only of devices.
struct option_use {
  std::string_view option;
  std::optional<program::algorithm> algorithm;
  bool is_of_devices;
};
constexpr option_use option_uses[] = {{"--upper", algorithm::cholesky, false},
                                      {"--cutoff", algorithm::cholesky, false},
                                      {"--columns", algorithm::cholesky, true},
                                      {"--cutoff-loop", algorithm::cholesky, true},
                                      {"--arithmetic", algorithm::cholesky, true},
                                      {"--pivoting", algorithm::lu, false},
                                      {"--selection", algorithm::lu, false},
                                      {"--leaves", algorithm::lu, false},
                                      {"--arity", algorithm::lu, false},
                                      {"--growth", algorithm::lu, false},
                                      {"--layout", algorithm::lu, false},
                                      {"--blocks", algorithm::lu, true},
                                      {"--group", std::nullopt, true}};

/// The first words of the command line that are for this algorithm only; empty where there are
/// none.
std::string word_for(algorithm which, const options& o) {
  if (o.algorithm == which)
    return which == algorithm::cholesky ? "--algorithm cholesky" : "--algorithm lu";
  const bool known = trifac::cholesky_method_from_string(o.variant).has_value();
  const bool known_to_lu = trifac::lu_method_from_string(o.variant).has_value();
  if (known != known_to_lu && known == (which == algorithm::cholesky))
    return "--variant " + o.variant;
  for (const option_use& use : option_uses)
    if (use.algorithm == which && o.given.contains(use.option)) return std::string(use.option);
  return "";
}

void check_variant(const options& o) {
  using trifac::pivoting;
  using trifac::variant;
  const auto given = [&](std::string_view option) { return o.given.contains(option); };
  const auto needs = [&](std::string_view option, bool holds, std::string_view what) {
    if (given(option) && !holds)
      throw usage_error(std::string(option) + " needs " + std::string(what));
  };
  const auto cholesky = trifac::cholesky_method_from_string(o.variant);
  const bool all = o.variant == "all", by_columns = all || o.variant.starts_with("crout");
  needs("--cutoff", by_columns, "a variant by columns: --variant crout or another that begins so");
  needs("--cutoff-loop", given("--cutoff"), "--cutoff");
  needs("--columns", all || (cholesky && cholesky->algorithm == variant::crout),
        "the variant crout");
  if (o.settings.columns == trifac::device::column_kernels::single && cholesky &&
      cholesky->in_place)
    throw usage_error("--columns single needs a variant out of place, not " + o.variant);
  needs("--arithmetic", by_columns || o.variant.starts_with("banachiewicz"),
        "a variant by elements: --variant crout or banachiewicz");

  const auto lu = trifac::lu_method_from_string(o.variant);
  const pivoting how = o.pivoting ? *o.pivoting : lu ? lu->pivoting : pivoting::partial;
  if (lu && lu->pivoting != pivoting::partial && how != lu->pivoting)
    throw usage_error("--variant " + o.variant + " has pivoting " +
                      std::string(trifac::to_string(lu->pivoting)) + ", not " +
                      std::string(trifac::to_string(how)));
  for (const std::string_view option : {"--selection", "--leaves", "--arity"})
    needs(option, how == pivoting::tournament,
          "--pivoting tournament, or --variant tournament or tournament_scaled");
  if (o.selection == trifac::selection::plain && lu && lu->selection != *o.selection)
    throw usage_error("--variant " + o.variant + " has selection scaled, not plain");
  needs("--blocks", o.variant == "four_block" || o.variant == "unblocked",
        "--variant four_block or unblocked");
}

/// --rhs FILE solves one system by the fastest variant, on threads.
void check_system(const options& o) {
  if (o.rhs_file.empty()) {
    if (o.given.contains("--out")) throw usage_error("--out needs --rhs FILE");
    return;
  }
  if (o.random) throw usage_error("--rhs FILE needs a file with the matrix, too");
  constexpr std::string_view known[] = {"--rhs", "--out", "--type", "--algorithm", "--threads"};
  for (const std::string_view option : o.given)
    if (std::find(std::begin(known), std::end(known), option) == std::end(known))
      throw usage_error(std::string(option) + " is for measurements, not with --rhs FILE");
  if (o.given.contains("--out") && !o.out.ends_with(".npy") && !o.out.ends_with(".mtx"))
    throw usage_error("--out takes a name that ends in .npy or .mtx, not \"" + o.out + "\"");
}

/// Checks that need more than one option.
void check(const options& o) {
  if (o.file.empty() && !o.random) throw usage_error("factor needs a file or --random");
  if (!o.file.empty() && o.random) throw usage_error("factor takes a file or --random, not both");
  const std::string for_cholesky = word_for(algorithm::cholesky, o),
                    for_lu = word_for(algorithm::lu, o);
  if (!for_cholesky.empty() && !for_lu.empty())
    throw usage_error(for_cholesky + " is for Cholesky, " + for_lu + " is for LU");
  for (const option_use& use : option_uses)
    if (use.is_of_devices && o.given.contains(use.option) && !is_wanted(o, "opencl") &&
        !is_wanted(o, "cuda"))
      throw usage_error(std::string(use.option) + " is for the backends opencl and cuda");
  if (o.given.contains("--device") && !is_wanted(o, "opencl"))
    throw usage_error("--device is for the backend opencl");
  if (o.given.contains("--timeline") && o.backends != std::vector<std::string>{"starpu"})
    throw usage_error("--timeline needs --backend starpu");
  check_variant(o);
  check_system(o);
}

}  // namespace

bool is_wanted(const options& o, std::string_view backend) {
  return o.backends.empty() ||
         std::find(o.backends.begin(), o.backends.end(), backend) != o.backends.end();
}

bool asks_for(algorithm which, const options& o) {
  return !word_for(which, o).empty();
}

std::string_view to_string(scalar type) {
  for (const auto& [name, value] : scalar_names)
    if (value == type) return name;
  return "unknown";
}

options parse_options(const std::vector<std::string_view>& arguments) {
  options result;
  argument_list words(arguments);
  if (words.empty()) throw usage_error("say factor, tune, info or --help");
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end() ||
      arguments[0] == "help" || arguments[0] == "-h")
    return result;

  const std::string_view name = words.next();
  if (name == "info" || name == "names" || name == "--version") {
    if (!words.empty()) throw usage_error(std::string(name) + " takes no arguments");
    result.what = name == "info"    ? command::info
                  : name == "names" ? command::names
                                    : command::version;
    return result;
  }
  if (name != "factor")
    throw usage_error("\"" + std::string(name) + "\" is not a command: factor, tune, info, names");

  result.what = command::factor;
  while (!words.empty()) {
    const std::string_view word = words.next();
    const auto found = actions().find(word);
    if (found != actions().end()) {
      found->second(word, words, result);
      result.given.insert(found->first);
    } else if (word.starts_with("--")) {
      throw usage_error("unknown option " + std::string(word));
    } else if (!result.file.empty()) {
      throw usage_error("only one file, not also " + std::string(word));
    } else {
      result.file = word;
      if (result.file.empty()) throw usage_error("the file name is empty");
    }
  }
  check(result);
  return result;
}

}  // namespace program

// The command line of `trifac tune`.

#include "tune_options.hpp"

#include <functional>
#include <map>

#include "words.hpp"

namespace program {

namespace {

using trifac::index_t;
constexpr std::array<std::string_view, 4> backends = {"serial", "openmp", "opencl", "cuda"};
constexpr index_t most_order = 256, most_batch = 1'000'000;
constexpr int most_items = 1024;  // of a group

/// Values of an enumeration by their names, which are separated by commas.
template <class Enum, std::size_t count>
std::vector<Enum> list_of(std::string_view option, std::string_view words,
                          const std::array<std::string_view, count>& names) {
  std::vector<Enum> all;
  for (const std::string& word : comma_separated(words))
    all.push_back(named<Enum>(option, word, names));
  return all;
}

template <class Integer>
std::vector<Integer> numbers(std::string_view option, std::string_view words, Integer least,
                             Integer most) {
  std::vector<Integer> all;
  for (const std::string& word : comma_separated(words))
    all.push_back(number<Integer>(option, word, least, most));
  return all;
}

/// "4,8,16", "5-100" or "5-100:5".
std::vector<index_t> orders_of(std::string_view option, std::string_view words) {
  std::vector<index_t> all;
  for (const std::string& word : comma_separated(words)) {
    const std::string_view w = word;
    const auto dash = w.find('-'), colon = w.find(':');
    const index_t first = number<index_t>(option, w.substr(0, dash), 1, most_order);
    const index_t last =
        dash == w.npos ? first
                       : number<index_t>(
                             option, w.substr(dash + 1, colon == w.npos ? colon : colon - dash - 1),
                             first, most_order);
    const index_t step =
        colon == w.npos ? 1 : number<index_t>(option, w.substr(colon + 1), 1, most_order);
    for (index_t n = first; n <= last; n += step) all.push_back(n);
  }
  return all;
}

using action = std::function<void(std::string_view option, argument_list&, tune_options&)>;

const std::map<std::string_view, action>& actions() {
  using word = std::string_view;
  using list = argument_list;
  using to = tune_options;
  static const std::map<std::string_view, action> table = {
      {"--operation",
       [](word o, list& w, to& t) {
         t.operations =
             list_of<trifac::batch_operation>(o, w.value_of(o), trifac::batch_operation_names);
       }},
      {"--type",
       [](word o, list& w, to& t) {
         t.types.clear();
         for (const std::string& name : comma_separated(w.value_of(o)))
           t.types.push_back(named(o, name, scalar_names));
       }},
      {"--n", [](word o, list& w, to& t) { t.orders = orders_of(o, w.value_of(o)); }},
      {"--layout",
       [](word o, list& w, to& t) {
         t.places = list_of<trifac::batch_place>(o, w.value_of(o), trifac::batch_place_names);
       }},
      {"--backend",
       [](word o, list& w, to& t) {
         t.backends = comma_separated(w.value_of(o));
         for (const std::string& name : t.backends)
           if (std::find(backends.begin(), backends.end(), name) == backends.end())
             throw usage_error(std::string(o) + " takes " + joined(backends) + ", not \"" + name +
                               "\"");
       }},
      {"--device", [](word o, list& w, to& t) { t.device = device_named(o, w.value_of(o)); }},
      {"--threads",
       [](word o, list& w, to& t) { t.threads = number<int>(o, w.value_of(o), 1, 4096); }},
      {"--batch",
       [](word o, list& w, to& t) { t.batch = number<index_t>(o, w.value_of(o), 1, most_batch); }},
      {"--rhs",
       [](word o, list& w, to& t) { t.rhs = number<index_t>(o, w.value_of(o), 1, most_order); }},
      {"--tile",
       [](word o, list& w, to& t) { t.levels.tile = numbers<int>(o, w.value_of(o), 1, 8); }},
      {"--looking",
       [](word o, list& w, to& t) {
         t.levels.looking =
             list_of<trifac::looking_order>(o, w.value_of(o), trifac::looking_order_names);
       }},
      {"--outer",
       [](word o, list& w, to& t) {
         t.levels.outer = list_of<trifac::outer_loops>(o, w.value_of(o), trifac::outer_loops_names);
       }},
      {"--chunk",
       [](word o, list& w, to& t) {
         t.levels.chunk.clear();
         for (const std::string& name : comma_separated(w.value_of(o)))
           t.levels.chunk.push_back(name == "unchunked"
                                        ? tune::unchunked
                                        : number<index_t>(o, name, 0, index_t{1} << 20));
       }},
      {"--kernel",
       [](word o, list& w, to& t) {
         t.levels.kernel =
             list_of<trifac::batch_kernel>(o, w.value_of(o), trifac::batch_kernel_names);
       }},
      {"--panel", [](word o, list& w,
                     to& t) { t.levels.panel = numbers<int>(o, w.value_of(o), 1, most_order); }},
      {"--block-height",
       [](word o, list& w, to& t) {
         t.levels.block_height = numbers<int>(o, w.value_of(o), 1, most_items);
       }},
      {"--block-width",
       [](word o, list& w, to& t) {
         t.levels.block_width = numbers<int>(o, w.value_of(o), 1, most_items);
       }},
      {"--systems",
       [](word o, list& w, to& t) { t.levels.systems = numbers<int>(o, w.value_of(o), 1, 32); }},
      {"--all", [](word, list&, to& t) { t.all = true; }},
      {"--minutes",
       [](word o, list& w, to& t) { t.minutes = number<int>(o, w.value_of(o), 0, 100'000); }},
      {"--rounds",
       [](word o, list& w, to& t) { t.rounds = number<int>(o, w.value_of(o), 1, 1000); }},
      {"--profile", [](word o, list& w, to& t) { t.profile = w.value_of(o); }},
      {"--export", [](word o, list& w, to& t) { t.header = w.value_of(o); }},
      {"--again", [](word, list&, to& t) { t.again = true; }},
      {"--help", [](word, list&, to& t) { t.help = true; }},
  };
  return table;
}

}  // namespace

tune_options parse_tune_options(const std::vector<std::string_view>& arguments) {
  tune_options result;
  argument_list words(arguments);
  while (!words.empty()) {
    const std::string_view word = words.next();
    const auto found = actions().find(word);
    if (found == actions().end()) throw usage_error("tune has no option " + std::string(word));
    found->second(word, words, result);
  }
  return result;
}

std::string tune_help_text() {
  return R"(trifac tune: finds the fastest parameters for batches and keeps them in a profile.

  trifac tune [options]

Combinations of parameters are compiled, checked by their residuals and timed in random order. The
profile, which calls take as options.profile, has the fastest of each order as soon as that is
measured: the same command goes on where it was interrupted.

What is tuned:
  --operation NAME[,NAME]     cholesky, lu, solve (default all three)
  --type NAME[,NAME]          float, double, complex-float, complex-double (default double)
  --n N[,N]|N-N[:STEP]        orders up to 256 (default 4,6,8,12,16,24,32,48,64)
  --layout NAME[,NAME]        chunked (you lay the batch out: its chunk is tuned, too), strided,
                              interleaved (default chunked,strided)
  --backend NAME[,NAME]       serial, openmp, opencl, cuda (default serial and every device)
  --device NAME|NUMBER        OpenCL device: any, cpu, gpu, accelerator or a number of `trifac info`
  --threads N                 of openmp
  --batch N                   matrices (default 10000, at most 32 MiB of them)
  --rhs N                     right-hand sides of solves (default 1)

Which combinations:
  --tile N[,N]  --looking right,left,top  --outer rolled,unrolled  --chunk N[,N][,unchunked]
                              these levels instead of the tuner's; chunk 0: the library's
  --kernel lanes,groups       who works on a matrix; GPUs try both for strided batches
  --panel N[,N]  --block-height N[,N]  --block-width N[,N]  --systems N[,N]
                              these levels of groups
  --all                       every level on CPUs, too; GPUs get all anyway
The kernels of serial and openmp are compiled in: of them only the layout is tuned.

How long, and where to:
  --minutes N                 no order begins after so long (default 10); 0: measure nothing
  --rounds N                  runs of each combination (default 9)
  --profile FILE              default trifac.profile; what else it holds is kept
  --again                     orders that the profile has are measured anew
  --export FILE               also writes the findings as a C++ header

Exit status: 0, 1 where a result was wrong (it is not kept), 2 wrong usage or a wrong profile.
)";
}

}  // namespace program

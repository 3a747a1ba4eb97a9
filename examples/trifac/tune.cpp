// The command `trifac tune`: races the combinations of each order and keeps the fastest in the
// profile.

#include "tune.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "bench/flops.hpp"
#include "bench/tune/export.hpp"
#include "bench/tune/load.hpp"
#include "bench/tune/race.hpp"
#include "bench/tune/verdict.hpp"
#include "bench/tune/whole_file.hpp"
#include "table.hpp"

namespace program {

namespace {

using trifac::batch_finding;
using trifac::batch_operation;
using trifac::index_t;

constexpr std::string_view letters = "sdcz";

/// Matrices of order n in a batch that is tuned with.
index_t batch_size(const tune_options& o, index_t n, char type) {
  constexpr index_t memory = index_t{32} << 20;
  const index_t element = type == 's' ? 4 : type == 'z' ? 16 : 8;
  return std::min(o.batch, memory / (n * n * element));
}

template <std::size_t count>
std::string name_of(const std::array<std::string_view, count>& names, auto value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

std::string words_of(const tune::batch_tuning& t) {
  const std::string words = trifac::io::detail::words_of(t);
  return words.empty() ? "nothing named" : words.substr(1);
}

std::string words_of(const tune::subject& s) {
  return name_of(trifac::batch_operation_names, s.operation) + " " +
         std::string(trifac::io::detail::type_names[letters.find(s.type)]) + " " +
         name_of(trifac::batch_place_names, s.place) + " n = " + std::to_string(s.n);
}

double flops_of(const tune::subject& s) {
  const double times = static_cast<double>(s.count) * (s.type == 'c' || s.type == 'z' ? 4 : 1);
  switch (s.operation) {
    case batch_operation::cholesky:
      return times * bench::cholesky_flops<double>(s.n);
    case batch_operation::lu:
      return times * bench::lu_flops<double>(s.n);
    case batch_operation::solve:
      return times * bench::solve_flops<double>(s.n, s.rhs);
  }
  return 0;
}

/// The file's profile, an empty one where there is none yet; batches tuned with other kernels are
/// measured anew. Throws where none can be kept there.
trifac::profile profile_in(const std::string& file) {
  const std::filesystem::path target = tune::written_file(file);
  if (!std::filesystem::exists(target)) return {};
  if (!std::filesystem::is_regular_file(target))
    throw trifac::io::read_error::whole(file, "is no regular file, as a profile must be");
  return trifac::io::read_profile(file, trifac::io::stale_batches::left_out);
}

/// What the profile holds for a device; made where it holds nothing.
std::vector<batch_finding>& findings_on(trifac::profile& p, const std::string& device) {
  for (auto& here : p.batches)
    if (here.device == device) return here.found;
  p.batches.push_back({device, {}});
  return p.batches.back().found;
}

batch_finding* finding_at(std::vector<batch_finding>& all, const tune::subject& s) {
  for (batch_finding& f : all)
    if (f.operation == s.operation && f.type == s.type && f.place == s.place && f.from == s.n)
      return &f;
  return nullptr;
}

/// One line that is written over on a terminal; elsewhere nothing but what stays.
class progress_line {
 public:
  void show(const std::string& words) const {
    if (terminal_) std::cerr << "\r\033[K" << words << std::flush;
  }
  void clear() const {
    if (terminal_) std::cerr << "\r\033[K" << std::flush;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
};

/// One order on one device.
struct job {
  const tune::tunable* on = nullptr;
  tune::subject subject;
  tune::candidates candidates;
};

tune::levels levels_for(const tune::subject& s, const tune_options& o) {
  tune::levels l = tune::levels_of(s, o.all);
  if (s.device == tune::device_sort::host) {
    if (s.place == trifac::batch_place::chunked && !o.levels.chunk.empty())
      l.chunk = o.levels.chunk;
    return l;
  }
  if (!o.levels.kernel.empty()) l.kernel = o.levels.kernel;
  l.panel = o.levels.panel;
  l.block_height = o.levels.block_height;
  l.block_width = o.levels.block_width;
  l.systems = o.levels.systems;
  if (!o.levels.tile.empty()) l.tile = o.levels.tile;
  if (!o.levels.chunk.empty()) l.chunk = o.levels.chunk;
  if (s.operation == batch_operation::cholesky) {
    if (!o.levels.looking.empty()) l.looking = o.levels.looking;
    if (!o.levels.outer.empty()) l.outer = o.levels.outer;
  }
  return l;
}

std::vector<job> jobs_on(const tune::tunable& on, char type, const tune_options& o) {
  std::vector<job> jobs;
  for (const auto operation : o.operations)
    for (const auto place : o.places)
      for (const index_t n : o.orders) {
        const tune::subject s = {on.sort, operation, place, type, n, batch_size(o, n, type), o.rhs};
        jobs.push_back({&on, s, tune::combinations(s, levels_for(s, o), on.can)});
      }
  return jobs;
}

/// Why each combination that is not tried cannot run, once.
void say_left_out(const std::vector<job>& jobs) {
  std::vector<std::string> said;
  for (const job& j : jobs)
    for (const std::string& why : j.candidates.left_out)
      if (std::find(said.begin(), said.end(), why) == said.end()) {
        said.push_back(why);
        std::cerr << "left out: " << why << '\n';
      }
}

std::string in_words(double seconds) {
  return seconds < 90 ? digits(std::ceil(seconds), 3) + " s"
                      : digits(std::ceil(seconds / 60), 5) + " min";
}

/// "0.83 of 2 cores".
std::string in_words(double others, const tune::load& machine) {
  return digits(others, 2) + " of " + std::to_string(machine.cores()) + " cores";
}

/// Cores that a run keeps busy: every core where the processor serves as a device.
int needed(const tune::tunable& on, const tune_options& o, const tune::load& machine) {
  if (on.sort == tune::device_sort::gpu) return 1;
  if (on.sort == tune::device_sort::host && on.backend == "serial") return 1;
  return on.sort == tune::device_sort::host && o.threads > 0 ? o.threads : machine.cores();
}

/// Whether others used more than the cores that a run on so many leaves idle.
bool too_busy(double others, int cores, const tune::load& machine) {
  return others > std::max(0, machine.cores() - cores) + tune::most_load;
}

/// Says at the beginning what other programs use.
void say_load(tune::load& machine) {
  const double begin = machine.now();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  if (const auto others = machine.others(begin); others && *others > tune::most_load)
    std::cerr << "other programs use " << in_words(*others, machine)
              << ": what they disturb is not sure\n";
}

/// How sure the fastest of a race is: `disturbed` by others that used so many cores.
std::string how_sure(const tune::race_result& r, const std::optional<std::string>& disturbed) {
  if (r.compared < 2) return "nothing to compare with";
  if (disturbed) return "not sure: busy machine (others used " + *disturbed + ")";
  return "sure " + std::to_string(r.sure) + " %";
}

}  // namespace

int tune_batches(const tune_options& o, std::ostream& standard) {
  trifac::profile measured = profile_in(o.profile);
  if (!o.header.empty()) tune::written_file(o.header);  // before anything is measured
  // Where the header goes to standard output nothing else does.
  const bool is_taken = !o.header.empty() && tune::is_standard_output(o.header);
  std::ostream& out = is_taken ? std::cerr : standard;
  tune::load machine;
  tune::verdict verdict;
  const std::string name = trifac::io::printable(o.profile, 4096);
  const auto begin = tune::clock::now();
  const auto end = begin + std::chrono::duration_cast<tune::clock::duration>(
                               std::chrono::duration<double>(o.minutes * 60));
  std::vector<std::vector<tune::tunable>> all;  // jobs point into it
  std::vector<job> jobs;
  std::size_t known = 0, left = 0;  // orders; combinations
  for (const scalar type : o.types) {
    const char letter = letters[static_cast<std::size_t>(type)];
    all.push_back(tune::tunables_of(letter, {o.backends, o.device, o.threads}));
    if (all.back().empty()) throw usage_error("this program was built without these backends");
    for (const tune::tunable& on : all.back()) {
      if (!on.problem.empty()) {
        std::cerr << "not tuned: " << on.backend << ": " << on.problem << '\n';
        continue;
      }
      if (on.sort == tune::device_sort::host && type == o.types.front())
        std::cerr << on.device
                  << ": its kernels are compiled in; only chunks of a chunked layout "
                     "are a choice there\n";
      for (job& j : jobs_on(on, letter, o)) {
        const auto* const old =
            o.again ? nullptr : finding_at(findings_on(measured, on.device), j.subject);
        if (old == nullptr)
          jobs.push_back(std::move(j));
        else
          verdict.add(*old), ++known;
      }
    }
  }
  if (known > 0)
    std::cerr << known << " orders are in " << name << " already (--again measures them)\n";
  say_left_out(jobs);
  for (const job& j : jobs) left += j.candidates.all.size();
  const std::size_t total = left;

  if (!jobs.empty() && o.minutes > 0) say_load(machine);
  const progress_line line;
  int wrong = 0;
  std::size_t finished = 0;
  // Seconds of the first runs, in which kernels are compiled, and of those that are timed: of an
  // order so much of the time has passed with either.
  double of_checks = 1, of_runs = 1;
  for (const job& j : jobs) {
    if (tune::clock::now() >= end) break;
    const auto runner = j.on->make(j.subject);
    const std::size_t before = left;
    const auto begin_of_order = tune::clock::now();
    double checks = 0, runs = 0;  // seconds of this order
    const auto show = [&](const tune::race_step& step) {
      const auto now = tune::clock::now();
      const double spent = std::chrono::duration<double>(now - begin).count();
      const double here = std::chrono::duration<double>(now - begin_of_order).count();
      (step.timed > 0 ? runs = here - checks : checks = here);
      const auto size = static_cast<double>(j.candidates.all.size());
      const double of_order =
          (of_checks * static_cast<double>(step.checked) / size + of_runs * step.timed) /
          (of_checks + of_runs);
      left = before - step.checked;
      const double done = static_cast<double>(total - before) + size * of_order;
      const double rest = spent * (static_cast<double>(total) - done) / std::max(done, 0.01);
      line.show(words_of(j.subject) + ": " + std::to_string(step.checked) + "/" +
                std::to_string(j.candidates.all.size()) + " combinations, timed " +
                std::to_string(std::lround(100 * step.timed)) + " %, " + std::to_string(finished) +
                "/" + std::to_string(jobs.size()) + " orders, " +
                in_words(std::min(rest, std::max(0.0, o.minutes * 60 - spent))) + " left");
    };
    const tune::race_rules rules = {.rounds = o.rounds, .end = end};
    const double begin_of_race = machine.now();
    const auto r = tune::race(
        *runner, j.candidates.all, rules, [](const tune::batch_tuning& t) { return words_of(t); },
        show);
    line.clear();
    for (const std::string& bad : r.wrong)
      std::cerr << words_of(j.subject) << ": WRONG, not kept: " << bad << '\n', ++wrong;
    for (const std::string& why : r.not_run)
      std::cerr << words_of(j.subject) << ": did not run: " << why << '\n';
    if (!r.finished) break;
    if (++finished == 1) of_checks = of_runs = 0;
    of_checks += checks, of_runs += runs;
    left = before - j.candidates.all.size();
    if (r.seconds == 0) continue;  // none ran
    const batch_finding found = {j.subject.operation, j.subject.type, j.subject.place, j.subject.n,
                                 r.fastest,           r.gain,         r.sure};
    auto& here = findings_on(measured, j.on->device);
    if (batch_finding* const old = finding_at(here, j.subject))
      *old = found;
    else
      here.push_back(found);
    tune::write_whole(o.profile, trifac::io::profile_text(measured));
    std::optional<std::string> disturbed;
    verdict.add(found);
    if (const auto others = machine.others(begin_of_race);
        others && too_busy(*others, needed(*j.on, o, machine), machine)) {
      disturbed = in_words(*others, machine);
      verdict.most_others = std::max(verdict.most_others, *others);
      ++verdict.disturbed;
    }
    out << j.on->backend << ": " << words_of(j.subject) << ": " << words_of(r.fastest) << ", "
        << digits(flops_of(j.subject) / r.seconds * 1e-9, 3) << " GFLOP/s, " << r.gain
        << " % of the default's speed, " << how_sure(r, disturbed) << " ("
        << j.candidates.all.size()
        << (j.candidates.all.size() == 1 ? " combination)" : " combinations)") << std::endl;
  }
  if (finished < jobs.size())
    std::cerr << jobs.size() - finished << " of " << jobs.size()
              << " orders are left: the same command goes on\n";
  if (finished == 0 && left < total) {
    const double spent = std::chrono::duration<double>(tune::clock::now() - begin).count();
    std::cerr << "the time was too short for one order, of which nothing is kept: "
              << jobs[0].candidates.all.size() << " combinations take about "
              << in_words(spent * static_cast<double>(jobs[0].candidates.all.size()) /
                          static_cast<double>(total - left))
              << " (--minutes)\n";
  }
  if (finished > 0) out << "saved in " << name << '\n';
  if (!o.header.empty()) {
    tune::write_whole(o.header, tune::header_text(measured, trifac::io::this_machine()));
    out << "exported to " << trifac::io::printable(o.header, 4096) << '\n';
  }
  out << tune::in_words(verdict, name, "up to " + in_words(verdict.most_others, machine)) << '\n';
  return wrong > 0 ? 1 : 0;
}

}  // namespace program

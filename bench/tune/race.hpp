#pragma once
// Which of some combinations is the fastest: each is compiled and checked once, then all are timed
// round after round, in a new random order each time; slow ones drop out.

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "runner.hpp"

namespace tune {

/// How a race ended.
struct race_result {
  bool finished = false;  ///< false where the time was over first
  batch_tuning fastest;
  double seconds = 0;
  int gain = 100, sure = 0;          ///< as those of trifac::batch_finding
  std::size_t compared = 0;          ///< how many were timed: of one alone nothing is sure
  std::vector<std::string> wrong;    ///< results that were not kept
  std::vector<std::string> not_run;  ///< what the device refused
};

struct race_rules {
  int rounds = 9;
  int rounds_of_all = 3;     ///< after which slow ones drop out
  double slow = 1.3;         ///< times the fastest
  double least_gain = 1.03;  ///< a combination that brings less than this is not worth naming,
  int least_sure = 75;       ///< nor one that was faster in fewer percent of the pairs of runs
  unsigned seed = 1;
  clock::time_point end = clock::time_point::max();
};

/// How far a race is.
struct race_step {
  std::size_t checked = 0;  ///< combinations compiled and run once
  double timed = 0;         ///< of the runs that are timed the part that is done, 1 at the end
};

inline double median_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 != 0 ? times[half] : (times[half - 1] + times[half]) / 2;
}

/// Percent of the pairs of runs in which a was faster than b.
inline int percent_faster(const std::vector<double>& a, const std::vector<double>& b) {
  double faster = 0;
  for (const double x : a)
    for (const double y : b) faster += x < y ? 1 : x == y ? 0.5 : 0;
  return static_cast<int>(100 * faster / static_cast<double>(a.size() * b.size()) + 0.5);
}

/// Races `all`, of which the first names nothing; progress(step) after each run, words(t) for
/// messages.
inline race_result race(runner& on, const std::vector<batch_tuning>& all, const race_rules& rules,
                        const std::function<std::string(const batch_tuning&)>& words,
                        const std::function<void(const race_step&)>& progress) {
  struct entrant {
    batch_tuning tuning;
    std::vector<double> times;
  };
  race_result r;
  std::vector<entrant> field, dropped;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (clock::now() >= rules.end) return r;
    const first_run first = on.check(all[k]);
    if (!first.problem.empty())
      r.not_run.push_back(words(all[k]) + ": " + first.problem);
    else if (!(first.ratio < wrong_from))
      r.wrong.push_back(words(all[k]) + ": residual ratio " + std::to_string(first.ratio));
    else
      field.push_back({all[k], {}});
    progress({k + 1});
  }
  if (field.empty()) {
    r.finished = true;
    return r;
  }
  std::mt19937 random(rules.seed);
  const auto typical = [](const entrant& e) { return median_of(e.times); };
  const auto by_time = [&](const entrant& a, const entrant& b) { return typical(a) < typical(b); };
  r.compared = field.size();
  double runs = 0;
  for (int round = 0; round < rules.rounds; ++round) {
    if (round >= rules.rounds_of_all && clock::now() >= rules.end) break;
    std::shuffle(field.begin(), field.end(), random);
    double ahead = static_cast<double>(field.size()) * (rules.rounds - round);
    for (entrant& e : field) {
      e.times.push_back(on.seconds(e.tuning));
      ++runs, --ahead;
      progress({all.size(), runs / (runs + ahead)});
    }
    if (round + 1 != rules.rounds_of_all) continue;
    const double limit =
        rules.slow * typical(*std::min_element(field.begin(), field.end(), by_time));
    const auto slow = std::stable_partition(field.begin(), field.end(), [&](const entrant& e) {
      return typical(e) <= limit || e.tuning == batch_tuning{};
    });
    dropped.assign(slow, field.end());
    field.erase(slow, field.end());
  }
  std::sort(field.begin(), field.end(), by_time);
  const auto plain = std::find_if(field.begin(), field.end(),
                                  [](const entrant& e) { return e.tuning == batch_tuning{}; });
  // The one that names nothing is as good as one that is hardly faster.
  const bool worth = plain == field.end() ||
                     (typical(*plain) > rules.least_gain * typical(field.front()) &&
                      percent_faster(field.front().times, plain->times) >= rules.least_sure);
  const entrant& best = worth ? field.front() : *plain;
  const entrant* next = nullptr;
  for (const std::vector<entrant>* some : {&field, &dropped})
    for (const entrant& e : *some)
      if (&e != &best && (next == nullptr || by_time(e, *next))) next = &e;
  r.finished = true;
  r.fastest = best.tuning;
  r.seconds = typical(best);
  r.gain = plain == field.end()
               ? 100
               : static_cast<int>(std::lround(100 * typical(*plain) / typical(best)));
  if (next != nullptr) r.sure = percent_faster(best.times, next->times);
  return r;
}

}  // namespace tune

#include "batches.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "bench/tune/runner.hpp"

namespace study {

namespace {

tune::backend_choice& backend_of_process() {
  static tune::backend_choice choice;
  return choice;
}

char letter_of(const std::string& type) {
  return type == "float" ? 's' : type == "double" ? 'd' : type == "complex_float" ? 'c' : 'z';
}

/// The call of median time among up to nine that take a twentieth of a second together: small
/// matrices are done in less than a millisecond, of which one interrupt is much.
template <class Call, class Seconds>
auto median_of_calls(Call call, Seconds seconds) {
  std::vector<decltype(call())> found;
  double all = 0;
  while (found.size() < 9 && all < 0.05) all += seconds(found.emplace_back(call()));
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::ranges::nth_element(found, middle, {}, seconds);
  return *middle;
}

}  // namespace

void set_batch_backend(const std::string& name, const std::string& device, int threads) {
  backend_of_process() = {{name}, device, threads};
}

answer run_batch(const request& r) {
  using trifac::batch_operation;
  const auto found = tune::tunables_of(letter_of(r.type), backend_of_process());
  if (found.empty()) throw refusal("this backend has no batches");
  const tune::tunable& on = found.front();
  if (!on.problem.empty()) throw refusal(on.problem);
  const bool lu = r.algorithm == "lu", both = r.operation == "both";
  if (!both && r.operation != "factor" && r.operation != "solve")
    throw refusal("operation=" + r.operation + " is not known");
  tune::subject s = {.device = on.sort, .place = r.place, .type = letter_of(r.type), .n = r.n};
  s.count = r.batch;
  s.with_lu = lu;
  s.seed = r.seed;
  s.fast = r.arithmetic == "fast";
  s.operation = r.operation == "solve" ? batch_operation::solve
                : lu                   ? batch_operation::lu
                                       : batch_operation::cholesky;
  if (on.sort == tune::device_sort::host && tune::of_call(s, r.tuning) != trifac::batch_tuning{})
    throw refusal("the kernels of the CPU are compiled in");
  // Groups are the source's canonical form: Cholesky in the device's memory.
  s.on_device = r.tuning.kernel == trifac::batch_kernel::groups;
  if (s.on_device && (lu || r.place != trifac::batch_place::strided))
    throw refusal("kernel=groups is of Cholesky with place=strided");
  trifac::batch_tuning tuning = r.tuning, of_solve;
  if (both) {
    of_solve = {.kernel = tuning.kernel, .systems = tuning.systems};
    tuning.systems = 0;
  }
  for (const auto& [t, operation] :
       {std::pair(tuning, s.operation), std::pair(of_solve, batch_operation::solve)}) {
    tune::subject of = s;
    of.operation = operation;
    if (const trifac::status can = on.can(of, tune::of_call(of, t)); !can)
      throw refusal(can.message());
  }
  const auto runner = on.make(s);
  answer a;
  a.batch = r.batch;
  const tune::first_run first = runner->check(tuning);
  if (!first.problem.empty()) throw refusal(first.problem);
  a.ratio = first.ratio;
  if (both)
    static_cast<void>(runner->seconds_of_both(tuning, of_solve));  // the first solve compiles
  const double clock_before = reference_seconds();
  // Of the first call: the one, or the factorization. Inputs are restored on one thread.
  std::optional<thread_count> count;
  double threads = 0;
  runner->before = [&] { count.emplace(); };
  runner->after = [&] {
    if (threads == 0) threads = count->get();
  };
  const auto each = [&](double seconds) { return seconds / static_cast<double>(r.batch); };
  if (both) {
    const auto parts =
        median_of_calls([&] { return runner->seconds_of_both(tuning, of_solve); },
                        [](const tune::both_seconds& b) { return b.factor + b.solve; });
    a.seconds = each(parts.factor + parts.solve);
    a.ratio = bench::larger(a.ratio, parts.ratio);
    a.more.emplace_back("part_factorization", each(parts.factor));
    if (parts.forward > 0) {
      a.more.emplace_back("part_forward", each(parts.forward));
      a.more.emplace_back("part_backward", each(parts.backward));
    } else {
      a.more.emplace_back("part_substitutions", each(parts.solve));
    }
  } else {
    a.seconds = each(median_of_calls([&] { return runner->seconds(tuning); }, std::identity()));
  }
  a.more.emplace_back("threads", threads);
  a.more.emplace_back("reference", (clock_before + reference_seconds()) / 2);
  return a;
}

}  // namespace study

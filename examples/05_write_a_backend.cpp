// A backend of your own: a policy type and a run() that hands the loop nests an executor. This one
// is serial and counts the work of two block operations, which shows how the blocked variants of
// Cholesky differ.

#include <cstdio>
#include <string_view>
#include <trifac/trifac.hpp>
#include <trifac/variants.hpp>

namespace counting {

struct tally {
  long solves = 0;
  long updates = 0;
  double elements_updated = 0;
};

// The policy: a small value, handed to the public calls as their first argument.
struct backend {
  static constexpr std::string_view name = "counting";
  tally* counts;

  trifac::availability available() const noexcept { return {true, ""}; }
  friend constexpr bool supports(const backend&, trifac::variant) { return true; }
};

// The executor: its members are the block operations of trifac/backend.hpp. What it does not
// redefine is inherited.
struct executor : trifac::backend::serial_executor {
  executor(trifac::status& outcome, tally& c) : serial_executor(outcome), counts(&c) {}

  template <class U, class T>
  void solve_right_upper(const U& A, trifac::matrix_view<T> B) {
    ++counts->solves;
    serial_executor::solve_right_upper(A, B);
  }
  template <class T, class A, class B>
  void update(trifac::matrix_view<T> C, const A& left, const B& right) {
    count(C.rows() * C.cols());
    serial_executor::update(C, left, right);
  }
  template <class T>
  void update_lower(trifac::matrix_view<T> C, trifac::matrix_view<T> A) {
    count(C.rows() * (C.rows() + 1) / 2);
    serial_executor::update_lower(C, A);
  }

  void count(trifac::index_t elements) {
    ++counts->updates;
    counts->elements_updated += static_cast<double>(elements);
  }

  tally* counts;
};

// Found by argument-dependent lookup.
template <class Nest>
void run(const backend& policy, trifac::status& outcome, double /*flops*/, Nest nest) {
  executor on(outcome, *policy.counts);
  nest(on);
}

}  // namespace counting

template <trifac::variant V>
bool count_variant() {
  const trifac::index_t n = 512;
  trifac::matrix<double> A(n, n);
  for (trifac::index_t i = 0; i < n; ++i) A(i, i) = 1;
  counting::tally counts;
  const auto factor = trifac::cholesky<V>(counting::backend{&counts}, A, {.block = 32});
  const auto name = to_string(V);
  std::printf("%-14.*s %4ld solves %4ld updates %9.0f elements updated\n",
              static_cast<int>(name.size()), name.data(), counts.solves, counts.updates,
              counts.elements_updated);
  return factor.ok();
}

int main() {
  using trifac::variant;
  return count_variant<variant::right_looking>() && count_variant<variant::left_looking>() &&
                 count_variant<variant::top_looking>()
             ? 0
             : 1;
}

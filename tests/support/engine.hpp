#pragma once
// A backend under test with its settings, behind virtual functions: a test's text is then compiled
// once for each scalar type, and not once more for each backend and variant. cholesky_engine.hpp
// and lu_engine.hpp say what an engine does.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../backends.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {

/// What every engine has: the backend's name with its settings.
class named_engine {
 public:
  explicit named_engine(std::string name) : name_(std::move(name)) {}
  virtual ~named_engine() = default;
  const std::string& name() const { return name_; }
  /// Whether a call costs barriers of a team or launches on a device, however small the matrix.
  bool is_costly() const { return name_.starts_with("openmp") || is_device(); }
  bool is_device() const { return name_.starts_with("opencl") || name_.starts_with("cuda"); }

 private:
  std::string name_;
};

/// More than there are ways to factor on one engine.
inline constexpr int first_turns = 64;

/// Whether this engine should run the case at hand. A costly one takes a test's first turns, so
/// that each way has one, and then one in seven: thousands of small calls with barriers would take
/// minutes on a busy machine, and that a team's bits are those of one thread has tests of its own.
/// Seven has no factor in common with the numbers of ways to factor, so that seven passes over the
/// ways give each its turn.
inline bool takes_its_turn(const named_engine& on) {
  static const testing::TestInfo* test = nullptr;
  static int turns = 0;
  if (!on.is_costly()) return true;
  const testing::TestInfo* const now = testing::UnitTest::GetInstance()->current_test_info();
  if (test != now) turns = 0;
  test = now;
  const int turn = turns++;
  return turn < first_turns || turn % 7 == 0;
}

template <class Engine>
using engine_list = std::vector<std::unique_ptr<Engine>>;

/// Whether B runs scalar types other than LAPACK's four.
template <class B>
inline constexpr bool runs_any_scalar = B::name == "serial" || B::name == "openmp";

/// An Implementation<B, T> of Engine for every backend under test that runs T.
template <class Engine, template <class, class> class Implementation>
engine_list<Engine> make_engines() {
  using T = typename Engine::value_type;
  engine_list<Engine> list;
  for_each_backend([&list]<class B>(const B& backend, const std::string& name) {
    if constexpr (LapackScalar<T> || runs_any_scalar<B>)
      list.push_back(std::make_unique<Implementation<B, T>>(backend, name));
  });
  return list;
}

/// The same for the teams of 1, 2, 3 and 4 threads.
template <class Engine, template <class, class> class Implementation>
engine_list<Engine> make_teams() {
  engine_list<Engine> list;
  for_each_team([&list]<class B>(const B& backend, const std::string& name) {
    list.push_back(std::make_unique<Implementation<B, typename Engine::value_type>>(backend, name));
  });
  return list;
}

template <variant V>
using variant_constant = std::integral_constant<variant, V>;

/// call(variant_constant<v>{}) for the compile-time constant equal to v; call answers with a
/// std::optional, empty where it does not know that variant.
template <class Call>
auto with_constant(variant v, Call call) {
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    decltype(call(variant_constant<variant::best>{})) result;
    ((static_cast<std::size_t>(v) == Index
          ? static_cast<void>(result = call(variant_constant<static_cast<variant>(Index)>{}))
          : void()),
     ...);
    return result;
  }
  (std::make_index_sequence<variant_names.size()>{});
}

inline std::vector<variant> all_variants() {
  std::vector<variant> list;
  for (std::size_t v = 0; v < variant_names.size(); ++v) list.push_back(static_cast<variant>(v));
  return list;
}

}  // namespace trifac::test

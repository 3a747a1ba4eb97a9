#pragma once
// LU on any backend under test, the variant given at run time, and the list of ways to factor.

#include "engine.hpp"
#include "trifac/lu.hpp"
#include "trifac/variants.hpp"

namespace trifac::test {

template <class T>
class lu_engine : public named_engine {
 public:
  using value_type = T;
  using named_engine::named_engine;
  virtual bool runs(variant v, pivoting how) const = 0;
  virtual lu_factor<T> lu(variant v, matrix_view<T> A, const lu_options& options) const = 0;
};

template <class B, class T>
class lu_engine_of final : public lu_engine<T> {
 public:
  lu_engine_of(B backend, std::string name) : lu_engine<T>(std::move(name)), backend_(backend) {}

  bool runs(variant v, pivoting how) const override {
    const bool own_pivoting = never_exchanges(v)        ? how == pivoting::none
                              : v == variant::recursive ? how == pivoting::partial
                              : v == variant::best      ? true
                                                        : how != pivoting::none;
    const bool known_to_backend = !LibraryBackend<B, T> || how == pivoting::partial;
    return is_lu_variant(v) && supports(backend_, v) && own_pivoting && known_to_backend;
  }
  lu_factor<T> lu(variant v, matrix_view<T> A, const lu_options& options) const override {
    return *with_constant(v, [&]<variant V>(variant_constant<V>) {
      std::optional<lu_factor<T>> f;
      if constexpr (is_lu_variant(V)) f = trifac::lu<V>(backend_, A, options);
      return f;
    });
  }

 private:
  B backend_;
};

template <class T>
const engine_list<lu_engine<T>>& lu_engines() {
  static const auto all = make_engines<lu_engine<T>, lu_engine_of>();
  return all;
}
template <class T>
const engine_list<lu_engine<T>>& lu_teams() {
  static const auto all = make_teams<lu_engine<T>, lu_engine_of>();
  return all;
}

/// One way to factor: backend, variant, pivoting.
template <class T>
struct lu_way {
  const lu_engine<T>& on;
  variant v;
  pivoting how;

  std::string description() const {
    return on.name() + ", " + std::string(to_string(v)) + ", pivoting " +
           std::string(to_string(how));
  }
};

/// The variants and sorts of pivoting that go together on this engine.
template <class T>
std::vector<lu_way<T>> lu_ways_of(const lu_engine<T>& on) {
  std::vector<lu_way<T>> list;
  for (variant v : all_variants())
    for (pivoting how : {pivoting::none, pivoting::partial, pivoting::tournament})
      if (on.runs(v, how)) list.push_back({on, v, how});
  return list;
}

/// visit(way) for every way on every backend that is wanted(way), named in the message of a
/// failure. Only wanted ways take turns, so a case of one pass checks the first of them on a costly
/// backend, too. (For a case of many passes their number must not be a multiple of seven.)
template <class T, class Wanted, class Visit>
void for_each_lu_way(Wanted wanted, Visit visit) {
  for (const auto& on : lu_engines<T>())
    for (const lu_way<T>& way : lu_ways_of(*on))
      if (wanted(way) && takes_its_turn(*on)) {
        SCOPED_TRACE(way.description());
        visit(way);
      }
}
template <class T, class Visit>
void for_each_lu_way(Visit visit) {
  for_each_lu_way<T>([](const lu_way<T>&) { return true; }, visit);
}

}  // namespace trifac::test

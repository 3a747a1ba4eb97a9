#pragma once
// Cholesky on any backend under test, the variant given at run time.

#include "engine.hpp"
#include "trifac/cholesky.hpp"

namespace trifac::test {

template <class T>
class cholesky_engine : public named_engine {
 public:
  using value_type = T;
  using named_engine::named_engine;
  virtual bool runs(variant v) const = 0;
  virtual cholesky_factor<T> cholesky(variant v, matrix_view<T> A,
                                      const cholesky_options& options) const = 0;
  virtual cholesky_factor<T> cholesky(variant v, matrix_view<const T> A, matrix_view<T> L,
                                      const cholesky_options& options) const = 0;
};

template <class B, class T>
class cholesky_engine_of final : public cholesky_engine<T> {
 public:
  cholesky_engine_of(B backend, std::string name)
      : cholesky_engine<T>(std::move(name)), backend_(backend) {}

  bool runs(variant v) const override { return is_cholesky_variant(v) && supports(backend_, v); }

  cholesky_factor<T> cholesky(variant v, matrix_view<T> A,
                              const cholesky_options& options) const override {
    return *with_constant(v, [&]<variant V>(variant_constant<V>) {
      std::optional<cholesky_factor<T>> f;
      if constexpr (is_cholesky_variant(V)) f = trifac::cholesky<V>(backend_, A, options);
      return f;
    });
  }
  cholesky_factor<T> cholesky(variant v, matrix_view<const T> A, matrix_view<T> L,
                              const cholesky_options& options) const override {
    return *with_constant(v, [&]<variant V>(variant_constant<V>) {
      std::optional<cholesky_factor<T>> f;
      if constexpr (is_cholesky_variant(V)) f = trifac::cholesky<V>(backend_, A, L, options);
      return f;
    });
  }

 private:
  B backend_;
};

template <class T>
const engine_list<cholesky_engine<T>>& cholesky_engines() {
  static const auto all = make_engines<cholesky_engine<T>, cholesky_engine_of>();
  return all;
}
template <class T>
const engine_list<cholesky_engine<T>>& cholesky_teams() {
  static const auto all = make_teams<cholesky_engine<T>, cholesky_engine_of>();
  return all;
}

}  // namespace trifac::test

#pragma once
// mixed_factor: the factors with which solve_mixed() ended, for further right-hand sides.

#include <complex>
#include <type_traits>
#include <variant>

#include "trifac/cholesky.hpp"
#include "trifac/engine/call/factor_state.hpp"
#include "trifac/engine/mixed/options.hpp"
#include "trifac/equilibration.hpp"
#include "trifac/lu.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The precision in which A is factored.
template <class T>
struct low_precision;
template <>
struct low_precision<double> {
  using type = float;
};
template <>
struct low_precision<std::complex<double>> {
  using type = std::complex<float>;
};

/// The types with a lower precision for the factorization.
template <class T>
concept HasLowPrecision = requires {
  typename low_precision<T>::type;
};

template <factorization How, class T>
using factor_by =
    std::conditional_t<How == factorization::cholesky, cholesky_factor<T>, lu_factor<T>>;

/// The factors refer to one of the matrices, which keep their places in a move.
template <class T>
struct mixed_state {
  using low = typename low_precision<T>::type;

  mixed_state() = default;
  mixed_state(mixed_state&&) noexcept = default;
  mixed_state& operator=(mixed_state&&) noexcept = default;

  matrix<low> low_memory;
  matrix<T> memory;
  std::variant<std::monostate, lu_factor<low>, cholesky_factor<low>, lu_factor<T>,
               cholesky_factor<T>>
      held;
  equilibration_scales<real_t<T>> scales;
  mixed_fallback fallback = mixed_fallback::none;
};

}  // namespace detail
}  // namespace TRIFAC_ABI

/// The factors of a copy of A with which solve_mixed() ended, which it owns: in low precision, of
/// diag(rows)·A·diag(columns) with options.equilibrate, or after a fallback in full precision. By
/// default, after a failed factorization and once moved from it is empty. It can be moved, not
/// copied. T: double or complex<double>.
template <class T>
class mixed_factor {
 public:
  using value_type = T;
  using low_type = typename detail::low_precision<T>::type;

  bool empty() const { return rows() == 0; }
  /// The order of A; 0 if empty.
  index_t rows() const {
    return visit([](const auto& f) { return f.rows(); }, index_t{0});
  }
  /// Whether the factors are those in low precision.
  bool is_low() const {
    return visit([]<class F>(const F&) { return std::is_same_v<typename F::value_type, low_type>; },
                 false);
  }
  /// Why they are not: none if they are, or if there are none.
  mixed_fallback fallback() const { return state_.fallback; }
  /// Those of factors in low precision; without rows if A was not scaled.
  const equilibration_scales<real_t<T>>& scales() const { return state_.scales; }

  /// use(f) of the factor f, an lu_factor or cholesky_factor of low_type or T; else `otherwise`.
  template <class Use, class Result>
  Result visit(const Use& use, const Result& otherwise) const {
    return std::visit(
        [&]<class F>(const F& f) -> Result {
          if constexpr (std::is_same_v<F, std::monostate>)
            return otherwise;
          else
            return use(f);
        },
        state_.held);
  }

 private:
  friend struct detail::factor_access;
  detail::emptied_by_move<detail::mixed_state<T>> state_;
};

}  // namespace trifac

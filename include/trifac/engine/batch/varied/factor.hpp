#pragma once
// varied_factor: what the factorizations of matrices of different sizes return.

#include <cstdint>
#include <utility>
#include <vector>

#include "trifac/engine/batch/calls/factor.hpp"
#include "trifac/engine/batch/varied/order.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// The factors of a varied_view, F for each size.
template <class F>
struct varied_state {
  using T = typename F::value_type;
  struct place {
    std::size_t group;
    index_t matrix;
  };

  varied_view<const T> A;
  varied_order<T> order;
  std::vector<std::int32_t> info;  ///< in this order; the groups refer to it
  std::vector<F> groups;
  std::vector<place> places;  ///< of each matrix of A
};

}  // namespace detail
}  // namespace TRIFAC_ABI

/// The result of cholesky() or lu() on a varied_view: for each size F, the factor of a batch of
/// that size, and an outcome in the order of the view. It refers to the caller's matrices and
/// arrays, which must outlive it and stay unchanged; moved, not copied.
template <class F>
class varied_factor : public batch_outcome, public with_status<varied_factor<F>> {
  using result = with_status<varied_factor>;

 public:
  using result::ok, result::or_throw, result::operator bool;
  using value_type = typename F::value_type;

  varied_factor() = default;
  varied_factor(detail::varied_state<F>&& state, batch_outcome&& outcome)
      : batch_outcome(std::move(outcome)), state_(std::move(state)) {}
  varied_factor(varied_factor&&) = default;
  varied_factor& operator=(varied_factor&&) = default;

  index_t batch() const { return static_cast<index_t>(state_.places.size()); }
  /// That of matrix b, which may be read by every call on one: a cholesky_factor or lu_factor that
  /// refers to the caller's matrix; of a call that failed an empty one. May throw std::bad_alloc.
  auto operator[](index_t b) const {
    if (state_.groups.empty()) return F()[b];
    const auto& at = state_.places[detail::as_size(b)];
    return state_.groups[at.group][at.matrix];
  }
  /// Of Cholesky: what was added to the diagonal of matrix b, as batch_cholesky_factor has it.
  real_t<value_type> shift(index_t b) const requires requires(const F& f) { f.shift(b); }
  {
    if (state_.groups.empty()) return real_t<value_type>(0);  // the call failed
    const auto& at = state_.places[detail::as_size(b)];
    return state_.groups[at.group].shift(at.matrix);
  }

 private:
  friend struct detail::factor_access;

  detail::varied_state<F> state_;
};

template <class T>
using varied_cholesky_factor = varied_factor<batch_cholesky_factor<T>>;
template <class T>
using varied_lu_factor = varied_factor<batch_lu_factor<T>>;

}  // namespace trifac

#pragma once
// The sharing policy of one thread: each step of a nest is a plain loop.

#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {
namespace backend {
inline namespace TRIFAC_ABI {

/// One thread that shares with nobody. The members are those of `member` (cpu/member.hpp).
class alone {
 public:
  /// Whether a step may be cut: a range then comes in pieces, and the next panel is factored while
  /// the rest of a step goes on.
  static constexpr bool is_team = false;

  explicit alone(status& outcome) : outcome_(&outcome) {}

  int threads() const { return 1; }
  bool stopped() const { return !outcome_->completed(); }

 protected:
  template <class Body>
  void once(Body body) {
    if (!stopped()) body();
  }
  template <class Body>
  void pieces(index_t count, Body body) {
    if (stopped()) return;
    for (index_t i = 0; i < count; ++i) body(i);
  }
  template <class Body>
  void ranges(index_t count, index_t /*width*/, Body body) {
    if (count > 0 && !stopped()) body(index_t{0}, count);
  }
  template <class Body>
  void parts(index_t count, index_t /*grain*/, Body body) {
    if (count > 0 && !stopped()) body(index_t{0}, count);
  }

  status& outcome() const { return *outcome_; }
  bool& fallback_flag() { return fallback_; }

 private:
  status* outcome_;
  bool fallback_ = false;
};

}  // namespace TRIFAC_ABI
}  // namespace backend
}  // namespace trifac

#pragma once
// A callback that receives the progress of a long call and may cancel it.

#include <concepts>
#include <type_traits>

namespace trifac {

/// Refers to a callable object (wrap a function in a lambda) that takes the fraction of the work
/// done, 0 < done ≤ 1, and returns whether to continue, or nothing. The object must outlive the
/// call and not throw. Any of the factoring threads may call it, one at a time. In the options of
/// cholesky(), lu() and solve():
///
///   cholesky(A, {.progress = [&](double done) { draw(done); return !stop.stop_requested(); }});
///
/// Factorizations call it after each panel, in `best` and `packed` on serial, threads and openmp,
/// if there are several: by default from order 257 on for square LU (complex types 121), 641 for
/// Cholesky (on a team of threads 422, `packed` 256), with options.block from two blocks on. With
/// two panels it is called only with done = 1, which cannot cancel the call; with three or more it
/// can. With jitter, each attempt starts from 0. Other variants and backends do not call it. A
/// cancelled call has the status `cancelled`.
class progress_ref {
 public:
  constexpr progress_ref() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, progress_ref> &&
           std::is_object_v<std::remove_reference_t<F>> && std::invocable<F&, double>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): copies are excluded above
      constexpr progress_ref(F&& callback) noexcept
      : callable_(escaped(const_cast<void*>(static_cast<const volatile void*>(&callback)))),
        call_([](void* callable, double done) {
          auto& f = *static_cast<std::remove_reference_t<F>*>(callable);
          if constexpr (std::is_void_v<std::invoke_result_t<F&, double>>)
            return f(done), true;
          else
            return static_cast<bool>(f(done));
        }) {}

  constexpr explicit operator bool() const { return call_ != nullptr; }
  /// False: cancel. After the last panel (done = 1) the return value of the callback is ignored.
  bool operator()(double done) const { return call_(callable_, done) || done >= 1; }

 private:
  /// GCC 12 takes what the callback writes to be unchanged by a header-only call (-fipa-modref).
  static constexpr void* escaped(void* callable) {
#if defined(__GNUC__)
    if (!std::is_constant_evaluated()) __asm__ volatile("" : : "r"(callable) : "memory");
#endif
    return callable;
  }

  void* callable_ = nullptr;
  bool (*call_)(void*, double) = nullptr;
};

}  // namespace trifac

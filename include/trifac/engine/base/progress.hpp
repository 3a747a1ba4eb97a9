#pragma once
// How far a long factorization is: a callback that is told, and that may end it.

#include <concepts>
#include <type_traits>

namespace trifac {

/// Refers to a callable object (of a function write a lambda) that takes the fraction of the work
/// that is done, 0 < done ≤ 1, and returns whether to go on, or nothing. It must outlive the call
/// and not throw; one thread calls it at a time, any of those that factor. In the options of
/// cholesky() and lu():
///
///   std::stop_token stop = …;
///   cholesky(A, {.progress = [&](double done) { draw(done); return !stop.stop_requested(); }});
///
/// Called after each panel by `best` and `packed` on serial, threads and openmp, where a matrix has
/// several panels: by default from order 449 on for square LU, 641 for Cholesky (on a team of
/// threads 422, `packed` 256), with options.block from two blocks on. Of two panels only done = 1
/// is told, which cannot end the call; with three or more it can. With jitter each try begins anew.
/// Other variants and backends, and smaller matrices, do not call it. A call that it ends has the
/// status `cancelled`.
class progress_ref {
 public:
  constexpr progress_ref() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, progress_ref> &&
           std::is_object_v<std::remove_reference_t<F>> && std::invocable<F&, double>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): copies are excluded above
      constexpr progress_ref(F&& callback) noexcept
      : callable_(const_cast<void*>(static_cast<const volatile void*>(&callback))),
        call_([](void* callable, double done) {
          auto& f = *static_cast<std::remove_reference_t<F>*>(callable);
          if constexpr (std::is_void_v<std::invoke_result_t<F&, double>>)
            return f(done), true;
          else
            return static_cast<bool>(f(done));
        }) {}

  constexpr explicit operator bool() const { return call_ != nullptr; }
  /// False: end the call. After the last panel, where done is 1, the answer does not matter.
  bool operator()(double done) const { return call_(callable_, done) || done >= 1; }

 private:
  void* callable_ = nullptr;
  bool (*call_)(void*, double) = nullptr;
};

}  // namespace trifac

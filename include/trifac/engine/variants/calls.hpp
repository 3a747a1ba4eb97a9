#pragma once
// The definitions of variant_calls: memory, and the nest of a variant by block operations.

#include "trifac/engine/blas/copy.hpp"
#include "trifac/engine/call/call.hpp"
#include "trifac/engine/call/overlap.hpp"
#include "trifac/engine/call/workspace.hpp"
#include "trifac/engine/calls/defined.hpp"
#include "trifac/engine/calls/variant_calls.hpp"
#include "trifac/engine/cpu/run.hpp"
#include "trifac/engine/lu/calls.hpp"
#include "trifac/engine/variants/nests.hpp"

#if TRIFAC_DECLARED
namespace trifac {
inline namespace TRIFAC_CALLS {
  #define TRIFAC_CORE_VARIANT(name, role)
  #define TRIFAC_VARIANT(name, role)                                          \
    extern template struct variant_calls<variant::name, float>;               \
    extern template struct variant_calls<variant::name, double>;              \
    extern template struct variant_calls<variant::name, std::complex<float>>; \
    extern template struct variant_calls<variant::name, std::complex<double>>;
  #include "trifac/engine/base/variants.inl"
}  // namespace TRIFAC_CALLS
}  // namespace trifac
#endif

namespace trifac {
inline namespace TRIFAC_CALLS {

template <variant V, class T, class B>
status variant_calls<V, T, B>::cholesky(const B& backend, const matrix_view<const T>& A,
                                        const matrix_view<T>& L,
                                        const cholesky_options& options) noexcept {
  TRIFAC_TRY {
    if constexpr (!is_cholesky_variant(V)) {
      return status::argument("variant", "is not one of Cholesky");
    } else {
      const auto plan = detail::plan_cholesky<T, V>(A.rows(), options, facts_of<B>);
      detail::workspace memory(options.workspace, plan.bytes);
      if (!memory.ok()) return detail::no_workspace(options.workspace);
      if (plan.kernel != simd::cholesky_kernel::elements && !detail::is_same_view(A, L))
        blas::copy_lower<T>(A, L);
      const auto sums = memory.take<real_t<T>>(V == variant::crout_distributed_sum ? A.rows() : 0);
      status outcome;
      run(backend, outcome, plan.flops,
          [&](auto& on) { detail::run_cholesky<V>(on, A, L, options, sums.data()); });
      return outcome;
    }
  }
  TRIFAC_CATCH
}

template <variant V, class T, class B>
status variant_calls<V, T, B>::lu(const B& backend, const matrix_view<T>& A, index_t* interchanges,
                                  const lu_options& options) noexcept {
  TRIFAC_TRY {
    if constexpr (!is_lu_variant(V)) {
      return status::argument("variant", "is not one of LU");
    } else {
      const std::span steps(interchanges, detail::as_size(detail::min(A.rows(), A.cols())));
      const auto plan =
          detail::plan_lu<T, V>(A.rows(), A.cols(), options, facts_of<B>, simd::isa{});
      detail::workspace memory(options.workspace, plan.bytes);
      if (!memory.ok()) return detail::no_workspace(options.workspace);
      return detail::run_lu_on_views(
          backend, plan, A, options, memory, [&](auto& on, const auto& t) {
            detail::run_lu<V>(on, A, steps, plan.block, options.pivoting, detail::lu_panel_base, t);
          });
    }
  }
  TRIFAC_CATCH
}

}  // namespace TRIFAC_CALLS
}  // namespace trifac

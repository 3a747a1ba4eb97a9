// The calls of trifac/engine/linked/calls.hpp, batch_calls.hpp and task_calls.hpp for one type,
// TRIFAC_KERNEL_TYPE: what the library trifac::kernels consists of.

#include "trifac/any_variant.hpp"
#include "trifac/backend/timed.hpp"
#include "trifac/engine/batch/pieces/in_lanes.hpp"
#include "trifac/engine/cpu/panel_tasks.hpp"
#include "trifac/engine/linked/batch_calls.hpp"
#include "trifac/engine/linked/calls.hpp"
#include "trifac/engine/linked/task_calls.hpp"
#include "trifac/engine/simd/linked_kernels.hpp"
#include "trifac/nests.hpp"

#if TRIFAC_SIMD
  #define TRIFAC_KERNEL_EXTERN
  #define TRIFAC_KERNEL_TYPES(f) f(TRIFAC_KERNEL_TYPE)
  #include "trifac/engine/simd/kernel_instances.inl"
#endif

namespace trifac {
namespace backend {

/// The threads of the caller as a backend.
struct callers_threads {
  static constexpr std::string_view name = "linked";
  static constexpr bool packs_panels = true;
  static constexpr bool has_small_path = true;

  availability available() const noexcept { return {threads.usable.ok(), threads.usable.what()}; }
  status check() const { return threads.usable; }
  friend constexpr bool supports(const callers_threads&, variant) { return true; }

  linked::threads threads;
};

template <class Nest>
void run(const callers_threads& policy, status& outcome, double flops, Nest nest) {
  const linked::threads& caller = policy.threads;
  run_on_team(outcome, nest, [&]<class Worked, class Each>(Worked& worked, Each& each) {
    if (caller.start == nullptr) return false;
    struct functions {
      Worked& worked;
      Each& each;
    } both = {worked, each};
    return caller.start(
        caller.policy, flops,
        [](void* work, int size) { static_cast<functions*>(work)->each(size); },
        [](void* work) { return static_cast<functions*>(work)->worked(); }, &both);
  });
}

}  // namespace backend

namespace linked {
namespace {

/// body(backend), whose threads are the caller's, with exceptions as statuses.
template <class Body>
status on_backend(const threads& team, Body body) noexcept {
  const backend::callers_threads caller = {team};
  return detail::without_exceptions(
      [&] { return team.times ? body(backend::timed(caller, *team.times)) : body(caller); });
}

}  // namespace

inline namespace TRIFAC_LINKED_VERSION {

template <class T>
status calls<T>::cholesky(variant v, const threads& team, const matrix_view<const T>& A,
                          const matrix_view<T>& L, const cholesky_options& options) noexcept {
  return on_backend(team, [&](const auto& backend) {
    return detail::with_variant<cholesky_variants>(
        v, [&]<variant V>() { return detail::choose_and_factor<V>(backend, A, L, options); },
        [] { return status::argument("variant", "is not one of Cholesky"); });
  });
}

template <class T>
std::size_t calls<T>::cholesky_workspace_bytes(variant v, index_t n,
                                               const cholesky_options& options) noexcept {
  return detail::with_variant<cholesky_variants>(
      v, [&]<variant V>() { return trifac::cholesky_workspace_bytes<T, V>(n, options); },
      [] { return std::size_t{0}; });
}

template <class T>
status calls<T>::lu(variant v, const threads& team, const matrix_view<T>& A, index_t* interchanges,
                    const lu_options& options) noexcept {
  const auto factor = [&]<variant V>(const auto& backend) {
    const auto steps = static_cast<std::size_t>(detail::min(A.rows(), A.cols()));
    pivots p;
    const status s = detail::choose_and_factor<V>(backend, A, p, options);
    if (s.of_the_matrix()) std::copy_n(p.span().data(), steps, interchanges);
    return s;
  };
  return on_backend(team, [&](const auto& backend) {
    return detail::with_variant<lu_variants>(
        v, [&]<variant V>() { return factor.template operator()<V>(backend); },
        [] { return status::argument("variant", "is not one of LU"); });
  });
}

template <class T>
index_t calls<T>::small_cholesky(T* A, index_t n, index_t down, index_t along) noexcept {
  return detail::factor_small(backend::serial{}, A, n, down, along);
}

template <class T>
status calls<T>::small_lu(T* A, index_t n, index_t down, index_t along,
                          index_t* interchanges) noexcept {
  return detail::factor_small_lu(backend::serial{}, A, n, down, along, interchanges);
}

template <class T>
bool calls<T>::small_solve_cholesky(const T* L, index_t down, index_t along, bool conjugated,
                                    const matrix_view<T>& B) noexcept {
  return detail::solve_small(backend::serial{}, L, down, along, conjugated, B);
}

template <class T>
bool calls<T>::small_solve_lu(const T* LU, index_t down, index_t along, const index_t* interchanges,
                              operation op, const matrix_view<T>& B) noexcept {
  return detail::solve_small(backend::serial{}, LU, down, along, interchanges, op, B);
}

template <class T>
status calls<T>::solve_cholesky(const threads& team, const matrix_view<const T>& factor,
                                triangle part, const matrix_view<T>& B, operation op) noexcept {
  return on_backend(team, [&](const auto& backend) {
    return detail::run_solve(backend, cholesky_factor<T>(factor, part, status()), B, op);
  });
}

template <class T>
status calls<T>::solve_lu(const threads& team, const matrix_view<const T>& LU,
                          const index_t* interchanges, const matrix_view<T>& B,
                          operation op) noexcept {
  const std::span<const index_t> steps(interchanges, static_cast<std::size_t>(LU.rows()));
  return on_backend(
      team, [&](const auto& backend) { return detail::run_lu_solve(backend, LU, steps, B, op); });
}

template <class T>
status calls<T>::solve_triangle(const threads& team, const operand<T>& A, triangle part,
                                diagonal diag, const matrix_view<T>& B) noexcept {
  return on_backend(team, [&](const auto& backend) {
    return detail::run_triangular_solve(backend, A, part, diag, B);
  });
}

template <class T>
status calls<T>::substitute(const threads& team, const operand<T>& A, triangle part, diagonal diag,
                            const matrix_view<T>& B) noexcept {
  return on_backend(
      team, [&](const auto& backend) { return detail::substitute(backend, A, part, diag, B); });
}

template <class T>
status calls<T>::cholesky_inverse(const threads& team, const matrix_view<const T>& L,
                                  const matrix_view<T>& X) noexcept {
  return on_backend(
      team, [&](const auto& backend) { return detail::run_cholesky_inverse(backend, L, X); });
}

template <class T>
status calls<T>::lu_inverse(const threads& team, const matrix_view<const T>& LU,
                            const index_t* interchanges, const matrix_view<T>& X) noexcept {
  const std::span<const index_t> steps(interchanges, static_cast<std::size_t>(LU.rows()));
  return on_backend(
      team, [&](const auto& backend) { return detail::run_lu_inverse(backend, LU, steps, X); });
}

template <class T>
status calls<T>::modify(const threads& team, modification how, const matrix_view<T>& L,
                        const operand<T>& X) noexcept {
  return on_backend(
      team, [&](const auto& backend) { return detail::run_modification(backend, how, L, X); });
}

template <class T>
status calls<T>::pivoted_cholesky(const threads& team, const matrix_view<T>& A,
                                  const pivoted_cholesky_options& options, index_t* interchanges,
                                  index_t& rank) noexcept {
  const std::span<index_t> all(interchanges, static_cast<std::size_t>(A.rows()));
  return on_backend(team, [&](const auto& backend) {
    return detail::run_pivoted_cholesky(backend, A, options, all, rank);
  });
}

template <class T>
status calls<T>::modified_cholesky(const threads& team, const matrix_view<T>& A, index_t block,
                                   index_t* interchanges, real_t<T>* E,
                                   index_t& phase_two) noexcept {
  const auto n = static_cast<std::size_t>(A.rows());
  return on_backend(team, [&](const auto& backend) {
    return detail::run_modified_cholesky(backend, A, block, std::span(interchanges, n),
                                         std::span(E, n), phase_two);
  });
}

template <class T>
status calls<T>::subtract_product(const threads& team, const operand<T>& A,
                                  const matrix_view<const T>& X, const matrix_view<T>& R) noexcept {
  return on_backend(
      team, [&](const auto& backend) { return detail::run_subtract_product(backend, A, X, R); });
}

template <class T>
status calls<T>::subtract_hermitian(const operand<T>& A, const matrix_view<const T>& X,
                                    const matrix_view<T>& R) noexcept {
  return on_backend({}, [&](const auto&) { return detail::run_subtract_hermitian(A, X, R); });
}

template <class T>
task_plan task_calls<T>::plan_lu(index_t m, index_t n, const lu_options& options) noexcept {
  return backend::panel_tasks<T>::plan_lu(m, n, options);
}

template <class T>
status task_calls<T>::factor_lu(const matrix_view<T>& A, index_t block, index_t* interchanges,
                                const lu_options& options, std::byte* work,
                                std::byte* packed) noexcept {
  return backend::panel_tasks<T>::factor_lu(A, block, interchanges, options, work, packed);
}

template <class T>
void task_calls<T>::eliminate(const matrix_view<T>& panel, index_t block, std::byte* packed,
                              const matrix_view<T>& C) noexcept {
  backend::panel_tasks<T>::eliminate(panel, block, packed, C);
}

template <class T>
void task_calls<T>::interchange(const matrix_view<T>& C, const index_t* interchanges, index_t from,
                                index_t to, std::byte* memory) noexcept {
  backend::panel_tasks<T>::interchange(C, interchanges, from, to, memory);
}

template <class T>
task_plan task_calls<T>::plan_cholesky(index_t n, const cholesky_options& options) noexcept {
  return backend::panel_tasks<T>::plan_cholesky(n, options);
}

template <class T>
status task_calls<T>::factor_cholesky(const matrix_view<T>& panel, std::byte* packed) noexcept {
  return backend::panel_tasks<T>::factor_cholesky(panel, packed);
}

template <class T>
void task_calls<T>::subtract(const matrix_view<T>& panel, std::byte* packed,
                             const matrix_view<T>& C) noexcept {
  backend::panel_tasks<T>::subtract(panel, packed, C);
}

template <class T>
index_t batch_calls<T>::lanes_of_type() noexcept {
  return detail::lanes_of_type<T>();
}

template <class T>
void batch_calls<T>::factor_cholesky(const batch_view<T>& A, index_t from, index_t to,
                                     std::int32_t* info, std::byte* memory,
                                     float_model floats) noexcept {
  detail::factor_cholesky_range(A, from, to, info, memory, floats);
}

template <class T>
void batch_calls<T>::factor_lu(const batch_view<T>& A, index_t from, index_t to,
                               std::int32_t* interchanges, std::int32_t* info,
                               std::byte* memory) noexcept {
  detail::factor_lu_range(A, from, to, interchanges, info, memory);
}

template <class T>
void batch_calls<T>::solve(const batch_systems<T>& S, index_t from, index_t to,
                           std::byte* memory) noexcept {
  detail::solve_range(S, from, to, memory);
}

template <class T>
status batch_calls<T>::share(const threads& team, double flops, index_t pieces,
                             void (*piece)(void* work, index_t i), void* work) noexcept {
  return on_backend(team, [&](const auto& backend) {
    status outcome;
    run(backend, outcome, flops, [&](auto& on) {
      on.pieces(nest_step::batch_piece, pieces, [&](index_t i) { piece(work, i); });
    });
    return outcome;
  });
}

template struct calls<TRIFAC_KERNEL_TYPE>;
template struct batch_calls<TRIFAC_KERNEL_TYPE>;
template struct task_calls<TRIFAC_KERNEL_TYPE>;

}  // namespace TRIFAC_LINKED_VERSION
}  // namespace linked
}  // namespace trifac

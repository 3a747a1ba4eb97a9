#pragma once
// The Backend concepts, and the list of block operations with their shapes.
//
// A backend is a small value that selects where a factorization runs. There are five kinds:
//   - Runs trifac's loop nests: `run(backend, outcome, flops, nest)` calls nest(on) with an
//     executor `on` whose members are the block operations below (once, on each thread of a
//     team, or to fill a queue).
//   - Provides whole factorizations: `potrf`, `potrs`, `getrf`, `getrs`, found by
//     argument-dependent lookup.
//   - A device with its own memory (device/launcher.hpp): runs trifac's loop nests on views of
//     that memory.
//   - Factorizations as tasks of a runtime system (backend/starpu.hpp).
//   - Passes each call to another backend (backend/automatic.hpp).

#include <concepts>
#include <limits>
#include <span>
#include <string_view>

#include "trifac/engine/base/variant.hpp"
#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"

namespace trifac {

/// Whether a backend can run on this machine; otherwise the reason.
struct [[nodiscard]] availability {
  bool ok = false;
  std::string_view reason = "";
  constexpr explicit operator bool() const { return ok; }
};

/// A policy: name, availability and supported variants.
template <class B>
concept Backend = std::copyable<B> && requires(const B& b) {
  { B::name } -> std::convertible_to<std::string_view>;
  { b.available() }
  noexcept->std::same_as<availability>;
  { supports(b, variant::best) } -> std::same_as<bool>;
};

/// A backend that provides whole factorizations.
template <class B, class T>
concept LibraryBackend = Backend<B> &&
    requires(const B& b, matrix_view<const T> S, matrix_view<T> A, std::span<index_t> p) {
  { potrf(b, S, A) } -> std::same_as<status>;
  { getrf(b, A, p) } -> std::same_as<status>;
};

/// A backend whose devices have their own memory. Its members `cholesky`, `lu`,
/// `solve_with_cholesky`, `invert_lu` and others (device/policy.hpp) copy checked arguments from
/// host memory to the device, run the loop nests on views of the copies, and copy results back.
template <class B>
concept DeviceBackend = Backend<B> && requires {
  typename B::runtime;
};

/// A backend whose factorizations are tasks of a runtime system. Its members `start_cholesky` and
/// `start_lu` take checked arguments like `cholesky` and `lu` of a DeviceBackend and return a
/// factorization in flight; everything else runs on on_host().
template <class B>
concept TaskBackend = Backend<B> && requires(const B& b) {
  { b.on_host() } -> Backend;
};

/// A backend that passes each call to another one, chosen by order and type
/// (backend/automatic.hpp).
template <class B>
concept ChoosingBackend = Backend<B> && requires {
  B::chooses;
};

/// A backend that runs trifac's loop nests on host memory: serial, threads, openmp, user-defined
/// ones with run(), and task backends, whose run() is serial's.
template <class B, class T>
concept NestBackend =
    Backend<B> && !LibraryBackend<B, T> && !DeviceBackend<B> && !ChoosingBackend<B>;

/// A backend that supports the calls after a factorization, such as inverse(): one that runs
/// trifac's loop nests, or a device.
template <class B, class T>
concept FactorBackend = NestBackend<B, T> || DeviceBackend<B>;

/// A backend whose executor also shares the steps of packed panels (panel/packed_cholesky.hpp,
/// panel/packed_lu.hpp), the fastest on CPUs: it has the members `once`, `pieces`, `ranges`,
/// `record`, `fallback_flag`, `single_threaded`, `threads` and `is_team` of cpu_executor. Other
/// backends run cholesky(), lu() and solve() on the block operations below. On every NestBackend,
/// the calls after the factorization (inverse(), update(), append(), refine(), …) and pivoted,
/// modified and low-rank Cholesky need `once`, `pieces`, `ranges`, `parts` and `record`, which
/// executors inherit from serial_executor.
template <class B>
concept PackingBackend = Backend<B> && requires {
  requires B::packs_panels;
};

/// A backend on which the calling thread does matrices of one small panel, small solves, and solves
/// of any order with few right-hand sides: `best` and `solve` then call kernels for these,
/// bypassing run() and executor.
template <class B>
concept SmallPathBackend = Backend<B> && requires {
  requires B::has_small_path;
};

/// Properties of a backend that plans (cholesky/plan.hpp, lu/plan.hpp) depend on; default: a CPU.
struct backend_facts {
  bool packs_panels = true;
  bool has_small_path = true;
};
template <class B>
inline constexpr backend_facts facts_of = {.packs_panels = PackingBackend<B>,
                                           .has_small_path = SmallPathBackend<B>};

/// `flops` of run(): the amount of work, from which a backend chooses the number of threads. Two
/// special values: one thread, and exactly the requested number, which variants chosen by name use.
inline constexpr double one_thread = 0;
inline constexpr double threads_as_asked = std::numeric_limits<double>::infinity();

/// The block operations of an executor for element type T. `first` is the row and column of the
/// matrix at which a block starts, for the indices of failures. Operations do nothing once
/// stopped() is true.
///
/// By elements, A and L n×n, one row or column per call (sums: of abs² l_jk, one per row):
///
///   factor_diagonal(A, L, j[, sums])   l_jj = sqrt(a_jj − Σ_{k<j} abs² l_jk), or − sums[j]
///   factor_column(A, L, j[, sums])     l_ij = (a_ij − Σ_{k<j} l_ik conj(l_jk)) / l_jj for i > j;
///                                      sums[i] += abs² l_ij
///   factor_row(A, L, i)                the same for row i, j = 0 … i−1
///
/// By blocks:
///
///   factor_block(A, first)             A b×b: its lower triangle := L with A = L·Lᴴ
///   factor_block_lu(A, first)          A b×b := L\U with A = L·U, no pivoting
///   factor_panel(A, first, p)          A m×b := L\U with P·A = L·U, partial pivoting; p[0 … b−1]
///   swap_rows(A, from, to, p)          A m×n: rows k and p[k] exchanged for k = from … to−1
///                                      (LAPACK: laswp)
///   swap_rows_back(A, from, to, p)     the same undone, for k = to−1, …, from
///   solve_lower(L, B, diagonal)        L n×n, B n×r := L⁻¹·B
///   solve_upper(U, B, diagonal)        U n×n, B n×r := U⁻¹·B
///   solve_right_upper(U, B)            U n×n, B m×n := B·U⁻¹
///   update(C, A, B)                    C m×n := C − A·B, with A m×k and B k×n
///   update_lower(C, A)                 lower triangle of C n×n := C − A·Aᴴ, with A n×k
///   copy(A, B)                         B := A
///
/// For tournaments, and for decisions that depend on computed data:
///
///   local_lu(round)                    see tournament_round (blas/tournament_round.hpp)
///   interchanges_from_candidates(rows, first, p, places)  p := the interchanges that bring the
///                                      panel's `rows` to the rows first, first + 1, …
///   check_growth(A11, A21, limit)      A11 = L11\U11, A21 = L21: requests a fallback if max abs
///                                      l_ij, i > j, exceeds the limit or a pivot is bad
///   fallback(nest)                     runs nest(on) if a fallback was requested
///   sequential(nest)                   runs nest(on) single-threaded
template <class On, class T>
concept Executor = requires(On& on, matrix_view<T> A, operand<T> B, index_t k,
                            std::span<index_t> p) {
  { on.stopped() } -> std::same_as<bool>;
  on.factor_block(A, k);
  on.factor_block_lu(A, k);
  on.factor_panel(A, k, p);
  on.swap_rows(A, k, k, p);
  on.swap_rows_back(A, k, k, p);
  on.solve_lower(B, A, diagonal::unit);
  on.solve_upper(B, A, diagonal::non_unit);
  on.solve_right_upper(B, A);
  on.update(A, B, B);
  on.update_lower(A, A);
};

}  // namespace trifac

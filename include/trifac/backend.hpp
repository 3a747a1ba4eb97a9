#pragma once
// What a backend is: the concept, the list of verbs with their shapes, and the small types that
// backends share.
//
// A backend is a small value that says where a factorization runs. There are three sorts:
//   - One that runs our loop nests: `run(backend, outcome, flops, nest)` calls nest(on) with an
//     executor `on` whose members are the verbs below (once, or on each thread of a team, or to fill
//     a queue).
//   - One that brings whole factorizations: `potrf`, `potrs`, `getrf`, `getrs`, found by
//     argument-dependent lookup.
//   - One whose device has its own memory (backend/device/executor.hpp): it runs our loop nests on
//     views of that.

#include <concepts>
#include <limits>
#include <span>
#include <string_view>

#include "trifac/matrix_view.hpp"
#include "trifac/status.hpp"
#include "trifac/variant.hpp"

namespace trifac {

/// Whether a backend can run here, and if not, why not.
struct availability {
  bool ok = false;
  std::string_view reason = "";
  constexpr explicit operator bool() const { return ok; }
};

/// A triangular matrix whose diagonal is stored, or is known to be one.
enum class diagonal { general, unit };

/// A policy: name, availability, and which variants it runs.
template <class B>
concept Backend = std::copyable<B> && requires(const B& b) {
  { B::name } -> std::convertible_to<std::string_view>;
  { b.available() }
  noexcept->std::same_as<availability>;
  { supports(b, variant::best) } -> std::same_as<bool>;
};

/// A backend that brings whole factorizations of its own.
template <class B, class T>
concept LibraryBackend = Backend<B> &&
    requires(const B& b, matrix_view<const T> S, matrix_view<T> A, std::span<index_t> p) {
  { potrf(b, S, A) } -> std::same_as<status>;
  { getrf(b, A, p) } -> std::same_as<status>;
};

/// A backend whose devices have memory of their own. Its members `cholesky`, `lu` and `solve` take
/// checked arguments in the host's memory to the device, run the loop nests on views of it, and
/// bring the result back.
template <class B>
concept DeviceBackend = Backend<B> && requires {
  typename B::runtime;
};

/// A backend that hands each call to another one, which it chooses by order and type
/// (backend/automatic.hpp).
template <class B>
concept ChoosingBackend = Backend<B> && requires {
  B::chooses;
};

/// A backend whose executor also has the steps of the nests on packed panels (cholesky/packed.hpp,
/// lu/packed.hpp), which are the fastest on CPUs. Without them `best` runs the
/// nests on the verbs below. Its `looks_ahead` says whether Cholesky's update_packed factors the next
/// panel while it still reads this one: only then have two panels memory of their own.
template <class B>
concept PackingBackend = Backend<B> && requires {
  requires B::packs_panels;
};

/// A backend on which a matrix of one small panel is the calling thread's work, and so is a solve
/// with a few right-hand sides, of any order: `best` and `solve` then call the kernels for these and
/// neither run() nor an executor.
template <class B>
concept SmallPathBackend = Backend<B> && requires {
  requires B::has_small_path;
};

/// Passed as `flops` to run() for a variant chosen by name: use exactly the threads asked for,
/// however small the work.
inline constexpr double threads_as_asked = std::numeric_limits<double>::infinity();

/// The types in which a tournament keeps what it works on: on the host. Device executors bring
/// their own.
template <class T>
struct host_memory {
  using view = matrix_view<T>;
  using const_view = matrix_view<const T>;
  using indices = std::span<index_t>;
  using const_indices = std::span<const index_t>;
  using scales = std::span<real_t<T>>;
};

/// One round of a tournament over a panel of b columns. Its units·unit candidates are rows of the
/// panel (all of them, in order, where `candidates` is empty); each game is among a run of whole
/// units, and its b winners go to winners[g·b] … winners[g·b + b − 1] in the order of the
/// elimination.
template <class T, class Memory = host_memory<T>>
struct tournament_round {
  typename Memory::const_view panel;
  typename Memory::const_indices candidates;
  typename Memory::indices chosen;
  typename Memory::indices order;  ///< one number for each candidate, the game's own order
  index_t groups = 1;
  index_t units = 0;
  index_t unit = 1;
  typename Memory::view copies;    ///< one row for each candidate: what a game eliminates; the last
                                   ///< game leaves L\U on top
  typename Memory::scales scales;  ///< one number for each candidate; empty for plain selection

  /// Position of the first candidate of game g.
  index_t begin(index_t g) const { return units * g / groups * unit; }
};

/// The verbs of an executor for element type T. `first` is the row and column of the whole matrix
/// at which a block starts: failures are reported with it. Every verb returns without effect once
/// stopped() is true.
///
/// By elements, A and L n×n, one row or column a call (sums: of abs² l_jk, one for each row):
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
///   solve_lower(L, B, diagonal)        L n×n, B n×r := L⁻¹·B
///   solve_upper(U, B, diagonal)        U n×n, B n×r := U⁻¹·B
///   solve_right_upper(U, B)            U n×n, B m×n := B·U⁻¹; columns with u_jj = 0 stay undivided
///   update(C, A, B)                    C m×n := C − A·B, with A m×k and B k×n
///   update_lower(C, A)                 lower triangle of C n×n := C − A·Aᴴ, with A n×k
///   copy(A, B), copy_lower(A, B)       B := A, or its lower triangle only
///
/// For tournaments, and for what depends on computed data:
///
///   local_lu(round)                        see tournament_round
///   interchanges_from_candidates(winners, first, p, places)  p := interchanges that bring the winners to the rows
///                                      first, first + 1, …
///   check_growth(A11, A21, limit)             A11 = L11\U11, A21 = L21: asks for a fallback where max abs
///                                      l_ij, i > j, or a pivot is bad
///   fallback(nest)                     runs nest(on) where a fallback was asked for
///   sequential(nest)                   runs nest(on) on one thread
template <class On, class T>
concept Executor = requires(On& on, matrix_view<T> A, operand<T> B, index_t k,
                            std::span<index_t> p) {
  { on.stopped() } -> std::same_as<bool>;
  on.factor_block(A, k);
  on.factor_block_lu(A, k);
  on.factor_panel(A, k, p);
  on.swap_rows(A, k, k, p);
  on.solve_lower(B, A, diagonal::unit);
  on.solve_upper(B, A, diagonal::general);
  on.solve_right_upper(B, A);
  on.update(A, B, B);
  on.update_lower(A, B);
};

}  // namespace trifac

#pragma once
// From the arguments of a factorization of a batch, and of the solve that follows in the same pass,
// to its matrices: in lanes, on CPUs and devices, or one after another through the calls of one
// matrix. What is factored, cholesky_of_batch or lu_of_batch, is called Work here.

#include "trifac/engine/batch/calls/run_solve.hpp"

namespace trifac {
inline namespace TRIFAC_ABI {
namespace detail {

/// Factors matrices from … to−1, each by the call of one. No exception may leave a piece.
template <Backend B, class Work>
void factor_one_by_one(const B& backend, const Work& work, index_t from, index_t to) {
  for (index_t b = from; b < to; ++b)
    work.info[as_size(b)] =
        info_of(without_exceptions([&] { return work.factor_one(backend, b); }));
}
/// The same and X := A⁻¹·B.
template <Backend B, class Work, class T>
void factor_and_solve_one_by_one(const B& backend, const Work& work, const batch_sides<T>& sides,
                                 index_t from, index_t to) {
  for (index_t b = from; b < to; ++b)
    work.info[as_size(b)] = info_of(without_exceptions([&] {
      sides.copy_to_solutions(b, b + 1);
      return work.factor_and_solve_one(backend, b, sides.X[b]);
    }));
}

/// one(b) of each matrix on a device, whose own failures end the call. No exception leaves it.
template <class Work, class One>
status each_on_device(const Work& work, const One& one) {
  for (index_t b = 0; b < work.A.batch(); ++b) {
    const status s = without_exceptions([&] { return one(b); });
    if (!s.of_the_matrix()) return s;
    work.info[as_size(b)] = info_of(s);
  }
  return {};
}

/// Factors matrices from … to−1 on one thread: in lanes where there are some, else one by one.
template <class Work>
void factor_piece(const Work& work, index_t lanes, index_t from, index_t to, std::byte* memory) {
  if constexpr (LapackScalar<typename Work::value_type>)
    if (lanes > 0) return work.factor_in_lanes(from, to, memory);
  factor_one_by_one(backend::serial{}, work, from, to);
}

/// Factors all matrices; there are some. info is written for each.
template <PackingBackend B, class Work>
status run_factor_batch(const B& backend, const Work& work) {
  using T = typename Work::value_type;
  const index_t rows = work.A.rows(), cols = work.A.cols(), lanes = lanes_for<T>(rows, cols);
  if (is_for_the_team<T>(work.A.batch(), lanes)) {
    factor_one_by_one(backend, work, 0, 1);
    return {};
  }
  const std::size_t slot = lanes > 0 ? slot_bytes<T>(rows, cols, work.columns_of_workspace()) : 0;
  return run_batch<T>(backend, work.A.batch(), max<index_t>(1, lanes), work.flops(), slot,
                      work.options.workspace, [&](index_t from, index_t to, std::byte* memory) {
                        factor_piece(work, lanes, from, to, memory);
                      });
}
template <DeviceBackend B, class Work>
status run_factor_batch(const B& backend, const Work& work) {
  using T = typename Work::value_type;
  if (goes_in_device_lanes(work.A.rows(), work.A.cols()))
    return backend.template on_batches<T>(work.options.tuning, work.options.floats,
                                          [&](auto& batches) { return work.factor_on(batches); });
  return each_on_device(work, [&](index_t b) { return work.factor_one(backend, b); });
}

/// Matrices that are factored and then solved with: whole groups, so many that they fill half of an
/// L1 cache with their right-hand sides.
template <class T>
index_t batch_step(index_t n, index_t sides, index_t lanes) {
  const index_t group = lanes * n * (n + sides) * index_t{sizeof(T)};
  return lanes * max<index_t>(1, half_of_l1_cache / max<index_t>(1, group));
}

/// Factors matrices from … to−1 and solves their systems on one thread; a group of lanes is solved
/// with while it is in the cache.
template <class Work, class T>
void factor_and_solve_piece(const Work& work, const batch_sides<T>& sides, index_t lanes,
                            index_t from, index_t to, std::byte* memory) {
  if constexpr (LapackScalar<T>)
    if (lanes > 0) {
      const index_t step = batch_step<T>(work.A.rows(), sides.X.cols(), lanes);
      const batch_systems<T> S = work.systems(sides.X);
      for (; from < to; from += step) {
        const index_t end = min(to, from + step);
        work.factor_in_lanes(from, end, memory);
        sides.copy_to_solutions(from, end);
        batch_calls<T>::solve(S, from, end, memory);
      }
      return;
    }
  factor_and_solve_one_by_one(backend::serial{}, work, sides, from, to);
}

/// Factors all matrices and solves all systems, one of each matrix.
template <PackingBackend B, class Work, class T>
status run_factor_and_solve_batch(const B& backend, const Work& work, const batch_sides<T>& sides) {
  const index_t n = work.A.rows(), count = work.A.batch(), lanes = lanes_for<T>(n, n);
  const double order = static_cast<double>(n), columns = static_cast<double>(sides.X.cols());
  const double flops = work.flops() + static_cast<double>(count) * 2 * order * order * columns;
  if (is_for_the_team<T>(count, lanes)) {
    factor_and_solve_one_by_one(backend, work, sides, 0, 1);
    return {};
  }
  const std::size_t slot = lanes > 0 ? slot_bytes<T>(n, n, sides.X.cols()) : 0;
  return run_batch<T>(backend, count, max<index_t>(1, lanes), flops, slot, work.options.workspace,
                      [&](index_t from, index_t to, std::byte* memory) {
                        factor_and_solve_piece(work, sides, lanes, from, to, memory);
                      });
}
template <DeviceBackend B, class Work, class T>
status run_factor_and_solve_batch(const B& backend, const Work& work, const batch_sides<T>& sides) {
  if (!goes_in_device_lanes(work.A.rows(), work.A.cols()))
    return each_on_device(work, [&](index_t b) {
      sides.copy_to_solutions(b, b + 1);
      return work.factor_and_solve_one(backend, b, sides.X[b]);
    });
  return backend.template on_batches<T>(work.options.tuning, work.options.floats,
                                        [&](auto& batches) {
                                          sides.copy_to_solutions(0, work.A.batch());
                                          return work.factor_and_solve_on(batches, sides.X);
                                        });
}

/// Parameters where the call names none.
template <class B, class Work>
void tune(const B& backend, Work& work) {
  auto& options = work.options;
  options.tuning = tuned_batch(backend, options.tuning, options.profile, Work::what, work.A);
}

inline constexpr const char* jitter_is_of_cholesky =
    "is of cholesky(), whose factor has the shifts";

/// Of a call that does not take jitter.
template <class Options>
status check_no_jitter(const Options& options, const char* why) {
  if constexpr (requires { options.jitter; })
    if (options.jitter.first != 0) return status::argument("options.jitter", why);
  return {};
}

/// Checks the arguments, then factors. No exception leaves it.
template <BatchBackend B, class Work>
batch_outcome factor_batch(const B& backend, Work& work) noexcept {
  using T = typename Work::value_type;
  const index_t rows = work.A.rows(), cols = work.A.cols();
  tune(backend, work);
  int32_buffer info;
  status s = work.check();
  if (s && DeviceBackend<B>)
    s = check_no_jitter(work.options, "is not supported by backends of devices");
  if (s) s = check_batch_tuning<T>(backend, work.options.tuning, Work::what, rows, cols);
  if (s)
    s = check_batch_workspace<B, T>(work.options.workspace, rows, cols,
                                    work.columns_of_workspace());
  if (s)
    s = without_exceptions([&] {
      if (const status made = work.make_numbers(info); !made) return made;
      return work.A.empty() ? all_succeeded(work.info) : run_factor_batch(backend, work);
    });
  return outcome_of_call(s, std::move(info), work.bad_pivot());
}

/// Factors one matrix, A, and solves all of X with it, where that succeeded.
template <class B, class Work, class T>
status factor_one_and_solve(const B& backend, Work& work, const batch_sides<T>& sides) {
  status s = run_factor_batch(backend, work);
  if (!s || sides.X.empty()) return s;
  const auto f = work.factor(batch_outcome({}, int32_buffer(work.info, 1), work.bad_pivot()));
  if (!f.ok()) return {};
  const auto& options = work.options;
  return run_solve_batch(
      backend, f, sides, operation::none,
      {.workspace = options.workspace, .tuning = options.tuning, .floats = options.floats});
}

inline constexpr misfit_texts misfits_of_matrices = {
    "must have as many matrices as A, unless that is one for all", "must have as many rows as A",
    "overlaps A"};

template <class T>
status check_batch_systems(const batch_view<const T>& A, const batch_sides<T>& sides) {
  if (A.rows() != A.cols()) return status::argument("A", "is not square");
  if (const status s = check_solutions<T>(A, sides, misfits_of_matrices); !s) return s;
  if (const status s = check_right_hand_sides(sides); !s) return s;
  return sides.B && batches_overlap<T>(*sides.B, A) ? status::argument("B", "overlaps A")
                                                    : status();
}

/// Checks the arguments, then factors and solves. No exception leaves it.
template <BatchBackend B, class Work, class T>
batch_outcome factor_and_solve_batch(const B& backend, Work work,
                                     const batch_sides<T>& sides) noexcept {
  const index_t n = work.A.rows();
  tune(backend, work);
  int32_buffer info;
  status s = work.check();
  if (s) s = check_no_jitter(work.options, jitter_is_of_cholesky);
  if (s) s = check_batch_systems<T>(work.A, sides);
  if (s) s = check_systems_tuning<T>(backend, work.options.tuning, Work::what, n);
  if (s) s = check_batch_workspace<B, T>(work.options.workspace, n, n, sides.X.cols());
  if (s)
    s = without_exceptions([&] {
      if (const status made = work.make_numbers(info); !made) return made;
      if (work.A.empty()) return all_succeeded(work.info);
      if (sides.X.empty() || work.A.batch() != sides.X.batch())
        return factor_one_and_solve(backend, work, sides);
      return run_factor_and_solve_batch(backend, work, sides);
    });
  return outcome_of_call(s, std::move(info), work.bad_pivot());
}

}  // namespace detail
}  // namespace TRIFAC_ABI
}  // namespace trifac

#pragma once
// Launches of the kernels in kernel/batch_*.hpp on batches in device memory. None waits.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trifac/engine/device/batch_division.hpp"
#include "trifac/engine/device/batch_group_shape.hpp"
#include "trifac/engine/device/batch_operand.hpp"
#include "trifac/engine/device/launcher.hpp"
#include "trifac/engine/kernel/batch_cholesky.hpp"
#include "trifac/engine/kernel/batch_copy.hpp"
#include "trifac/engine/kernel/batch_divide.hpp"
#include "trifac/engine/kernel/batch_factor.hpp"
#include "trifac/engine/kernel/batch_finite.hpp"
#include "trifac/engine/kernel/batch_group_cholesky.hpp"
#include "trifac/engine/kernel/batch_group_lu.hpp"
#include "trifac/engine/kernel/batch_group_solve.hpp"
#include "trifac/engine/kernel/batch_lanes.hpp"
#include "trifac/engine/kernel/batch_lu.hpp"
#include "trifac/engine/kernel/batch_lu_registers.hpp"
#include "trifac/engine/kernel/batch_place.hpp"
#include "trifac/engine/kernel/batch_search.hpp"
#include "trifac/engine/kernel/batch_solve.hpp"
#include "trifac/engine/lu/options.hpp"
#include "trifac/engine/simd/isa/isa.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// The calls on batches of T. There are no status words: each matrix has its own info, and launches
/// are independent.
template <class Runtime, class T>
class batch_launches {
 public:
  using handle = typename Runtime::handle;
  using operand = batch_operand<handle>;

  batch_launches(session<Runtime>& s, const device_settings& settings, const batch_tuning& tuning)
      : session_(s),
        has_vectors_(Runtime::has_vectors && wants_vectors(s.runtime.facts(), settings)),
        floats_(settings.floats),
        tuning_(tuning) {
    if (std::is_same_v<real_t<T>, double> && !s.runtime.facts().has_double)
      throw backend_error(std::string(Runtime::name) + ": " + s.runtime.facts().name +
                          " has no double");
  }

  bool in_groups() const { return tuning_.kernel == batch_kernel::groups; }
  /// The layout that the kernels require.
  lane_layout layout() const {
    if (in_groups()) return {};
    const batch_shape s = shape_of(1);
    return {s.lanes, s.chunk, s.chunk_as_asked};
  }

  /// A batch in device memory as an operand of these kernels.
  operand of(operand A) const {
    const index_t lanes = layout().lanes;
    A.in_place = lanes == 1 || (!is_complex<T> && A.place.chunk > 1 && A.place.chunk % lanes == 0 &&
                                A.place.chunk <= most_lanes_in_place);
    return A;
  }

  /// A = L·Lᴴ of each matrix, lower triangles; writes info for each. `mirror`: group kernels also
  /// write Lᴴ into the upper triangle.
  void cholesky(const operand& A, bool mirror, handle info) {
    if (!in_groups()) return factor_in_lanes({}, A, info, info, nullptr);
    const index_t n = A.place.rows;
    const auto s = choose_group_shape<T>(facts(), batch_operation::cholesky, n, n, tuning_);
    launch("batch_group_cholesky", {kernel::batch_group_cholesky}, 1, s.definitions(), groups_of(A),
           s.items(), A.memory, A.place, static_cast<int>(mirror), info);
  }
  /// P·A = L·U of each matrix, or A = L·U without interchanges.
  void lu(const operand& A, pivoting choice, handle interchanges, handle info) {
    const index_t m = A.place.rows, n = A.place.cols;
    const bool exchanges = choice == pivoting::partial;
    if (in_groups()) {
      const auto s = choose_group_shape<T>(facts(), batch_operation::lu, m, n, tuning_);
      auto words = s.definitions();
      words.push_back(exchanges ? "EXCHANGES=1" : "EXCHANGES=0");
      launch("batch_group_lu", {kernel::batch_search, kernel::batch_group_lu}, 1, std::move(words),
             groups_of(A), s.items(), A.memory, A.place, interchanges, info);
    } else {
      factor_in_lanes({.factor = batch_solve_how::with::lu, .exchanges = exchanges}, A,
                      interchanges, info, nullptr);
    }
    if (m != n)
      launch_for_each("batch_finite", kernel::batch_finite, A.place.count, A.memory, A.place,
                      static_cast<int>(exchanges), info);
  }
  /// Cholesky or LU, and B := A⁻¹·B for each matrix where that succeeded. With lanes this is one
  /// launch that reads each matrix once.
  void factor_and_solve(const batch_solve_how& how, const operand& A, handle interchanges,
                        handle info, const operand& B) {
    if (!in_groups()) return factor_in_lanes(how, A, interchanges, info, &B);
    if (how.factor == batch_solve_how::with::cholesky)
      cholesky(A, how.mirrored, info);
    else
      lu(A, how.exchanges ? pivoting::partial : pivoting::none, interchanges, info);
    solve(how, A, interchanges, info, B);
  }
  /// B := A⁻¹·B for each matrix whose info is 0; with conj(A) if how.conjugated.
  void solve(const batch_solve_how& how, const operand& A, handle interchanges, handle info,
             const operand& B) {
    const index_t n = A.place.rows;
    const std::string kind = kind_of(how);
    if (in_groups()) {
      const int systems = tuning_.systems > 0 ? tuning_.systems : default_systems();
      const index_t sides = std::min<index_t>(B.place.cols, 4);  // 3 use the kernel for 4
      launch("batch_group_solve", {kernel::batch_group_solve}, 1,
             {kind, "SYSTEMS=" + std::to_string(systems), "ROWS=" + std::to_string((n + 31) / 32),
              sides == 1 ? "SIDES=1" : "SIDES=4"},
             {parts_of(B.place.count, systems)}, {32, static_cast<std::size_t>(systems)}, A.memory,
             A.place, B.memory, B.place, static_cast<int>(how.conjugated),
             static_cast<int>(how.exchanges), static_cast<int>(how.one_factor),
             static_cast<int>(how.mirrored), interchanges, info);
      return;
    }
    // One program for all orders saves the compilation of one for each.
    const batch_shape s = shape_of(n);
    const bool factors_in_place = A.in_place && !(how.one_factor && s.lanes > 1);
    const auto d = divide(B.place.count, n, n + B.place.cols, s,
                          factors_in_place && B.in_place && how.all_good);
    auto words = s.definitions();
    words.push_back(kind);
    launch("batch_solve", {kernel::batch_lanes, kernel::batch_solve}, s.lanes, std::move(words),
           d.groups, d.items, A.memory, A.place, B.memory, B.place, d.work.get(), d.step, d.ld,
           static_cast<int>(factors_in_place), static_cast<int>(B.in_place), d.each,
           static_cast<int>(how.conjugated), static_cast<int>(how.exchanges),
           static_cast<int>(how.one_factor), interchanges, info);
  }
  /// to := from; a `from` with a single matrix is copied to all.
  void copy(const operand& from, const operand& to) {
    launch_for_each("batch_copy", kernel::batch_copy, to.place.count, from.memory, from.place,
                    to.memory, to.place);
  }

 private:
  /// Factors as `how` specifies; B: right-hand sides to solve for as well, or null.
  void factor_in_lanes(const batch_solve_how& how, const operand& A, handle interchanges,
                       handle info, const operand* B) {
    const bool is_lu = how.factor == batch_solve_how::with::lu;
    const index_t m = A.place.rows, n = A.place.cols;
    const batch_shape s = shape_of(std::max(m, n), m == n ? n : 0, !is_lu);
    // Systems of singular matrices are solved in the work memory.
    const auto d = divide(A.place.count, m, B ? n + B->place.cols : n, s, !B && A.in_place);
    auto words = s.definitions();
    std::vector<const char*> texts = {kernel::batch_lanes};
    if (is_lu) {
      words.push_back(how.exchanges ? "EXCHANGES=1" : "EXCHANGES=0");
      texts.insert(texts.end(),
                   {kernel::batch_search, kernel::batch_lu_registers, kernel::batch_lu});
    } else {
      words.push_back("LOOKING=" + std::to_string(s.looking));
      texts.push_back(kernel::batch_cholesky);
    }
    words.push_back(B ? "SOLVES=1" : "SOLVES=0");
    const auto run = [&](const char* name, const auto&... more) {
      texts.push_back(kernel::batch_factor);
      launch(names(name, "batch_factor"), texts, s.lanes, words, d.groups, d.items, A.memory,
             A.place, d.work.get(), d.step, d.ld, static_cast<int>(A.in_place), d.each,
             interchanges, info, more...);
    };
    if (!B) return run(is_lu ? "batch_lu" : "batch_cholesky");
    words.push_back(kind_of(how));
    texts.push_back(kernel::batch_solve);
    run(is_lu ? "batch_lu_solve" : "batch_cholesky_solve", B->memory, B->place,
        static_cast<int>(B->in_place), static_cast<int>(how.conjugated),
        static_cast<int>(how.exchanges));
  }
  static std::string kind_of(const batch_solve_how& how) {
    return "KIND=" + std::to_string(static_cast<int>(how.factor));
  }
  batch_shape shape_of(index_t side, index_t order = 0, bool is_cholesky = false) const {
    return choose_batch_shape<T>(facts(), has_vectors_, side, order, tuning_, is_cholesky);
  }
  /// Proc. IEEE 2018 saw no gain beyond four.
  int default_systems() const {
    return static_cast<int>(std::clamp<std::size_t>(facts().most_items / 32, 1, 4));
  }

  batch_division<Runtime> divide(index_t batch, index_t rows, index_t cols, const batch_shape& s,
                                 bool in_place) {
    return divide_batch<T>(session_, has_vectors_, batch, rows, cols, s, in_place);
  }
  static extent groups_of(const operand& A) { return {static_cast<std::size_t>(A.place.count)}; }
  /// Launches a kernel with one work-item per matrix.
  template <class... Arguments>
  void launch_for_each(const char* name, const char* text, index_t count,
                       const Arguments&... arguments) {
    const index_t items = std::min<index_t>(static_cast<index_t>(facts().most_items), 32);
    launch(name, {text}, 1, {}, {parts_of(count, items)}, {static_cast<std::size_t>(items)},
           arguments...);
  }
  /// A program name, for messages, and the kernel's name.
  struct names {
    const char *program, *kernel;
    names(const char* both) : program(both), kernel(both) {}
    names(const char* of_program, const char* of_kernel) : program(of_program), kernel(of_kernel) {}
  };
  /// Launches the kernel of that name. Each choice of parameters has its own program: drivers
  /// compile all kernels of a program, and a call needs one.
  template <class... Arguments>
  void launch(const names& name, std::vector<const char*> texts, index_t lanes,
              std::vector<std::string> parameters, extent groups, extent items,
              const Arguments&... arguments) {
    program_source source{
        name.program,
        {kernel::BATCH_text, kernel::arithmetic, kernel::batch_place, kernel::batch_divide},
        launcher<Runtime, T>::definitions(static_cast<int>(lanes))};
    source.texts.insert(source.texts.end(), texts.begin(), texts.end());
    source.definitions.push_back("PIVOTS_TOGETHER=" + std::to_string(simd::most_lanes));
    for (std::string& word : parameters) source.definitions.push_back(std::move(word));
    if (floats_ == float_model::fast) source.definitions.push_back(program_source::fast);
    auto& runtime = session_.runtime;
    runtime.launch(runtime.load(source), name.kernel, groups, items, arguments...);
  }
  const device_facts& facts() const { return session_.runtime.facts(); }

  session<Runtime>& session_;
  bool has_vectors_;
  float_model floats_;
  batch_tuning tuning_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

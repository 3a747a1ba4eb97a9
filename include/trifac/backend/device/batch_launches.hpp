#pragma once
// Launches of the kernels in kernel/batch_*.hpp on batches in a device's memory. None waits.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trifac/backend/device/batch_group_shape.hpp"
#include "trifac/backend/device/batch_shape.hpp"
#include "trifac/backend/device/launcher.hpp"
#include "trifac/kernel/batch_cholesky.hpp"
#include "trifac/kernel/batch_copy.hpp"
#include "trifac/kernel/batch_divide.hpp"
#include "trifac/kernel/batch_finite.hpp"
#include "trifac/kernel/batch_group_cholesky.hpp"
#include "trifac/kernel/batch_group_lu.hpp"
#include "trifac/kernel/batch_group_solve.hpp"
#include "trifac/kernel/batch_lanes.hpp"
#include "trifac/kernel/batch_lu.hpp"
#include "trifac/kernel/batch_lu_registers.hpp"
#include "trifac/kernel/batch_place.hpp"
#include "trifac/kernel/batch_search.hpp"
#include "trifac/kernel/batch_solve.hpp"
#include "trifac/simd/isa/isa.hpp"

namespace trifac::device {
inline namespace TRIFAC_ABI {

/// A batch as kernels are given it.
template <class Handle>
struct batch_operand {
  Handle memory{};
  kernel::BATCH place{};
  bool in_place = false;  ///< kernels can work on whole groups of lanes where they lie

  index_t rows() const { return place.rows; }
  batch_operand transposed() const {
    batch_operand turned = *this;
    std::swap(turned.place.rows, turned.place.cols);
    std::swap(turned.place.rs, turned.place.cs);
    return turned;
  }
};

/// How a solve is done.
struct batch_solve_how {
  /// As KIND of kernel/batch_solve.hpp; triangles have kernels of lanes only.
  enum class with { cholesky, lu, lu_transposed, lower, upper, unit_lower, unit_upper };

  with factor = with::cholesky;
  bool conjugated = false;
  bool exchanges = false;   ///< of LU
  bool one_factor = false;  ///< matrix 0 for all right-hand sides
  bool mirrored = false;    ///< Lᴴ is in the other triangle, too
  bool all_good = false;    ///< every info is known to be 0
};

/// The calls on batches of T. There are no status words: each matrix has info of its own, and no
/// launch depends on another.
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
  /// How the kernels want matrices to lie.
  lane_layout layout() const {
    if (in_groups()) return {};
    const batch_shape s = shape_of(-1);
    return {s.lanes, s.chunk, s.chunk_as_asked};
  }

  /// A batch of device memory as these kernels take it.
  operand of(operand A) const {
    const index_t lanes = layout().lanes;
    A.in_place = lanes == 1 || (!is_complex<T> && A.place.chunk > 1 && A.place.chunk % lanes == 0 &&
                                A.place.chunk <= most_lanes_in_place);
    return A;
  }

  /// A = L·Lᴴ of each matrix, lower triangles; info is written for each. `mirror`: a group writes
  /// Lᴴ into the upper triangle.
  void cholesky(const operand& A, bool mirror, handle info) {
    const index_t n = A.place.rows;
    if (in_groups()) {
      const auto s = choose_group_shape<T>(facts(), batch_operation::cholesky, n, n, tuning_);
      launch("batch_group_cholesky", {kernel::batch_group_cholesky}, 1, s.definitions(),
             groups_of(A), s.items(), A.memory, A.place, static_cast<int>(mirror), info);
      return;
    }
    const batch_shape s = shape_of(n, true);
    const division d = divide(A.place.count, n, n, s, A.in_place);
    auto words = s.definitions();
    words.push_back("LOOKING=" + std::to_string(static_cast<int>(s.looking)));
    launch("batch_cholesky", {kernel::batch_lanes, kernel::batch_cholesky}, s.lanes,
           std::move(words), d.groups, d.items, A.memory, A.place, d.work.get(), d.step, d.ld,
           d.in_place, d.each, info);
  }
  /// P·A = L·U of each matrix, or A = L·U without exchanges.
  void lu(const operand& A, bool exchanges, handle interchanges, handle info) {
    const index_t m = A.place.rows, n = A.place.cols;
    const char* const which = exchanges ? "EXCHANGES=1" : "EXCHANGES=0";
    if (in_groups()) {
      const auto s = choose_group_shape<T>(facts(), batch_operation::lu, m, n, tuning_);
      auto words = s.definitions();
      words.push_back(which);
      launch("batch_group_lu", {kernel::batch_search, kernel::batch_group_lu}, 1, std::move(words),
             groups_of(A), s.items(), A.memory, A.place, interchanges, info);
    } else {
      const batch_shape s = shape_of(m == n ? n : -std::max(m, n));
      const division d = divide(A.place.count, m, n, s, A.in_place);
      auto words = s.definitions();
      words.push_back(which);
      launch(
          "batch_lu",
          {kernel::batch_lanes, kernel::batch_search, kernel::batch_lu_registers, kernel::batch_lu},
          s.lanes, std::move(words), d.groups, d.items, A.memory, A.place, d.work.get(), d.step,
          d.ld, d.in_place, d.each, interchanges, info);
    }
    if (m != n)
      launch_for_each("batch_finite", kernel::batch_finite, A.place.count, A.memory, A.place,
                      static_cast<int>(exchanges), info);
  }
  /// B := A⁻¹·B of each matrix whose info is 0, with conj(A) where asked for.
  void solve(const batch_solve_how& how, const operand& A, handle interchanges, handle info,
             const operand& B) {
    const index_t n = A.place.rows;
    const std::string kind = "KIND=" + std::to_string(static_cast<int>(how.factor));
    if (in_groups()) {
      const int systems = tuning_.systems > 0 ? tuning_.systems : default_systems();
      const index_t sides = std::min<index_t>(B.place.cols, 4);  // 3 have room for a fourth
      launch("batch_group_solve", {kernel::batch_group_solve}, 1,
             {kind, "SYSTEMS=" + std::to_string(systems), "ROWS=" + std::to_string((n + 31) / 32),
              sides == 1 ? "SIDES=1" : "SIDES=4"},
             {parts_of(B.place.count, systems)}, {32, static_cast<std::size_t>(systems)}, A.memory,
             A.place, B.memory, B.place, static_cast<int>(how.conjugated),
             static_cast<int>(how.exchanges), static_cast<int>(how.one_factor),
             static_cast<int>(how.mirrored), interchanges, info);
      return;
    }
    const batch_shape s = shape_of(-n);  // one program for all orders: 0.5 s saved for each
    const bool factors_in_place = A.in_place && !(how.one_factor && s.lanes > 1);
    const division d = divide(B.place.count, n, n + B.place.cols, s,
                              factors_in_place && B.in_place && how.all_good);
    auto words = s.definitions();
    words.push_back(kind);
    launch("batch_solve", {kernel::batch_lanes, kernel::batch_solve}, s.lanes, std::move(words),
           d.groups, d.items, A.memory, A.place, B.memory, B.place, d.work.get(), d.step, d.ld,
           static_cast<int>(factors_in_place), static_cast<int>(B.in_place), d.each,
           static_cast<int>(how.conjugated), static_cast<int>(how.exchanges),
           static_cast<int>(how.one_factor), interchanges, info);
  }
  /// to := from, whose first matrix serves all where it has no other.
  void copy(const operand& from, const operand& to) {
    launch_for_each("batch_copy", kernel::batch_copy, to.place.count, from.memory, from.place,
                    to.memory, to.place);
  }

 private:
  using scratch = typename session<Runtime>::scratch;

  /// How groups of lanes are divided among items: `each` to one. `step` REALs of work are an
  /// item's, in columns of ld rows.
  struct division {
    extent groups, items;
    index_t each = 1, ld = 0, step = 0;
    int in_place = 0;
    scratch work;
  };

  batch_shape shape_of(index_t order, bool is_cholesky = false) const {
    return choose_batch_shape<T>(facts(), has_vectors_, order, tuning_, is_cholesky);
  }
  /// The source saw no gain beyond four.
  int default_systems() const {
    return static_cast<int>(std::clamp<std::size_t>(facts().most_items / 32, 1, 4));
  }

  /// On CPUs an item has a part of the batch, elsewhere one matrix. cols: of the memory in which a
  /// group is packed.
  division divide(index_t batch, index_t rows, index_t cols, const batch_shape& s, bool in_place) {
    division d;
    d.in_place = in_place;
    const index_t groups = (batch + s.lanes - 1) / s.lanes;
    if (!has_vectors_) {
      const index_t local = std::min<index_t>(32, static_cast<index_t>(facts().most_items));
      d.items.x = static_cast<std::size_t>(local);
      d.groups.x = parts_of(groups, static_cast<index_t>(d.items.x));
      d.work = session_.borrow(sizeof(T));
      return d;
    }
    constexpr index_t set =
        4096;  // bytes: elements of a row at multiples of it share a set of the cache
    const index_t packet = s.lanes * static_cast<index_t>(sizeof(T));
    d.ld = rows * packet % set == 0 ? rows + 1 : rows;
    const index_t bytes = d.ld * cols * packet;
    index_t items = std::min<index_t>(groups, 32);
    if (!in_place)
      items = std::clamp<index_t>((index_t{64} << 20) / bytes,
                                  std::min<index_t>(facts().units, items), items);
    // Only the last group is packed where the others are worked on in place.
    const bool packs = !in_place || batch % s.lanes != 0;
    d.step = in_place ? 0 : bytes / static_cast<index_t>(sizeof(real_t<T>));
    d.each = (groups + items - 1) / items;
    d.groups.x = parts_of(groups, d.each);
    const index_t packed = !packs ? 0 : in_place ? 1 : static_cast<index_t>(d.groups.x);
    d.work = session_.borrow(std::max(static_cast<std::uint64_t>(bytes * packed), sizeof(T)));
    return d;
  }

  static extent groups_of(const operand& A) { return {static_cast<std::size_t>(A.place.count)}; }
  /// A kernel with an item for each matrix.
  template <class... Arguments>
  void launch_for_each(const char* name, const char* text, index_t count,
                       const Arguments&... arguments) {
    const index_t items = std::min<index_t>(static_cast<index_t>(facts().most_items), 32);
    launch(name, {text}, 1, {}, {parts_of(count, items)}, {static_cast<std::size_t>(items)},
           arguments...);
  }
  /// The kernel of that name, in a program of its own for each choice of parameters: drivers
  /// compile all that is in a program, and a call wants one kernel.
  template <class... Arguments>
  void launch(const char* name, std::vector<const char*> texts, index_t lanes,
              std::vector<std::string> parameters, extent groups, extent items,
              const Arguments&... arguments) {
    program_source source{
        name,
        {kernel::BATCH_text, kernel::arithmetic, kernel::batch_place, kernel::batch_divide},
        launcher<Runtime, T>::definitions(static_cast<int>(lanes))};
    source.texts.insert(source.texts.end(), texts.begin(), texts.end());
    source.definitions.push_back("PIVOTS_TOGETHER=" + std::to_string(simd::most_lanes));
    for (std::string& word : parameters) source.definitions.push_back(std::move(word));
    if (floats_ == float_model::fast) source.definitions.push_back(program_source::fast);
    auto& runtime = session_.runtime;
    runtime.launch(runtime.load(source), name, groups, items, arguments...);
  }
  const device_facts& facts() const { return session_.runtime.facts(); }

  session<Runtime>& session_;
  bool has_vectors_;
  float_model floats_;
  batch_tuning tuning_;
};

}  // namespace TRIFAC_ABI
}  // namespace trifac::device

// Runner of Eigen in a loop over canonical matrices: LLT and PartialPivLU in place, of dynamic size
// or, for some orders, of a size fixed at compile time. Argument: dynamic|fixed.

#include <Eigen/Dense>

#include "batched.hpp"
#include "eigen_version.hpp"

namespace {

using bench::index_t;

template <class T, int n>
using square = Eigen::Matrix<T, n, n>;

/// Calls with_order(std::integral_constant<int, N>) for a compiled order; false where n is none.
template <class WithOrder>
bool with_fixed_order(index_t n, WithOrder with_order) {
  switch (n) {
    case 4:
      return with_order(std::integral_constant<int, 4>()), true;
    case 8:
      return with_order(std::integral_constant<int, 8>()), true;
    case 12:
      return with_order(std::integral_constant<int, 12>()), true;
    case 16:
      return with_order(std::integral_constant<int, 16>()), true;
    case 32:
      return with_order(std::integral_constant<int, 32>()), true;
    default:
      return false;
  }
}

struct eigen_loop {
  bool fixed = false;

  template <class T>
  std::string can(bool, index_t n) const {
    return fixed && !with_fixed_order(n, [](auto) {})
               ? "its fixed sizes are compiled for orders 4, 8, 12, 16, 32"
               : "";
  }

  template <class T>
  class batch : public bench::canonical_batch<T> {
   public:
    batch(const eigen_loop& library, bool lu, index_t n, index_t count)
        : bench::canonical_batch<T>(n, count),
          fixed_(library.fixed),
          lu_(lu),
          n_(n),
          count_(count),
          rows_(static_cast<std::size_t>(count), exchanges(n)) {}

    index_t factor() {
      return loop([this]<int order>(index_t k) { return factor_one<order>(k); });
    }
    index_t solve() {
      return loop([this]<int order>(index_t k) { return solve_one<order>(k); });
    }
    index_t both() {
      return loop(
          [this]<int order>(index_t k) { return factor_one<order>(k) && solve_one<order>(k); });
    }
    index_t interchange(index_t k, index_t i) const {
      return rows_[static_cast<std::size_t>(k)].indices()[i];
    }

   private:
    using exchanges = Eigen::Transpositions<Eigen::Dynamic, Eigen::Dynamic, Eigen::Index>;

    template <class One>
    index_t loop(One one) {
      index_t failed = 0;
      const auto all = [&]<int order>() {
        for (index_t k = 0; k < count_; ++k) failed += !one.template operator()<order>(k);
      };
      if (!fixed_)
        all.template operator()<Eigen::Dynamic>();
      else
        with_fixed_order(n_,
                         [&](auto order) { all.template operator()<decltype(order)::value>(); });
      return failed;
    }
    template <int order>
    bool factor_one(index_t k) {
      Eigen::Map<square<T, order>> A(this->at(k), n_, n_);
      if (!lu_)
        return Eigen::LLT<Eigen::Ref<square<T, order>>, Eigen::Lower>(A).info() == Eigen::Success;
      Eigen::Ref<square<T, order>> R(A);
      Eigen::Index count = 0;
      Eigen::internal::partial_lu_inplace(R, rows_[static_cast<std::size_t>(k)], count);
      return true;
    }
    /// As the classes solve.
    template <int order>
    bool solve_one(index_t k) {
      const Eigen::Map<const square<T, order>> A(this->at(k), n_, n_);
      Eigen::Map<Eigen::Matrix<T, order, 1>> b(this->side(k), n_);
      if (lu_) {
        b = rows_[static_cast<std::size_t>(k)] * b;
        A.template triangularView<Eigen::UnitLower>().solveInPlace(b);
        A.template triangularView<Eigen::Upper>().solveInPlace(b);
      } else {
        A.template triangularView<Eigen::Lower>().solveInPlace(b);
        A.template triangularView<Eigen::Lower>().adjoint().solveInPlace(b);
      }
      return true;
    }

    bool fixed_, lu_;
    index_t n_, count_;
    std::vector<exchanges> rows_;
  };
};

}  // namespace

int main(int argc, char** argv) {
  eigen_loop library{argc > 1 && std::string(argv[1]) == "fixed"};
  bench::introduce(
      {{"core", Eigen::SimdInstructionSetsInUse()},
       {"config", "Eigen " + bench::eigen_version() + (library.fixed ? ", fixed" : ", dynamic")}});
  bench::serve_batches(library);
}

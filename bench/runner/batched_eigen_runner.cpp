// Runner of Eigen in a loop over canonical matrices: LLT and PartialPivLU in place, of dynamic size
// or, for some orders, of a size fixed at compile time. Argument: dynamic|fixed.

#include <Eigen/Dense>

#include "batched.hpp"

namespace {

using bench::index_t;

template <class T, int n>
using square = Eigen::Matrix<T, n, n>;
using transpositions = Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1>;

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
  class batch : public bench::canonical_loop<T, transpositions> {
   public:
    batch(const eigen_loop& library, bool lu, index_t n, index_t count)
        : bench::canonical_loop<T, transpositions>(n, count, transpositions(n)),
          fixed_(library.fixed),
          lu_(lu),
          n_(n) {}

    index_t factor() {
      if (!fixed_) return factor_as<Eigen::Dynamic>();
      index_t failed = 0;
      with_fixed_order(n_, [&](auto order) { failed = factor_as<decltype(order)::value>(); });
      return failed;
    }
    index_t interchange(index_t k, index_t i) const { return this->rows(k)[i]; }

   private:
    template <int order>
    index_t factor_as() {
      return this->each([&](T* elements, transpositions& rows) {
        Eigen::Map<square<T, order>> A(elements, n_, n_);
        Eigen::Ref<square<T, order>> R(A);
        if (!lu_)
          return Eigen::LLT<Eigen::Ref<square<T, order>>, Eigen::Lower>(R).info() == Eigen::Success;
        Eigen::Index exchanges = 0;
        Eigen::internal::partial_lu_inplace(R, rows, exchanges);
        return true;
      });
    }

    bool fixed_, lu_;
    index_t n_;
  };
};

}  // namespace

int main(int argc, char** argv) {
  eigen_loop library{argc > 1 && std::string(argv[1]) == "fixed"};
  const std::string version = std::to_string(EIGEN_WORLD_VERSION) + '.' +
                              std::to_string(EIGEN_MAJOR_VERSION) + '.' +
                              std::to_string(EIGEN_MINOR_VERSION);
  bench::introduce({{"core", Eigen::SimdInstructionSetsInUse()},
                    {"config", "Eigen " + version + (library.fixed ? ", fixed" : ", dynamic")}});
  bench::serve_batches(library);
}

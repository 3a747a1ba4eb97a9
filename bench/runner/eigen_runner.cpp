// Runner of Eigen: LLT and PartialPivLU in place, compiled with the flags of its caller. Its LLT
// has one thread; its LU has those of OpenMP where this is compiled with it.

#include <Eigen/Dense>

#include "eigen_version.hpp"
#include "protocol.hpp"

namespace {

class eigen_library {
 public:
  using interchanges = Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1>;

  template <class T>
  bool has_cholesky() const {
    return true;
  }
  template <class T>
  bool has_lu() const {
    return true;
  }

  template <class T>
  bool cholesky(trifac::triangle part, trifac::index_t n, T* a, trifac::index_t ld) {
    view<T> A(a, n, n, Eigen::OuterStride<>(ld));
    if (part == trifac::triangle::lower)
      return Eigen::LLT<Eigen::Ref<dense<T>>, Eigen::Lower>(A).info() == Eigen::Success;
    return Eigen::LLT<Eigen::Ref<dense<T>>, Eigen::Upper>(A).info() == Eigen::Success;
  }
  /// What PartialPivLU's constructor does, without the permutation and the norm of A that it
  /// computes besides.
  template <class T>
  bool lu(trifac::index_t n, T* a, trifac::index_t ld, interchanges& rows) {
    view<T> A(a, n, n, Eigen::OuterStride<>(ld));
    Eigen::Ref<dense<T>> reference(A);
    Eigen::Index count = 0;
    Eigen::internal::partial_lu_inplace(reference, rows, count);
    return true;
  }
  trifac::index_t interchange(const interchanges& rows, trifac::index_t k) const { return rows[k]; }

 private:
  template <class T>
  using dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  template <class T>
  using view = Eigen::Map<dense<T>, 0, Eigen::OuterStride<>>;
};

}  // namespace

int main() {
  eigen_library library;
  bench::introduce(
      {{"core", Eigen::SimdInstructionSetsInUse()}, {"config", "Eigen " + bench::eigen_version()}});
  bench::serve(library);
}

// Runner of ViennaCL on its first OpenCL device: lu_factorize(), which has no pivoting. Its blocks
// have 32 columns; panels are factored on the host. The copies to and from the device are timed.

#define VIENNACL_WITH_OPENCL
#include <viennacl/linalg/lu.hpp>
#include <viennacl/matrix.hpp>

#include "protocol.hpp"

namespace {

class viennacl_library {
 public:
  /// None: every row stays.
  struct interchanges {
    explicit interchanges(trifac::index_t) {}
  };
  static constexpr bench::kind input_of_lu = bench::kind::dominant;

  template <class T>
  bool has_cholesky() const {
    return false;
  }
  template <class T>
  bool has_lu() const {
    return std::is_floating_point_v<T>;
  }
  template <class T>
  bool cholesky(trifac::triangle, trifac::index_t, T*, trifac::index_t) {
    return false;
  }
  template <class T>
  bool lu([[maybe_unused]] trifac::index_t n, [[maybe_unused]] T* a,
          [[maybe_unused]] trifac::index_t ld, interchanges&) {
    if constexpr (std::is_floating_point_v<T>) {
      const auto order = static_cast<std::size_t>(n), stride = static_cast<std::size_t>(ld);
      viennacl::matrix<T, viennacl::column_major> A(order, order);
      const std::size_t padded = A.internal_size1();
      std::vector<T> elements(padded * A.internal_size2());
      for (std::size_t j = 0; j < order; ++j)
        std::copy_n(a + j * stride, order, elements.begin() + j * padded);
      viennacl::fast_copy(elements.data(), elements.data() + elements.size(), A);
      viennacl::linalg::lu_factorize(A);
      viennacl::fast_copy(A, elements.data());  // waits
      for (std::size_t j = 0; j < order; ++j)
        std::copy_n(elements.begin() + j * padded, order, a + j * stride);
      return true;
    }
    return false;
  }
  trifac::index_t interchange(const interchanges&, trifac::index_t k) const { return k; }
};

}  // namespace

int main() {
  viennacl_library library;
  try {
    const auto& device = viennacl::ocl::current_device();
    bench::introduce({{"core", device.name()}, {"config", "ViennaCL"}});
  } catch (const std::exception& e) {
    bench::refuse(e.what());
    return 0;
  }
  bench::serve(library);
}

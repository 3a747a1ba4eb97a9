// The calls of trifac/engine/calls/ for one type, TRIFAC_KERNEL_TYPE: what the library
// trifac::kernels consists of.

#include "trifac/batch.hpp"
#include "trifac/engine/simd/linked_kernels.hpp"
#include "trifac/engine/starpu/calls.hpp"
#include "trifac/trifac.hpp"
#include "trifac/variants.hpp"

#if TRIFAC_SIMD
  #define TRIFAC_KERNEL_EXTERN
  #define TRIFAC_KERNEL_TYPES(f) f(TRIFAC_KERNEL_TYPE)
  #include "trifac/engine/simd/kernel_instances.inl"
#endif

namespace trifac {
inline namespace TRIFAC_CALLS {

template struct calls<TRIFAC_KERNEL_TYPE>;
template struct batch_calls<TRIFAC_KERNEL_TYPE>;
template struct task_calls<TRIFAC_KERNEL_TYPE>;
#define TRIFAC_CORE_VARIANT(name, role)
#define TRIFAC_VARIANT(name, role) template struct variant_calls<variant::name, TRIFAC_KERNEL_TYPE>;
#include "trifac/engine/base/variants.inl"

}  // namespace TRIFAC_CALLS
}  // namespace trifac

// The entry points of every instruction set, for the types of TRIFAC_KERNEL_TYPES(f): declared with
// TRIFAC_KERNEL_EXTERN as `extern`, defined where it is empty.

#define TRIFAC_KERNEL_INSTANCES(T)                                                                 \
  TRIFAC_KERNEL_EXTERN template void update(target, matrix_view<T>, const operand<T>&,             \
                                            const operand<T>&, const product_buffer<T>&);          \
  TRIFAC_KERNEL_EXTERN template void update_lower(target, matrix_view<T>, operand<T>, index_t,     \
                                                  const product_buffer<T>&);                       \
  TRIFAC_KERNEL_EXTERN template void substitute_rows<substitution::forward>(                       \
      target, matrix_view<T>, const triangle_of<target, T>&);                                      \
  TRIFAC_KERNEL_EXTERN template void substitute_rows<substitution::backward>(                      \
      target, matrix_view<T>, const triangle_of<target, T>&);                                      \
  TRIFAC_KERNEL_EXTERN template void substitute_few<substitution::forward>(                        \
      target, operand<T>, matrix_view<T>, diagonal);                                               \
  TRIFAC_KERNEL_EXTERN template void substitute_few<substitution::backward>(                       \
      target, operand<T>, matrix_view<T>, diagonal);                                               \
  TRIFAC_KERNEL_EXTERN template void subtract_few_columns(target, matrix_view<T>, operand<T>,      \
                                                          operand<T>);                             \
  TRIFAC_KERNEL_EXTERN template last_reflector reflect_diagonal(                                   \
      target, reflector_block<T>, reflector<T>*, matrix_view<T>, matrix_view<T>, T*);              \
  TRIFAC_KERNEL_EXTERN template void reflect(target, reflector_block<T>, matrix_view<T>,           \
                                             matrix_view<T>);                                      \
  TRIFAC_KERNEL_EXTERN template void substitute_small(target, const small_solve<T>&);              \
  TRIFAC_KERNEL_EXTERN template index_t factor_panel(target, const cholesky_panel<T>&, index_t);   \
  TRIFAC_KERNEL_EXTERN template void solve_rows(target, const cholesky_panel<T>&, index_t,         \
                                                index_t);                                          \
  TRIFAC_KERNEL_EXTERN template void update_trailing(target, const cholesky_panel<T>&,             \
                                                     matrix_view<T>, index_t, index_t, index_t);   \
  TRIFAC_KERNEL_EXTERN template pivot_faults factor_lu_panel(                                      \
      target, const matrix_view<T>&, pivot_choice, index_t*, std::byte*, const lu_step<T>*);       \
  TRIFAC_KERNEL_EXTERN template void eliminate_columns(target, const lu_step<T>&, matrix_view<T>); \
  TRIFAC_KERNEL_EXTERN template void interchange_left_columns(                                     \
      target, matrix_view<T>, index_t, const index_t*, index_t, index_t, index_t, std::byte*);     \
  TRIFAC_KERNEL_EXTERN template void interchange_columns(                                          \
      target, const matrix_view<T>&, const index_t*, index_t, index_t, std::byte*);                \
  TRIFAC_KERNEL_EXTERN template void local_lu_of_rows(target, matrix_view<const T>, pivot_choice,  \
                                                      const index_t*, index_t, index_t*,           \
                                                      matrix_view<T>, std::byte*);                 \
  TRIFAC_KERNEL_EXTERN template bool start_candidate_panel(target, candidate_panel<T>, index_t,    \
                                                           const index_t*, index_t,                \
                                                           matrix_view<const T>, std::byte*);      \
  TRIFAC_KERNEL_EXTERN template real_t<T> solve_candidate_rows(target, const candidate_panel<T>&,  \
                                                               const matrix_view<T>&, index_t,     \
                                                               index_t, const lu_step<T>*);        \
  TRIFAC_KERNEL_EXTERN template void finish_candidate_panel(target, const candidate_panel<T>&,     \
                                                            lu_step<T>);                           \
  TRIFAC_KERNEL_EXTERN template void store_candidate_columns(                                      \
      target, const candidate_panel<T>&, const matrix_view<T>&, index_t, index_t);

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

#define TRIFAC_FOR_ISA(set, is_here)           \
  namespace set {                              \
  TRIFAC_KERNEL_TYPES(TRIFAC_KERNEL_INSTANCES) \
  }
#include "trifac/engine/simd/isa/list.inl"

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#undef TRIFAC_KERNEL_INSTANCES

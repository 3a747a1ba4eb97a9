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
  TRIFAC_KERNEL_EXTERN template index_t factor_panel(target, const cholesky_panel<T>&, index_t);   \
  TRIFAC_KERNEL_EXTERN template void solve_rows(target, const cholesky_panel<T>&, index_t,         \
                                                index_t);                                          \
  TRIFAC_KERNEL_EXTERN template void update_trailing(target, const cholesky_panel<T>&,             \
                                                     matrix_view<T>, index_t, index_t, index_t);   \
  TRIFAC_KERNEL_EXTERN template pivot_faults factor_lu_panel(                                      \
      target, const matrix_view<T>&, index_t*, std::byte*, const lu_step<T>*);                     \
  TRIFAC_KERNEL_EXTERN template void eliminate_columns(target, const lu_step<T>&,                  \
                                                       const matrix_view<T>&, matrix_view<T>);     \
  TRIFAC_KERNEL_EXTERN template void interchange_left_columns(                                     \
      target, matrix_view<T>, index_t, const index_t*, index_t, index_t, index_t, std::byte*);     \
  TRIFAC_KERNEL_EXTERN template void play_game(target, matrix_view<const T>, const index_t*,       \
                                               index_t, index_t*, matrix_view<T>, std::byte*);     \
  TRIFAC_KERNEL_EXTERN template bool start_chosen_panel(target, chosen_panel<T>, index_t,          \
                                                        const index_t*, index_t,                   \
                                                        matrix_view<const T>, std::byte*);         \
  TRIFAC_KERNEL_EXTERN template real_t<T> solve_chosen_rows(                                       \
      target, const chosen_panel<T>&, const matrix_view<T>&, index_t, index_t, const lu_step<T>*); \
  TRIFAC_KERNEL_EXTERN template void finish_chosen_panel(                                          \
      target, const chosen_panel<T>&, const matrix_view<T>&, const lu_step<T>&);                   \
  TRIFAC_KERNEL_EXTERN template void store_chosen_columns(                                         \
      target, const chosen_panel<T>&, const matrix_view<T>&, index_t, index_t);

namespace trifac {
inline namespace TRIFAC_ABI {
namespace simd {

namespace baseline {
TRIFAC_KERNEL_TYPES(TRIFAC_KERNEL_INSTANCES)
}
#if TRIFAC_SIMD_X86
namespace avx2 {
TRIFAC_KERNEL_TYPES(TRIFAC_KERNEL_INSTANCES)
}
namespace avx512 {
TRIFAC_KERNEL_TYPES(TRIFAC_KERNEL_INSTANCES)
}
#endif

}  // namespace simd
}  // namespace TRIFAC_ABI
}  // namespace trifac

#undef TRIFAC_KERNEL_INSTANCES

// Kernels that record which of them was called, on which instruction set, and compute nothing: a
// call of a kernel finds these, which are more constrained than the kernels themselves. Included by
// simd/isa/each.inl.

template <class R>
requires true TRIFAC_ENTRY bool factor_by_scalars(target on, R*, index_t, index_t, index_t) {
  return test::record("scalars", on.set);
}
template <class T>
requires true TRIFAC_ENTRY index_t factor_panel(target on, const cholesky_panel<T>&, index_t) {
  test::record("one panel", on.set);
  return -1;
}

template <class R>
requires true TRIFAC_ENTRY bool factor_few_lu_rows(target on, R*, index_t, index_t, index_t,
                                                   index_t*) {
  return test::record("scalars", on.set);
}
template <class R>
requires true TRIFAC_ENTRY bool factor_lu_in_registers(target on, const matrix_view<R>&, index_t*) {
  return test::record("in registers", on.set);
}
template <class T>
requires true TRIFAC_ENTRY pivot_faults factor_lu_panel(target on, const matrix_view<T>& A,
                                                        pivot_choice, index_t* interchanges,
                                                        std::byte*, const lu_step<T>*) {
  test::record("one panel", on.set);
  const index_t steps = A.rows() < A.cols() ? A.rows() : A.cols();
  for (index_t k = 0; k < steps; ++k) interchanges[k] = k;  // the last pass reads them
  return {};
}

template <class R>
requires true TRIFAC_ENTRY bool solve_few_cholesky(target on, const R*, index_t, index_t, index_t,
                                                   const matrix_view<R>&) {
  return test::record("scalars", on.set);
}
template <class R>
requires true TRIFAC_ENTRY void solve_few_lu(target on, const R*, index_t, index_t, index_t,
                                             const index_t*, operation, const matrix_view<R>&) {
  test::record("scalars", on.set);
}
template <class T>
requires true TRIFAC_ENTRY void substitute_small(target on, const small_solve<T>&) {
  test::record("at once", on.set);
}
template <substitution Order, class T>
requires true TRIFAC_ENTRY void substitute_few(target on, operand<T>, matrix_view<T>, diagonal) {
  test::record("few sides", on.set);
}

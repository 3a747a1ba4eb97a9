#pragma once
// eigen_calls.cpp in each way it is compiled: `count` matrices of order n, by columns, each
// factored and solved with one right-hand side.

extern "C" {
using eigen_calls = void(bool cholesky, long n, int count, const double* A, const double* b,
                         double* x);
eigen_calls eigen_native, eigen_march, eigen_plugin, eigen_solvers;
}

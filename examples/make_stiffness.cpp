// Writes the stiffness matrix of a clamped steel plate in bending, a real symmetric positive
// definite matrix, as a Matrix Market file. Usage: make_stiffness FILE.mtx
//
// Kirchhoff's thin plate, 1.2 m x 1.0 m, 10 mm thick, all edges clamped, in 12 x 10 conforming
// elements of Bogner, Fox and Schmit (1965): products of cubic Hermite polynomials, with w, w_x,
// w_y and w_xy at each node as unknowns. As the mesh is a grid, the matrix of the whole plate is a
// sum of Kronecker products of matrices for a beam along x and one along y:
//   K = D [ B_x (x) M_y + M_x (x) B_y + nu (C_x (x) C_y' + C_x' (x) C_y) + 2 (1 - nu) G_x (x) G_y ]
// where M, G, B and C hold the integrals of f_i f_j, f_i' f_j', f_i'' f_j'' and f_i'' f_j of the
// beam's functions.

#include <array>
#include <cmath>
#include <exception>
#include <iostream>
#include <string>

#include "rounded.hpp"
#include "trifac/io/matrix_market.hpp"

namespace {

using trifac::index_t;
using trifac::matrix;

struct plate {
  double length_x = 1.2, length_y = 1.0, thickness = 0.01;  // metres
  double youngs_modulus = 210e9, poissons_ratio = 0.3;      // steel, in pascal
  index_t elements_x = 12, elements_y = 10;
};

/// The four matrices of a clamped beam: two unknowns, value and slope, at each inner node.
struct beam {
  matrix<double> M, G, B, C;
};

using element = std::array<std::array<double, 4>, 4>;

/// Adds an element's matrix, whose nodes are `left` and left + 1, to A. The clamped ends have no
/// unknowns.
void assemble(matrix<double>& A, index_t left, const element& values) {
  for (index_t i = 0; i < 4; ++i)
    for (index_t j = 0; j < 4; ++j) {
      const index_t row = 2 * (left - 1) + i, col = 2 * (left - 1) + j;
      const bool inside = row >= 0 && col >= 0 && row < A.rows() && col < A.cols();
      if (inside) A(row, col) += values[i][j];
    }
}

beam clamped_beam(double length, index_t elements) {
  const double h = length / static_cast<double>(elements);
  const double m = h / 420, g = 1 / (30 * h), b = 1 / (h * h * h), hh = h * h;
  // Integrals over one element of its functions, in the order value and slope at the left, value
  // and slope at the right.
  const element M{{{156 * m, 22 * h * m, 54 * m, -13 * h * m},
                   {22 * h * m, 4 * hh * m, 13 * h * m, -3 * hh * m},
                   {54 * m, 13 * h * m, 156 * m, -22 * h * m},
                   {-13 * h * m, -3 * hh * m, -22 * h * m, 4 * hh * m}}};
  const element G{{{36 * g, 3 * h * g, -36 * g, 3 * h * g},
                   {3 * h * g, 4 * hh * g, -3 * h * g, -hh * g},
                   {-36 * g, -3 * h * g, 36 * g, -3 * h * g},
                   {3 * h * g, -hh * g, -3 * h * g, 4 * hh * g}}};
  const element B{{{12 * b, 6 * h * b, -12 * b, 6 * h * b},
                   {6 * h * b, 4 * hh * b, -6 * h * b, 2 * hh * b},
                   {-12 * b, -6 * h * b, 12 * b, -6 * h * b},
                   {6 * h * b, 2 * hh * b, -6 * h * b, 4 * hh * b}}};
  // Integration by parts: f_i'' f_j integrates to -f_i' f_j' and the ends, where only a slope times
  // a value is left.
  element C = G;
  for (auto& row : C)
    for (double& x : row) x = -x;
  C[1][0] -= 1;
  C[3][2] += 1;

  const index_t n = 2 * (elements - 1);
  beam all{matrix<double>(n, n), matrix<double>(n, n), matrix<double>(n, n), matrix<double>(n, n)};
  for (index_t left = 0; left < elements; ++left) {
    assemble(all.M, left, M);
    assemble(all.G, left, G);
    assemble(all.B, left, B);
    assemble(all.C, left, C);
  }
  return all;
}

matrix<double> stiffness(const plate& p) {
  const double nu = p.poissons_ratio;
  const double D = p.youngs_modulus * std::pow(p.thickness, 3) / (12 * (1 - nu * nu));
  const beam x = clamped_beam(p.length_x, p.elements_x), y = clamped_beam(p.length_y, p.elements_y);

  const index_t nx = x.M.rows(), ny = y.M.rows();
  matrix<double> K(nx * ny, nx * ny);
  for (index_t jx = 0; jx < nx; ++jx)
    for (index_t jy = 0; jy < ny; ++jy)
      for (index_t ix = 0; ix < nx; ++ix)
        for (index_t iy = 0; iy < ny; ++iy)
          K(ix * ny + iy, jx * ny + jy) =
              D * (x.B(ix, jx) * y.M(iy, jy) + x.M(ix, jx) * y.B(iy, jy) +
                   nu * (x.C(ix, jx) * y.C(jy, iy) + x.C(jx, ix) * y.C(iy, jy)) +
                   2 * (1 - nu) * x.G(ix, jx) * y.G(iy, jy));
  return K;
}

/// Nine digits, so that the file is small and the same on every machine; what is zero but for
/// rounding becomes zero.
void round_entries(matrix<double>& K) {
  const matrix<double> exact = K;
  for (index_t j = 0; j < K.cols(); ++j)
    for (index_t i = 0; i < K.rows(); ++i) {
      const double scale = std::sqrt(exact(i, i) * exact(j, j));
      K(i, j) = std::abs(exact(i, j)) < 1e-12 * scale ? 0 : examples::rounded(exact(i, j), 9);
    }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: make_stiffness FILE.mtx\n";
    return 2;
  }
  auto K = stiffness(plate{});
  round_entries(K);
  trifac::io::write_matrix_market(
      argv[1], K,
      {.layout = trifac::io::layout::coordinate,
       .symmetry = trifac::io::symmetry::symmetric,
       .comment =
           "Stiffness matrix of a clamped steel plate in bending (Kirchhoff), SI units, 9 digits.\n"
           "1.2 m x 1.0 m x 10 mm, E = 210 GPa, nu = 0.3; 12 x 10 elements of Bogner, Fox and "
           "Schmit.\n"
           "Unknowns: w, w_y, w_x, w_xy at the inner nodes. Written by "
           "examples/make_stiffness.cpp."});
  return 0;
} catch (const std::exception& error) {
  std::cerr << "make_stiffness: " << error.what() << '\n';
  return 2;
}

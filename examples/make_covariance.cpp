// Writes the covariance matrix of a smooth field on the Earth observed in 120 capitals, a dense
// symmetric positive definite matrix as Gaussian-process regression (kriging) factors it, as Matrix
// Market text or, for a name that ends in .npy, in NumPy's format. Usage: make_covariance
// CAPITALS.csv FILE.mtx|FILE.npy
//
// Covariance of Matern with smoothness 3/2 over the straight line d through the Earth, in which it
// is positive definite (over the great circle it is not): k(d) = (1 + r) exp(-r), r = sqrt(3) d /
// 3000 km; observations carry noise of variance 0.01, which is added on the diagonal.

#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rounded.hpp"
#include "trifac/io/matrix_market.hpp"
#include "trifac/io/npy.hpp"

namespace {

using trifac::index_t;
using trifac::matrix;
using point = std::array<double, 3>;

constexpr double earth_radius = 6371;  // mean, km
constexpr double length_scale = 3000;  // km
constexpr double noise = 0.01;

/// The number in a field of the table, whatever the locale.
double number(std::string_view field) {
  double x = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), x);
  if (error != std::errc() || end != field.data() + field.size())
    throw std::runtime_error("\"" + std::string(field) + "\" in the table is not a number");
  return x;
}

point on_the_sphere(double latitude, double longitude) {
  const double degree = std::numbers::pi / 180;
  const double phi = latitude * degree, lambda = longitude * degree;
  return {earth_radius * std::cos(phi) * std::cos(lambda),
          earth_radius * std::cos(phi) * std::sin(lambda), earth_radius * std::sin(phi)};
}

/// The positions in a table of city,country,latitude,longitude below comments and a line of titles.
std::vector<point> read_positions(const std::filesystem::path& path) {
  std::ifstream table(path);
  if (!table) throw std::runtime_error(path.string() + " cannot be opened");
  std::vector<point> positions;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#') || line.starts_with("city,")) continue;
    const auto before_longitude = line.rfind(',');
    const auto before_latitude = line.rfind(',', before_longitude - 1);
    if (before_longitude == line.npos || before_latitude == line.npos)
      throw std::runtime_error(path.string() + ": a line without four fields");
    const std::string_view text = line;
    positions.push_back(on_the_sphere(
        number(text.substr(before_latitude + 1, before_longitude - before_latitude - 1)),
        number(text.substr(before_longitude + 1))));
  }
  return positions;
}

double distance(const point& a, const point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double matern(double d) {
  const double r = std::numbers::sqrt3 * d / length_scale;
  return (1 + r) * std::exp(-r);
}

matrix<double> covariance(const std::vector<point>& positions) {
  const auto n = static_cast<index_t>(positions.size());
  matrix<double> K(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) {
      const double k = matern(distance(positions[i], positions[j]));
      K(i, j) = i == j ? 1 + noise : examples::rounded(k, 6);
    }
  return K;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: make_covariance CAPITALS.csv FILE.mtx|FILE.npy\n";
    return 2;
  }
  const matrix<double> K = covariance(read_positions(argv[1]));
  const std::filesystem::path path = argv[2];
  if (path.extension() == ".npy")
    trifac::io::write_npy(path, K);
  else
    trifac::io::write_matrix_market(path, K,
                                    {.symmetry = trifac::io::symmetry::symmetric,
                                     .comment = "Covariance of a smooth field observed in the 120 "
                                                "capitals of capitals.csv: Matern 3/2 over\n"
                                                "the straight line through the Earth, length scale "
                                                "3000 km, variance 1, noise 0.01; 6 digits.\n"
                                                "Written by examples/make_covariance.cpp."});
  return 0;
} catch (const std::exception& error) {
  std::cerr << "make_covariance: " << error.what() << '\n';
  return 2;
}

// Reading and writing Matrix Market and .npy files: what is read, what is refused and with which
// words, round trips.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
#if defined(__unix__)
  #include <sys/stat.h>
  #include <unistd.h>
#endif

#include "trifac/io/read_matrix.hpp"

namespace {

using namespace trifac;
using io::parse_matrix_market;
using io::parse_npy;
using complex = std::complex<double>;

template <class T>
matrix<T> from_rows(index_t rows, index_t cols, const std::vector<T>& by_rows) {
  return matrix<T>(row_major<const T>(by_rows.data(), rows, cols));
}

template <class T>
void expect_equal(const matrix<T>& A, const matrix<T>& B) {
  ASSERT_EQ(A.rows(), B.rows());
  ASSERT_EQ(A.cols(), B.cols());
  for (index_t j = 0; j < A.cols(); ++j)
    for (index_t i = 0; i < A.rows(); ++i) EXPECT_EQ(A(i, j), B(i, j)) << "at " << i << ", " << j;
}

/// The error that f() throws; a test failure where it throws none.
template <class F>
io::read_error error_of(const F& f) {
  try {
    f();
  } catch (const io::read_error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return io::read_error::whole("", "");
}

template <class T = double>
io::read_error market_error(std::string_view text, io::read_limits limits = {}) {
  return error_of([&] { parse_matrix_market<T>(text, "a.mtx", limits); });
}

template <class T = double>
io::read_error npy_error(std::string_view bytes) {
  return error_of([&] { parse_npy<T>(bytes, "a.npy"); });
}

void expect_says(const io::read_error& error, std::string_view words) {
  EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos) << error.what();
}

// ---- Matrix Market: what is read
// ---------------------------------------------------------------------------------

TEST(MatrixMarket, ReadsCoordinateGeneral) {
  const auto A = parse_matrix_market<double>(
      "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n2 3 -2e-3\n1 2 +.5\n", "a");
  expect_equal(A, from_rows<double>(2, 3, {1.5, 0.5, 0, 0, 0, -2e-3}));
}

TEST(MatrixMarket, ReadsArrayByColumns) {
  const auto A = parse_matrix_market<float>(
      "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6", "a");
  expect_equal(A, from_rows<float>(2, 3, {1, 3, 5, 2, 4, 6}));
}

TEST(MatrixMarket, MirrorsEachSymmetry) {
  const std::string end = "\n2 2 2\n1 1 1 0\n2 1 3 4\n";
  const auto read = [&](const std::string& words) {
    return parse_matrix_market<complex>("%%MatrixMarket matrix coordinate complex " + words + end,
                                        "a");
  };
  expect_equal(read("general"), from_rows<complex>(2, 2, {1, 0, {3, 4}, 0}));
  expect_equal(read("symmetric"), from_rows<complex>(2, 2, {1, {3, 4}, {3, 4}, 0}));
  expect_equal(read("hermitian"), from_rows<complex>(2, 2, {1, {3, -4}, {3, 4}, 0}));
  expect_equal(
      parse_matrix_market<double>(
          "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 3\n2 2 0\n", "a"),
      from_rows<double>(2, 2, {0, -3, 3, 0}));
}

TEST(MatrixMarket, ArraysHoldTheLowerTriangleOnly) {
  const std::string head = "%%MatrixMarket matrix array real ";
  expect_equal(parse_matrix_market<double>(head + "symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", "a"),
               from_rows<double>(3, 3, {1, 2, 3, 2, 4, 5, 3, 5, 6}));
  expect_equal(parse_matrix_market<double>(head + "skew-symmetric\n3 3\n1\n2\n3\n", "a"),
               from_rows<double>(3, 3, {0, -1, -2, 1, 0, -3, 2, 3, 0}));
  expect_equal(parse_matrix_market<complex>(
                   "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", "a"),
               from_rows<complex>(2, 2, {1, {2, -3}, {2, 3}, 4}));
}

TEST(MatrixMarket, PatternIsOnesAndIntegersAreNumbers) {
  expect_equal(parse_matrix_market<double>(
                   "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", "a"),
               from_rows<double>(2, 2, {1, 1, 1, 0}));
  expect_equal(
      parse_matrix_market<complex>(
          "%%MatrixMarket matrix array integer general\n1 3\n-7\n+9\n123456789012345678901\n", "a"),
      from_rows<complex>(1, 3, {-7, 9, 123456789012345678901.0}));
}

TEST(MatrixMarket, DuplicatesAreSummed) {
  expect_equal(
      parse_matrix_market<double>(
          "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n2 1 1\n2 1 2\n1 1 5\n", "a"),
      from_rows<double>(2, 2, {5, 3, 3, 0}));
}

TEST(MatrixMarket, TakesAnyCaseAnyLineEndCommentsAndBlankLines) {
  expect_equal(parse_matrix_market<double>(
                   "%%matrixmarket MATRIX Coordinate REAL General\r\n% note\r\n%\r\n\r\n"
                   " 2\t2   1 \r\n\r\n% between\r\n\t 2 1\t7 \r\n  \r\n%end",
                   "a"),
               from_rows<double>(2, 2, {0, 0, 7, 0}));
}

TEST(MatrixMarket, TakesAByteOrderMark) {
  const std::string text = "\xef\xbb\xbf%%MatrixMarket matrix array real general\n1 1\n2.\n";
  expect_equal(parse_matrix_market<double>(text, "a"), from_rows<double>(1, 1, {2}));
  expect_equal(io::parse_matrix<double>(text, "a"), from_rows<double>(1, 1, {2}));
  EXPECT_EQ(io::describe_matrix(text, "a").rows, 1);
  // From a stream no more is read than the beginning of what can be no matrix.
  std::string long_text = text;
  long_text.insert(long_text.find('\n') + 1, "%" + std::string(1 << 17, ' ') + "\n");
  std::istringstream stream(long_text);
  expect_equal(io::read_matrix_market<double>(stream, "a"), from_rows<double>(1, 1, {2}));
}

TEST(MatrixMarket, TakesVeryLongLines) {
  const std::string blanks(3'000'000, ' ');
  const auto A =
      parse_matrix_market<double>("%%MatrixMarket matrix array real general\n%" + blanks +
                                      "\n1 1\n" + blanks + "4." + std::string(100'000, '0') + "\n",
                                  "a");
  expect_equal(A, from_rows<double>(1, 1, {4}));
}

TEST(MatrixMarket, TakesMatricesWithoutElements) {
  EXPECT_EQ(
      parse_matrix_market<double>("%%MatrixMarket matrix coordinate real general\n0 0 0\n", "a")
          .rows(),
      0);
  EXPECT_EQ(
      parse_matrix_market<double>("%%MatrixMarket matrix array real general\n0 1048576\n", "a")
          .cols(),
      1'048'576);
}

TEST(MatrixMarket, RoundsOnceAndKeepsTheEndsOfTheRange) {
  const auto read = [](const std::string& number) {
    return parse_matrix_market<double>(
        "%%MatrixMarket matrix array real general\n1 1\n" + number + "\n", "a")(0, 0);
  };
  EXPECT_EQ(read("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(read("0.1"), 0.1);
  EXPECT_EQ(read("1.25D+02"), 125.0);
  EXPECT_EQ(read("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(read("1.7976931348623157e308"), std::numeric_limits<double>::max());
  for (const char* tiny :
       {"-1e-999", "-1e-99999999999999999999", "-0.0000000000000000000001e-400"}) {
    EXPECT_EQ(read(tiny), 0.0) << tiny;
    EXPECT_TRUE(std::signbit(read(tiny))) << tiny;
  }
  EXPECT_EQ(read("0." + std::string(500, '0') + "1e501"), 1.0);
  EXPECT_TRUE(std::isinf(read("-Infinity")));
  EXPECT_TRUE(std::isnan(read("NaN")));
}

TEST(MatrixMarket, DescribesWithoutReadingTheNumbers) {
  const auto about = io::describe_matrix_market(
      "%%MatrixMarket matrix coordinate complex hermitian\n% c\n60 60 5\nrubbish", "a");
  EXPECT_EQ(about.rows, 60);
  EXPECT_EQ(about.cols, 60);
  EXPECT_EQ(about.entries, 5);
  EXPECT_EQ(about.field, io::field::complex);
  EXPECT_EQ(about.symmetry, io::symmetry::hermitian);
  EXPECT_EQ(about.layout, io::layout::coordinate);
}

// ---- Matrix Market: what is refused
// ------------------------------------------------------------------------------

struct bad_text {
  const char* name;
  const char* text;
  index_t line;
  const char* says;
};

#define COORDINATE "%%MatrixMarket matrix coordinate real general\n"
#define ARRAY "%%MatrixMarket matrix array real general\n"
const bad_text bad_texts[] = {
    {"Empty", "", 1, "the file is empty"},
    {"NoBanner", "1 2 3\n", 1, "not a Matrix Market file"},
    {"BinaryJunk", "\x7f\x45\x4c\x46\x02\x01\n\xff\xfe", 1, "not a Matrix Market file"},
    {"Utf16Mark", "\xff\xfe%", 1, "begins with a byte order mark of UTF-16"},
    {"Utf16BigEndianMark", "\xfe\xff", 1, "begins with a byte order mark of UTF-16"},
    {"MarkOnly", "\xef\xbb\xbf\n", 1, "not a Matrix Market file"},
    {"TwoMarks", "\xef\xbb\xbf\xef\xbb\xbf" ARRAY, 1, "not a Matrix Market file"},
    {"ShortBanner", "%%MatrixMarket matrix array\n1 1\n1\n", 1, "the header must be"},
    {"LongBanner", "%%MatrixMarket matrix array real general now\n1 1\n1\n", 1,
     "the header must be"},
    {"Vector", "%%MatrixMarket vector array real general\n1\n1\n", 1, "\"vector\", not a matrix"},
    {"Layout", "%%MatrixMarket matrix dense real general\n", 1,
     "\"dense\" in the header is none of"},
    {"Field", "%%MatrixMarket matrix array quaternion general\n", 1,
     "none of real, complex, integer"},
    {"Symmetry", "%%MatrixMarket matrix array real odd\n", 1, "none of general, symmetric"},
    {"ArrayPattern", "%%MatrixMarket matrix array pattern general\n1 1\n", 1,
     "cannot hold a pattern"},
    {"HermitianReal", "%%MatrixMarket matrix array real hermitian\n1 1\n1\n", 1, "only a complex"},
    {"SkewPattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", 1,
     "a pattern is"},
    {"NoSizes", COORDINATE "% only comments\n", 2, "before the line with the sizes"},
    {"TwoSizes", COORDINATE "2 2\n", 2, "expected rows, columns and number"},
    {"ThreeSizes", ARRAY "2 2 4\n", 2, "expected rows and columns"},
    {"NegativeSize", ARRAY "-2 2\n", 2, "\"-2\" is not a size"},
    {"FractionalSize", ARRAY "2.5 2\n", 2, "\"2.5\" is not a size"},
    {"HugeSize", ARRAY "99999999999999999999 2\n", 2, "is too large"},
    {"HugeProduct", ARRAY "9000000000000 9000000000000\n1\n", 2, "is too large"},
    {"NotSquare", "%%MatrixMarket matrix array real symmetric\n2 3\n", 2, "must be square"},
    {"TooFewLines", COORDINATE "% c\n2 2 3\n1 1 1\n", 3, "announces 3 entries but has only 1 more"},
    {"TooFewEntries", COORDINATE "2 2 2\n1 1 1\n% c\n", 4, "ends after 1 of 2 entries"},
    {"TruncatedArray", ARRAY "2 2\n1\n2\n3\n\n", 6, "ends after 3 of 4 entries"},
    {"TruncatedLine", COORDINATE "2 2 2\n1 1 1\n2 2", 4, "expected 3 numbers on the line"},
    {"TooManyEntries", COORDINATE "2 2 1\n1 1 1\n\n2 2 2\n", 5, "more than the 1 entries"},
    {"TooManyInArray", ARRAY "1 1\n1\n2\n", 4, "more than the 1 entries"},
    {"TwoOnALine", ARRAY "2 1\n1 2\n3\n", 3, "expected 1 number on the line, found \"1 2\""},
    {"RowZero", COORDINATE "2 2 1\n0 1 1\n", 3, "row 0 is outside 1 to 2"},
    {"ColumnBehind", COORDINATE "2 2 1\n1 3 1\n", 3, "column 3 is outside 1 to 2"},
    {"RowNegative", COORDINATE "2 2 1\n-1 1 1\n", 3, "row -1 is outside 1 to 2"},
    {"RowHuge", COORDINATE "2 2 1\n18446744073709551617 1 1\n", 3, "is outside 1 to 2"},
    {"RowWord", COORDINATE "2 2 1\nx 1 1\n", 3, "row \"x\" is not an integer"},
    {"RowFraction", COORDINATE "2 2 1\n1.0 1 1\n", 3, "row \"1.0\" is not an integer"},
    {"Word", COORDINATE "2 2 1\n1 1 one\n", 3, "\"one\" is not a number"},
    {"HalfNumber", COORDINATE "2 2 1\n1 1 1.5x\n", 3, "\"1.5x\" is not a number"},
    {"TwoSigns", COORDINATE "2 2 1\n1 1 +-1\n", 3, "\"+-1\" is not a number"},
    {"Comma", COORDINATE "2 2 1\n1 1 1,5\n", 3, "\"1,5\" is not a number"},
    {"Overflow", COORDINATE "2 2 1\n1 1 1e999\n", 3, "1e999 is too large"},
    {"LongOverflow", ARRAY "1 1\n-123e99999999999999999999\n", 3, "is too large"},
    {"FractionInInteger", "%%MatrixMarket matrix array integer general\n1 1\n1.5\n", 3,
     "is not an integer"},
    {"ImaginaryMissing", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", 3,
     "expected 2"},
    {"Complex", "%%MatrixMarket matrix array complex general\n1 1\n1 2\n", 2,
     "holds complex numbers"},
    {"Above", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", 3,
     "above the diagonal"},
    {"SkewDiagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", 3,
     "is zero"},
    {"SecondHeader", COORDINATE "2 2 1\n" COORDINATE "1 1 1\n", 3, "a second header"},
    {"HeaderAtEnd", ARRAY "1 1\n1\n" ARRAY, 4, "a second header"},
    {"ZeroBytes", ARRAY "1 1\n\x01\x02\n", 3, "\"\\x01\\x02\" is not a number"},
};
#undef COORDINATE
#undef ARRAY

class BadMatrixMarket : public testing::TestWithParam<bad_text> {};

TEST_P(BadMatrixMarket, IsRefusedInOneLineWithThePlace) {
  const io::read_error error = market_error(GetParam().text);
  EXPECT_EQ(error.line(), GetParam().line);
  EXPECT_EQ(error.file(), "a.mtx");
  expect_says(error, "a.mtx:" + std::to_string(GetParam().line) + ": ");
  expect_says(error, GetParam().says);
}
INSTANTIATE_TEST_SUITE_P(Texts, BadMatrixMarket, testing::ValuesIn(bad_texts),
                         [](const auto& text) { return text.param.name; });

TEST(MatrixMarket, RefusesTheDiagonalThatNoHermitianMatrixHas) {
  expect_says(
      market_error<complex>("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 3\n"),
      "the diagonal of a hermitian matrix is real");
}

TEST(MatrixMarket, RefusesWhatDoesNotFitInSinglePrecision) {
  const std::string text = "%%MatrixMarket matrix array real general\n1 1\n1e39\n";
  expect_says(market_error<float>(text), "1e39 is too large for single precision");
  EXPECT_EQ(parse_matrix_market<double>(text, "a")(0, 0), 1e39);
}

TEST(MatrixMarket, ComparesTheDenseMatrixWithTheMemory) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  expect_says(market_error(head + "3000000000 3000000000 1\n1 1 1\n"), "GB available");
  expect_says(market_error(head + "9000000000000000000 9000000000000000000 1\n1 1 1\n"),
              "GB available");
  const std::string text = head + "100 100 1\n1 1 1\n";
  expect_says(market_error(text, {.memory_bytes = 79'999}), "takes 8e-05 GB, more than");
  EXPECT_EQ(parse_matrix_market<double>(text, "a", {.memory_bytes = 80'000}).rows(), 100);
}

// A header alone must cost neither memory nor a loop over what it says.
TEST(MatrixMarket, TakesNoSizeThatTheFileDoesNotFill) {
  const std::string huge = "9223372036854775807", kind = "%%MatrixMarket matrix ";
  const std::vector<std::pair<std::string, const char*>> files = {
      {kind + "array real general\n0 " + huge + "\n", "is too large for a file with 0 entries"},
      {kind + "array real general\n" + huge + " 0\n", "is too large for a file with 0 entries"},
      {kind + "array real general\n1048577 0\n", "1048577 x 0 is too large"},
      {kind + "array real general\n" + huge + " 1\n1\n", "more lines"},
      {kind + "array real symmetric\n3037000499 3037000499\n1\n", "more lines"},
      {kind + "array real skew-symmetric\n" + huge + " " + huge + "\n", "is too large"},
      {kind + "coordinate real general\n0 " + huge + " 0\n", "is too large for a file with 0"},
      {kind + "coordinate real general\n" + huge + " 0 0\n", "is too large for a file with 0"},
      {kind + "coordinate real general\n2 2 " + huge + "\n1 1 1\n", "has only 1 more lines"},
      {kind + "coordinate real general\n" + huge + " 1 1\n1 1 1\n", "GB available"},
      {kind + "coordinate real general\n1048577 1 1\n1 1 1\n", "for a file with 1 entries"},
      {kind + "coordinate pattern symmetric\n2897 2897 0\n", "too much for a file with 0"},
  };
  for (const auto& [text, says] : files) expect_says(market_error(text), says);

  // Small sizes need nothing behind them; a limit of the caller's takes the place of ours.
  const auto rows = [](const std::string& text, io::read_limits limits = {}) {
    return parse_matrix_market<double>(text, "a", limits).rows();
  };
  EXPECT_EQ(rows(kind + "coordinate real general\n2896 2896 0\n"), 2896);
  EXPECT_EQ(rows(kind + "coordinate real general\n2897 2897 0\n", {.memory_bytes = 1 << 27}), 2897);
}

TEST(MatrixMarket, WritesAMatrixOfEndlessColumnsWithoutRows) {
  std::stringstream text;
  io::write_matrix_market(
      text, matrix_view<double>(nullptr, 0, std::numeric_limits<index_t>::max(), 1, 1));
  EXPECT_EQ(text.str(), "%%MatrixMarket matrix array real general\n0 9223372036854775807\n");
}

TEST(MatrixMarket, ComplexNeedsTwoNumbers) {
  expect_says(market_error<complex>("%%MatrixMarket matrix array complex general\n1 1\n1\n"),
              "expected 2 numbers");
}

// ---- Matrix Market: writing
// --------------------------------------------------------------------------------------

template <class T>
class RoundTrip : public testing::Test {
 protected:
  static matrix<T> random(index_t rows, index_t cols) {
    std::mt19937_64 bits(7);
    std::uniform_real_distribution<double> exponent(-30, 30), digits(-1, 1);
    matrix<T> A(rows, cols);
    const auto number = [&] {
      return static_cast<real_t<T>>(digits(bits) * std::pow(10, exponent(bits)));
    };
    for (index_t j = 0; j < cols; ++j)
      for (index_t i = 0; i < rows; ++i) {
        A(i, j) = T(number());
        if constexpr (is_complex<T>) A(i, j).imag(number());
      }
    return A;
  }
  static matrix<T> reread(const matrix<T>& A, const io::market_format& format) {
    std::stringstream stream;
    io::write_matrix_market(stream, A, format);
    return io::read_matrix_market<T>(stream, "a.mtx");
  }
};
using scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(RoundTrip, scalars);

TYPED_TEST(RoundTrip, MatrixMarketKeepsEveryBit) {
  auto A = this->random(7, 5);
  A(2, 3) = TypeParam(0);
  expect_equal(this->reread(A, {}), A);
  expect_equal(this->reread(A, {.layout = io::layout::coordinate, .comment = "two\nlines"}), A);
}

TYPED_TEST(RoundTrip, MatrixMarketKeepsSymmetricMatrices) {
  auto A = this->random(6, 6);
  for (index_t j = 0; j < 6; ++j)
    for (index_t i = 0; i < j; ++i) A(i, j) = A(j, i);
  for (const auto layout : {io::layout::array, io::layout::coordinate})
    expect_equal(this->reread(A, {.layout = layout, .symmetry = io::symmetry::symmetric}), A);
  for (index_t j = 0; j < 6; ++j)
    for (index_t i = 0; i <= j; ++i) A(i, j) = i == j ? TypeParam(0) : -A(j, i);
  expect_equal(this->reread(A, {.symmetry = io::symmetry::skew_symmetric}), A);
}

TYPED_TEST(RoundTrip, NpyKeepsEveryBit) {
  for (const index_t rows : {0, 1, 7, 300}) {
    const auto A = this->random(rows, 3);
    std::stringstream stream;
    io::write_npy(stream, A.view().block(0, 0, rows, 3));
    EXPECT_EQ(stream.str().find('\n') % 64, 63U);
    expect_equal(io::read_npy<TypeParam>(stream, "a.npy"), A);
  }
}

TYPED_TEST(RoundTrip, FilesOfEitherFormatAreToldByTheirFirstBytes) {
  const auto A = this->random(4, 4);
  const auto path = std::filesystem::temp_directory_path() /
                    ("trifac_io_test_" + std::string(1, lapack_letter<TypeParam>) + ".dat");
  io::write_npy(path, A);
  expect_equal(io::read_matrix<TypeParam>(path), A);
  io::write_matrix_market(path, A);
  expect_equal(io::read_matrix<TypeParam>(path), A);
  EXPECT_EQ(io::describe_matrix(io::file_contents(path), "a").rows, 4);
  std::filesystem::remove(path);
}

TEST(WriteMatrixMarket, ComplexHermitianIsMirroredBack) {
  const auto A = from_rows<complex>(2, 2, {1, {2, -3}, {2, 3}, 4});
  std::stringstream stream;
  io::write_matrix_market(stream, A, {.symmetry = io::symmetry::hermitian, .comment = "c"});
  EXPECT_EQ(stream.str(),
            "%%MatrixMarket matrix array complex hermitian\n% c\n2 2\n1 0\n2 3\n4 0\n");
  expect_equal(io::read_matrix_market<complex>(stream, "a"), A);
}

TEST(WriteMatrixMarket, TheDiagonalOfAHermitianMatrixIsReal) {
  const auto A = from_rows<complex>(2, 2, {{2, 1e-17}, {2, -3}, {2, 3}, {0, 7}});
  for (const auto layout : {io::layout::array, io::layout::coordinate}) {
    std::stringstream stream;
    io::write_matrix_market(stream, A, {.layout = layout, .symmetry = io::symmetry::hermitian});
    expect_equal(io::read_matrix_market<complex>(stream, "a"),
                 from_rows<complex>(2, 2, {2, {2, -3}, {2, 3}, 0}));
  }
}

TEST(WriteNpy, ManyRowsOfNothingTakeNoMemory) {
  std::ostringstream stream;
  io::write_npy(stream, matrix_view<double>(nullptr, index_t{1} << 60, 0, index_t{1} << 60));
  EXPECT_NE(stream.str().find("(1152921504606846976, 0)"), std::string::npos);
}

TEST(WriteMatrixMarket, RefusesASymmetryThatCannotBe) {
  std::ostringstream stream;
  EXPECT_THROW(
      io::write_matrix_market(stream, matrix<double>(2, 3), {.symmetry = io::symmetry::symmetric}),
      std::invalid_argument);
  EXPECT_THROW(
      io::write_matrix_market(stream, matrix<double>(2, 2), {.symmetry = io::symmetry::hermitian}),
      std::invalid_argument);
}

TEST(WriteMatrixMarket, ReportsAPlaceThatCannotBeWritten) {
  EXPECT_THROW(io::write_matrix_market("/no/such/folder/a.mtx", matrix<double>(1, 1)),
               io::write_error);
  EXPECT_THROW(io::write_npy("/no/such/folder/a.npy", matrix<double>(1, 1)), io::write_error);
}

#if defined(__linux__)
TEST(WriteMatrixMarket, ReportsAFullDisk) {
  EXPECT_THROW(io::write_matrix_market("/dev/full", matrix<double>(1, 1)), io::write_error);
}
#endif

// ---- The locale
// ---------------------------------------------------------------------------------------------

struct german : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Locale, ChangesNothing) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new german));
  std::stringstream stream;  // takes the global locale
  stream << 1234.5;
  EXPECT_EQ(stream.str(), "1.234,5");
  stream.str("");
  auto A = matrix<double>(1000, 2);
  A(999, 1) = 1234.5;
  io::write_matrix_market(stream, A, {.layout = io::layout::coordinate});
  const std::string text = stream.str();
  std::stringstream bytes;
  io::write_npy(bytes, A);
  const auto B = parse_matrix_market<double>(text, "a");
  const auto C = io::read_npy<double>(bytes, "a");
  std::locale::global(before);
  EXPECT_EQ(text, "%%MatrixMarket matrix coordinate real general\n1000 2 1\n1000 2 1234.5\n");
  EXPECT_EQ(B(999, 1), 1234.5);
  EXPECT_EQ(C(999, 1), 1234.5);
}

// ---- .npy
// ---------------------------------------------------------------------------------------------

std::string npy(std::string_view dictionary, std::string_view data, char version = 1) {
  const std::size_t n = dictionary.size();
  std::string bytes("\x93NUMPY");
  bytes += {version, '\0', static_cast<char>(n % 256), static_cast<char>(n / 256)};
  if (version > 1) bytes += {'\0', '\0'};
  return (bytes += dictionary) += data;
}

std::string dictionary(const std::string& descr, const std::string& order,
                       const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape +
         ", }          \n";
}

/// The bytes of 1, 2, … 6 as Stored, highest byte first if `big`.
template <class Stored>
std::string six_numbers(bool big) {
  std::string bytes;
  for (int k = 1; k <= 6; ++k) {
    const auto x = static_cast<Stored>(k);
    std::string one(reinterpret_cast<const char*>(&x), sizeof x);
    if (big != (std::endian::native == std::endian::big)) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

template <class Stored>
void expect_reads(const std::string& type) {
  const auto by_rows = from_rows<double>(2, 3, {1, 2, 3, 4, 5, 6});
  const auto by_cols = from_rows<double>(2, 3, {1, 3, 5, 2, 4, 6});
  for (const char version : {1, 2, 3})
    for (const bool big : {false, true}) {
      const std::string descr = (big ? ">" : "<") + type;
      const std::string data = six_numbers<Stored>(big);
      SCOPED_TRACE(descr);
      expect_equal(parse_npy<double>(npy(dictionary(descr, "False", "(2, 3)"), data, version), "a"),
                   by_rows);
      expect_equal(parse_npy<double>(npy(dictionary(descr, "True", "(2, 3)"), data, version), "a"),
                   by_cols);
    }
}

TEST(Npy, ReadsEveryTypeOrderAndVersion) {
  expect_reads<float>("f4");
  expect_reads<double>("f8");
  expect_reads<std::int8_t>("i1");
  expect_reads<std::int16_t>("i2");
  expect_reads<std::int32_t>("i4");
  expect_reads<std::int64_t>("i8");
  expect_reads<std::uint8_t>("u1");
  expect_reads<std::uint16_t>("u2");
  expect_reads<std::uint32_t>("u4");
  expect_reads<std::uint64_t>("u8");
}

TEST(Npy, ReadsComplexOfBothByteOrders) {
  const auto want = from_rows<complex>(1, 3, {{1, 2}, {3, 4}, {5, 6}});
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    expect_equal(
        parse_npy<complex>(
            npy(dictionary(order + "c16", "False", "(1, 3)"), six_numbers<double>(big)), "a"),
        want);
    expect_equal(
        parse_npy<complex>(
            npy(dictionary(order + "c8", "False", "(1, 3)"), six_numbers<float>(big)), "a"),
        want);
  }
}

TEST(Npy, ReadsBooleansVectorsAndOtherSpellings) {
  expect_equal(parse_npy<float>(npy(dictionary("|b1", "False", "(1, 3)"), {"\0\1\5", 3}), "a"),
               from_rows<float>(1, 3, {0, 1, 1}));
  expect_equal(parse_npy<double>(npy(dictionary("<i1", "False", "(3,)"), "\1\2\3"), "a"),
               from_rows<double>(3, 1, {1, 2, 3}));
  expect_equal(parse_npy<double>(
                   npy("{\"shape\":(1L,2L,),'fortran_order':True,'descr':'i1'}", "\1\377"), "a"),
               from_rows<double>(1, 2, {1, -1}));
  EXPECT_EQ(parse_npy<double>(npy(dictionary("<f8", "True", "(0, 1000000)"), ""), "a").cols(),
            1'000'000);
}

TEST(Npy, TakesNoSizeThatTheFileDoesNotFill) {
  for (const std::string shape :
       {"(0, 9223372036854775807)", "(9223372036854775807, 0)", "(1048577, 0)", "(0, 1048577)"})
    for (const char* order : {"True", "False"})
      expect_says(npy_error(npy(dictionary("<f8", order, shape), "")),
                  "is too large for a file with 0 entries");
  expect_says(npy_error(npy(dictionary("<f8", "False", "(9223372036854775807, 1)"), "")),
              "is too large");
  expect_says(npy_error(npy(dictionary("|b1", "False", "(576460752303423487,)"), "")),
              "takes 576460752303423487 bytes, the file has 0");
}

TEST(Npy, Describes) {
  const auto about =
      io::describe_npy(npy(dictionary("<c8", "False", "(1, 3)"), six_numbers<float>(false)), "a");
  EXPECT_EQ(about.cols, 3);
  EXPECT_EQ(about.field, io::field::complex);
  EXPECT_TRUE(about.single_precision);
}

TEST(Npy, RefusesBadFilesInOneLineWithThePlace) {
  const std::string good = npy(dictionary("<f8", "False", "(2, 3)"), six_numbers<double>(false));
  ASSERT_NO_THROW(parse_npy<double>(good, "a"));
  const auto bad = [](const std::string& words) { return npy(words, ""); };
  const std::vector<std::pair<std::string, const char*>> files = {
      {"", "the file is empty"},
      {"PK\3\4", "magic bytes"},
      {good.substr(0, 4), "magic bytes"},
      {good.substr(0, 9), "ends inside its header"},
      {good.substr(0, 40), "ends inside its header"},
      {std::string("\x93NUMPY\x09\0\x10\0", 10), "version 9"},
      {good.substr(0, good.size() - 1), "takes 48 bytes, the file has 47"},
      {good + "x", "takes 48 bytes, the file has 49"},
      {bad(dictionary("<f2", "False", "(2, 3)")), "elements of type '<f2'"},
      {bad(dictionary("|O", "False", "(2, 3)")), "elements of type '|O'"},
      {bad(dictionary("<f8", "False", "()")), "must have two dimensions"},
      {bad(dictionary("<f8", "False", "(1, 2, 3)")), "must have two dimensions"},
      {bad(dictionary("<f8", "False", "(-1, 2)")), "expected a size"},
      {bad(dictionary("<f8", "False", "(99999999999999999999, 2)")), "expected a size"},
      {bad(dictionary("<f8", "False", "(4000000000, 4000000000)")), "is too large"},
      {bad(dictionary("<f8", "False", "(400000, 400000)")),
       "takes 1280000000000 bytes, the file has 0"},
      {bad(dictionary("<f8", "Maybe", "(2, 3)")), "expected True or False"},
      {bad("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2, 3)}"), "records"},
      {bad("{'descr': '<f8', 'shape': (2, 3)}"), "lacks"},
      {bad("{'descr': '<f8', 'descr': '<f8'}"), "unexpected key \"descr\""},
      {bad("{'colour': 'red'}"), "unexpected key \"colour\""},
      {bad("{'descr': '<f8"), "expected a string"},
      {bad("{'descr': '<f8', 'fortran_order': False, 'shape': (2"), "expected )"},
      {bad("('descr')"), "expected {"},
      {bad("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 0)} # x"), "something after"},
  };
  for (const auto& [bytes, says] : files) {
    const io::read_error error = npy_error(bytes);
    expect_says(error, "a.npy: byte " + std::to_string(error.byte()) + ": ");
    expect_says(error, says);
    EXPECT_LE(error.byte(), static_cast<index_t>(bytes.size()));
  }
}

TEST(Npy, RefusesNumbersThatTDoesNotHold) {
  std::stringstream wide, imaginary;
  io::write_npy(wide, from_rows<double>(1, 2, {1, 1e300}));
  io::write_npy(imaginary, from_rows<complex>(1, 1, {{1, 2}}));
  const io::read_error error = npy_error<float>(wide.str());
  expect_says(error, "too large");
  EXPECT_EQ(error.byte(), static_cast<index_t>(wide.str().size()) - 8);
  expect_says(npy_error<double>(imaginary.str()), "holds complex numbers");
}

TEST(Npy, ComparesTheMatrixWithTheMemory) {
  const std::string bytes = npy(dictionary("<i1", "False", "(2, 3)"), "\1\2\3\4\5\6");
  expect_says(error_of([&] { parse_npy<double>(bytes, "a", {.memory_bytes = 47}); }),
              "more than the");
  EXPECT_EQ(parse_npy<double>(bytes, "a", {.memory_bytes = 48})(1, 2), 6);
}

// ---- Files
// ---------------------------------------------------------------------------------------------

TEST(Files, SayWhyTheyCannotBeRead) {
  expect_says(error_of([] { io::read_matrix<double>(std::filesystem::temp_directory_path()); }),
              "is a directory");
  expect_says(error_of([] { io::read_matrix<double>("/no/such/file.mtx"); }),
              "/no/such/file.mtx: No such file");
}

#if defined(__unix__)
TEST(Files, SayThatPermissionIsMissing) {
  const auto path = std::filesystem::temp_directory_path() / "trifac_io_test_secret.mtx";
  std::ofstream(path) << "%%MatrixMarket matrix array real general\n0 0\n";
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  const uid_t user = geteuid();
  if (user == 0 && seteuid(65534) != 0) GTEST_SKIP() << "root, whom no permission stops";
  const io::read_error error = error_of([&] { io::read_matrix<double>(path); });
  if (user == 0) {
    ASSERT_EQ(seteuid(user), 0);
  }
  expect_says(error, "Permission denied");
  std::filesystem::remove(path);
}
#endif

#if defined(__linux__)
TEST(Files, AnEndlessOneIsGivenUpAtItsFirstBytes) {
  expect_says(error_of([] { io::read_matrix<double>("/dev/zero"); }), "not a Matrix Market file");
}
#endif

TEST(Files, NamesWithControlCharactersStayOnOneLine) {
  expect_says(error_of([] { parse_matrix_market<double>("x", "a\nb.mtx"); }), "a\\x0ab.mtx:1: ");
}

}  // namespace

// The tuner's parts: which combinations there are, how a race is decided, the exported header, how
// files are written, what other programs use, the verdict.

#include <gtest/gtest.h>
#include <sys/stat.h>
#if defined(__linux__)
  #include <sys/sysmacros.h>
#endif

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "bench/tune/export.hpp"
#include "bench/tune/load.hpp"
#include "bench/tune/race.hpp"
#include "bench/tune/verdict.hpp"
#include "bench/tune/whole_file.hpp"

namespace {

using namespace tune;
using trifac::profile;

constexpr subject on_cpu = {device_sort::cpu, batch_operation::cholesky, batch_place::strided, 'd',
                            8};

subject with(subject s, batch_place place, index_t n = 8) {
  s.place = place;
  s.n = n;
  return s;
}

TEST(Combinations, OfTheHostAreChunksOfALayout) {
  subject s = on_cpu;
  s.device = device_sort::host;
  for (const auto place : {batch_place::strided, batch_place::interleaved})
    EXPECT_EQ(combinations(with(s, place), levels_of(with(s, place), true)).all.size(), 1u);
  const auto chunks =
      combinations(with(s, batch_place::chunked), levels_of(with(s, batch_place::chunked), false));
  EXPECT_EQ(chunks.all.size(), 6u);
  for (const batch_tuning& t : chunks.all) EXPECT_EQ(of_call(s, t), batch_tuning{});
  s.type = 's';  // 16 floats are a cache line
  EXPECT_EQ(
      combinations(with(s, batch_place::chunked), levels_of(with(s, batch_place::chunked), false))
          .all.size(),
      5u);
}

TEST(Combinations, OfADevice) {
  // Tile 2, 4; left, top; rolled, unrolled; and what names nothing.
  EXPECT_EQ(combinations(on_cpu, levels_of(on_cpu, false)).all.size(), 1u + 8);
  EXPECT_EQ(combinations(on_cpu, levels_of(on_cpu, false)).all[0], batch_tuning{});
  subject lu = on_cpu;
  lu.operation = batch_operation::lu;
  EXPECT_EQ(combinations(lu, levels_of(lu, false)).all.size(), 1u + 2);
  // 8 tiles, 3 orders of looking, 2 loops, 8 chunks.
  subject gpu = on_cpu;
  gpu.device = device_sort::gpu;
  gpu.place = batch_place::interleaved;
  EXPECT_EQ(combinations(gpu, levels_of(gpu, false)).all.size(), 1u + 8 * 3 * 2 * 8);
  EXPECT_EQ(combinations(on_cpu, levels_of(on_cpu, true)).all.size(), 1u + 8 * 3 * 2 * 8);
}

TEST(Combinations, OfGroupsOnAGpu) {
  EXPECT_EQ(panels_of(12), (std::vector<int>{12, 6, 4, 3, 2, 1}));
  EXPECT_EQ(blocks_of(12), (std::vector<int>{1, 2, 4, 8, 16, 12}));
  subject gpu = with(on_cpu, batch_place::strided, 12);
  gpu.device = device_sort::gpu;
  const levels groups = {.kernel = {batch_kernel::groups}};
  // Heights 1, 2, 4, 8, 16, 12 by widths, for panels of 12, 6, 4, 3, 2, 1 columns.
  EXPECT_EQ(combinations(gpu, groups).all.size(), 1u + 6 * (6 + 5 + 3 + 4 + 2 + 1));
  const can_run multiples_of_32 = [](const subject& s, const batch_tuning& t) {
    return t.block_height * t.block_width % 32 == 0 ? agrees(s, t)
                                                    : trifac::status::argument("block", "odd");
  };
  const candidates some = combinations(gpu, groups, multiples_of_32);
  EXPECT_EQ(some.left_out, std::vector<std::string>{"block odd"});
  for (const batch_tuning& t : some.all) EXPECT_EQ(t.block_height * t.block_width % 32, 0);
  const levels named = {
      .kernel = {batch_kernel::groups}, .panel = {6}, .block_height = {8}, .block_width = {4}};
  EXPECT_EQ(combinations(gpu, named).all.size(), 2u);
  gpu.operation = batch_operation::solve;
  EXPECT_EQ(combinations(gpu, groups).all.size(), 1u + 6);
  gpu.operation = batch_operation::lu;
  EXPECT_EQ(combinations(gpu, named).all.size(), 2u);
  EXPECT_EQ(combinations(gpu, groups).all.size(), 1u + 6 * (6 + 5 + 3 + 4 + 2 + 1));
  EXPECT_EQ(levels_of(gpu, false).kernel.size(), 2u);
}

TEST(Combinations, WhatCannotRunIsLeftOutWithItsReason) {
  const subject large = with(on_cpu, batch_place::strided, 40);
  const auto made = combinations(large, levels_of(large, true));
  EXPECT_EQ(made.all.size(), 1u + 8 * 3 * 8);
  ASSERT_EQ(made.left_out.size(), 1u);
  EXPECT_NE(made.left_out[0].find("options.tuning.outer"), std::string::npos);
  const subject small = with(on_cpu, batch_place::strided, 3);
  for (const batch_tuning& t : combinations(small, levels_of(small, true)).all)
    EXPECT_LE(t.tile, 3);
  EXPECT_EQ(combinations(small, levels_of(small, false)).all.size(), 1u + 2 * 2 * 2);  // 2 and n
}

TEST(Combinations, AllOfThemAreTakenByTheCalls) {
  for (const bool all : {false, true})
    for (const auto place : {batch_place::strided, batch_place::chunked, batch_place::interleaved})
      for (const index_t n : {1, 2, 6, 33}) {
        const subject s = with(on_cpu, place, n);
        for (const batch_tuning& t : combinations(s, levels_of(s, all)).all)
          EXPECT_TRUE(trifac::detail::check_device_tuning(of_call(s, t), s.operation, n, n).ok());
      }
}

/// Takes the time that it is told for a tile; counts its runs.
class told : public runner {
 public:
  explicit told(std::vector<double> times) : times_(std::move(times)) {}

  first_run check(const batch_tuning& t) override {
    ++checks;
    if (t.tile == 7) return {"no memory"};
    if (t.tile == 6) return {"", 1e6};
    if (t.tile == 5) return {"", std::numeric_limits<double>::quiet_NaN()};
    return {"", 1};
  }
  double seconds(const batch_tuning& t) override {
    ++runs[t.tile];
    return times_[static_cast<std::size_t>(t.tile)] * (1 + 1e-3 * runs[t.tile]);
  }
  both_seconds seconds_of_both(const batch_tuning&, const batch_tuning&) override { return {}; }

  int checks = 0, runs[9] = {};

 private:
  std::vector<double> times_;
};

race_result raced(told& on, std::initializer_list<int> tiles, const race_rules& rules = {}) {
  std::vector<batch_tuning> all;
  for (const int tile : tiles) all.push_back({.tile = tile});
  return race(
      on, all, rules, [](const batch_tuning& t) { return "tile " + std::to_string(t.tile); },
      [](const race_step&) {});
}

TEST(Race, KeepsTheFastest) {
  told on({1.2, 9, 1.1, 1.0, 1.3});
  const race_result r = raced(on, {0, 1, 2, 3, 4});
  EXPECT_TRUE(r.finished);
  EXPECT_EQ(r.fastest.tile, 3);
  EXPECT_EQ(r.gain, 120);
  EXPECT_EQ(r.sure, 100);
  EXPECT_EQ(on.runs[1], 3);  // far slower: dropped
  EXPECT_EQ(on.runs[0], 9);  // what names nothing stays, for the gain
}

TEST(Race, TellsEveryRun) {
  told on({1.2, 9, 1.1, 1.0, 1.3});
  std::vector<batch_tuning> all;
  for (const int tile : {0, 1, 2, 3, 4, 7}) all.push_back({.tile = tile});
  std::vector<race_step> steps;
  race(
      on, all, {}, [](const batch_tuning&) { return std::string(); },
      [&](const race_step& s) { steps.push_back(s); });
  const int runs = on.runs[0] + on.runs[1] + on.runs[2] + on.runs[3] + on.runs[4];
  ASSERT_EQ(steps.size(), 6u + static_cast<std::size_t>(runs));
  for (std::size_t k = 1; k < steps.size(); ++k) {
    EXPECT_GE(steps[k].checked, steps[k - 1].checked);
    EXPECT_GE(steps[k].timed, steps[k - 1].timed);
    EXPECT_EQ(steps[k].timed > 0, k >= 6);
  }
  EXPECT_EQ(steps.back().checked, 6u);
  EXPECT_EQ(steps.back().timed, 1);
}

TEST(Race, NamesNothingWhereThatIsHardlySlower) {
  told on({1.02, 1.0});
  const race_result r = raced(on, {0, 1});
  EXPECT_EQ(r.fastest, batch_tuning{});
  EXPECT_EQ(r.gain, 100);
  EXPECT_EQ(r.sure, 0);  // it never was the faster one
}

TEST(Race, AWrongResultIsReportedAndNeverKept) {
  told on({1, 1, 1, 1, 1, 0.1, 0.1, 0.1});
  const race_result r = raced(on, {0, 5, 6, 7});
  EXPECT_EQ(r.fastest, batch_tuning{});
  EXPECT_EQ(r.wrong.size(), 2u);
  ASSERT_EQ(r.not_run.size(), 1u);
  EXPECT_EQ(r.not_run[0], "tile 7: no memory");
  EXPECT_EQ(on.runs[5] + on.runs[6] + on.runs[7], 0);
  const race_result nothing = raced(on, {5, 7});
  EXPECT_TRUE(nothing.finished);
  EXPECT_EQ(nothing.seconds, 0);
}

TEST(Race, EndsWhenItsTimeIsOver) {
  told on({1, 1});
  EXPECT_FALSE(raced(on, {0, 1}, {.end = tune::clock::now()}).finished);
  EXPECT_EQ(on.checks, 0);
}

TEST(Race, OfOneNothingIsSure) {
  told on({1, 1});
  const race_result r = raced(on, {0});
  EXPECT_TRUE(r.finished);
  EXPECT_EQ(r.compared, 1u);
  EXPECT_EQ(r.sure, 0);
  EXPECT_EQ(r.gain, 100);
}

TEST(Race, TheNextBestMayHaveDroppedOut) {
  told on({1, 9});
  const race_result r = raced(on, {0, 1});
  EXPECT_EQ(on.runs[1], 3);
  EXPECT_EQ(r.compared, 2u);
  EXPECT_EQ(r.sure, 100);
}

TEST(Race, PercentOfPairs) {
  EXPECT_EQ(percent_faster({1, 2}, {3, 4}), 100);
  EXPECT_EQ(percent_faster({1, 4}, {2, 3}), 50);
  EXPECT_EQ(percent_faster({1}, {1}), 50);
}

TEST(ExportedHeader, HasAnArrayForEachDevice) {
  profile p;
  p.batches.push_back({"serial", {}});
  for (const char* device : {"opencl one, 1", "opencl two, 2"})
    p.batches.push_back({device,
                         {{batch_operation::cholesky,
                           'd',
                           batch_place::strided,
                           8,
                           {.tile = 4, .looking = looking_order::left},
                           121,
                           98},
                          {batch_operation::solve,
                           's',
                           batch_place::strided,
                           16,
                           {.kernel = trifac::batch_kernel::groups, .systems = 8},
                           103,
                           90},
                          {batch_operation::solve, 's', batch_place::chunked, 16, {}, 100, 50}}});
  const std::string text = header_text(p, "here");
  EXPECT_NE(text.find("// Written by trifac tune " TRIFAC_VERSION_STRING " on here."),
            std::string::npos);
  EXPECT_NE(text.find("/// opencl one, 1.\ninline constexpr trifac::batch_finding opencl[] = {\n"
                      "    {trifac::batch_operation::cholesky, 'd', trifac::batch_place::strided, "
                      "8, {.tile = 4, .looking = trifac::looking_order::left}, 121, 98},\n"
                      "    {trifac::batch_operation::solve, 's', trifac::batch_place::strided, 16, "
                      "{.kernel = trifac::batch_kernel::groups, .systems = 8}, 103, 90},\n"
                      "    {trifac::batch_operation::solve, 's', trifac::batch_place::chunked, 16, "
                      "{}, 100, 50},\n};\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("opencl_2[]"), std::string::npos);
  EXPECT_EQ(text.find("serial"), std::string::npos);
}

// ---- How files are written. The tests touch no device but copies of their own.

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  WholeFile() : folder_(fs::path(testing::TempDir()) / ("trifac_whole_file_" + name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "other");
  }
  ~WholeFile() override { fs::remove_all(folder_); }

  static std::string name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  fs::path at(const std::string& file) const { return folder_ / file; }
  static std::string text_in(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  /// Why the text cannot be written; empty where it can.
  static std::string refusal(const fs::path& file) {
    try {
      write_whole(file, "new");
    } catch (const trifac::io::write_error& error) {
      return error.what();
    }
    return "";
  }
  /// Names of the folder's files that end in .part.
  std::size_t parts() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      count += entry.path().extension() == ".part";
    return count;
  }

 private:
  fs::path folder_;
};

TEST_F(WholeFile, IsMadeOrReplaced) {
  for (const char* text : {"first", "second"}) {
    write_whole(at("a.hpp"), text);
    EXPECT_EQ(text_in(at("a.hpp")), text);
  }
  EXPECT_EQ(parts(), 0u);
}

TEST_F(WholeFile, KeepsItsPermissions) {
  std::ofstream(at("a.hpp")) << "old";
  fs::permissions(at("a.hpp"), fs::perms::owner_read | fs::perms::owner_write);
  write_whole(at("a.hpp"), "new");
  EXPECT_EQ(text_in(at("a.hpp")), "new");
  EXPECT_EQ(fs::status(at("a.hpp")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(WholeFile, LinksAreFollowedAndStay) {
  std::ofstream(at("other/real.hpp")) << "old";
  fs::create_symlink("other/real.hpp", at("link.hpp"));
  fs::create_symlink("link.hpp", at("second.hpp"));
  fs::create_symlink("other/missing.hpp", at("dangling.hpp"));
  write_whole(at("second.hpp"), "new");
  write_whole(at("dangling.hpp"), "made");
  EXPECT_EQ(text_in(at("other/real.hpp")), "new");
  EXPECT_EQ(text_in(at("other/missing.hpp")), "made");
  for (const char* link : {"link.hpp", "second.hpp", "dangling.hpp"})
    EXPECT_TRUE(fs::is_symlink(at(link))) << link;
  EXPECT_EQ(parts(), 0u);
}

TEST_F(WholeFile, AFifoIsWrittenTo) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = text_in(at("fifo")); });
  write_whole(at("fifo"), "new");
  reader.join();
  EXPECT_EQ(read, "new");
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
  EXPECT_EQ(parts(), 0u);
}

#if defined(__linux__)
TEST_F(WholeFile, ADeviceIsWrittenTo) {
  const auto copy = [&](const char* name, unsigned minor) {
    return mknod(at(name).c_str(), S_IFCHR | 0600, makedev(1, minor)) == 0 &&
           std::ofstream(at(name)).is_open();
  };
  if (!copy("null", 3) || !copy("full", 7)) GTEST_SKIP() << "devices can be made by root only";
  EXPECT_EQ(refusal(at("null")), "");
  EXPECT_NE(refusal(at("full")).find("full: No space left on device"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file(at("null")) && fs::is_character_file(at("full")));
  EXPECT_EQ(parts(), 0u);
}
#endif

TEST_F(WholeFile, WhereNoTextCanGoIsNamed) {
  const auto expect = [&](const char* file, const char* why) {
    EXPECT_NE(refusal(at(file)).find(why), std::string::npos) << refusal(at(file));
    EXPECT_EQ(parts(), 0u);
  };
  fs::create_directory_symlink("other", at("folder_link"));
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  expect("other", "is a directory");
  expect("folder_link", "is a directory");
  expect("nowhere/a.hpp", "there is no directory");
  expect("a", "symbolic links");
}

TEST_F(WholeFile, RemovesOnlyWhatItWrote) {
  fs::create_directory(at("taken.hpp.part"));
  EXPECT_NE(refusal(at("taken.hpp")).find("taken.hpp.part: "), std::string::npos);
  EXPECT_TRUE(fs::is_directory(at("taken.hpp.part")));
}

#if defined(__linux__)
TEST_F(WholeFile, NothingStaysWhereTheDiskIsFull) {
  // FILE.part is a link to a full device here, as the disk itself cannot be filled.
  fs::create_symlink("/dev/full", at("a.hpp.part"));
  EXPECT_NE(refusal(at("a.hpp")).find("No space left on device"), std::string::npos);
  EXPECT_FALSE(fs::exists(at("a.hpp")));
  EXPECT_EQ(parts(), 0u);
}
#endif

// ---- Other programs

TEST(Load, BusySecondsAreOfTheseCores) {
  const std::string text =
      "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 200 300 5000 60 7 8 25 0 0\n"
      "cpu1 1 1 1 1 1 1 1 1 0 0\ncpu12 10 0 0 90 0 0 0 0 0 0\nintr 1 2 3\n";
  const auto busy = [&](const std::set<int>& cores) {
    std::istringstream stat(text);
    return busy_seconds(stat, cores, 100);
  };
  EXPECT_DOUBLE_EQ(busy({0}).value(), 6.4);  // user, nice, system, irq, softirq, stolen
  EXPECT_DOUBLE_EQ(busy({0, 12}).value(), 6.5);
  EXPECT_FALSE(busy({3}).has_value());
}

TEST(Load, OthersAreWhatTheCoresDidWithoutUs) {
  EXPECT_DOUBLE_EQ(others_between({0, 10, 1}, {2, 13.5, 3}), 0.75);
  EXPECT_EQ(others_between({0, 10, 1}, {2, 10, 3}), 0);  // the kernel's ticks are coarse
  EXPECT_EQ(others_between({1, 10, 1}, {1, 11, 1}), 0);
}

// ---- The verdict

using trifac::batch_finding;

batch_finding finding(int tile, int gain) {
  return {batch_operation::lu, 'd', batch_place::strided, 8, {.tile = tile}, gain, 90};
}

std::string verdict_of(std::initializer_list<batch_finding> found) {
  verdict v;
  for (const batch_finding& f : found) v.add(f);
  return in_words(v, "a.profile", "up to 1.2 of 2 cores");
}

TEST(Verdict, SaysWhatIsGained) {
  EXPECT_EQ(verdict_of({}), "verdict: no order was measured");
  EXPECT_EQ(
      verdict_of({finding(0, 100)}),
      "verdict: nothing tried is faster than the library's own choice (1 order in a.profile)");
  EXPECT_EQ(
      verdict_of({finding(0, 100), finding(4, 100)}),
      "verdict: nothing tried is faster than the library's own choice (2 orders in a.profile)");
  EXPECT_EQ(
      verdict_of({finding(4, 138), finding(0, 100), finding(2, 104)}),
      "verdict: a.profile is faster than the library's own choice at 2 of 3 orders, by 4 to 38 %");
  EXPECT_EQ(verdict_of({finding(4, 138)}),
            "verdict: a.profile is faster than the library's own choice at 1 of 1 order, by 38 %");
}

TEST(Verdict, SaysWhatOtherProgramsDisturbed) {
  verdict v;
  v.add(finding(4, 110));
  v.disturbed = 1;
  EXPECT_EQ(in_words(v, "a.profile", "up to 1.2 of 2 cores"),
            "verdict: a.profile is faster than the library's own choice at 1 of 1 order, by 10 %; "
            "1 was measured beside other programs, which used up to 1.2 of 2 cores: repeat with "
            "--again on an idle machine");
}

}  // namespace

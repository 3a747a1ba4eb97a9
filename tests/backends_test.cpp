// That every backend the build was configured with is there and ready, so that no other test leaves
// one out in silence.

#include "backends.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace trifac::test {
namespace {

TEST(Backends, TheListHoldsWhatTheBuildWasConfiguredWith) {
  std::set<std::string> expected = {"serial", "threads"};
  if (TRIFAC_EXPECT_OPENMP) expected.insert("openmp");
  if (TRIFAC_EXPECT_LAPACK) expected.insert("lapack");
  if (TRIFAC_EXPECT_OPENCL) expected.insert("opencl");
  std::set<std::string> found;
  for_each_backend([&found]<class B>(const B& backend, const std::string& name) {
    static_assert(Backend<B>);
    const availability here = backend.available();
    EXPECT_TRUE(here) << name << ": " << here.reason;
    found.insert(std::string(B::name));
  });
  EXPECT_EQ(found, expected);
}

TEST(Backends, OneThatIsNotThereSaysWhy) {
  const availability here = backend::openmp{}.available();
  EXPECT_EQ(static_cast<bool>(here), TRIFAC_EXPECT_OPENMP == 1);
  EXPECT_EQ(here.reason.empty(), here.ok) << here.reason;
}

TEST(Backends, TeamsOfOneToFourThreadsAreTested) {
  std::map<std::string, int> teams;
  for_each_team([&teams]<class B>(const B& team, const std::string&) {
    EXPECT_EQ(team.threads, ++teams[std::string(B::name)]);
  });
  EXPECT_EQ(teams["openmp"], TRIFAC_EXPECT_OPENMP ? most_threads : 0);
  EXPECT_EQ(teams["threads"], most_threads);
}

}  // namespace
}  // namespace trifac::test

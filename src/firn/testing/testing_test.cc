#include "firn/testing/testing.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

namespace fs = std::filesystem;

TEST(FakeClockTest, MovesOnlyWhenTold) {
  FakeClock clock;
  const Timestamp start = clock.Now();
  EXPECT_EQ(clock.Now(), start);
  clock.Advance(std::chrono::hours(24));
  EXPECT_EQ(clock.Now() - start, std::chrono::hours(24));
  EXPECT_THAT(clock.Sleep(std::chrono::seconds(2), {}), IsOk());
  EXPECT_EQ(clock.slept(), std::chrono::seconds(2));
  EXPECT_EQ(clock.Elapsed(), std::chrono::hours(24) + std::chrono::seconds(2));
}

TEST(FakeClockTest, DoesNotSleepWhenCancelled) {
  FakeClock clock;
  CancelSource source;
  source.Cancel();
  EXPECT_THAT(clock.Sleep(std::chrono::seconds(2), source.token()), IsError(ErrorCode::kCancelled));
  EXPECT_EQ(clock.slept(), std::chrono::seconds(0));
}

TEST(MatchersTest, TellOkFromErrorsByCodeAndText) {
  const Result<int> ok = 1;
  const Status error = Error(ErrorCode::kCorrupt, "entry 17: broken");
  EXPECT_THAT(ok, IsOk());
  EXPECT_THAT(error, testing::Not(IsOk()));
  EXPECT_THAT(error, IsError(ErrorCode::kCorrupt));
  EXPECT_THAT(error, IsError(ErrorCode::kCorrupt, "entry 17"));
  EXPECT_THAT(error, testing::Not(IsError(ErrorCode::kCorrupt, "entry 18")));
  EXPECT_THAT(error, testing::Not(IsError(ErrorCode::kNotFound)));
  EXPECT_THAT(ok, testing::Not(IsError(ErrorCode::kNotFound)));
}

TEST(MatchersTest, ShowTheErrorWhenTheyFail) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(Status(Error(ErrorCode::kCorrupt, "broken")), IsOk()),
                          "corrupt: broken");
}

TEST(TemporaryFolderTest, IsEmptyAndRemovedAtTheEnd) {
  std::string path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    EXPECT_TRUE(fs::is_empty(path));
    EXPECT_EQ(folder.Join("a"), path + "/a");
    fs::create_directories(folder.Join("a/b"));
    std::ofstream(folder.Join("a/b/f")) << "x";
    fs::permissions(folder.Join("a/b"), fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TestDataTest, IsFound) {
  EXPECT_THAT(TestDataPath("x/y"), testing::EndsWith("/testdata/x/y"));
}

}  // namespace
}  // namespace firn

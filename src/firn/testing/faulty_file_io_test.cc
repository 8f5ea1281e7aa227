#include "firn/testing/faulty_file_io.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/counting_file_io.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

class FaultyFileIOTest : public testing::Test {
 protected:
  FakeClock clock_;
  std::shared_ptr<FileIO> inner_ = MakeMemoryFileIO(clock_);
  FaultyFileIO io_{inner_};
};

TEST_F(FaultyFileIOTest, FailsTheNthCallOfAnOperationOnAPath) {
  io_.Add({.operation = FileOperation::kPublish, .uri_part = "/data/", .first_call = 2});
  EXPECT_THAT(WriteFile(io_, "m:/data/a", {}), IsOk());
  EXPECT_THAT(WriteFile(io_, "m:/metadata/b", {}), IsOk());
  EXPECT_THAT(WriteFile(io_, "m:/data/c", {}), IsError(ErrorCode::kUnavailable, "m:/data/c"));
  EXPECT_THAT(WriteFile(io_, "m:/data/c", {}), IsOk());
  EXPECT_EQ(io_.injected_count(), 1);
}

TEST_F(FaultyFileIOTest, ThrottlesForSomeCalls) {
  EXPECT_THAT(WriteFile(io_, "m:/f", {}), IsOk());
  io_.Add({.operation = FileOperation::kStat,
           .call_count = 3,
           .error = Error(ErrorCode::kUnavailable, "slow down")});
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(io_.Stat("m:/f"), IsError(ErrorCode::kUnavailable, "slow down"));
  }
  EXPECT_THAT(io_.Stat("m:/f"), IsOk());
}

TEST_F(FaultyFileIOTest, LosesTheAnswerOfAPublishThatHappened) {
  io_.Add({.operation = FileOperation::kPublish,
           .error = Error(ErrorCode::kCommitUnknown, "no answer"),
           .happens = true});
  EXPECT_THAT(WriteFile(io_, "m:/f", AsBytes("x")), IsError(ErrorCode::kCommitUnknown));
  EXPECT_TRUE(*FileExists(io_, "m:/f"));
}

TEST_F(FaultyFileIOTest, ReportsTheRealErrorOfACallWhoseAnswerWouldBeLost) {
  EXPECT_THAT(WriteFile(io_, "m:/f", {}), IsOk());
  io_.Add({.operation = FileOperation::kPublish, .happens = true});
  EXPECT_THAT(WriteFile(io_, "m:/f", {}, {.exclusive = true}), IsError(ErrorCode::kAlreadyExists));
}

TEST_F(FaultyFileIOTest, FailsReadsSizesAppendsListsAndDeletes) {
  EXPECT_THAT(WriteFile(io_, "m:/f", AsBytes("x")), IsOk());
  for (const FileOperation operation :
       {FileOperation::kOpen, FileOperation::kSize, FileOperation::kRead}) {
    io_.Add({.operation = operation});
    EXPECT_THAT(ReadFile(io_, "m:/f"), IsError(ErrorCode::kUnavailable));
    EXPECT_THAT(ReadFile(io_, "m:/f"), IsOk());
  }
  for (const FileOperation operation : {FileOperation::kCreate, FileOperation::kAppend}) {
    io_.Add({.operation = operation});
    EXPECT_THAT(WriteFile(io_, "m:/g", AsBytes("x")), IsError(ErrorCode::kUnavailable));
  }
  io_.Add({.operation = FileOperation::kList});
  EXPECT_THAT(io_.List("m:/", [](const FileInfo&) { return Status(); }),
              IsError(ErrorCode::kUnavailable));
  io_.Add({.operation = FileOperation::kDelete, .uri_part = "f"});
  const auto outcomes = io_.DeleteMany(std::vector<std::string>{"m:/f"});
  EXPECT_THAT(outcomes[0].status, IsError(ErrorCode::kUnavailable));
  EXPECT_TRUE(*FileExists(io_, "m:/f"));
}

TEST_F(FaultyFileIOTest, RepeatsTheFaultsOfASeed) {
  EXPECT_THAT(WriteFile(io_, "m:/f", {}), IsOk());
  const auto play = [&](uint64_t seed) {
    io_.FailAtRandom({.seed = seed, .share = 0.3, .operations = {FileOperation::kStat}});
    std::vector<bool> answers;
    for (int i = 0; i < 200; ++i)
      answers.push_back(io_.Stat("m:/f").ok());
    return answers;
  };
  const std::vector<bool> first = play(1);
  EXPECT_EQ(play(1), first);
  EXPECT_NE(play(2), first);
  EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), false)), 60, 30);
  io_.Clear();
  EXPECT_THAT(io_.Stat("m:/f"), IsOk());
}

TEST_F(FaultyFileIOTest, LosesTheAnswersOfSomePublishesByChance) {
  io_.FailAtRandom({.seed = 4, .share = 1, .operations = {FileOperation::kPublish}});
  bool has_lost = false;
  bool has_refused = false;
  for (int i = 0; i < 50; ++i) {
    const std::string uri = "m:/" + std::to_string(i);
    const Status status = WriteFile(io_, uri, {});
    ASSERT_FALSE(status.ok());
    const bool is_unknown = status.error().code() == ErrorCode::kCommitUnknown;
    EXPECT_EQ(*FileExists(*inner_, uri), is_unknown);
    (is_unknown ? has_lost : has_refused) = true;
  }
  EXPECT_TRUE(has_lost);
  EXPECT_TRUE(has_refused);
}

TEST(CountingFileIOTest, CountsCallsAndBytes) {
  FakeClock clock;
  CountingFileIO io(MakeMemoryFileIO(clock));
  EXPECT_THAT(WriteFile(io, "m:/f", AsBytes("12345")), IsOk());
  EXPECT_THAT(ReadFile(io, "m:/f"), IsOk());
  EXPECT_THAT(io.Stat("m:/f"), IsOk());
  EXPECT_THAT(io.List("m:/", [](const FileInfo&) { return Status(); }), IsOk());
  static_cast<void>(io.DeleteMany(std::vector<std::string>{"m:/f", "m:/g"}));
  EXPECT_EQ(io.Count(FileOperation::kCreate).calls, 1);
  EXPECT_EQ(io.Count(FileOperation::kAppend).bytes, 5);
  EXPECT_EQ(io.Count(FileOperation::kPublish).calls, 1);
  EXPECT_EQ(io.Count(FileOperation::kOpen).calls, 1);
  EXPECT_EQ(io.Count(FileOperation::kRead).bytes, 5);
  EXPECT_EQ(io.Count(FileOperation::kStat).calls, 1);
  EXPECT_EQ(io.Count(FileOperation::kList).calls, 1);
  EXPECT_EQ(io.Count(FileOperation::kDelete).calls, 2);
  io.Reset();
  EXPECT_EQ(io.Count(FileOperation::kRead).bytes, 0);
}

}  // namespace
}  // namespace firn

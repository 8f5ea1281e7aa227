#include "firn/base/log.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace firn {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override {
    SetLogSink({});
    SetLogLevel(LogLevel::kWarning);
  }

  std::vector<std::string> lines_;
};

TEST_F(LogTest, DropsLinesBelowTheLevel) {
  SetLogSink([&](LogLevel, std::string_view message) { lines_.emplace_back(message); });
  Log(LogLevel::kInfo, "quiet");
  Log(LogLevel::kWarning, "file {} of {}", 1, 2);
  SetLogLevel(LogLevel::kDebug);
  Log(LogLevel::kDebug, "loud");
  SetLogLevel(LogLevel::kOff);
  Log(LogLevel::kError, "off");
  EXPECT_THAT(lines_, testing::ElementsAre("file 1 of 2", "loud"));
}

TEST_F(LogTest, KeepsALineOneLine) {
  SetLogSink([&](LogLevel, std::string_view message) { lines_.emplace_back(message); });
  Log(LogLevel::kError, "file '{}'", "a\nb\r");
  EXPECT_THAT(lines_, testing::ElementsAre("file 'a\\nb\\r'"));
}

TEST_F(LogTest, WritesToStandardErrorWithTimeAndLevel) {
  testing::internal::CaptureStderr();
  Log(LogLevel::kWarning, "disk is slow");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("[0-9-]{10}T[0-9:.]{12}Z warning: disk is slow\n"));
}

TEST_F(LogTest, GivesBackTheSinkBefore) {
  SetLogSink([&](LogLevel, std::string_view) { lines_.emplace_back("first"); });
  LogSink before = SetLogSink([](LogLevel, std::string_view) {});
  before(LogLevel::kError, "");
  EXPECT_THAT(lines_, testing::ElementsAre("first"));
}

}  // namespace
}  // namespace firn

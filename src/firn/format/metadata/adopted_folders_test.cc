#include "firn/format/metadata/adopted_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AdoptedFoldersTest, AreReadAsTheyWereWritten) {
  const std::vector<std::string> folders = {"/a,b", "s3://c/\"d\""};
  const Properties properties = {{std::string(kAdoptedFolders), FormatAdoptedFolders(folders)}};
  EXPECT_THAT(ParseAdoptedFolders(properties), IsOkAnd(folders));
  EXPECT_THAT(ParseAdoptedFolders({}), IsOkAnd(IsEmpty()));
  for (const char* text : {"/a", "[1]", "{}", "[\"/a\"", ""}) {
    EXPECT_THAT(ParseAdoptedFolders({{std::string(kAdoptedFolders), text}}),
                IsError(ErrorCode::kInvalidInput, "expected a JSON array of folders"))
        << text;
  }
}

TEST(AdoptedFoldersTest, AFolderInAnotherIsNotNamed) {
  EXPECT_THAT(JoinFolders({"/a/b", "s3://x/y"}, {"/a/", "/a/b/c", "s3a://x/y/z", "/ab"}),
              ElementsAre("/a", "/ab", "s3://x/y"));
  EXPECT_EQ(JoinFolders({"file:/a"}, {"/a"}).size(), 1U);
}

TEST(AdoptedFoldersTest, VeryManyFoldersInOneAreThatFolder) {
  std::vector<std::string> days;
  for (int day = 0; day < 80; ++day)
    days.push_back("s3://bucket/landing/day-" + std::to_string(day));
  EXPECT_THAT(JoinFolders({"/other/place"}, days),
              ElementsAre("/other/place", "s3://bucket/landing"));
  // But never a whole bucket.
  for (std::string& day : days)
    day.erase(std::string("s3://bucket/").size(), std::string("landing/").size());
  EXPECT_EQ(JoinFolders({}, days).size(), 80U);
}

}  // namespace
}  // namespace firn

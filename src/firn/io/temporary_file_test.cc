#include "firn/io/temporary_file.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

TEST(TemporaryFileTest, GivesBackWhatWasAppended) {
  const TemporaryFolder folder;
  const auto file = MakeTemporaryFile(folder.path());
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("one, ")), IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("two")), IsOk());

  std::string text(4, ' ');
  ASSERT_THAT((*file)->ReadAt(3, std::as_writable_bytes(std::span(text))), IsOk());
  EXPECT_EQ(text, ", tw");
  EXPECT_EQ((*file)->size(), 8);
}

TEST(TemporaryFileTest, LeavesNoNameBehind) {
  const TemporaryFolder folder;
  const auto file = MakeTemporaryFile(folder.path());
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("x")), IsOk());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TemporaryFileTest, RefusesToReadBeyondItsEnd) {
  const auto file = MakeTemporaryFile();
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("x")), IsOk());
  std::string text(2, ' ');
  EXPECT_EQ((*file)->ReadAt(0, std::as_writable_bytes(std::span(text))).error().code(),
            ErrorCode::kInternal);
}

TEST(TemporaryFileTest, NamesTheFolderThatIsMissing) {
  const auto file = MakeTemporaryFile("/nowhere/at/all");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(file.error().message(), testing::HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace firn

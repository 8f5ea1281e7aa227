#include "firn/io/scratch_file.h"

#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

TEST(ScratchFileTest, GivesBackWhatWasAppendedAndLeavesNoName) {
  const TemporaryFolder folder;
  setenv("TMPDIR", folder.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread.
  const auto file = ScratchFile::Make();
  unsetenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("abc")), IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("defg")), IsOk());
  EXPECT_EQ((*file)->size(), 7);
  std::array<std::byte, 10> bytes{};
  const auto read = (*file)->ReadAt(2, bytes);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(AsText(std::span(bytes).first(static_cast<size_t>(*read))), "cdefg");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ScratchFileTest, FillsWhatIsAskedFor) {
  const TemporaryFolder folder;
  const auto file = ScratchFile::Make(folder.path());
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("one, ")), IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("two")), IsOk());

  std::string text(4, ' ');
  ASSERT_THAT((*file)->ReadAll(3, std::as_writable_bytes(std::span(text))), IsOk());
  EXPECT_EQ(text, ", tw");
  EXPECT_EQ((*file)->size(), 8);
}

TEST(ScratchFileTest, LeavesNoNameBehind) {
  const TemporaryFolder folder;
  const auto file = ScratchFile::Make(folder.path());
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("x")), IsOk());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ScratchFileTest, RefusesToReadBeyondItsEnd) {
  const auto file = ScratchFile::Make();
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT((*file)->Append(AsBytes("x")), IsOk());
  std::string text(2, ' ');
  EXPECT_EQ((*file)->ReadAll(0, std::as_writable_bytes(std::span(text))).error().code(),
            ErrorCode::kInternal);
}

TEST(ScratchFileTest, NamesTheFolderThatIsMissing) {
  const auto file = ScratchFile::Make("/nowhere/at/all");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(file.error().message(), testing::HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace firn

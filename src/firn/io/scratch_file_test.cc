#include "firn/io/scratch_file.h"

#include <array>
#include <filesystem>

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

}  // namespace
}  // namespace firn

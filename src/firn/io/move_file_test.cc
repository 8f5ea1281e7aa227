#include "firn/io/move_file.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "firn/io/uri.h"
#include "firn/testing/counting_file_io.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

void CheckMoves(FileIO& io, const std::string& root) {
  const std::string from = JoinUri(root, "a/file");
  const std::string to = JoinUri(root, "b/c/file");
  ASSERT_THAT(WriteFile(io, from, AsBytes("bytes")), IsOk());
  ASSERT_THAT(MoveFile(io, from, to), IsOk());
  EXPECT_THAT(FileExists(io, from), IsOkAnd(testing::IsFalse()));
  const auto moved = ReadFile(io, to);
  ASSERT_THAT(moved, IsOk());
  EXPECT_EQ(moved->view(), "bytes");
  EXPECT_THAT(MoveFile(io, from, to), IsError(ErrorCode::kNotFound, "a/file"));
  // What is there stays.
  ASSERT_THAT(WriteFile(io, from, AsBytes("others")), IsOk());
  EXPECT_THAT(MoveFile(io, from, to), IsError(ErrorCode::kAlreadyExists, "b/c/file"));
  EXPECT_THAT(FileExists(io, from), IsOkAnd(testing::IsTrue()));
}

TEST(MoveFileTest, RenamesLocalFiles) {
  const TemporaryFolder folder;
  CheckMoves(*MakeLocalFileIO(), folder.path());
}

TEST(MoveFileTest, MovesALinkAndNotWhatItLeadsTo) {
  const TemporaryFolder folder;
  const auto io = MakeLocalFileIO();
  ASSERT_THAT(WriteFile(*io, folder.Join("target"), AsBytes("bytes")), IsOk());
  std::filesystem::create_symlink("target", folder.Join("link"));
  ASSERT_THAT(MoveFile(*io, folder.Join("link"), folder.Join("below/link")), IsOk());
  EXPECT_EQ(std::filesystem::read_symlink(folder.Join("below/link")), "target");
  EXPECT_FALSE(std::filesystem::is_symlink(folder.Join("link")));
  // Wherever it leads meanwhile.
  ASSERT_THAT(MoveFile(*io, folder.Join("below/link"), folder.Join("link")), IsOk());
  EXPECT_THAT(FileExists(*io, folder.Join("link")), IsOkAnd(testing::IsTrue()));
}

TEST(MoveFileTest, RenamesThroughSchemesAndPrefixes) {
  const TemporaryFolder folder;
  const auto registry = MakeSchemeRegistry();
  registry->Register("file", MakeLocalFileIO());
  CheckMoves(*MakePrefixFileIO(registry->Make(), {{"s3://recorded", folder.path()}}),
             "s3://recorded");
}

TEST(MoveFileTest, CopiesWhereItCannotRename) {
  FakeClock clock;
  CountingFileIO io(MakeMemoryFileIO(clock));
  CheckMoves(io, "memory:/t");
  EXPECT_EQ(io.Count(FileOperation::kDelete).calls, 1);
}

TEST(MoveFileTest, MovesBetweenFileSystems) {
  const TemporaryFolder folder;
  FakeClock clock;
  const auto registry = MakeSchemeRegistry();
  registry->Register("file", MakeLocalFileIO());
  registry->Register("memory", MakeMemoryFileIO(clock));
  const auto io = registry->Make();
  ASSERT_THAT(WriteFile(*io, "memory:/t/a", AsBytes("bytes")), IsOk());
  ASSERT_THAT(MoveFile(*io, "memory:/t/a", folder.Join("a")), IsOk());
  EXPECT_THAT(FileExists(*io, folder.Join("a")), IsOkAnd(testing::IsTrue()));
  EXPECT_THAT(FileExists(*io, "memory:/t/a"), IsOkAnd(testing::IsFalse()));
}

}  // namespace
}  // namespace firn

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/io/io.h"
#include "firn/io/uri.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class LocalFileIOTest : public testing::Test {
 protected:
  std::string Path(std::string_view name) const { return folder_.Join(name); }

  void Write(const std::string& path, std::string_view content = "x") {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << content;
  }

  std::vector<std::string> List(const std::string& uri) {
    std::vector<std::string> uris;
    EXPECT_THAT(ListInto(uri, uris), IsOk());
    return uris;
  }

  Status ListInto(const std::string& uri, std::vector<std::string>& uris) {
    return io_->List(uri, [&](const FileInfo& info) -> Status {
      uris.push_back(info.uri);
      return {};
    });
  }

  TemporaryFolder folder_;
  std::unique_ptr<FileIO> io_ = MakeLocalFileIO();
};

// B87: all forms that writers record name one file.
TEST_F(LocalFileIOTest, OpensEveryFormOfAPathToTheSameFile) {
  const std::string path = Path("data/x y#/t/f.parquet");
  Write(path, "rows");
  for (const std::string& uri : {path, "file:" + path, "file://" + path, "file://localhost" + path,
                                 "file:" + Path("data//x y#/t//f.parquet")}) {
    const auto bytes = ReadFile(*io_, uri);
    ASSERT_THAT(bytes, IsOk());
    EXPECT_EQ(bytes->view(), "rows");
    EXPECT_EQ(CanonicalUriKey(uri), path);
  }
}

// B85, B87: a percent sign recorded in a path is a percent sign.
TEST_F(LocalFileIOTest, DecodesNothing) {
  Write(Path("x y"), "blank");
  EXPECT_THAT(ReadFile(*io_, "file:" + Path("x%20y")), IsError(ErrorCode::kNotFound, "x%20y"));
  Write(Path("x%20y"), "percent");
  EXPECT_EQ(ReadFile(*io_, "file:" + Path("x%20y"))->view(), "percent");
}

TEST_F(LocalFileIOTest, TakesRelativePathsFromTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  EXPECT_THAT(WriteFile(*io_, "file", AsBytes("a")), IsOk());
  EXPECT_THAT(WriteFile(*io_, "sub/file", AsBytes("b")), IsOk());
  EXPECT_EQ(ReadFile(*io_, "file:sub/file")->view(), "b");
  EXPECT_THAT(List("sub"), ElementsAre("sub/file"));
  fs::current_path(before);
  EXPECT_EQ(ReadFile(*io_, Path("file"))->view(), "a");
}

TEST_F(LocalFileIOTest, ListsInTheStyleOfTheRequest) {
  Write(Path("t/p=1/f"));
  for (const char* style : {"", "file:", "file://", "file://localhost"}) {
    const std::string folder = style + Path("t");
    EXPECT_THAT(List(folder), ElementsAre(folder + "/p=1/f"));
    EXPECT_THAT(List(folder + "/"), ElementsAre(folder + "/p=1/f"));
  }
  // B86: the part that the request spells stays as it is spelled.
  EXPECT_THAT(List(folder_.path() + "//t"), ElementsAre(folder_.path() + "//t/p=1/f"));
}

TEST_F(LocalFileIOTest, ListsLinkedFilesButNotTheFoldersThatLinksLeadTo) {
  Write(Path("t/data/f"));
  Write(Path("elsewhere/g"));
  fs::create_directory_symlink(Path("t/data"), Path("t/alias"));
  fs::create_directory_symlink(Path("t"), Path("t/loop"));
  fs::create_symlink(Path("elsewhere/g"), Path("t/linked"));
  fs::create_symlink(Path("nowhere"), Path("t/dangling"));
  fs::create_symlink(Path("t/self"), Path("t/self"));
  EXPECT_THAT(List(Path("t")), UnorderedElementsAre(Path("t/data/f"), Path("t/linked")));
  EXPECT_THAT(List(Path("t/alias")), ElementsAre(Path("t/alias/f")));
}

TEST_F(LocalFileIOTest, IgnoresPipesAndDoesNotWaitForThem) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(List(folder_.path()).empty());
  EXPECT_THAT(io_->Open(Path("pipe")), IsError(ErrorCode::kNotFound, "no regular file"));
}

// B06: a folder that cannot be read is an error, never an empty folder. Even the superuser cannot
// open a path that is too long.
TEST_F(LocalFileIOTest, FailsToListAFolderThatItCannotOpen) {
  Write(Path("t/a"));
  const std::string name(250, 'n');
  int folder = open(Path("t").c_str(), O_RDONLY | O_DIRECTORY);
  for (int depth = 0; depth < 20; ++depth) {
    ASSERT_EQ(mkdirat(folder, name.c_str(), 0700), 0);
    const int next = openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY);
    close(folder);
    folder = next;
  }
  close(openat(folder, "unseen", O_CREAT | O_WRONLY, 0600));
  close(folder);
  std::vector<std::string> uris;
  EXPECT_THAT(ListInto(Path("t"), uris), IsError(ErrorCode::kInvalidInput, "too long"));
}

// B06
TEST_F(LocalFileIOTest, FailsToListAFolderThatItMayNotRead) {
  Write(Path("t/p=1/f"));
  fs::permissions(Path("t/p=1"), fs::perms::none);
  fs::permissions(folder_.path(), fs::perms::all);
  fs::permissions(Path("t"), fs::perms::all);
  const bool is_superuser = geteuid() == 0;
  constexpr uid_t kNobody = 65534;
  if (is_superuser && seteuid(kNobody) != 0) {
    GTEST_SKIP() << "the superuser reads every folder and cannot become another user here";
  }
  std::vector<std::string> uris;
  const Status status = ListInto(Path("t"), uris);
  ASSERT_EQ(seteuid(getuid()), 0);
  EXPECT_THAT(status, IsError(ErrorCode::kPermissionDenied, "p=1"));
}

TEST_F(LocalFileIOTest, FailsToListAFile) {
  Write(Path("file"));
  std::vector<std::string> uris;
  EXPECT_THAT(ListInto(Path("file"), uris), IsError(ErrorCode::kNotFound, "not a directory"));
}

// B02: age is the time of the last change, whatever the time of the last access is.
TEST_F(LocalFileIOTest, TellsTheTimeOfTheLastChange) {
  Write(Path("f"));
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = 0},
                             {.tv_sec = 1'767'225'600, .tv_nsec = 123'999'999}};
  ASSERT_EQ(utimensat(AT_FDCWD, Path("f").c_str(), times, 0), 0);
  const Timestamp expected{std::chrono::milliseconds(1'767'225'600'123)};
  EXPECT_EQ(io_->Stat(Path("f"))->modified, expected);
  EXPECT_THAT(io_->List(folder_.path(),
                        [&](const FileInfo& info) -> Status {
                          EXPECT_EQ(info.modified, expected);
                          return {};
                        }),
              IsOk());
}

TEST_F(LocalFileIOTest, LeavesNothingBehindButTheFile) {
  EXPECT_THAT(WriteFile(*io_, Path("a/f"), AsBytes("1")), IsOk());
  EXPECT_THAT(WriteFile(*io_, Path("a/f"), AsBytes("2")), IsOk());
  EXPECT_THAT(WriteFile(*io_, Path("a/g"), AsBytes("3"), {.exclusive = true}), IsOk());
  EXPECT_THAT(WriteFile(*io_, Path("a/g"), AsBytes("4"), {.exclusive = true}),
              IsError(ErrorCode::kAlreadyExists));
  {
    const auto discarded = io_->Create(Path("a/h"));
  }
  EXPECT_THAT(List(Path("a")), UnorderedElementsAre(Path("a/f"), Path("a/g")));
}

// On file systems that have no files without name, what is left must be seen by orphan removal, so
// it has no hidden name.
TEST_F(LocalFileIOTest, LeavesNothingHiddenWhenTheProcessDies) {
  const pid_t child = fork();
  if (child == 0) {
    auto file = io_->Create(Path("f"));
    const bool is_written = file.ok() && (*file)->Append(AsBytes("half")).ok();
    _exit(is_written ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  for (const std::string& uri : List(folder_.path())) {
    EXPECT_THAT(std::string(UriFileName(uri)), testing::MatchesRegex("firn-[0-9a-f-]{36}\\.tmp"));
  }
  const int nameless = open(folder_.path().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  if (nameless < 0) return;
  close(nameless);
  EXPECT_THAT(List(folder_.path()), IsEmpty());
}

TEST_F(LocalFileIOTest, FindsAFreeTemporaryNameWhenRandomnessRepeats) {
  const auto random_a = MakeSeededRandom(1);
  const auto random_b = MakeSeededRandom(1);
  const auto a = MakeLocalFileIO(*random_a)->Create(Path("a"));
  const auto b = MakeLocalFileIO(*random_b)->Create(Path("b"));
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  EXPECT_THAT((*a)->Publish(), IsOk());
  EXPECT_THAT((*b)->Publish(), IsOk());
}

TEST_F(LocalFileIOTest, GivesFilesTheModeThatTheUserAsksFor) {
  const mode_t before = umask(027);
  EXPECT_THAT(WriteFile(*io_, Path("new/f"), AsBytes("1")), IsOk());
  umask(before);
  struct stat info{};
  ASSERT_EQ(stat(Path("new/f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
  ASSERT_EQ(stat(Path("new").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0750U);
}

TEST_F(LocalFileIOTest, ReadsAnOpenFileAlthoughItIsReplacedOrDeleted) {
  Write(Path("f"), "old");
  const auto file = io_->Open(Path("f"));
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(WriteFile(*io_, Path("f"), AsBytes("newer")), IsOk());
  EXPECT_THAT(io_->Delete(Path("f")), IsOk());
  Buffer buffer(10);
  EXPECT_EQ(*(*file)->ReadAt(0, buffer.span()), 3);
  EXPECT_EQ(buffer.view().substr(0, 3), "old");
}

TEST_F(LocalFileIOTest, IgnoresAWrongKnownSize) {
  Write(Path("f"), "12345");
  const auto file = io_->Open(Path("f"), int64_t{1} << 60);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(*(*file)->Size(), 5);
}

TEST_F(LocalFileIOTest, NeverDeletesFolders) {
  fs::create_directory(Path("empty"));
  EXPECT_THAT(io_->Delete(Path("empty")), IsError(ErrorCode::kNotFound, "no regular file"));
  EXPECT_TRUE(fs::exists(Path("empty")));
}

// Renaming over a device or a pipe would take it away from everyone.
TEST_F(LocalFileIOTest, ReplacesFilesOnly) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(WriteFile(*io_, Path("pipe"), AsBytes("1")),
              IsError(ErrorCode::kInvalidInput, "device or pipe"));
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
  EXPECT_THAT(WriteFile(*io_, "/dev/null", AsBytes("1")),
              IsError(ErrorCode::kInvalidInput, "device or pipe"));
}

TEST_F(LocalFileIOTest, ReplacesWhatALinkNamesAndKeepsTheModeOfAFile) {
  Write(Path("real"), "old");
  fs::permissions(Path("real"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(Path("real"), Path("link"));
  ASSERT_THAT(WriteFile(*io_, Path("link"), AsBytes("new")), IsOk());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(ReadFile(*io_, Path("real"))->view(), "new");
  EXPECT_EQ(fs::status(Path("real")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(LocalFileIOTest, SaysWhatIsWrongWithAPath) {
  EXPECT_THAT(io_->Open("s3://b/k"), IsError(ErrorCode::kInvalidInput, "scheme is 's3'"));
  EXPECT_THAT(io_->Open(""), IsError(ErrorCode::kInvalidInput, "empty"));
  EXPECT_THAT(io_->Open("file:"), IsError(ErrorCode::kInvalidInput, "empty"));
  EXPECT_THAT(io_->Open(std::string_view("/a\0b", 4)), IsError(ErrorCode::kInvalidInput, "NUL"));
  EXPECT_THAT(io_->Open(Path(std::string(300, 'x'))),
              IsError(ErrorCode::kInvalidInput, "too long"));
  Write(Path("file"));
  EXPECT_THAT(io_->Create(Path("file/below")), IsError(ErrorCode::kNotFound, "not a directory"));
  EXPECT_THAT(io_->Stat(Path("file/below")), IsError(ErrorCode::kNotFound));
  fs::create_directory(Path("folder"));
  EXPECT_THAT(WriteFile(*io_, Path("folder"), AsBytes("1")),
              IsError(ErrorCode::kInvalidInput, "is a directory"));
}

}  // namespace
}  // namespace firn

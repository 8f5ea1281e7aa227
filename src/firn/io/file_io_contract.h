#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/executor.h"
#include "firn/io/io.h"
#include "firn/io/uri.h"
#include "firn/testing/matchers.h"

/// What every FileIO must keep, as a test suite. An implementation includes this file in one test
/// and instantiates `FileIOContract` with a `FileIOContractCase`.

namespace firn {

/// A file system and an empty folder of it for one test.
struct FileIOUnderTest {
  std::shared_ptr<void> owner;  ///< Keeps alive what the file system stands on.
  std::shared_ptr<FileIO> io;
  std::string root;
  bool has_folders = false;  ///< A missing folder is an error rather than an empty listing.
};

struct FileIOContractCase {
  std::string name;
  std::function<FileIOUnderTest()> make;
};

inline void PrintTo(const FileIOContractCase& value, std::ostream* out) { *out << value.name; }

class FileIOContract : public testing::TestWithParam<FileIOContractCase> {
 protected:
  FileIO& io() { return *under_test_.io; }
  bool has_folders() const { return under_test_.has_folders; }
  std::string Uri(std::string_view name) const { return JoinUri(under_test_.root, name); }

  void Write(const std::string& uri, std::string_view content) {
    ASSERT_THAT(WriteFile(io(), uri, AsBytes(content)), IsOk());
  }

  std::string Read(const std::string& uri) {
    const Result<Buffer> bytes = ReadFile(io(), uri);
    return bytes.ok() ? std::string(bytes->view()) : bytes.error().Format();
  }

  std::map<std::string, int64_t> List(const std::string& uri) {
    std::map<std::string, int64_t> sizes;
    const Status status = io().List(uri, [&](const FileInfo& info) -> Status {
      EXPECT_FALSE(sizes.contains(info.uri)) << info.uri << " was listed twice";
      sizes[info.uri] = info.size;
      return {};
    });
    EXPECT_THAT(status, IsOk());
    return sizes;
  }

 private:
  FileIOUnderTest under_test_ = GetParam().make();
};

TEST_P(FileIOContract, ReadsBackWhatWasWritten) {
  Write(Uri("a/b/file"), "some bytes");
  EXPECT_EQ(Read(Uri("a/b/file")), "some bytes");
  Write(Uri("empty"), "");
  EXPECT_EQ(Read(Uri("empty")), "");
}

TEST_P(FileIOContract, KeepsTheOrderOfManyAppends) {
  const auto file = io().Create(Uri("file"));
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ((*file)->uri(), Uri("file"));
  std::string expected;
  for (size_t i = 0; i < 300; ++i) {
    const std::string piece(i * 7 % 1000, static_cast<char>('a' + i % 26));
    ASSERT_THAT((*file)->Append(AsBytes(piece)), IsOk());
    expected += piece;
    ASSERT_EQ((*file)->bytes_written(), static_cast<int64_t>(expected.size()));
  }
  const std::string large(300'000, 'x');
  ASSERT_THAT((*file)->Append(AsBytes(large)), IsOk());
  ASSERT_THAT((*file)->Publish(), IsOk());
  EXPECT_EQ(Read(Uri("file")), expected + large);
}

TEST_P(FileIOContract, ShowsNothingBeforePublish) {
  Write(Uri("old"), "old");
  {
    const auto fresh = io().Create(Uri("new"));
    const auto replacing = io().Create(Uri("old"));
    ASSERT_THAT(fresh, IsOk());
    ASSERT_THAT(replacing, IsOk());
    ASSERT_THAT((*fresh)->Append(AsBytes("new")), IsOk());
    ASSERT_THAT((*replacing)->Append(AsBytes("new")), IsOk());
    EXPECT_THAT(io().Stat(Uri("new")), IsError(ErrorCode::kNotFound));
    EXPECT_EQ(Read(Uri("old")), "old");
  }
  EXPECT_THAT(List(Uri("")), testing::ElementsAre(testing::Pair(Uri("old"), 3)));
  EXPECT_EQ(Read(Uri("old")), "old");
}

TEST_P(FileIOContract, ReplacesAnExistingFileUnlessCreatedExclusively) {
  Write(Uri("file"), "one");
  Write(Uri("file"), "two");
  EXPECT_EQ(Read(Uri("file")), "two");
  EXPECT_THAT(WriteFile(io(), Uri("file"), AsBytes("three"), {.exclusive = true}),
              IsError(ErrorCode::kAlreadyExists, Uri("file")));
  EXPECT_EQ(Read(Uri("file")), "two");
  EXPECT_THAT(WriteFile(io(), Uri("other"), AsBytes("four"), {.exclusive = true}), IsOk());
  EXPECT_EQ(Read(Uri("other")), "four");
}

TEST_P(FileIOContract, LetsOneOfManyExclusiveWritersWin) {
  const auto executor = MakeThreadPool(4);
  std::atomic<size_t> winner{1000};
  std::atomic<int> wins{0};
  const Status status = ParallelFor(*executor, 16, [&](size_t i) -> Status {
    const Status written =
        WriteFile(io(), Uri("file"), AsBytes(std::to_string(i)), {.exclusive = true});
    if (written.ok()) {
      ++wins;
      winner = i;
    } else if (written.error().code() != ErrorCode::kAlreadyExists) {
      return written;
    }
    return {};
  });
  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(wins, 1);
  EXPECT_EQ(Read(Uri("file")), std::to_string(winner));
}

TEST_P(FileIOContract, ReadsFewerBytesOnlyAtTheEnd) {
  Write(Uri("file"), "0123456789");
  const auto file = io().Open(Uri("file"));
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ((*file)->uri(), Uri("file"));
  Buffer buffer(4);
  for (const auto& [offset, expected] : std::vector<std::pair<int64_t, std::string>>{
           {0, "0123"}, {6, "6789"}, {8, "89"}, {10, ""}, {1'000'000, ""}}) {
    const auto got = (*file)->ReadAt(offset, buffer.span());
    ASSERT_THAT(got, IsOk());
    EXPECT_EQ(buffer.view().substr(0, static_cast<size_t>(*got)), expected);
  }
  EXPECT_THAT((*file)->ReadAt(-1, buffer.span()), IsError(ErrorCode::kInvalidInput));
}

TEST_P(FileIOContract, ReadsRangesInTheOrderAskedFor) {
  std::string content;
  for (int i = 0; i < 50'000; ++i)
    content += std::to_string(i);
  Write(Uri("file"), content);
  const auto file = io().Open(Uri("file"), static_cast<int64_t>(content.size()));
  ASSERT_THAT(file, IsOk());
  const std::vector<ByteRange> ranges = {{200'000, 100}, {0, 10},      {5, 20},
                                         {7, 0},         {0, 238'890}, {238'880, 10}};
  const auto buffers = (*file)->ReadRanges(ranges);
  ASSERT_THAT(buffers, IsOk());
  ASSERT_EQ(buffers->size(), ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ((*buffers)[i].view(), content.substr(static_cast<size_t>(ranges[i].offset),
                                                   static_cast<size_t>(ranges[i].length)));
  }
}

TEST_P(FileIOContract, RefusesRangesBeyondTheEndWithoutTakingMemory) {
  Write(Uri("file"), "0123456789");
  const auto file = io().Open(Uri("file"));
  ASSERT_THAT(file, IsOk());
  constexpr int64_t kHuge = int64_t{1} << 60;
  for (const ByteRange range :
       {ByteRange{5, 6}, ByteRange{11, 0}, ByteRange{0, kHuge}, ByteRange{kHuge, 1},
        ByteRange{-1, 1}, ByteRange{1, -1}, ByteRange{INT64_MAX, INT64_MAX}}) {
    EXPECT_THAT((*file)->ReadRanges(std::vector{ByteRange{0, 1}, range}),
                IsError(ErrorCode::kCorrupt, Uri("file")));
  }
}

// B85: recorded paths are opaque keys.
TEST_P(FileIOContract, TakesStrangeNamesLiterally) {
  const std::vector<std::string> names = {"p=dev%2Fapp/f.parquet",
                                          "p=dev/app/f.parquet",
                                          "a b",
                                          "a+b",
                                          "a%20b",
                                          "caf\u00E9",
                                          "cafe\u0301",
                                          "q?x=1",
                                          "h#frag",
                                          "100%",
                                          "%",
                                          "%zz",
                                          "a&b",
                                          "a:b",
                                          "\u65E5\u672C/\u8A9E",
                                          "semi;colon",
                                          "quo'te",
                                          "a\"b",
                                          "[1]{2}",
                                          "back\\slash",
                                          "tilde~",
                                          "star*",
                                          ".dot",
                                          "_under",
                                          "a=b=c",
                                          "new\nline",
                                          "x.y..z",
                                          "-dash",
                                          "comma,",
                                          "\xFF\xFE"};
  std::map<std::string, int64_t> expected;
  for (const std::string& name : names) {
    Write(Uri(name), name);
    expected[Uri(name)] = static_cast<int64_t>(name.size());
  }
  EXPECT_EQ(List(Uri("")), expected);
  for (const std::string& name : names) {
    EXPECT_EQ(Read(Uri(name)), name);
    EXPECT_THAT(io().Delete(Uri(name)), IsOk());
  }
  EXPECT_TRUE(List(Uri("")).empty());
}

TEST_P(FileIOContract, ListsAllFilesBelowAFolderAndNoOthers) {
  for (const char* name : {"t/data/a", "t/data/p=1/b", "t/data/p=1/q=2/c", "t/data2/d", "t/e"}) {
    Write(Uri(name), name);
  }
  const std::map<std::string, int64_t> expected = {
      {Uri("t/data/a"), 8}, {Uri("t/data/p=1/b"), 12}, {Uri("t/data/p=1/q=2/c"), 16}};
  EXPECT_EQ(List(Uri("t/data")), expected);
  EXPECT_EQ(List(Uri("t/data/")), expected);
}

TEST_P(FileIOContract, TellsWhetherAFolderIsMissing) {
  Write(Uri("a"), "a");
  const Status status = io().List(Uri("missing"), [](const FileInfo& info) {
    return Status(Error(ErrorCode::kInternal, info.uri));
  });
  if (has_folders()) {
    EXPECT_THAT(status, IsError(ErrorCode::kNotFound, "missing"));
  } else {
    EXPECT_THAT(status, IsOk());
  }
}

TEST_P(FileIOContract, StopsAListingWithTheErrorOfItsVisitor) {
  for (const char* name : {"a", "b", "c/d"})
    Write(Uri(name), name);
  for (const ErrorCode code : {ErrorCode::kCancelled, ErrorCode::kNotFound}) {
    int calls = 0;
    const Status status = io().List(Uri(""), [&](const FileInfo&) -> Status {
      ++calls;
      return Error(code, "enough");
    });
    EXPECT_THAT(status, IsError(code, "enough"));
    EXPECT_EQ(calls, 1);
  }
}

TEST_P(FileIOContract, StatsFilesOnly) {
  Write(Uri("folder/file"), "12345");
  const auto info = io().Stat(Uri("folder/file"));
  ASSERT_THAT(info, IsOk());
  EXPECT_EQ(info->uri, Uri("folder/file"));
  EXPECT_EQ(info->size, 5);
  EXPECT_TRUE(info->modified.has_value());
  EXPECT_THAT(io().Stat(Uri("missing")), IsError(ErrorCode::kNotFound, "missing"));
  EXPECT_THAT(io().Stat(Uri("folder")), IsError(ErrorCode::kNotFound, "folder"));
  EXPECT_THAT(io().Delete(Uri("folder")), IsError(ErrorCode::kNotFound, "folder"));
  EXPECT_THAT(ReadFile(io(), Uri("folder")), IsError(ErrorCode::kNotFound, "folder"));
  EXPECT_THAT(ReadFile(io(), Uri("missing")), IsError(ErrorCode::kNotFound, "missing"));
  EXPECT_TRUE(*FileExists(io(), Uri("folder/file")));
  EXPECT_FALSE(*FileExists(io(), Uri("folder")));
}

TEST_P(FileIOContract, RefusesToCreateAFolderAsAFile) {
  EXPECT_THAT(io().Create(Uri("folder") + "/"), IsError(ErrorCode::kInvalidInput, "folder"));
}

TEST_P(FileIOContract, RefusesToReadMoreThanAllowed) {
  Write(Uri("file"), "12345");
  EXPECT_THAT(ReadFile(io(), Uri("file"), 5), IsOk());
  EXPECT_THAT(ReadFile(io(), Uri("file"), 4), IsError(ErrorCode::kResourceExhausted, "5 bytes"));
}

TEST_P(FileIOContract, DeletesManyAndTellsWhatWasMissing) {
  for (const char* name : {"a", "b/c", "kept"})
    Write(Uri(name), name);
  EXPECT_THAT(io().Delete(Uri("missing")), IsError(ErrorCode::kNotFound, "missing"));
  const std::vector<std::string> uris = {Uri("missing"), Uri("b/c"), Uri("a"), Uri("a")};
  const auto outcomes = io().DeleteMany(uris);
  ASSERT_EQ(outcomes.size(), 4U);
  for (size_t i = 0; i < uris.size(); ++i) {
    EXPECT_EQ(outcomes[i].uri, uris[i]);
    EXPECT_THAT(outcomes[i].status, IsOk());
    EXPECT_EQ(outcomes[i].was_missing, i == 0 || i == 3);
  }
  EXPECT_THAT(List(Uri("")), testing::ElementsAre(testing::Pair(Uri("kept"), 4)));
  EXPECT_TRUE(io().DeleteMany({}).empty());
}

TEST_P(FileIOContract, ListsTheFoldersDirectlyBelowAFolder) {
  for (const char* name : {"a/x/y/z", "a/file", "a/b c/f", "a/b c/g/f"})
    Write(Uri(name), name);
  EXPECT_THAT(io().ListFolders(Uri("a")), IsOkAnd(testing::ElementsAre("b c", "x")));
  EXPECT_THAT(io().ListFolders(Uri("a") + "/"), IsOkAnd(testing::ElementsAre("b c", "x")));
  EXPECT_THAT(io().ListFolders(Uri("a/x/y")), IsOkAnd(testing::IsEmpty()));
  EXPECT_THAT(io().ListFolders(Uri("missing")), IsError(ErrorCode::kNotFound, "missing"));
}

TEST_P(FileIOContract, MakesEmptyFoldersAndDeletesOnlyThose) {
  ASSERT_THAT(io().CreateFolder(Uri("ns/inner")), IsOk());
  ASSERT_THAT(io().CreateFolder(Uri("ns/inner")), IsOk());
  EXPECT_THAT(io().ListFolders(Uri("ns")), IsOkAnd(testing::ElementsAre("inner")));
  EXPECT_THAT(io().ListFolders(Uri("ns/inner")), IsOkAnd(testing::IsEmpty()));

  Write(Uri("ns/inner/f"), "f");
  EXPECT_THAT(io().DeleteFolder(Uri("ns/inner")), IsError(ErrorCode::kInvalidInput, "not empty"));
  ASSERT_THAT(io().Delete(Uri("ns/inner/f")), IsOk());
  EXPECT_THAT(io().DeleteFolder(Uri("ns/inner")), IsOk());
  EXPECT_THAT(io().DeleteFolder(Uri("ns/inner")), IsError(ErrorCode::kNotFound, "inner"));
}

TEST_P(FileIOContract, ServesManyThreads) {
  const auto executor = MakeThreadPool(4);
  const Status status = ParallelFor(*executor, 40, [&](size_t i) -> Status {
    const std::string uri = Uri("f" + std::to_string(i % 10));
    FIRN_RETURN_IF_ERROR(WriteFile(io(), uri, AsBytes(uri)));
    FIRN_ASSIGN(const Buffer bytes, ReadFile(io(), uri));
    if (bytes.view() != uri) return Error(ErrorCode::kInternal, std::string(bytes.view()));
    return io().List(Uri(""), [](const FileInfo&) { return Status(); });
  });
  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(List(Uri("")).size(), 10U);
}

}  // namespace firn

#include "firn/format/puffin/puffin.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"
#include "firn/testing/testdata.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// A file without blobs as the reference (11.1) spells it out.
const std::string kEmptyFile = std::string("PFA1PFA1{\"blobs\":[]}\x0c\0\0\0\0\0\0\0PFA1", 32);

class PuffinTest : public testing::Test {
 protected:
  std::shared_ptr<InputFile> Put(std::string_view bytes) {
    EXPECT_THAT(WriteFile(*io_, "memory:/p.puffin", AsBytes(bytes)), IsOk());
    return *io_->Open("memory:/p.puffin");
  }
  PuffinWriter MakeWriter(std::vector<std::pair<std::string, std::string>> properties = {}) {
    return {*io_->Create("memory:/p.puffin"), std::move(properties)};
  }
  std::string Written() { return std::string(ReadFile(*io_, "memory:/p.puffin")->view()); }

  // A file whose payload, size and flags are as given.
  std::string HandMade(std::string_view payload, std::optional<uint32_t> size = {},
                       uint32_t flags = 0) {
    std::string bytes = "PFA1blob";
    bytes += "PFA1";
    bytes += payload;
    const auto append = [&](uint32_t value) {
      for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>(value >> shift);
    };
    append(size.value_or(static_cast<uint32_t>(payload.size())));
    append(flags);
    return bytes + "PFA1";
  }
  Result<PuffinFile> ReadHandMade(std::string_view payload, std::optional<uint32_t> size = {},
                                  uint32_t flags = 0) {
    return ReadPuffinFooter(*Put(HandMade(payload, size, flags)));
  }

  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
};

TEST_F(PuffinTest, WritesAndReadsTheEmptyFileOfTheSpec) {
  PuffinWriter writer = MakeWriter();
  const auto written = writer.Finish();
  ASSERT_THAT(written, IsOk());
  EXPECT_EQ(written->footer_size, 28);
  EXPECT_EQ(Written(), kEmptyFile);
  const auto read = ReadPuffinFooter(*Put(kEmptyFile));
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->blobs, IsEmpty());
  EXPECT_EQ(read->footer_size, 28);
}

TEST_F(PuffinTest, ReadsBackItsBlobs) {
  PuffinWriter writer = MakeWriter({{"created-by", "firn \"test\""}});
  BlobMetadata metadata{.type = "a", .snapshot_id = 2, .sequence_number = 1, .fields = {1}};
  const auto first = writer.Add(metadata, AsBytes("abcdefghi"));
  metadata.type = "b";
  metadata.properties = {{"ndv", "5"}};
  metadata.extra = {{"other", "[1,2]"}};
  const std::string text(100'000, 'x');
  const auto second = writer.Add(metadata, AsBytes(text), "zstd");
  ASSERT_THAT(writer.Finish(), IsOk());
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->offset, 4);
  EXPECT_EQ(first->length, 9);
  EXPECT_EQ(second->offset, 13);
  EXPECT_LT(second->length, 1000);

  auto file = *io_->Open("memory:/p.puffin");
  const auto read = ReadPuffinFooter(*file);
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->properties, ElementsAre(Pair("created-by", "firn \"test\"")));
  ASSERT_EQ(read->blobs.size(), 2U);
  EXPECT_EQ(read->blobs[1].metadata, metadata);
  EXPECT_EQ(read->blobs[1].compression_codec, "zstd");
  EXPECT_EQ(ReadPuffinBlob(*file, read->blobs[0])->view(), "abcdefghi");
  EXPECT_EQ(ReadPuffinBlob(*file, read->blobs[1])->view(), text);
}

TEST_F(PuffinTest, ReadsFootersLongerThanTheFirstRead) {
  PuffinWriter writer = MakeWriter();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_THAT(writer.Add({.type = "a long type to fill the footer"}, AsBytes("x")), IsOk());
  }
  ASSERT_THAT(writer.Finish(), IsOk());
  const auto read = ReadPuffinFooter(**io_->Open("memory:/p.puffin"));
  ASSERT_THAT(read, IsOk());
  EXPECT_GT(read->footer_size, 65536);
  EXPECT_EQ(read->blobs.size(), 2000U);
}

TEST_F(PuffinTest, RefusesToWriteLz4) {
  PuffinWriter writer = MakeWriter();
  EXPECT_THAT(writer.Add({.type = "a"}, AsBytes("x"), "lz4"),
              IsError(ErrorCode::kInvalidInput, "Puffin codec 'lz4'"));
}

// An LZ4 frame made by the lz4 command line tool of the text `{"blobs":[]}`.
TEST_F(PuffinTest, ReadsAnLz4Footer) {
  const std::string frame(
      "\x04\x22\x4d\x18\x60\x40\x82\x0c\x00\x00\x80{\"blobs\":[]}\x00\x00\x00\x00", 27);
  const auto read = ReadHandMade(frame, {}, 1);
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->blobs, IsEmpty());
  EXPECT_THAT(ReadHandMade("no frame", {}, 1), IsError(ErrorCode::kCorrupt, "LZ4"));
}

TEST_F(PuffinTest, EveryTruncationIsAnError) {
  for (size_t length = 0; length < kEmptyFile.size(); ++length) {
    EXPECT_THAT(ReadPuffinFooter(*Put(kEmptyFile.substr(0, length))), IsError(ErrorCode::kCorrupt));
  }
}

TEST_F(PuffinTest, NamesWhatIsWrongWithAFooter) {
  EXPECT_THAT(ReadHandMade(R"({"blobs":[]})", 4'000'000'000U),
              IsError(ErrorCode::kCorrupt, "its footer claims 4000000000 bytes"));
  EXPECT_THAT(ReadHandMade(R"({"blobs":[]})", 5U),
              IsError(ErrorCode::kCorrupt, "before its footer it has"));
  EXPECT_THAT(ReadHandMade(R"({"blobs":[]})", {}, 2U),
              IsError(ErrorCode::kUnsupported, "unknown flags 0x2"));
  EXPECT_THAT(ReadHandMade("{}"), IsError(ErrorCode::kCorrupt, "has no 'blobs'"));
  EXPECT_THAT(ReadHandMade("no json"),
              IsError(ErrorCode::kCorrupt, "footer of Puffin file memory:"));
  EXPECT_THAT(ReadHandMade(R"({"blobs":[{"type":"t"}]})"),
              IsError(ErrorCode::kCorrupt, "blobs[0]"));
}

TEST_F(PuffinTest, RefusesBlobsOutsideTheFile) {
  const auto read = [&](std::string_view offset, std::string_view length) {
    return ReadHandMade(fmt::format(R"({{"blobs":[{{"type":"t","fields":[],"snapshot-id":1,)"
                                    R"("sequence-number":1,"offset":{},"length":{}}}]}})",
                                    offset, length));
  };
  EXPECT_THAT(read("4", "4"), IsOk());
  for (const auto& [offset, length] :
       {std::pair("0", "4"), std::pair("4", "5"), std::pair("4", "-1"), std::pair("-4", "4"),
        std::pair("4", "9223372036854775807"), std::pair("9223372036854775807", "1")}) {
    EXPECT_THAT(read(offset, length), IsError(ErrorCode::kCorrupt, "blob 0 is said to lie at"));
  }
}

TEST_F(PuffinTest, RefusesUnknownCodecsAndDamagedBlobs) {
  auto file = Put(HandMade(R"({"blobs":[]})"));
  EXPECT_THAT(ReadPuffinBlob(*file, {.offset = 4, .length = 4, .compression_codec = "br"}),
              IsError(ErrorCode::kUnsupported, "codec 'br'"));
  EXPECT_THAT(ReadPuffinBlob(*file, {.offset = 4, .length = 4, .compression_codec = "zstd"}),
              IsError(ErrorCode::kCorrupt, "zstd data is damaged"));
  EXPECT_THAT(ReadPuffinBlob(*file, {.offset = 4, .length = 4000}),
              IsError(ErrorCode::kCorrupt, "lies outside"));
}

TEST(ReferenceFilesTest, PuffinFilesOfJavaComeBackByteForByte) {
  const auto folder = SharedDataPath("apache-iceberg/puffin");
  if (!folder) GTEST_SKIP() << "no files of apache-iceberg beside the checkout";
  const auto local = MakeLocalFileIO();
  FakeClock clock;
  const auto memory = MakeMemoryFileIO(clock);
  std::vector<std::string> contents;
  for (const char* name : {"empty-puffin-uncompressed", "sample-metric-data-uncompressed",
                           "sample-metric-data-compressed-zstd"}) {
    const std::string path = *folder + "/" + name + ".bin";
    auto file = *local->Open(path);
    const auto footer = ReadPuffinFooter(*file);
    ASSERT_THAT(footer, IsOk());
    PuffinWriter writer(*memory->Create("memory:/copy"), footer->properties);
    for (const PuffinBlob& blob : footer->blobs) {
      const auto content = ReadPuffinBlob(*file, blob);
      ASSERT_THAT(content, IsOk());
      contents.emplace_back(content->view());
      ASSERT_THAT(writer.Add(blob.metadata, content->span()), IsOk());
    }
    ASSERT_THAT(writer.Finish(), IsOk());
    if (std::string_view(name).ends_with("zstd")) continue;
    EXPECT_EQ(ReadFile(*memory, "memory:/copy")->view(), ReadFile(*local, path)->view()) << name;
  }
  // The compressed file holds the blobs of the other.
  ASSERT_EQ(contents.size(), 4U);
  EXPECT_EQ(contents[0], contents[2]);
  EXPECT_EQ(contents[1], contents[3]);
}

}  // namespace
}  // namespace firn

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/gzip.h"
#include "firn/format/json/json_tree_test_internal.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

class TableMetadataFileTest : public testing::Test {
 protected:
  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
};

TEST_F(TableMetadataFileTest, ReadsCompressedFilesUnderEveryName) {  // B115
  const std::string text = ReadGoldenMetadata("v2_full");
  const std::string packed = CompressGzip(text);
  for (const std::string name : {"v3.gz.metadata.json", "00003-uuid.gz.metadata.json",
                                 "v3.metadata.json.gz", "v4.metadata.json"}) {
    ASSERT_THAT(WriteFile(*io_, "memory:/" + name, AsBytes(packed)), IsOk());
    const auto metadata = LoadTableMetadata(*io_, "memory:/" + name);
    ASSERT_THAT(metadata, IsOk()) << name;
    EXPECT_EQ((*metadata)->location, "s3://lake/sales");
  }
  ASSERT_THAT(WriteFile(*io_, "memory:/v5.gz.metadata.json", AsBytes(text)), IsOk());
  EXPECT_THAT(LoadTableMetadata(*io_, "memory:/v5.gz.metadata.json"), IsOk());
}

TEST_F(TableMetadataFileTest, CompressesByTheName) {  // B115
  const TableMetadata metadata = *ParseTableMetadata(AsBytes(ReadGoldenMetadata("v2_full")), "f");
  ASSERT_THAT(WriteTableMetadata(*io_, "memory:/a.gz.metadata.json", metadata), IsOk());
  ASSERT_THAT(WriteTableMetadata(*io_, "memory:/a.metadata.json", metadata), IsOk());
  const auto packed = ReadFile(*io_, "memory:/a.gz.metadata.json");
  const auto plain = ReadFile(*io_, "memory:/a.metadata.json");
  ASSERT_THAT(packed, IsOk());
  ASSERT_THAT(plain, IsOk());
  EXPECT_TRUE(IsGzip(packed->span()));
  EXPECT_EQ(plain->view(), FormatTableMetadata(metadata));
  EXPECT_EQ(DecompressGzip(packed->span(), 1 << 20)->view(), plain->view());
}

TEST_F(TableMetadataFileTest, DoesNotReplaceAFileThatExists) {
  const TableMetadata metadata =
      *ParseTableMetadata(AsBytes(ReadGoldenMetadata("v2_minimal")), "f");
  ASSERT_THAT(WriteTableMetadata(*io_, "memory:/v1.metadata.json", metadata), IsOk());
  EXPECT_THAT(WriteTableMetadata(*io_, "memory:/v1.metadata.json", metadata, {.exclusive = true}),
              IsError(ErrorCode::kAlreadyExists));
}

TEST_F(TableMetadataFileTest, WritesNoTextThatIsNotUtf8) {
  TableMetadata metadata = *ParseTableMetadata(AsBytes(ReadGoldenMetadata("v2_minimal")), "f");
  metadata.properties["comment"] = "caf\xe9";
  EXPECT_THAT(WriteTableMetadata(*io_, "memory:/v1.metadata.json", metadata),
              IsError(ErrorCode::kInvalidInput, "is not UTF-8"));
  EXPECT_THAT(LoadTableMetadata(*io_, "memory:/v1.metadata.json"), IsError(ErrorCode::kNotFound));
}

TEST_F(TableMetadataFileTest, NamesTheFileInErrors) {
  ASSERT_THAT(WriteFile(*io_, "memory:/v1.metadata.json", AsBytes("{\"format-version\":")), IsOk());
  EXPECT_THAT(LoadTableMetadata(*io_, "memory:/v1.metadata.json"),
              IsError(ErrorCode::kCorrupt, "table metadata 'memory:/v1.metadata.json': "));
  EXPECT_THAT(LoadTableMetadata(*io_, "memory:/gone"), IsError(ErrorCode::kNotFound));
}

TEST_F(TableMetadataFileTest, RefusesBrokenGzip) {
  std::string packed = CompressGzip(ReadGoldenMetadata("v2_full"));
  packed.resize(packed.size() / 2);
  EXPECT_THAT(ParseTableMetadata(AsBytes(packed), "f"),
              IsError(ErrorCode::kCorrupt, "f: gzip data is broken or cut off"));
  EXPECT_THAT(ParseTableMetadata(AsBytes("\x1f\x8b"), "f"), IsError(ErrorCode::kCorrupt));
}

TEST(GzipTest, ReadsSeveralMembersOneAfterAnother) {
  const std::string packed = CompressGzip("ab") + CompressGzip(std::string(100'000, 'c'));
  const auto text = DecompressGzip(AsBytes(packed), 200'000);
  ASSERT_THAT(text, IsOk());
  EXPECT_EQ(text->view(), "ab" + std::string(100'000, 'c'));
}

TEST(GzipTest, StopsAtTheLimit) {
  const std::string packed = CompressGzip(std::string(1'000'000, 'x'));
  EXPECT_THAT(DecompressGzip(AsBytes(packed), 999'999),
              IsError(ErrorCode::kCorrupt, "gzip content of more than 999999 bytes"));
  EXPECT_THAT(DecompressGzip(AsBytes(packed), 1'000'000), IsOk());
}

}  // namespace
}  // namespace firn

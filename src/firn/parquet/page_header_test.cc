#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/bytes.h"
#include "firn/parquet/page_header_internal.h"
#include "firn/parquet/thrift_compact_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

Result<ParsedPageHeader> Parse(const std::string& bytes) { return ParsePageHeader(AsBytes(bytes)); }

// A header whose fields are those that `fill` writes.
template <typename Fill>
std::string Header(const Fill& fill) {
  ThriftWriter out;
  const int16_t outer = out.EnterStruct();
  fill(out);
  out.LeaveStruct(outer);
  return out.Take();
}

TEST(PageHeaderTest, GivesBackADataPage) {
  const PageHeader header{.type = PageType::kData,
                          .uncompressed_size = 1000,
                          .compressed_size = 70,
                          .num_values = 300,
                          .encoding = ParquetEncoding::kRleDictionary,
                          .crc = 0xFEDCBA98U};
  const std::string bytes = FormatPageHeader(header);

  const auto parsed = Parse(bytes + "body");

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->header_bytes, bytes.size());
  EXPECT_EQ(parsed->header.type, PageType::kData);
  EXPECT_EQ(parsed->header.uncompressed_size, 1000);
  EXPECT_EQ(parsed->header.compressed_size, 70);
  EXPECT_EQ(parsed->header.num_values, 300);
  EXPECT_EQ(parsed->header.encoding, ParquetEncoding::kRleDictionary);
  EXPECT_EQ(parsed->header.definition_encoding, ParquetEncoding::kRle);
  EXPECT_EQ(parsed->header.repetition_encoding, ParquetEncoding::kRle);
  EXPECT_EQ(parsed->header.crc, 0xFEDCBA98U);
}

TEST(PageHeaderTest, GivesBackADictionaryPage) {
  const std::string bytes = FormatPageHeader({.type = PageType::kDictionary,
                                              .uncompressed_size = 8,
                                              .compressed_size = 9,
                                              .num_values = 2,
                                              .encoding = ParquetEncoding::kPlainDictionary});

  const auto parsed = Parse(bytes);

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->header.type, PageType::kDictionary);
  EXPECT_EQ(parsed->header.num_values, 2);
  EXPECT_EQ(parsed->header.encoding, ParquetEncoding::kPlainDictionary);
  EXPECT_EQ(parsed->header.crc, std::nullopt);
}

TEST(PageHeaderTest, ReadsPagesOfVersion2) {
  const auto version2 = [](bool says_compression, bool is_compressed) {
    return Header([&](ThriftWriter& out) {
      out.WriteI32(1, 3);
      out.WriteI32(2, 100);
      out.WriteI32(3, 60);
      out.BeginStructField(8);
      const int16_t outer = out.EnterStruct();
      out.WriteI32(1, 12);
      out.WriteI32(2, 2);
      out.WriteI32(3, 4);
      out.WriteI32(4, 8);
      out.WriteI32(5, 6);
      out.WriteI32(6, 7);
      if (says_compression) out.WriteBool(7, is_compressed);
      out.LeaveStruct(outer);
    });
  };

  const auto parsed = Parse(version2(true, false));

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->header.type, PageType::kDataV2);
  EXPECT_EQ(parsed->header.num_values, 12);
  EXPECT_EQ(parsed->header.encoding, ParquetEncoding::kRleDictionary);
  EXPECT_EQ(parsed->header.definition_bytes, 6);
  EXPECT_EQ(parsed->header.repetition_bytes, 7);
  EXPECT_FALSE(parsed->header.is_compressed);
  EXPECT_TRUE(Parse(version2(true, true))->header.is_compressed);
  EXPECT_TRUE(Parse(version2(false, true))->header.is_compressed) << "true is the default";
}

TEST(PageHeaderTest, PassesOverStatisticsAndWhatItDoesNotKnow) {
  const std::string bytes = Header([](ThriftWriter& out) {
    out.WriteI32(1, 0);
    out.WriteI32(2, 10);
    out.WriteI32(3, 10);
    out.BeginStructField(5);
    const int16_t outer = out.EnterStruct();
    out.WriteI32(1, 4);
    out.WriteI32(2, 0);
    out.WriteI32(3, 3);
    out.WriteI32(4, 3);
    out.BeginStructField(5);
    const int16_t statistics = out.EnterStruct();
    out.WriteBinary(1, "max");
    out.WriteI64(3, 1);
    out.LeaveStruct(statistics);
    out.WriteBinary(99, "unknown");
    out.LeaveStruct(outer);
    out.WriteBinary(50, "unknown");
  });

  const auto parsed = Parse(bytes);

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->header.num_values, 4);
  EXPECT_EQ(parsed->header_bytes, bytes.size());
}

TEST(PageHeaderTest, RefusesWhatNoWriterMeans) {
  const auto with = [](int16_t id, int32_t value) {
    return Header([&](ThriftWriter& out) {
      out.WriteI32(1, id == 1 ? value : 0);
      out.WriteI32(2, id == 2 ? value : 10);
      out.WriteI32(3, id == 3 ? value : 10);
      out.BeginStructField(5);
      const int16_t outer = out.EnterStruct();
      out.WriteI32(1, id == 5 ? value : 4);
      out.LeaveStruct(outer);
    });
  };

  EXPECT_THAT(Parse(with(0, 0)), IsOk());
  EXPECT_THAT(Parse(with(1, 4)), IsError(ErrorCode::kCorrupt, "unknown page type 4"));
  EXPECT_THAT(Parse(with(1, -1)), IsError(ErrorCode::kCorrupt, "unknown page type -1"));
  EXPECT_THAT(Parse(with(2, -1)), IsError(ErrorCode::kCorrupt, "negative"));
  EXPECT_THAT(Parse(with(3, INT32_MIN)), IsError(ErrorCode::kCorrupt, "negative"));
  EXPECT_THAT(Parse(with(5, -4)), IsError(ErrorCode::kCorrupt, "negative"));
  EXPECT_THAT(Parse(""), IsError(ErrorCode::kCorrupt, "page header"));
  EXPECT_THAT(Parse(std::string(1, '\0')), IsError(ErrorCode::kCorrupt, "unknown page type"));
  const std::string whole = with(0, 0);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(Parse(whole.substr(0, size)), IsError(ErrorCode::kCorrupt)) << size;
}

}  // namespace
}  // namespace firn

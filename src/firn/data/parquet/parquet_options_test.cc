#include <arrow/io/memory.h>
#include <parquet/bloom_filter.h>
#include <parquet/bloom_filter_reader.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/statistics.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/data/write/writer.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

constexpr int kRows = 50000;

// What Arrow's reader sees of a file of (id int, name string, s struct<x int>) that was written
// with some table properties.
class ParquetOptionsTest : public testing::Test {
 protected:
  ParquetOptionsTest()
      : table_({Optional(1, "id", Primitive(TypeId::kInt)),
                Optional(2, "name", Primitive(TypeId::kString)),
                Optional(3, "s", Type::Struct({Optional(4, "x", Primitive(TypeId::kInt))})),
                Optional(5, "flag", Primitive(TypeId::kBoolean))}) {}

  void Set(const std::string& key, const std::string& value) {
    table_.metadata().properties["write.parquet." + key] = value;
  }

  Result<std::vector<DataFile>> Write() {
    std::vector<StructValue> rows;
    for (int i = 0; i < kRows; ++i) {
      // In no order that compression alone would make short.
      const uint32_t name = (static_cast<uint32_t>(i) * 2654435761U >> 8) % 5000;
      rows.push_back({{i, "name " + std::to_string(name), Value::Struct({i % 7}), i % 2 == 0}});
    }
    FIRN_ASSIGN(const DataWriteOptions options, TableWriteOptions(table_.metadata()));
    return WriteDataFiles(table_.write_context(), options,
                          *MakeRowStream(options.schema->as_struct(), std::move(rows)));
  }

  std::unique_ptr<parquet::ParquetFileReader> Open() {
    const auto files = Write();
    if (!files.ok() || files->size() != 1) return nullptr;
    file_ = (*files)[0];
    const auto bytes = ReadFile(table_.io(), file_.file_path);
    return parquet::ParquetFileReader::Open(
        arrow::io::BufferReader::FromString(std::string(bytes->view())));
  }

  void ExpectError(const std::string& key, const std::string& value, const std::string& text) {
    Set(key, value);
    EXPECT_THAT(Write(), IsError(ErrorCode::kInvalidInput,
                                 "'write.parquet." + key + "' is '" + value + "', " + text));
    table_.metadata().properties.clear();
  }

  RowTable table_;
  DataFile file_;
};

TEST_F(ParquetOptionsTest, SetTheCodec) {
  using parquet::Compression;
  const std::vector<std::pair<std::string, Compression::type>> codecs = {
      {"", Compression::ZSTD},         {"uncompressed", Compression::UNCOMPRESSED},
      {"snappy", Compression::SNAPPY}, {"gzip", Compression::GZIP},
      {"lz4", Compression::LZ4},       {"brotli", Compression::BROTLI},
      {"ZSTD", Compression::ZSTD}};
  for (const auto& [name, codec] : codecs) {
    if (!name.empty()) Set("compression-codec", name);
    const auto reader = Open();
    ASSERT_NE(reader, nullptr) << name;
    EXPECT_EQ(reader->metadata()->RowGroup(0)->ColumnChunk(0)->compression(), codec) << name;
  }
}

TEST_F(ParquetOptionsTest, SetTheLevelOfTheCodec) {
  Set("compression-level", "1");
  ASSERT_NE(Open(), nullptr);
  const int64_t fast = file_.file_size_in_bytes;
  Set("compression-level", "19");
  ASSERT_NE(Open(), nullptr);
  EXPECT_NE(file_.file_size_in_bytes, fast);
  ExpectError("compression-level", "99", "expected 1 to 22 for zstd");
  ExpectError("compression-level", "much", "expected a number");
}

TEST_F(ParquetOptionsTest, SetTheSizeOfRowGroups) {
  Set("row-group-size-bytes", "30000");
  const auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_GT(reader->metadata()->num_row_groups(), 2);
  EXPECT_EQ(file_.split_offsets.size(), static_cast<size_t>(reader->metadata()->num_row_groups()));
}

size_t PagesOf(parquet::ParquetFileReader& reader, int column) {
  return reader.GetPageIndexReader()->RowGroup(0)->GetOffsetIndex(column)->page_locations().size();
}

TEST_F(ParquetOptionsTest, SetTheRowsOfAPage) {
  Set("page-row-limit", "1000");
  const auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_GE(PagesOf(*reader, 0), size_t{kRows / 1000});
}

TEST_F(ParquetOptionsTest, SetTheSizeOfAPage) {
  Set("page-size-bytes", "4096");
  Set("dict-encoding-enabled.column.id", "false");
  const auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_GE(PagesOf(*reader, 0), size_t{kRows * 4 / 8192});
}

TEST_F(ParquetOptionsTest, SetTheVersionOfPages) {
  for (const auto& [version, type] : {std::pair("v1", parquet::PageType::DATA_PAGE),
                                      std::pair("v2", parquet::PageType::DATA_PAGE_V2)}) {
    Set("page-version", version);
    const auto reader = Open();
    ASSERT_NE(reader, nullptr);
    const auto pages = reader->RowGroup(0)->GetColumnPageReader(4 - 1);  // It has no dictionary.
    EXPECT_EQ(pages->NextPage()->type(), type);
  }
  ExpectError("page-version", "v3", "expected v1 or v2");
}

bool HasDictionary(const parquet::ParquetFileReader& reader, int column) {
  return reader.metadata()->RowGroup(0)->ColumnChunk(column)->has_dictionary_page();
}

TEST_F(ParquetOptionsTest, SetWhichColumnsHaveDictionaries) {
  auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(HasDictionary(*reader, 1));
  EXPECT_TRUE(HasDictionary(*reader, 2));
  Set("dict-encoding-enabled.column.name", "false");
  Set("dict-encoding-enabled.column.s.x", "false");
  reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_FALSE(HasDictionary(*reader, 1));
  EXPECT_FALSE(HasDictionary(*reader, 2));
  ExpectError("dict-encoding-enabled.column.name", "maybe", "expected true or false");
}

TEST_F(ParquetOptionsTest, SetTheSizeOfDictionaries) {
  // Of the names, which take 65 KB, there is either one or none.
  for (const auto& [bytes, has_dictionary] :
       {std::pair("100000", true), std::pair("1000", false)}) {
    Set("dict-size-bytes", bytes);
    const auto reader = Open();
    ASSERT_NE(reader, nullptr);
    EXPECT_EQ(HasDictionary(*reader, 1), has_dictionary) << bytes;
    EXPECT_TRUE(HasDictionary(*reader, 2));
  }
}

TEST_F(ParquetOptionsTest, SetWhichColumnsHaveStatistics) {
  Set("stats-enabled.column.name", "false");
  const auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(reader->metadata()->RowGroup(0)->ColumnChunk(0)->is_stats_set());
  EXPECT_FALSE(reader->metadata()->RowGroup(0)->ColumnChunk(1)->is_stats_set());
  EXPECT_NE(FindInFieldMap(file_.metrics.lower_bounds, 2), nullptr);  // Those of Iceberg stay.
}

std::unique_ptr<parquet::BloomFilter> FilterOf(parquet::ParquetFileReader& reader, int column) {
  const auto row_group = reader.GetBloomFilterReader().RowGroup(0);
  return row_group == nullptr ? nullptr : row_group->GetColumnBloomFilter(column);
}

TEST_F(ParquetOptionsTest, SetWhichColumnsHaveBloomFilters) {
  Set("bloom-filter-enabled.column.id", "true");
  Set("bloom-filter-enabled.column.s.x", "true");
  Set("bloom-filter-enabled.column.flag", "true");  // A boolean column never has one.
  Set("bloom-filter-enabled.column.gone", "true");
  const auto reader = Open();
  ASSERT_NE(reader, nullptr);
  const auto ids = FilterOf(*reader, 0);
  ASSERT_NE(ids, nullptr);
  EXPECT_LE(ids->GetBitsetSize(), 1048576U);
  int found = 0;
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(ids->FindHash(ids->Hash(i)));
    found += ids->FindHash(ids->Hash(i + kRows)) ? 1 : 0;
  }
  EXPECT_LT(found, kRows / 50);  // 1 % is wanted.
  EXPECT_EQ(FilterOf(*reader, 1), nullptr);
  EXPECT_NE(FilterOf(*reader, 2), nullptr);
  EXPECT_EQ(FilterOf(*reader, 3), nullptr);
}

TEST_F(ParquetOptionsTest, SetTheSizeOfBloomFilters) {
  Set("bloom-filter-enabled.column.id", "true");
  Set("bloom-filter-max-bytes", "5000");
  auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_LE(FilterOf(*reader, 0)->GetBitsetSize(), 5000U);
  table_.metadata().properties.erase("write.parquet.bloom-filter-max-bytes");
  Set("bloom-filter-ndv.column.id", "1000");
  reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_LE(FilterOf(*reader, 0)->GetBitsetSize(), 2048U);
  Set("bloom-filter-fpp.column.id", "0.0001");
  reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_GT(FilterOf(*reader, 0)->GetBitsetSize(), 2048U);
  Set("bloom-filter-enabled.column.id", "true");
  ExpectError("bloom-filter-fpp.column.id", "1.5", "expected a number between 0 and 1");
}

TEST_F(ParquetOptionsTest, OfDeleteFilesFallBackToThoseOfDataFiles) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  const SchemaPtr schema = table.metadata().current_schema();
  table.metadata().properties["write.parquet.compression-codec"] = "gzip";
  const auto codec = [&] {
    const auto files = WriteDataFiles(table.write_context(),
                                      {.content = FileContent::kEqualityDeletes,
                                       .schema = schema,
                                       .spec = table.metadata().default_spec(),
                                       .partition = StructValue{}},
                                      *MakeRowStream(schema->as_struct(), {{{Value(1)}}}));
    const auto bytes = ReadFile(table.io(), (*files)[0].file_path);
    const auto reader = parquet::ParquetFileReader::Open(
        arrow::io::BufferReader::FromString(std::string(bytes->view())));
    return reader->metadata()->RowGroup(0)->ColumnChunk(0)->compression();
  };
  EXPECT_EQ(codec(), parquet::Compression::GZIP);
  table.metadata().properties["write.delete.parquet.compression-codec"] = "snappy";
  EXPECT_EQ(codec(), parquet::Compression::SNAPPY);
}

}  // namespace
}  // namespace firn

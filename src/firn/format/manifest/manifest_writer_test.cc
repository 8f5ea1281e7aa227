#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/format/avro/avro_reader.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kUri = "memory:/t/metadata/m0.avro";

class ManifestWriterTest : public testing::Test {
 protected:
  ManifestWriterTest() { UsePartition({}, {}); }

  // The spec 3 with these identity fields, and the types of their values.
  void UsePartition(std::vector<PartitionField> fields, std::vector<NestedField> types) {
    auto spec = std::make_shared<PartitionSpec>();
    spec->spec_id = 3;
    spec->fields = std::move(fields);
    options_.spec = spec;
    options_.partition_type = Type::Struct(std::move(types));
  }
  void UseField(int32_t id, const std::string& name, TypePtr type) {
    UsePartition({{.source_ids = {1}, .field_id = id, .name = name, .transform = {}}},
                 {{.id = id, .name = name, .type = std::move(type)}});
  }

  static ManifestEntry Added(const std::string& path, std::vector<Value> partition = {}) {
    ManifestEntry entry;
    entry.snapshot_id = 7;
    entry.file.file_path = path;
    entry.file.record_count = 10;
    entry.file.file_size_in_bytes = 1000;
    entry.file.partition.fields = std::move(partition);
    return entry;
  }
  static ManifestEntry Existing(const std::string& path) {
    ManifestEntry entry = Added(path);
    entry.status = EntryStatus::kExisting;
    entry.snapshot_id = 5;
    entry.sequence_number = 2;
    entry.file_sequence_number = 3;
    return entry;
  }

  Result<ManifestFile> Write(const std::vector<ManifestEntry>& entries) {
    FIRN_ASSIGN(auto writer, MakeManifestWriter(*io_, kUri, options_));
    for (const ManifestEntry& entry : entries)
      FIRN_RETURN_IF_ERROR(writer->Add(entry));
    return writer->Finish();
  }
  std::vector<ManifestEntry> Read(const ManifestFile& manifest) {
    std::vector<ManifestEntry> entries;
    EXPECT_THAT(ReadManifest(*io_, manifest, *options_.partition_type, {},
                             [&](ManifestEntry& entry) {
                               entries.push_back(entry);
                               return Status();
                             }),
                IsOk());
    return entries;
  }
  std::string Header(std::string_view key) {
    const auto reader = AvroReader::Open(*io_->Open(kUri));
    const std::string* value = (*reader)->FindMetadata(key);
    return value == nullptr ? "(none)" : *value;
  }
  // Names and ids of the columns of the file, nested ones in brackets.
  std::string Columns() {
    const auto reader = AvroReader::Open(*io_->Open(kUri));
    return Columns(*(*reader)->schema());
  }
  static std::string Columns(const AvroNode& record) {
    std::string text;
    for (const AvroField& field : record.fields) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", field.field_id);
      if (field.type->kind == AvroKind::kRecord) text += "[" + Columns(*field.type) + "]";
    }
    return text;
  }

  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  ManifestWriterOptions options_{
      .schema = std::make_shared<Schema>(
          4,
          std::vector<NestedField>{{.id = 1, .name = "a", .type = Type::Primitive(TypeId::kLong)}}),
      .snapshot_id = 7,
  };
};

TEST_F(ManifestWriterTest, EveryMemberComesBack) {
  options_.format_version = 3;
  UseField(1000, "p", Type::Primitive(TypeId::kString));
  ManifestEntry entry = Existing("memory:/t/data/a.parquet");
  entry.file.file_format = FileFormat::kOrc;
  entry.file.partition.fields = {Value(std::string("x=1/y"))};
  entry.file.metrics = {.column_sizes = {{1, 11}, {2, 12}},
                        .value_counts = {{1, 10}},
                        .null_value_counts = {{1, 1}},
                        .nan_value_counts = {{2, 3}},
                        .lower_bounds = {{1, std::string(8, '\0')}, {2, ""}},
                        .upper_bounds = {{1, "a long upper bound of a column"}}};
  entry.file.key_metadata = std::string("k\0y", 3);
  entry.file.split_offsets = {4, 1000};
  entry.file.sort_order_id = 1;
  entry.file.first_row_id = 800;
  const auto manifest = Write({entry});
  ASSERT_THAT(manifest, IsOk());
  ManifestFile committed = *manifest;
  committed.sequence_number = 9;
  committed.first_row_id = 1000;
  const std::vector<ManifestEntry> read = Read(committed);
  ASSERT_EQ(read.size(), 1U);
  const ManifestEntry& copy = read.front();
  EXPECT_EQ(copy.status, EntryStatus::kExisting);
  EXPECT_EQ(copy.snapshot_id, 5);
  EXPECT_EQ(copy.sequence_number, 2);
  EXPECT_EQ(copy.file_sequence_number, 3);
  EXPECT_EQ(copy.file.file_path, entry.file.file_path);
  EXPECT_EQ(copy.file.file_format, FileFormat::kOrc);
  EXPECT_EQ(copy.file.partition_spec_id, 3);
  EXPECT_EQ(copy.file.partition.fields, entry.file.partition.fields);
  EXPECT_EQ(copy.file.record_count, 10);
  EXPECT_EQ(copy.file.file_size_in_bytes, 1000);
  EXPECT_EQ(copy.file.metrics.column_sizes, entry.file.metrics.column_sizes);
  EXPECT_EQ(copy.file.metrics.value_counts, entry.file.metrics.value_counts);
  EXPECT_EQ(copy.file.metrics.null_value_counts, entry.file.metrics.null_value_counts);
  EXPECT_EQ(copy.file.metrics.nan_value_counts, entry.file.metrics.nan_value_counts);
  EXPECT_EQ(copy.file.metrics.lower_bounds, entry.file.metrics.lower_bounds);
  EXPECT_EQ(copy.file.metrics.upper_bounds, entry.file.metrics.upper_bounds);
  EXPECT_EQ(copy.file.key_metadata, entry.file.key_metadata);
  EXPECT_EQ(copy.file.split_offsets, entry.file.split_offsets);
  EXPECT_EQ(copy.file.sort_order_id, 1);
  EXPECT_EQ(copy.file.first_row_id, 800);
}

TEST_F(ManifestWriterTest, KeepsEmptyMapsOfMetricsApartFromMissingOnes) {
  ManifestEntry entry = Added("memory:/t/data/a.parquet");
  entry.file.metrics = {.value_counts = {{1, 10}},
                        .stored_empty = FileMetrics::kNanValueCounts | FileMetrics::kLowerBounds};
  ManifestEntry bare = Added("memory:/t/data/b.parquet");
  const auto manifest = Write({entry, bare, entry});
  ASSERT_THAT(manifest, IsOk());
  const std::vector<ManifestEntry> read = Read(*manifest);
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].file.metrics.stored_empty, entry.file.metrics.stored_empty);
  EXPECT_EQ(read[1].file.metrics.stored_empty, 0U);
  EXPECT_EQ(read[2].file.metrics.stored_empty, entry.file.metrics.stored_empty);
  EXPECT_EQ(read[2].file.metrics.value_counts, entry.file.metrics.value_counts);
}

TEST_F(ManifestWriterTest, DeletionVectorsKeepTheirPlace) {
  options_.format_version = 3;
  options_.content = ManifestContent::kDeletes;
  ManifestEntry entry = Added("memory:/t/data/d.puffin");
  entry.file.content = FileContent::kPositionDeletes;
  entry.file.file_format = FileFormat::kPuffin;
  EXPECT_THAT(Write({entry}), IsError(ErrorCode::kInvalidInput, "needs its data file, offset"));
  entry.file.referenced_data_file = "memory:/t/data/a.parquet";
  entry.file.content_offset = 4;
  entry.file.content_size_in_bytes = 50;
  const auto manifest = Write({entry});
  ASSERT_THAT(manifest, IsOk());
  EXPECT_EQ(manifest->content, ManifestContent::kDeletes);
  const std::vector<ManifestEntry> read = Read(*manifest);
  EXPECT_TRUE(read[0].file.is_deletion_vector());
  EXPECT_EQ(read[0].file.referenced_data_file, "memory:/t/data/a.parquet");
  EXPECT_EQ(read[0].file.content_offset, 4);
  EXPECT_EQ(read[0].file.content_size_in_bytes, 50);

  options_.format_version = 2;
  EXPECT_THAT(Write({entry}), IsError(ErrorCode::kInvalidInput, "needs format version 3"));
}

TEST_F(ManifestWriterTest, EqualityDeletesKeepTheirColumns) {
  options_.content = ManifestContent::kDeletes;
  ManifestEntry entry = Added("memory:/t/data/e.parquet");
  entry.file.content = FileContent::kEqualityDeletes;
  entry.file.equality_ids = {2, 1};
  const auto manifest = Write({entry});
  ASSERT_THAT(manifest, IsOk());
  EXPECT_THAT(Read(*manifest)[0].file.equality_ids, ElementsAre(2, 1));
}

// B121
TEST_F(ManifestWriterTest, ColumnsStandInTheOrderOfJavaWithTheirIds) {
  UseField(1001, "p", Type::Primitive(TypeId::kInt));
  for (const auto& [version, columns] :
       {std::pair(1, "0 1 2[100 101 102[1001] 103 104 105 108 109 110 137 125 128 131 132 140]"),
        std::pair(2,
                  "0 1 3 4 2[134 100 101 102[1001] 103 104 108 109 110 137 125 128 131 132 135 "
                  "140 143]"),
        std::pair(3,
                  "0 1 3 4 2[134 100 101 102[1001] 103 104 108 109 110 137 125 128 131 132 135 "
                  "140 142 143 144 145]")}) {
    options_.format_version = version;
    ASSERT_THAT(Write({Added("f", {Value(int32_t{1})})}), IsOk());
    EXPECT_EQ(Columns(), columns);
  }
  const std::string schema = Header("avro.schema");
  for (const char* part : {R"("name":"manifest_entry")", R"("name":"r2")", R"("name":"r102")",
                           R"("name":"k117_v118","fields":[{"name":"key","type":"int",)"
                           R"("field-id":117},{"name":"value","type":"long","field-id":118}]},)"
                           R"("logicalType":"map")",
                           R"("name":"k129_v130")", R"("items":"long","element-id":133)",
                           R"("items":"int","element-id":136)"}) {
    EXPECT_THAT(schema, HasSubstr(part));
  }
}

// B121
TEST_F(ManifestWriterTest, TheHeaderSaysWhatReadersAskFor) {
  UseField(1001, "p", Type::Primitive(TypeId::kLong));
  ASSERT_THAT(Write({Added("f", {Value()})}), IsOk());
  EXPECT_EQ(Header("schema"), FormatSchemaJson(*options_.schema));
  EXPECT_EQ(Header("schema-id"), "4");
  EXPECT_EQ(Header("partition-spec"), FormatPartitionFieldsJson(*options_.spec));
  EXPECT_EQ(Header("partition-spec-id"), "3");
  EXPECT_EQ(Header("format-version"), "2");
  EXPECT_EQ(Header("content"), "data");
  EXPECT_EQ(Header("avro.codec"), "deflate");
  const auto header = ReadManifestHeader(*io_, kUri);
  ASSERT_THAT(header, IsOk());
  EXPECT_EQ(header->partition_spec_id, 3);
  EXPECT_TRUE(header->schema->IsSameAs(*options_.schema));

  options_.format_version = 1;
  ASSERT_THAT(Write({Added("f", {Value()})}), IsOk());
  EXPECT_EQ(Header("content"), "(none)");
}

// B121
TEST_F(ManifestWriterTest, PartitionValuesOfEveryTypeComeBack) {
  UuidBytes uuid{};
  uuid[0] = std::byte{0xF7};
  const std::vector<std::pair<TypePtr, Value>> cases = {
      {Type::Primitive(TypeId::kBoolean), Value(true)},
      {Type::Primitive(TypeId::kInt), Value(int32_t{-5})},
      {Type::Primitive(TypeId::kLong), Value(std::numeric_limits<int64_t>::min())},
      {Type::Primitive(TypeId::kFloat), Value(1.5F)},
      {Type::Primitive(TypeId::kDouble), Value(-0.0)},
      {Type::Primitive(TypeId::kDate), Value(int32_t{-1})},
      {Type::Primitive(TypeId::kTime), Value(int64_t{86'399'999'999})},
      {Type::Primitive(TypeId::kTimestamp), Value(int64_t{-1})},
      {Type::Primitive(TypeId::kTimestamptz), Value(int64_t{1})},
      {Type::Primitive(TypeId::kTimestampNs), Value(int64_t{2})},
      {Type::Primitive(TypeId::kTimestamptzNs), Value(int64_t{3})},
      {Type::Primitive(TypeId::kString), Value(std::string("é/\0x", 5))},
      {Type::Primitive(TypeId::kUuid), Value(uuid)},
      {Type::Fixed(4), Value(BinaryValue{"\1\2\3\4"})},
      {Type::Primitive(TypeId::kBinary), Value(BinaryValue{""})},
      {Type::Decimal(9, 2), Value(Int128{-12345})},
      {Type::Decimal(38, 0), Value(-PowerOfTen(37))},
  };
  for (const auto& [type, value] : cases) {
    UseField(1001, "p", type);
    const auto manifest = Write({Added("f", {value}), Added("g", {Value()})});
    ASSERT_THAT(manifest, IsOk()) << FormatType(*type);
    const std::vector<ManifestEntry> read = Read(*manifest);
    EXPECT_EQ(read[0].file.partition.fields[0], value) << FormatType(*type);
    EXPECT_TRUE(read[1].file.partition.fields[0].is_null()) << FormatType(*type);
    // The summary has the value as both bounds.
    const FieldSummary& summary = manifest->partitions->front();
    EXPECT_TRUE(summary.contains_null);
    EXPECT_EQ(summary.contains_nan, false);
    EXPECT_EQ(summary.lower_bound, *ToBoundBytes(value, *type));
    EXPECT_EQ(summary.upper_bound, summary.lower_bound);
  }
}

// B120
TEST_F(ManifestWriterTest, PartitionNamesBecomeLegalAndKeepTheirValues) {
  std::vector<PartitionField> fields;
  std::vector<NestedField> types;
  std::vector<Value> values;
  int32_t id = 1000;
  for (const char* name : {"9col", "a.b", "x y", "\xF0\x9F\xA4\xAF", "a_x2Eb"}) {
    fields.push_back({.source_ids = {1}, .field_id = id, .name = name, .transform = {}});
    types.push_back({.id = id, .name = name, .type = Type::Primitive(TypeId::kInt)});
    values.emplace_back(id);
    ++id;
  }
  UsePartition(fields, types);
  const auto manifest = Write({Added("f", values)});
  ASSERT_THAT(manifest, IsOk());
  EXPECT_EQ(Read(*manifest)[0].file.partition.fields, values);
  const std::string schema = Header("avro.schema");
  EXPECT_THAT(schema, HasSubstr(R"("name":"_9col")"));
  EXPECT_THAT(schema, HasSubstr(R"("iceberg-field-name":"9col")"));
  EXPECT_THAT(schema, HasSubstr(R"("iceberg-field-name":"a.b")"));
}

TEST_F(ManifestWriterTest, SummariesLeaveNanAndNullOutOfTheBounds) {
  UseField(1000, "p", Type::Primitive(TypeId::kDouble));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto manifest = Write({Added("a", {Value(nan)}), Added("b", {Value(2.5)}),
                               Added("c", {Value(-1.0)}), Added("d", {Value()})});
  ASSERT_THAT(manifest, IsOk());
  const FieldSummary& summary = manifest->partitions->front();
  EXPECT_TRUE(summary.contains_null);
  EXPECT_EQ(summary.contains_nan, true);
  const Type type = *Type::Primitive(TypeId::kDouble);
  EXPECT_EQ(summary.lower_bound, *ToBoundBytes(Value(-1.0), type));
  EXPECT_EQ(summary.upper_bound, *ToBoundBytes(Value(2.5), type));

  const auto only_nan = Write({Added("a", {Value(nan)})});
  EXPECT_EQ(only_nan->partitions->front().lower_bound, std::nullopt);
}

TEST_F(ManifestWriterTest, TheResultCountsFilesAndRowsByStatus) {
  ManifestEntry deleted = Existing("d");
  deleted.status = EntryStatus::kDeleted;
  deleted.sequence_number = 1;
  deleted.file.record_count = 100;
  ManifestEntry pinned = Added("p");
  pinned.sequence_number = 4;
  const auto manifest = Write({Added("a"), Existing("b"), Existing("c"), deleted, pinned});
  ASSERT_THAT(manifest, IsOk());
  EXPECT_EQ(manifest->manifest_path, kUri);
  EXPECT_EQ(manifest->manifest_length, io_->Stat(kUri)->size);
  EXPECT_EQ(manifest->partition_spec_id, 3);
  EXPECT_EQ(manifest->added_snapshot_id, 7);
  EXPECT_EQ(manifest->sequence_number, kUnassignedSequenceNumber);
  // The deleted file's 1 does not count.
  EXPECT_EQ(manifest->min_sequence_number, 2);
  EXPECT_EQ(manifest->added_files_count, 2);
  EXPECT_EQ(manifest->existing_files_count, 2);
  EXPECT_EQ(manifest->deleted_files_count, 1);
  EXPECT_EQ(manifest->added_rows_count, 20);
  EXPECT_EQ(manifest->existing_rows_count, 20);
  EXPECT_EQ(manifest->deleted_rows_count, 100);
  EXPECT_EQ(manifest->first_row_id, std::nullopt);
}

// B126: ids baked in by a first attempt would collide with those of the winner.
TEST_F(ManifestWriterTest, AddedFilesTakeNoRowIdsWithThem) {
  options_.format_version = 3;
  ManifestEntry entry = Added("a");
  entry.file.first_row_id = 42;
  const auto manifest = Write({entry});
  EXPECT_EQ(Read(*manifest)[0].file.first_row_id, std::nullopt);
}

// B27
TEST_F(ManifestWriterTest, AnAddedFileKeepsAnOlderSequenceNumber) {
  ManifestEntry entry = Added("a");
  entry.sequence_number = 1;
  ManifestFile committed = *Write({entry});
  committed.sequence_number = 3;
  EXPECT_EQ(Read(committed)[0].sequence_number, 1);
  EXPECT_EQ(Read(committed)[0].file_sequence_number, 3);
}

TEST_F(ManifestWriterTest, OnlyAddedEntriesMayInherit) {
  ManifestEntry entry = Existing("a");
  entry.sequence_number.reset();
  EXPECT_THAT(Write({entry}), IsError(ErrorCode::kInvalidInput, "needs its snapshot id and"));
  options_.format_version = 1;
  EXPECT_THAT(Write({entry}), IsOk());
}

TEST_F(ManifestWriterTest, RefusesWhatDoesNotFit) {
  UseField(1000, "p", Type::Decimal(4, 0));
  EXPECT_THAT(Write({Added("memory:/f")}),
              IsError(ErrorCode::kInvalidInput, "file memory:/f: 0 partition values, the spec 3"));
  EXPECT_THAT(
      Write({Added("f", {Value(int32_t{1})})}),
      IsError(ErrorCode::kInvalidInput, "partition field 'p': the value is not of the type"));
  EXPECT_THAT(Write({Added("f", {Value(Int128{1} << 40)})}),
              IsError(ErrorCode::kInvalidInput, "does not fit decimal(4,0)"));
  EXPECT_THAT(Write({}), IsError(ErrorCode::kInvalidInput, "it has no entry"));
  ManifestEntry deletes = Added("f", {Value()});
  deletes.file.content = FileContent::kEqualityDeletes;
  EXPECT_THAT(Write({deletes}),
              IsError(ErrorCode::kInvalidInput, "a delete file in a manifest of data"));
  options_.compression = "brotli";
  EXPECT_THAT(Write({}), IsError(ErrorCode::kInvalidInput, "Avro compression 'brotli'"));
  options_.format_version = 4;
  EXPECT_THAT(Write({}), IsError(ErrorCode::kInvalidInput, "format version 4"));
}

TEST_F(ManifestWriterTest, ARefusedEntryLeavesNoTrace) {
  UseField(1000, "p", Type::Primitive(TypeId::kInt));
  auto writer = *MakeManifestWriter(*io_, kUri, options_);
  ASSERT_THAT(writer->Add(Added("a", {Value(int32_t{1})})), IsOk());
  ASSERT_THAT(writer->Add(Added("b", {Value(int64_t{1})})), IsError(ErrorCode::kInvalidInput));
  ASSERT_THAT(writer->Add(Added("c", {Value(int32_t{2})})), IsOk());
  const auto manifest = writer->Finish();
  ASSERT_THAT(manifest, IsOk());
  EXPECT_EQ(manifest->added_files_count, 2);
  EXPECT_EQ(Read(*manifest).size(), 2U);
}

TEST_F(ManifestWriterTest, WritesEveryCodecAndTellsItsSizeWhileWriting) {
  for (const char* codec : {"gzip", "snappy", "zstd", "uncompressed"}) {
    options_.compression = codec;
    auto writer = *MakeManifestWriter(*io_, kUri, options_);
    for (int i = 0; i < 5000; ++i) {
      ASSERT_THAT(writer->Add(Added("memory:/t/data/" + std::to_string(i))), IsOk());
    }
    const auto guess = static_cast<double>(writer->bytes_written());
    const auto manifest = writer->Finish();
    ASSERT_THAT(manifest, IsOk());
    EXPECT_NEAR(guess / static_cast<double>(manifest->manifest_length), 1.0, 0.2) << codec;
    EXPECT_EQ(Read(*manifest).size(), 5000U);
  }
}

// B29
TEST_F(ManifestWriterTest, SplitOffsetsOfOneFileNeverReachAnother) {
  std::vector<ManifestEntry> entries = {Existing("a"), Existing("b"), Existing("c")};
  entries[0].file.split_offsets = {4, 100, 200};
  entries[2].file.split_offsets = {4};
  const auto first = Write(entries);
  ASSERT_THAT(first, IsOk());
  // Copy by the entry that the reader reuses.
  ManifestFile committed = *first;
  committed.sequence_number = 3;
  auto writer = *MakeManifestWriter(*io_, "memory:/copy.avro", options_);
  ASSERT_THAT(ReadManifest(*io_, committed, *options_.partition_type, {},
                           [&](ManifestEntry& entry) { return writer->Add(entry); }),
              IsOk());
  const std::vector<ManifestEntry> copies = Read(*writer->Finish());
  EXPECT_THAT(copies[0].file.split_offsets, ElementsAre(4, 100, 200));
  EXPECT_THAT(copies[1].file.split_offsets, ElementsAre());
  EXPECT_THAT(copies[2].file.split_offsets, ElementsAre(4));
}

TEST_F(ManifestWriterTest, OnlyTheMetricsThatAreAskedForAreRead) {
  ManifestEntry entry = Added("a");
  entry.file.metrics = {.column_sizes = {{1, 11}, {2, 12}, {2147483546, 5}},
                        .value_counts = {{1, 10}, {2, 10}},
                        .null_value_counts = {},
                        .nan_value_counts = {},
                        .lower_bounds = {{1, "a"}, {2, "b"}, {2147483546, "c"}},
                        .upper_bounds = {}};
  const auto manifest = Write({entry});
  ASSERT_THAT(manifest, IsOk());
  const auto read = [&](const ManifestReadOptions& options) {
    FileMetrics metrics;
    EXPECT_THAT(ReadManifest(*io_, *manifest, *options_.partition_type, options,
                             [&](ManifestEntry& one) {
                               metrics = one.file.metrics;
                               EXPECT_EQ(one.file.record_count, 10);
                               return Status();
                             }),
                IsOk());
    return metrics;
  };
  EXPECT_TRUE(read({.with_metrics = false}).lower_bounds.empty());
  EXPECT_TRUE(read({.with_metrics = false}).column_sizes.empty());
  EXPECT_TRUE(read({.with_column_sizes = false}).column_sizes.empty());
  EXPECT_EQ(read({.with_column_sizes = false}).lower_bounds.size(), 3U);
  const std::vector<int32_t> ids = {2147483546, 2, 99};
  const FileMetrics some = read({.metrics_field_ids = &ids});
  EXPECT_EQ(some.lower_bounds, (FieldMap<std::string>{{2, "b"}, {2147483546, "c"}}));
  EXPECT_EQ(some.value_counts, (FieldMap<int64_t>{{2, 10}}));
}

TEST_F(ManifestWriterTest, ColumnsWithValuesAreToldWithAndWithoutMetrics) {
  ManifestEntry some = Added("a");
  some.file.metrics.value_counts = {{1, 10}, {2, 10}, {3, 10}, {4, 30}, {6, 0}};
  some.file.metrics.null_value_counts = {{1, 0}, {2, 10}, {4, 29}, {5, 3}, {6, 0}};
  some.file.metrics.column_sizes = {{1, 50}, {7, 20}, {8, 0}};
  ManifestEntry same = some;
  same.file.file_path = "b";
  const auto manifest = Write({some, Added("nothing"), same});
  ASSERT_THAT(manifest, IsOk());
  const std::vector<int32_t> ids = {2};
  for (const bool with_metrics : {false, true}) {
    std::vector<DataFile> files;
    const ManifestReadOptions options{
        .with_metrics = with_metrics, .metrics_field_ids = &ids, .with_counted_columns = true};
    ASSERT_THAT(ReadManifest(*io_, *manifest, *options_.partition_type, options,
                             [&](ManifestEntry& entry) {
                               files.push_back(entry.file);
                               return Status();
                             }),
                IsOk());
    ASSERT_EQ(files.size(), 3U);
    EXPECT_THAT(*files[0].counted_columns, ElementsAre(1, 4, 7));
    EXPECT_THAT(*files[1].counted_columns, ElementsAre());
    EXPECT_THAT(*files[2].counted_columns, ElementsAre(1, 4, 7));
    const FieldMap<int64_t> kept = {{2, 10}};
    EXPECT_EQ(files[0].metrics.value_counts, with_metrics ? kept : FieldMap<int64_t>());
    EXPECT_EQ(files[0].metrics.null_value_counts, with_metrics ? kept : FieldMap<int64_t>());
    EXPECT_EQ(files[0].metrics.column_sizes, FieldMap<int64_t>());
  }
  EXPECT_EQ(Read(*manifest)[0].file.counted_columns, nullptr) << "nobody asked";
}

}  // namespace
}  // namespace firn

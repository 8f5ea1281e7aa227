#include <arrow/adapters/orc/adapter.h>
#include <arrow/io/memory.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/data/write/writer.h"
#include "firn/format/avro/avro_reader.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

NestedField Element(int32_t id, TypePtr type, bool is_required = false) {
  return is_required ? Required(id, "element", std::move(type))
                     : Optional(id, "element", std::move(type));
}

// Columns of every type that rows can have, two rows of values and one of nulls.
struct Sample {
  std::vector<NestedField> fields;
  std::vector<StructValue> rows{{}, {}, {}};

  void Add(const TypePtr& type, Value first, Value second) {
    const auto id = static_cast<int32_t>(fields.size()) + 1;
    fields.push_back(Optional(id, "c" + std::to_string(id), type));
    rows[0].fields.push_back(std::move(first));
    rows[1].fields.emplace_back();
    rows[2].fields.push_back(std::move(second));
  }
};

void AddNested(Sample& sample) {
  const TypePtr text = Primitive(TypeId::kString);
  const TypePtr uuid = Primitive(TypeId::kUuid);
  const TypePtr time = Primitive(TypeId::kTime);
  const Value id = UuidBytes{std::byte{1}, std::byte{255}};
  sample.Add(Type::Struct({Optional(101, "x", Primitive(TypeId::kInt)), Optional(102, "u", uuid)}),
             Value::Struct({7, id}), Value::Struct({{}, {}}));
  sample.Add(Type::List(Element(103, uuid)), Value::List({id, {}}), Value::List({}));
  sample.Add(Type::Map(Required(104, "key", text), Optional(105, "value", time)),
             Value::Map({{"a", int64_t{1}}, {"b", {}}}), Value::Map({}));
  sample.Add(Type::Map(Required(106, "key", Primitive(TypeId::kInt)), Required(107, "value", text)),
             Value::Map({{1, "x"}}), Value::Map({{2, ""}, {3, "y"}}));
  const TypePtr inner = Type::Struct({Optional(109, "t", Type::List(Element(110, time, true)))});
  sample.Add(Type::List(Element(108, inner)),
             Value::List({Value::Struct({Value::List({int64_t{1}, int64_t{2}})}), {}}),
             Value::List({Value::Struct({{}})}));
}

Sample MakeSample() {
  Sample sample;
  sample.Add(Primitive(TypeId::kBoolean), true, false);
  sample.Add(Primitive(TypeId::kInt), -1, INT32_MAX);
  sample.Add(Primitive(TypeId::kLong), int64_t{-1}, INT64_MIN);
  sample.Add(Primitive(TypeId::kFloat), 1.5F, -0.0F);
  sample.Add(Primitive(TypeId::kDouble), 1e-300, -1.5);
  sample.Add(Type::Decimal(9, 2), Int128{-12345}, Int128{1});
  sample.Add(Type::Decimal(18, 3), Int128{123456789012345678}, Int128{-1});
  sample.Add(Type::Decimal(38, 10), -(Int128{1} << 100), Int128{1} << 64);
  sample.Add(Primitive(TypeId::kDate), -1, 20000);
  sample.Add(Primitive(TypeId::kTime), int64_t{1}, int64_t{86399999999});
  sample.Add(Primitive(TypeId::kTimestamp), int64_t{-1000000}, int64_t{1700000000000001});
  sample.Add(Primitive(TypeId::kTimestamptz), int64_t{-5000000}, int64_t{1700000000000001});
  sample.Add(Primitive(TypeId::kTimestampNs), int64_t{-1000000000}, int64_t{1700000000000000001});
  sample.Add(Primitive(TypeId::kTimestamptzNs), int64_t{1}, int64_t{1700000000000000001});
  sample.Add(Primitive(TypeId::kString), "", "\xF0\x9F\x98\x80");
  sample.Add(Primitive(TypeId::kUuid), UuidBytes{std::byte{1}, std::byte{255}}, UuidBytes{});
  sample.Add(Type::Fixed(3), BinaryValue{"abc"}, BinaryValue{std::string(3, '\0')});
  sample.Add(Primitive(TypeId::kBinary), BinaryValue{std::string("\0\xFF", 2)}, BinaryValue{});
  sample.Add(Primitive(TypeId::kUnknown), {}, {});
  AddNested(sample);
  return sample;
}

Result<std::vector<DataFile>> WriteRows(RowTable& table, std::vector<StructValue> rows,
                                        std::optional<StructValue> partition = StructValue{}) {
  FIRN_ASSIGN(DataWriteOptions options, TableWriteOptions(table.metadata()));
  options.partition = std::move(partition);
  const SchemaPtr schema = options.schema;
  return WriteDataFiles(table.write_context(), options,
                        *MakeRowStream(schema->as_struct(), std::move(rows)));
}

struct FormatCase {
  std::string name;
  FileFormat format = FileFormat::kParquet;
};

class FileFormatsTest : public testing::TestWithParam<FormatCase> {};

TEST_P(FileFormatsTest, KeepsValuesOfEveryType) {
  const Sample sample = MakeSample();
  RowTable parquet(sample.fields);
  const auto expected = parquet.Read({parquet.Write(sample.rows)}, {}, "", /*is_ordered=*/true);
  RowTable table(sample.fields);
  table.metadata().properties["write.format.default"] = GetParam().name;

  const auto files = WriteRows(table, sample.rows);

  ASSERT_THAT(files, IsOkAnd(SizeIs(1)));
  const DataFile& file = (*files)[0];
  EXPECT_EQ(file.file_format, GetParam().format);
  EXPECT_THAT(file.file_path, testing::EndsWith("." + GetParam().name));
  EXPECT_EQ(file.record_count, 3);
  EXPECT_EQ(file.file_size_in_bytes, table.io().Stat(file.file_path)->size);
  FileScanTask task;
  task.file = file;
  EXPECT_EQ(table.Read({task}, {}, "", /*is_ordered=*/true).value(), expected.value());
}

TEST_P(FileFormatsTest, TellsCountsAndBoundsWhateverTheFormat) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  table.metadata().properties["write.format.default"] = GetParam().name;

  const auto files = WriteRows(table, {Row({3}), Row({{}}), Row({1})});

  ASSERT_THAT(files, IsOkAnd(SizeIs(1)));
  const FileMetrics& metrics = (*files)[0].metrics;
  EXPECT_EQ(*FindInFieldMap(metrics.value_counts, 1), 3);
  EXPECT_EQ(*FindInFieldMap(metrics.null_value_counts, 1), 1);
  EXPECT_EQ(*FindInFieldMap(metrics.lower_bounds, 1), std::string("\1\0\0\0", 4));
  EXPECT_EQ(*FindInFieldMap(metrics.upper_bounds, 1), std::string("\3\0\0\0", 4));
}

TEST_P(FileFormatsTest, BeginsANewFileAtTheTargetSize) {
  RowTable table({Optional(1, "s", Primitive(TypeId::kString))});
  table.metadata().properties["write.format.default"] = GetParam().name;
  table.metadata().properties["write.target-file-size-bytes"] = "300000";
  std::vector<StructValue> rows;
  const auto random = MakeSeededRandom(3);
  for (int i = 0; i < 60000; ++i)
    rows.push_back(Row({FormatUuid(MakeUuid(*random))}));

  const auto files = WriteRows(table, std::move(rows));

  ASSERT_THAT(files, IsOk());
  EXPECT_GE(files->size(), 3U);
  EXPECT_LE(files->size(), 9U);
  int64_t count = 0;
  for (const DataFile& file : *files)
    count += file.record_count;
  EXPECT_EQ(count, 60000);
}

TEST_P(FileFormatsTest, WritesEachPartitionIntoAFileOfItsOwn) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  table.metadata().properties["write.format.default"] = GetParam().name;
  table.metadata().partition_specs[0] = std::make_shared<const PartitionSpec>(
      PartitionSpec{.fields = {{.source_ids = {1}, .field_id = 1000, .name = "id"}}});
  std::vector<StructValue> rows;
  for (int i = 0; i < 90; ++i)
    rows.push_back(Row({i % 3}));

  const auto files = WriteRows(table, std::move(rows), std::nullopt);

  ASSERT_THAT(files, IsOkAnd(SizeIs(3)));
  for (const DataFile& file : *files)
    EXPECT_EQ(file.record_count, 30);
}

TEST_P(FileFormatsTest, RefusesANullInARequiredColumn) {
  RowTable table({Required(1, "id", Primitive(TypeId::kInt))});
  table.metadata().properties["write.format.default"] = GetParam().name;
  EXPECT_THAT(WriteRows(table, {Row({{}})}), IsError(ErrorCode::kInvalidInput, "'id' is required"));
}

TEST_P(FileFormatsTest, RefusesACodecThatItDoesNotKnow) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  table.metadata().properties["write.format.default"] = GetParam().name;
  const std::string key = "write." + GetParam().name + ".compression-codec";
  table.metadata().properties[key] = "rar";
  EXPECT_THAT(WriteRows(table, {Row({1})}), IsError(ErrorCode::kInvalidInput, key));
}

INSTANTIATE_TEST_SUITE_P(All, FileFormatsTest,
                         testing::Values(FormatCase{"parquet", FileFormat::kParquet},
                                         FormatCase{"avro", FileFormat::kAvro},
                                         FormatCase{"orc", FileFormat::kOrc}),
                         [](const auto& test) { return test.param.name; });

TEST(FileFormatTest, ThatIsUnknownIsRefused) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  table.metadata().properties["write.format.default"] = "lance";
  EXPECT_THAT(WriteRows(table, {Row({1})}),
              IsError(ErrorCode::kInvalidInput, "'write.format.default' is 'lance', expected one"));
}

TEST(AvroFileTest, IsCompressedAsTheTableWants) {
  for (const auto& [property, codec] :
       {std::pair("", "deflate"), std::pair("zstd", "zstandard"), std::pair("snappy", "snappy"),
        std::pair("uncompressed", "null")}) {
    RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
    table.metadata().properties["write.format.default"] = "avro";
    if (*property != '\0') {
      table.metadata().properties["write.avro.compression-codec"] = property;
    }
    const auto files = WriteRows(table, {Row({1})});
    ASSERT_THAT(files, IsOk());
    const auto bytes = ReadFile(table.io(), (*files)[0].file_path);
    EXPECT_THAT(
        std::string(bytes->view()),
        HasSubstr(std::string("avro.codec") + static_cast<char>(2 * strlen(codec)) + codec));
    EXPECT_THAT(std::string(bytes->view()), HasSubstr("iceberg.schema"));
  }
}

std::shared_ptr<arrow::Schema> OrcSchemaOf(RowTable& table, const DataFile& file) {
  const auto bytes = ReadFile(table.io(), file.file_path);
  const auto reader = arrow::adapters::orc::ORCFileReader::Open(
      arrow::io::BufferReader::FromString(std::string(bytes->view())),
      arrow::default_memory_pool());
  return (*reader)->ReadSchema().ValueOrDie();
}

TEST(OrcFileTest, CarriesTheAttributesOfTheSpec) {
  const Sample sample = MakeSample();
  RowTable table(sample.fields);
  table.metadata().properties["write.format.default"] = "orc";
  const auto files = WriteRows(table, sample.rows);
  ASSERT_THAT(files, IsOk());

  const auto schema = OrcSchemaOf(table, (*files)[0]);
  const auto attribute = [&](int32_t id, const std::string& key) {
    const auto field = schema->GetFieldByName("c" + std::to_string(id));
    return field->metadata()->Get(key).ValueOr("");
  };
  EXPECT_EQ(attribute(1, "iceberg.id"), "1");
  EXPECT_EQ(attribute(1, "iceberg.required"), "false");
  EXPECT_EQ(attribute(3, "iceberg.long-type"), "LONG");
  EXPECT_EQ(attribute(10, "iceberg.long-type"), "TIME");
  EXPECT_EQ(attribute(11, "iceberg.timestamp-unit"), "MICROS");
  EXPECT_EQ(attribute(14, "iceberg.timestamp-unit"), "NANOS");
  EXPECT_EQ(attribute(16, "iceberg.binary-type"), "UUID");
  EXPECT_EQ(attribute(17, "iceberg.binary-type"), "FIXED");
  EXPECT_EQ(attribute(17, "iceberg.length"), "3");
  EXPECT_EQ(schema->GetFieldByName("c19"), nullptr);  // Unknown.
  const auto list = schema->GetFieldByName("c21")->type();
  EXPECT_EQ(list->field(0)->metadata()->Get("iceberg.id").ValueOr(""), "103");
}

TEST(OrcFileTest, HasNoFractionsOfASecondBefore1970) {
  RowTable table({Optional(1, "at", Primitive(TypeId::kTimestamptz))});
  table.metadata().properties["write.format.default"] = "orc";
  EXPECT_THAT(WriteRows(table, {Row({int64_t{-1}})}),
              IsError(ErrorCode::kUnsupported, "column 'at': a time before 1970"));
  EXPECT_THAT(WriteRows(table, {Row({int64_t{-1000000}}), Row({{}}), Row({int64_t{1}})}), IsOk());
}

}  // namespace
}  // namespace firn

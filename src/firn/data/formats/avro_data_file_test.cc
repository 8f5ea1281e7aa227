#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/format/avro/avro_value.h"
#include "firn/format/avro/avro_writer.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void AppendValue(std::string& out, const Value& value, const Type& type);

void AppendField(std::string& out, const Value& value, const NestedField& field) {
  if (field.type->id() == TypeId::kUnknown) return;
  if (!field.required) AppendAvroLong(out, value.is_null() ? 0 : 1);
  if (!value.is_null()) AppendValue(out, value, *field.type);
}

void AppendValue(std::string& out, const Value& value, const Type& type) {
  if (type.id() == TypeId::kStruct) {
    for (size_t i = 0; i < type.fields().size(); ++i) {
      AppendField(out, value.as_struct().fields[i], type.fields()[i]);
    }
  } else if (type.id() == TypeId::kList) {
    const auto& elements = value.as_list().elements;
    if (!elements.empty()) AppendAvroLong(out, static_cast<int64_t>(elements.size()));
    for (const Value& element : elements)
      AppendField(out, element, type.element());
    AppendAvroLong(out, 0);
  } else if (type.id() == TypeId::kMap) {
    const auto& entries = value.as_map().entries;
    if (!entries.empty()) AppendAvroLong(out, static_cast<int64_t>(entries.size()));
    for (const auto& [key, item] : entries) {
      AppendValue(out, key, *type.key().type);
      AppendField(out, item, type.value());
    }
    AppendAvroLong(out, 0);
  } else {
    ASSERT_THAT(AppendAvroValue(out, value, type), IsOk());
  }
}

FileScanTask WriteAvro(RowTable& table, const std::string& name, const AvroNode& schema,
                       const std::vector<std::string>& records,
                       AvroCodec codec = AvroCodec::kDeflate) {
  const std::string uri = "memory:/table/data/" + name;
  auto writer =
      AvroWriter::Make(*table.io().Create(uri), schema, {.codec = codec, .block_bytes = 100});
  FIRN_CHECK(writer.ok());
  for (const std::string& record : records) {
    (*writer)->record() += record;
    FIRN_CHECK((*writer)->EndRecord().ok());
  }
  FIRN_CHECK((*writer)->Finish().ok());
  FileScanTask task{.sequence_number = 1};
  task.file.file_path = uri;
  task.file.file_format = FileFormat::kAvro;
  task.file.file_size_in_bytes = table.io().Stat(uri)->size;
  task.file.record_count = std::ssize(records);
  return task;
}

FileScanTask WriteAvroRows(RowTable& table, const std::vector<StructValue>& rows,
                           AvroCodec codec = AvroCodec::kDeflate) {
  const Type& type = *table.metadata().current_schema()->as_struct();
  std::vector<std::string> records;
  for (const StructValue& row : rows) {
    records.emplace_back();
    AppendValue(records.back(), Value::Struct(row.fields), type);
  }
  return WriteAvro(table, "rows.avro", *ToAvroSchema(type, "table"), records, codec);
}

StructValue Row(std::initializer_list<Value> values) { return {std::vector<Value>(values)}; }

TEST(AvroDataFileTest, ReadsEveryType) {
  const TypePtr item = Type::Struct(
      {Optional(22, "k", Primitive(TypeId::kString)), Required(23, "v", Type::Decimal(20, 2))});
  const std::vector<std::pair<NestedField, Value>> columns = {
      {Optional(1, "b", Primitive(TypeId::kBoolean)), true},
      {Required(2, "i", Primitive(TypeId::kInt)), -7},
      {Optional(3, "l", Primitive(TypeId::kLong)), int64_t{1} << 40},
      {Optional(4, "f", Primitive(TypeId::kFloat)), 0.5F},
      {Optional(5, "d", Primitive(TypeId::kDouble)), 0.25},
      {Optional(6, "dec", Type::Decimal(9, 2)), Int128{-125}},
      {Optional(7, "day", Primitive(TypeId::kDate)), 1},
      {Optional(8, "t", Primitive(TypeId::kTime)), int64_t{1}},
      {Optional(9, "ts", Primitive(TypeId::kTimestamp)), int64_t{1}},
      {Optional(10, "tz", Primitive(TypeId::kTimestamptz)), int64_t{1}},
      {Optional(11, "tn", Primitive(TypeId::kTimestampNs)), int64_t{1}},
      {Optional(12, "s", Primitive(TypeId::kString)), "text"},
      {Optional(13, "u", Primitive(TypeId::kUuid)), UuidBytes{}},
      {Optional(14, "x", Type::Fixed(2)), BinaryValue{"ab"}},
      {Optional(15, "y", Primitive(TypeId::kBinary)), BinaryValue{"abc"}},
      {Optional(16, "list", Type::List(Optional(21, "element", item))),
       Value::List({Value::Struct({"a", Int128{150}}), {}})},
      {Optional(17, "m",
                Type::Map(Required(24, "key", Primitive(TypeId::kString)),
                          Optional(25, "value", Primitive(TypeId::kLong)))),
       Value::Map({{Value("k"), Value(int64_t{1})}, {Value("l"), {}}})},
      {Optional(18, "m2",
                Type::Map(Required(26, "key", Primitive(TypeId::kInt)),
                          Optional(27, "value", Primitive(TypeId::kString)))),
       Value::Map({{Value(3), Value("three")}})}};
  std::vector<NestedField> fields;
  StructValue row;
  StructValue nulls;
  for (const auto& [field, value] : columns) {
    fields.push_back(field);
    row.fields.push_back(value);
    nulls.fields.push_back(field.required ? value : Value());
  }
  RowTable table(fields);
  for (const AvroCodec codec :
       {AvroCodec::kNull, AvroCodec::kDeflate, AvroCodec::kSnappy, AvroCodec::kZstandard}) {
    const auto rows = table.Read({WriteAvroRows(table, {row, nulls}, codec)}, {}, "", true);
    ASSERT_THAT(rows, IsOkAnd(testing::SizeIs(2)));
    EXPECT_EQ(
        (*rows)[0],
        R"({"b":true,"i":-7,"l":1099511627776,"f":0.5,"d":0.25,"dec":"-1.25","day":"1970-01-02",)"
        R"("t":"00:00:00.000001","ts":"1970-01-01T00:00:00.000001",)"
        R"("tz":"1970-01-01T00:00:00.000001+00:00","tn":"1970-01-01T00:00:00.000000001",)"
        R"("s":"text","u":"00000000-0000-0000-0000-000000000000","x":"6162","y":"616263",)"
        R"("list":[{"k":"a","v":"1.50"},null],)"
        R"("m":[{"key":"k","value":1},{"key":"l","value":null}],)"
        R"("m2":[{"key":3,"value":"three"}]})");
    EXPECT_THAT((*rows)[1], HasSubstr(R"("b":null,"i":-7,"l":null)"));
  }
}

TEST(AvroDataFileTest, CountsPositionsOverBlocksAndAppliesDeletes) {
  RowTable table(
      {Optional(1, "id", Primitive(TypeId::kInt)), Optional(2, "s", Primitive(TypeId::kString))});
  std::vector<StructValue> rows;
  for (int i = 0; i < 1000; ++i)
    rows.push_back(Row({i, std::string(20, 'x')}));
  FileScanTask task = WriteAvroRows(table, rows);
  task.deletes = {table.WritePositionDeletes({{task.file.file_path, 998}}, 2)};

  EXPECT_THAT(table.Read({task}, {"_pos", "id"}, "id > 996"),
              IsOkAnd(ElementsAre(R"({"_pos":997,"id":997})", R"({"_pos":999,"id":999})")));
  EXPECT_THAT(table.Read({task}, {"_pos"}), IsOkAnd(testing::SizeIs(999)));
}

// One bit in the count of a block would lose rows without a word.
TEST(AvroDataFileTest, RefusesABlockWithOtherRecordsThanItTells) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  const FileScanTask task = WriteAvroRows(table, {Row({1}), Row({2}), Row({3})});
  const auto file = ReadFile(table.io(), task.file.file_path, 1 << 20);
  ASSERT_THAT(file, IsOk());
  std::string bytes(file->view());
  const std::string sync = bytes.substr(bytes.size() - 16);
  const size_t count = bytes.find(sync) + sync.size();
  ASSERT_EQ(bytes[count], 6) << "3 records, zigzag";
  for (const char wrong : {'\x04', '\x08', '\x00'}) {
    bytes[count] = wrong;
    FileScanTask other =
        table.AddFile(fmt::format("wrong{}.avro", int{wrong}), bytes, FileFormat::kAvro);
    other.file.record_count = 3;
    EXPECT_THAT(table.Read({other}), IsError(ErrorCode::kCorrupt)) << int{wrong};
  }
}

TEST(AvroDataFileTest, ReadsAllRowsThatItsManifestTells) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt))});
  FileScanTask task = WriteAvroRows(table, {Row({1}), Row({2}), Row({3})});
  ++task.file.record_count;
  EXPECT_THAT(table.Read({task}),
              IsError(ErrorCode::kCorrupt, "it has 3 rows, but its manifest tells 4"));
}

TEST(AvroDataFileTest, ResolvesColumnsById) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt)),
                  Optional(2, "old",
                           Type::Struct({Optional(3, "a", Primitive(TypeId::kInt)),
                                         Optional(4, "b", Primitive(TypeId::kInt))}))});
  const auto task = WriteAvroRows(table, {Row({1, Value::Struct({2, 3})})});
  table.EvolveTo({Optional(2, "new",
                           Type::Struct({Optional(4, "bb", Primitive(TypeId::kLong)),
                                         Optional(5, "c", Primitive(TypeId::kInt))})),
                  Optional(1, "id", Primitive(TypeId::kLong))});

  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"new":{"bb":3,"c":null},"id":1})")));
}

TEST(AvroDataFileTest, ReadsFilesWithoutIdsByTheNameMapping) {
  RowTable table({Optional(1, "id", Primitive(TypeId::kInt)),
                  Optional(2, "xs", Type::List(Optional(3, "element", Primitive(TypeId::kInt))))});
  table.metadata().properties["schema.name-mapping.default"] =
      FormatNameMapping(MakeNameMapping(*table.metadata().current_schema()));
  const auto schema = ParseAvroSchema(
      R"({"type":"record","name":"r","fields":[{"name":"xs","type":["null",
          {"type":"array","items":"int"}]},{"name":"id","type":["int","null"]}]})",
      "test");
  ASSERT_THAT(schema, IsOk());
  std::string record;
  AppendAvroLong(record, 1);
  AppendAvroLong(record, 2);
  AppendAvroLong(record, 7);
  AppendAvroLong(record, 8);
  AppendAvroLong(record, 0);
  AppendAvroLong(record, 0);
  AppendAvroLong(record, 5);

  EXPECT_THAT(table.Read({WriteAvro(table, "a.avro", **schema, {record})}),
              IsOkAnd(ElementsAre(R"({"id":5,"xs":[7,8]})")));
}

TEST(AvroDataFileTest, NamesTheRowThatIsDamaged) {
  RowTable table({Optional(1, "s", Primitive(TypeId::kString))});
  const AvroNodePtr schema = ToAvroSchema(*table.metadata().current_schema()->as_struct(), "t");
  std::string good;
  AppendAvroLong(good, 1);
  AppendAvroBytes(good, "text");
  std::string bad;
  AppendAvroLong(bad, 1);
  AppendAvroLong(bad, 1000000);

  const auto rows = table.Read({WriteAvro(table, "bad.avro", *schema, {good, bad})});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), testing::AllOf(HasSubstr("bad.avro"), HasSubstr("row 1")));
}

// B110
TEST(AvroDataFileTest, ReadsDecimalsStoredAsBytes) {
  RowTable table({Optional(1, "d", Type::Decimal(9, 2))});
  const auto schema = ParseAvroSchema(
      R"({"type":"record","name":"r","fields":[{"name":"d","field-id":1,"type":
          {"type":"bytes","logicalType":"decimal","precision":9,"scale":2}}]})",
      "test");
  ASSERT_THAT(schema, IsOk());
  std::string small;
  AppendAvroBytes(small, ToBigEndian(-999999999));
  EXPECT_THAT(table.Read({WriteAvro(table, "a.avro", **schema, {small})}),
              IsOkAnd(ElementsAre(R"({"d":"-9999999.99"})")));
  std::string large;
  AppendAvroBytes(large, ToBigEndian(1000000000));
  const auto rows = table.Read({WriteAvro(table, "b.avro", **schema, {large})});
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message(), HasSubstr("more digits than the precision 9"));
}

TEST(AvroDataFileTest, ReadsUuidsStoredAsText) {
  RowTable table({Optional(1, "u", Primitive(TypeId::kUuid))});
  const auto schema = ParseAvroSchema(
      R"({"type":"record","name":"r","fields":[{"name":"u","field-id":1,"type":
          {"type":"string","logicalType":"uuid"}}]})",
      "test");
  ASSERT_THAT(schema, IsOk());
  std::string record;
  AppendAvroBytes(record, "f79c3e09-677c-4bbd-a479-3f349cb785e7");

  EXPECT_THAT(table.Read({WriteAvro(table, "a.avro", **schema, {record})}),
              IsOkAnd(ElementsAre(R"({"u":"f79c3e09-677c-4bbd-a479-3f349cb785e7"})")));
}

}  // namespace
}  // namespace firn

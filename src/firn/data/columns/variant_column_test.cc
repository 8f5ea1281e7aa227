#include <arrow/adapters/orc/adapter.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/file_reader.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/format/variant/variant.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;
using testing::ElementsAre;
using testing::HasSubstr;

TypePtr Variant() { return Primitive(TypeId::kVariant); }
TypePtr Int() { return Primitive(TypeId::kInt); }

VariantBytes FromJson(std::string_view json) {
  auto variant = VariantFromJson(json);
  EXPECT_THAT(variant, IsOk());
  return *std::move(variant);
}

Value VariantOf(std::string_view json) {
  const VariantBytes variant = FromJson(json);
  return BinaryValue{JoinVariant(variant.metadata, variant.value)};
}

StructValue Row(std::vector<Value> values) { return {std::move(values)}; }

std::vector<StructValue> SomeRows() {
  return {Row({1, VariantOf(R"({"b":[1,2.5],"a":"x"})")}), Row({2, VariantOf("null")}),
          Row({3, {}}), Row({4, VariantOf("\"text\"")})};
}

const char* const kSomeRows[] = {R"({"id":1,"v":{"a":"x","b":[1,2.5]}})", R"({"id":2,"v":null})",
                                 R"({"id":3,"v":null})", R"({"id":4,"v":"text"})"};

class VariantFormatTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, VariantFormatTest, testing::Values("parquet", "avro"));

TEST_P(VariantFormatTest, ReadsWhatItWrote) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "v", Variant())});
  table.metadata().properties["write.format.default"] = GetParam();
  const auto task = table.Write(SomeRows());

  EXPECT_THAT(table.Read({task}), IsOkAnd(testing::ElementsAreArray(kSomeRows)));
  EXPECT_THAT(table.Read({task}, {"id"}, "v IS NULL"), IsOkAnd(ElementsAre(R"({"id":3})")));
  EXPECT_THAT(table.Read({task}, {"id"}, "v IS NOT NULL"),
              IsOkAnd(ElementsAre(R"({"id":1})", R"({"id":2})", R"({"id":4})")));
}

TEST_P(VariantFormatTest, KeepsVariantsInsideOfNestedColumns) {
  RowTable table(
      {Optional(1, "s", Type::Struct({Optional(2, "v", Variant())})),
       Optional(3, "l", Type::List(Optional(4, "element", Variant()))),
       Optional(5, "m", Type::Map(Required(6, "key", Int()), Required(7, "value", Variant())))});
  table.metadata().properties["write.format.default"] = GetParam();
  const auto task =
      table.Write({Row({Value::Struct({VariantOf("1")}),
                        Value::List({VariantOf("[true]"), {}, VariantOf("{}")}),
                        Value::Map({{7, VariantOf(R"({"k":-1})")}})}),
                   Row({Value::Struct({{}}), Value::List({}), {}}), Row({{}, {}, {}})});

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(
                  R"({"s":{"v":1},"l":[[true],null,{}],"m":[{"key":7,"value":{"k":-1}}]})",
                  R"({"s":{"v":null},"l":[],"m":null})", R"({"s":null,"l":null,"m":null})")));
}

TEST(VariantColumnTest, FilesHaveTheAnnotationAndCountsButNoBounds) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "v", Variant())});
  const auto task = table.Write(SomeRows());

  const auto bytes = ReadFile(table.io(), task.file.file_path);
  ASSERT_THAT(bytes, IsOk());
  const auto input = std::make_shared<arrow::io::BufferReader>(
      std::make_shared<arrow::Buffer>(std::string_view(bytes->view())));
  const auto file = parquet::ParquetFileReader::Open(input);
  const auto& group =
      static_cast<const GroupNode&>(*file->metadata()->schema()->group_node()->field(1));
  EXPECT_TRUE(group.logical_type()->is_variant());
  EXPECT_EQ(group.field_id(), 2);
  EXPECT_EQ(group.field(0)->name(), "metadata");
  EXPECT_EQ(group.field(0)->field_id(), -1);
  EXPECT_TRUE(group.field(1)->is_required());

  const FileMetrics& metrics = task.file.metrics;
  EXPECT_THAT(metrics.value_counts, ElementsAre(testing::Pair(1, 4), testing::Pair(2, 4)));
  EXPECT_THAT(metrics.null_value_counts, ElementsAre(testing::Pair(1, 0), testing::Pair(2, 1)));
  EXPECT_THAT(metrics.column_sizes, testing::SizeIs(2));
  EXPECT_THAT(metrics.lower_bounds, testing::SizeIs(1));
}

TEST(VariantColumnTest, PrintsVariantsInEachTextFormat) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "v", Variant())});
  const auto task = table.Write(SomeRows());
  const auto text = [&](RowFormat format) {
    const TypePtr type = table.metadata().current_schema()->as_struct();
    ReadOptions options;
    options.projection = table.metadata().current_schema();
    options.is_ordered = true;
    auto rows = ReadTasks(table.read_context(), {task}, options);
    EXPECT_THAT(rows, IsOk());
    auto rendered = RenderText(*std::move(rows), type, format);
    return rendered.ok() ? *rendered : rendered.error().Format();
  };
  EXPECT_EQ(
      text(RowFormat::kCsv),
      "id,v\n1,\"{\"\"a\"\":\"\"x\"\",\"\"b\"\":[1,2.5]}\"\n2,null\n3,\n4,\"\"\"text\"\"\"\n");
  EXPECT_THAT(text(RowFormat::kTable), HasSubstr(R"({"a":"x","b":[1,2.5]})"));
}

TEST(VariantColumnTest, OrcFilesAreReadButNotWritten) {
  RowTable table({Optional(1, "v", Variant())});
  table.metadata().properties["write.format.default"] = "orc";
  const TypePtr type = table.metadata().current_schema()->as_struct();
  auto rows = MakeRowStream(type, {Row({VariantOf("1")})});
  ASSERT_THAT(rows, IsOk());
  const auto refused = WriteDataFiles(table.write_context(),
                                      {.schema = table.metadata().current_schema(),
                                       .spec = table.metadata().default_spec(),
                                       .partition = StructValue{}},
                                      *std::move(rows));
  EXPECT_THAT(refused, IsError(ErrorCode::kUnsupported, "column 'v': other engines read no"));

  // As the spec lays it out: a struct whose parts have no ids.
  const auto field = arrow::field(
      "v",
      arrow::struct_(
          {arrow::field("metadata", arrow::binary()), arrow::field("value", arrow::binary())}),
      true, arrow::key_value_metadata({"iceberg.id", "iceberg.struct-type"}, {"1", "VARIANT"}));
  const VariantBytes variant = FromJson(R"({"k":[null]})");
  arrow::BinaryBuilder metadata;
  arrow::BinaryBuilder value;
  ASSERT_TRUE(metadata.Append(variant.metadata).ok() && value.Append(variant.value).ok());
  const auto column =
      *arrow::StructArray::Make({*metadata.Finish(), *value.Finish()}, field->type()->fields());
  const auto sink = *arrow::io::BufferOutputStream::Create();
  auto writer = *arrow::adapters::orc::ORCFileWriter::Open(sink.get());
  ASSERT_TRUE(writer->Write(*arrow::RecordBatch::Make(arrow::schema({field}), 1, {column})).ok() &&
              writer->Close().ok());
  const auto task = table.AddFile("v.orc", (*sink->Finish())->ToString(), FileFormat::kOrc);
  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"v":{"k":[null]}})")));
}

TEST(VariantColumnTest, NamesTheColumnOfBytesThatBreakTheEncoding) {
  RowTable table({Optional(1, "id", Int()), Optional(2, "v", Variant())});
  const VariantBytes good = FromJson("{\"a\":1}");
  const auto task =
      table.Write({Row({1, BinaryValue{JoinVariant(good.metadata, good.value.substr(0, 3))}})});

  const auto rows = table.Read({task});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("column 'v': row 0: a variant value has 3 bytes"));
}

// Writes columns of one row group: values of binary and int64 leaves with their definition levels.
struct LeafValues {
  std::vector<int16_t> definitions;
  std::vector<std::string> texts;
  std::vector<int64_t> numbers;
  std::vector<int16_t> repetitions;
};

std::string MakeParquet(const NodePtr& column, const std::vector<LeafValues>& leaves) {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto root = std::static_pointer_cast<GroupNode>(
      GroupNode::Make("schema", Repetition::REQUIRED, {column}));
  const auto writer = parquet::ParquetFileWriter::Open(sink, root);
  parquet::RowGroupWriter* group = writer->AppendRowGroup();
  for (const LeafValues& leaf : leaves) {
    parquet::ColumnWriter* next = group->NextColumn();
    const auto count = static_cast<int64_t>(leaf.definitions.size());
    const int16_t* repetitions = leaf.repetitions.empty() ? nullptr : leaf.repetitions.data();
    if (next->type() == parquet::Type::INT64) {
      static_cast<parquet::Int64Writer*>(next)->WriteBatch(count, leaf.definitions.data(),
                                                           repetitions, leaf.numbers.data());
    } else {
      std::vector<parquet::ByteArray> bytes(leaf.texts.begin(), leaf.texts.end());
      static_cast<parquet::ByteArrayWriter*>(next)->WriteBatch(count, leaf.definitions.data(),
                                                               repetitions, bytes.data());
    }
    next->Close();
  }
  writer->Close();
  return (*sink->Finish())->ToString();
}

NodePtr Binary(const std::string& name, Repetition::type repetition) {
  return PrimitiveNode::Make(name, repetition, parquet::Type::BYTE_ARRAY);
}
NodePtr Text(const std::string& name) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, LogicalType::String(),
                             parquet::Type::BYTE_ARRAY);
}
NodePtr Long(const std::string& name) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, parquet::Type::INT64);
}
NodePtr Group(const std::string& name, Repetition::type repetition, std::vector<NodePtr> parts) {
  return GroupNode::Make(name, repetition, parts);
}
NodePtr ShreddedColumn(std::vector<NodePtr> parts) {
  return GroupNode::Make("v", Repetition::OPTIONAL, parts, LogicalType::Variant(), 1);
}

std::string NoNames() { return FromJson("0").metadata; }

// The first table of Parquet's "Variant Shredding": 34, null, "n/a", 100; then no value at all.
TEST(VariantColumnTest, PutsShreddedNumbersTogether) {
  RowTable table({Optional(1, "v", Variant())});
  const NodePtr column =
      ShreddedColumn({Binary("metadata", Repetition::REQUIRED),
                      Binary("value", Repetition::OPTIONAL), Long("typed_value")});
  const auto task = table.AddFile(
      "numbers",
      MakeParquet(column, {{.definitions = {1, 1, 1, 1, 0},
                            .texts = {NoNames(), NoNames(), NoNames(), NoNames()}},
                           {.definitions = {1, 2, 2, 1, 0},
                            .texts = {FromJson("null").value, FromJson("\"n/a\"").value}},
                           {.definitions = {2, 1, 1, 2, 0}, .numbers = {34, 100}}}));

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"v":34})", R"({"v":null})", R"({"v":"n/a"})", R"({"v":100})",
                                  R"({"v":null})")));
  EXPECT_THAT(table.Read({task}, {}, "v IS NULL", true), IsOkAnd(ElementsAre(R"({"v":null})")));
}

// Objects with the fields a (text) and b (number) shredded: whole, in part, not at all, with a
// field of another type, missing fields and fields that are null.
TEST(VariantColumnTest, PutsShreddedObjectsTogether) {
  RowTable table({Optional(1, "v", Variant())});
  const auto field = [](const std::string& name, NodePtr typed) {
    return Group(name, Repetition::REQUIRED,
                 {Binary("value", Repetition::OPTIONAL), std::move(typed)});
  };
  const NodePtr column = ShreddedColumn(
      {Binary("metadata", Repetition::REQUIRED), Binary("value", Repetition::OPTIONAL),
       Group("typed_value", Repetition::OPTIONAL,
             {field("a", Text("typed_value")), field("b", Long("typed_value"))})});
  const std::string names = FromJson(R"({"a":1,"b":2,"c":3})").metadata;
  // c alone, by its id in the dictionary of three names.
  const std::string rest("\x02\x01\x02\x00\x01\x04", 6);
  const auto task = table.AddFile(
      "objects",
      MakeParquet(column,
                  {{.definitions = {1, 1, 1, 1, 1}, .texts = {names, names, names, names, names}},
                   {.definitions = {1, 2, 2, 1, 1}, .texts = {rest, FromJson("7").value}},
                   {.definitions = {2, 2, 1, 3, 2}, .texts = {FromJson("null").value}},
                   {.definitions = {3, 2, 1, 2, 2}, .texts = {"noop"}},
                   {.definitions = {2, 2, 1, 3, 2}, .texts = {FromJson("\"x\"").value}},
                   {.definitions = {3, 3, 1, 2, 2}, .numbers = {5, 6}}}));

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"v":{"a":"noop","b":5}})", R"({"v":{"b":6,"c":true}})",
                                  R"({"v":7})", R"({"v":{"a":null,"b":"x"}})", R"({"v":{}})")));
}

TEST(VariantColumnTest, PutsShreddedArraysTogether) {
  RowTable table({Optional(1, "v", Variant())});
  const NodePtr element = Group("element", Repetition::REQUIRED,
                                {Binary("value", Repetition::OPTIONAL), Text("typed_value")});
  const NodePtr column = ShreddedColumn(
      {Binary("metadata", Repetition::REQUIRED), Binary("value", Repetition::OPTIONAL),
       GroupNode::Make("typed_value", Repetition::OPTIONAL,
                       {Group("list", Repetition::REPEATED, {element})}, LogicalType::List())});
  const auto task = table.AddFile(
      "arrays",
      MakeParquet(
          column,
          {{.definitions = {1, 1, 1}, .texts = {NoNames(), NoNames(), NoNames()}},
           {.definitions = {1, 1, 2}, .texts = {FromJson("null").value}},
           {.definitions = {3, 4, 2, 1},
            .texts = {FromJson("null").value},
            .repetitions = {0, 1, 0, 0}},
           {.definitions = {4, 3, 2, 1}, .texts = {"horror"}, .repetitions = {0, 1, 0, 0}}}));

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"v":["horror",null]})", R"({"v":[]})", R"({"v":null})")));
}

TEST(VariantColumnTest, RefusesShreddedFieldsThatTheDictionaryLacks) {
  RowTable table({Optional(1, "v", Variant())});
  const NodePtr field = Group("a", Repetition::REQUIRED,
                              {Binary("value", Repetition::OPTIONAL), Long("typed_value")});
  const NodePtr column = ShreddedColumn({Binary("metadata", Repetition::REQUIRED),
                                         Binary("value", Repetition::OPTIONAL),
                                         Group("typed_value", Repetition::OPTIONAL, {field})});
  const auto task =
      table.AddFile("lacks", MakeParquet(column, {{.definitions = {1}, .texts = {NoNames()}},
                                                  {.definitions = {1}},
                                                  {.definitions = {2}},
                                                  {.definitions = {3}, .numbers = {1}}}));
  const auto rows = table.Read({task});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("field 'a' is not in the dictionary"));
}

TEST(VariantColumnTest, ReadsAGroupThatIsNotAnnotatedByItsId) {
  RowTable table({Optional(1, "v", Variant())});
  const NodePtr column = GroupNode::Make(
      "other", Repetition::OPTIONAL,
      {Binary("value", Repetition::REQUIRED), Binary("metadata", Repetition::REQUIRED)}, nullptr,
      1);
  const VariantBytes variant = FromJson(R"({"k":[null]})");
  const auto task = table.AddFile(
      "plain", MakeParquet(column, {{.definitions = {1, 0}, .texts = {variant.value}},
                                    {.definitions = {1, 0}, .texts = {variant.metadata}}}));

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"v":{"k":[null]}})", R"({"v":null})")));
}

TEST(VariantColumnTest, RefusesAColumnThatIsNoVariant) {
  RowTable table({Optional(1, "v", Int())});
  const auto task = table.Write({Row({1})});
  table.EvolveTo({Optional(1, "v", Variant())});
  const auto rows = table.Read({task});
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message(), HasSubstr("is stored as int32, expected variant"));
}

TEST(VariantColumnTest, ReadsNullsWhereAFileLacksTheColumn) {
  RowTable table({Optional(1, "id", Int())});
  const auto task = table.Write({Row({1})});
  table.EvolveTo({Optional(1, "id", Int()), Optional(2, "v", Variant())});
  EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"id":1,"v":null})")));
}

}  // namespace
}  // namespace firn

#include <arrow/io/memory.h>
#include <parquet/column_writer.h>
#include <parquet/file_reader.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/int128.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/testing/matchers.h"

// Parquet files as writers outside Iceberg lay them out: legacy lists and maps, decimals of every
// physical form, files without field ids.

namespace firn {
namespace {

using parquet::ConvertedType;
using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;
using testing::ElementsAre;
using testing::HasSubstr;

// Writes the columns of one row group, in order.
using ColumnsWriter = std::function<void(parquet::RowGroupWriter&)>;

std::string MakeParquet(const std::vector<NodePtr>& fields, const ColumnsWriter& write,
                        bool with_dictionary = true) {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto root =
      std::static_pointer_cast<GroupNode>(GroupNode::Make("schema", Repetition::REQUIRED, fields));
  parquet::WriterProperties::Builder properties;
  if (!with_dictionary) properties.disable_dictionary();
  const auto writer = parquet::ParquetFileWriter::Open(sink, root, properties.build());
  write(*writer->AppendRowGroup());
  writer->Close();
  return (*sink->Finish())->ToString();
}

template <typename Writer, typename T>
void WriteColumn(parquet::RowGroupWriter& group, const std::vector<int16_t>& definitions,
                 const std::vector<int16_t>& repetitions, const std::vector<T>& values) {
  auto& writer = static_cast<Writer&>(*group.NextColumn());
  writer.WriteBatch(static_cast<int64_t>(definitions.size()), definitions.data(),
                    repetitions.empty() ? nullptr : repetitions.data(), values.data());
  writer.Close();
}

NodePtr Leaf(const std::string& name, Repetition::type repetition, int id = -1) {
  return PrimitiveNode::Make(name, repetition, parquet::Type::INT32, ConvertedType::NONE, -1, -1,
                             -1, id);
}

NodePtr ListOf(NodePtr repeated) {
  return GroupNode::Make("xs", Repetition::OPTIONAL, {std::move(repeated)}, LogicalType::List(), 1);
}

// B107
TEST(ForeignParquetTest, ReadsListsOfEveryLayout) {
  RowTable table({Optional(1, "xs", Type::List(Optional(2, "element", Primitive(TypeId::kInt))))});
  const std::vector<int32_t> values = {1, 2};
  const auto three_levels = [&](const std::string& group, const std::string& element) {
    return MakeParquet({ListOf(GroupNode::Make(group, Repetition::REPEATED,
                                               {Leaf(element, Repetition::OPTIONAL, 2)}))},
                       [&](parquet::RowGroupWriter& rows) {
                         WriteColumn<parquet::Int32Writer>(rows, {3, 3, 1, 0, 2}, {0, 1, 0, 0, 0},
                                                           values);
                       });
  };
  const auto with_null =
      IsOkAnd(ElementsAre(R"({"xs":[1,2]})", R"({"xs":[]})", R"({"xs":null})", R"({"xs":[null]})"));
  EXPECT_THAT(table.Read({table.AddFile("a", three_levels("list", "element"))}, {}, "", true),
              with_null);
  EXPECT_THAT(table.Read({table.AddFile("b", three_levels("bag", "array_element"))}, {}, "", true),
              with_null);

  const std::string two_levels = MakeParquet(
      {ListOf(Leaf("array", Repetition::REPEATED, 2))}, [&](parquet::RowGroupWriter& rows) {
        WriteColumn<parquet::Int32Writer>(rows, {2, 2, 1, 0}, {0, 1, 0, 0}, values);
      });
  EXPECT_THAT(table.Read({table.AddFile("c", two_levels)}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"xs":[1,2]})", R"({"xs":[]})", R"({"xs":null})")));
}

// B107
TEST(ForeignParquetTest, ReadsTwoLevelListsOfStructs) {
  RowTable table(
      {Optional(1, "xs",
                Type::List(Optional(2, "element",
                                    Type::Struct({Optional(3, "f", Primitive(TypeId::kInt))}))))});
  const std::vector<int32_t> values = {1, 2};
  for (const std::string name : {"xs_tuple", "array"}) {
    const std::string bytes =
        MakeParquet({ListOf(GroupNode::Make(name, Repetition::REPEATED,
                                            {Leaf("f", Repetition::REQUIRED, 3)}, nullptr, 2))},
                    [&](parquet::RowGroupWriter& rows) {
                      WriteColumn<parquet::Int32Writer>(rows, {2, 2, 1, 0}, {0, 1, 0, 0}, values);
                    });
    EXPECT_THAT(
        table.Read({table.AddFile(name, bytes)}, {}, "", true),
        IsOkAnd(ElementsAre(R"({"xs":[{"f":1},{"f":2}]})", R"({"xs":[]})", R"({"xs":null})")));
  }
  const std::string two_fields = MakeParquet(
      {ListOf(GroupNode::Make(
          "element", Repetition::REPEATED,
          {Leaf("f", Repetition::REQUIRED, 3), Leaf("g", Repetition::REQUIRED, 4)}, nullptr, 2))},
      [&](parquet::RowGroupWriter& rows) {
        WriteColumn<parquet::Int32Writer>(rows, {2, 2, 1, 0}, {0, 1, 0, 0}, values);
        WriteColumn<parquet::Int32Writer>(rows, {2, 2, 1, 0}, {0, 1, 0, 0}, values);
      });
  EXPECT_THAT(
      table.Read({table.AddFile("two", two_fields)}, {}, "", true),
      IsOkAnd(ElementsAre(R"({"xs":[{"f":1},{"f":2}]})", R"({"xs":[]})", R"({"xs":null})")));
}

// B107
TEST(ForeignParquetTest, WritesListsOfEveryLayoutBackInThreeLevels) {
  RowTable table({Optional(1, "xs", Type::List(Optional(2, "element", Primitive(TypeId::kInt))))});
  const std::string two_levels = MakeParquet(
      {ListOf(Leaf("array", Repetition::REPEATED, 2))}, [&](parquet::RowGroupWriter& rows) {
        WriteColumn<parquet::Int32Writer, int32_t>(rows, {2, 2, 1, 0}, {0, 1, 0, 0}, {1, 2});
      });
  const SchemaPtr schema = table.metadata().current_schema();
  auto rows = ReadTasks(table.read_context(), {table.AddFile("a", two_levels)},
                        {.projection = schema, .is_ordered = true});
  ASSERT_THAT(rows, IsOk());
  const auto files = WriteDataFiles(
      table.write_context(),
      {.schema = schema, .spec = table.metadata().default_spec(), .partition = StructValue{}},
      *std::move(rows));
  ASSERT_THAT(files, IsOkAnd(testing::SizeIs(1)));
  const auto bytes = ReadFile(table.io(), files->front().file_path);
  ASSERT_THAT(bytes, IsOk());

  const auto file = parquet::ParquetFileReader::Open(
      arrow::io::BufferReader::FromString(std::string(bytes->view())));
  const parquet::SchemaDescriptor& columns = *file->metadata()->schema();
  ASSERT_EQ(columns.num_columns(), 1);
  EXPECT_EQ(columns.Column(0)->path()->ToDotString(), "xs.list.element");
  EXPECT_EQ(columns.Column(0)->schema_node()->field_id(), 2);
  EXPECT_EQ(columns.group_node()->field(0)->field_id(), 1);
  EXPECT_TRUE(columns.group_node()->field(0)->logical_type()->is_list());
  EXPECT_THAT(
      table.Read({FileScanTask{.file = files->front(), .sequence_number = 1}}, {}, "", true),
      IsOkAnd(ElementsAre(R"({"xs":[1,2]})", R"({"xs":[]})", R"({"xs":null})")));
}

// B107
TEST(ForeignParquetTest, ReadsMapsWithTheOldAnnotation) {
  RowTable table({Optional(1, "m",
                           Type::Map(Required(2, "key", Primitive(TypeId::kInt)),
                                     Optional(3, "value", Primitive(TypeId::kInt))))});
  const std::string bytes = MakeParquet(
      {GroupNode::Make("m", Repetition::OPTIONAL,
                       {GroupNode::Make("map", Repetition::REPEATED,
                                        {Leaf("key", Repetition::REQUIRED, 2),
                                         Leaf("value", Repetition::OPTIONAL, 3)})},
                       ConvertedType::MAP_KEY_VALUE, 1)},
      [&](parquet::RowGroupWriter& rows) {
        WriteColumn<parquet::Int32Writer, int32_t>(rows, {2, 2, 1, 0}, {0, 1, 0, 0}, {7, 8});
        WriteColumn<parquet::Int32Writer, int32_t>(rows, {3, 2, 1, 0}, {0, 1, 0, 0}, {70});
      });

  EXPECT_THAT(table.Read({table.AddFile("a", bytes)}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"m":[{"key":7,"value":70},{"key":8,"value":null}]})",
                                  R"({"m":[]})", R"({"m":null})")));
}

NodePtr DecimalLeaf(parquet::Type::type physical, int length = -1, int precision = 9,
                    int scale = 2) {
  return PrimitiveNode::Make("d", Repetition::OPTIONAL, LogicalType::Decimal(precision, scale),
                             physical, length, 1);
}

// The unscaled value in `width` bytes, most significant first.
std::string FixedBigEndian(Int128 value, size_t width) {
  const std::string bytes = ToBigEndian(value);
  return std::string(width - bytes.size(), value < 0 ? '\xff' : '\0') + bytes;
}

std::string DecimalFile(parquet::Type::type physical, int length, bool with_dictionary) {
  const std::vector<int64_t> values = {123, -999999999, 0};
  const std::vector<int16_t> present = {1, 1, 1};
  return MakeParquet(
      {DecimalLeaf(physical, length)},
      [&](parquet::RowGroupWriter& rows) {
        if (physical == parquet::Type::INT32) {
          const std::vector<int32_t> narrow(values.begin(), values.end());
          WriteColumn<parquet::Int32Writer>(rows, present, {}, narrow);
          return;
        }
        if (physical == parquet::Type::INT64) {
          WriteColumn<parquet::Int64Writer>(rows, present, {}, values);
          return;
        }
        std::vector<std::string> bytes;
        for (const int64_t value : values) {
          bytes.push_back(length < 0 ? ToBigEndian(value)
                                     : FixedBigEndian(value, static_cast<size_t>(length)));
        }
        if (length < 0) {
          const std::vector<parquet::ByteArray> views(bytes.begin(), bytes.end());
          WriteColumn<parquet::ByteArrayWriter>(rows, present, {}, views);
          return;
        }
        std::vector<parquet::FixedLenByteArray> views;
        for (const std::string& value : bytes) {
          views.emplace_back(reinterpret_cast<const uint8_t*>(value.data()));
        }
        WriteColumn<parquet::FixedLenByteArrayWriter>(rows, present, {}, views);
      },
      with_dictionary);
}

// B110
TEST(ForeignParquetTest, ReadsDecimalsOfEveryPhysicalForm) {
  const std::vector<std::pair<parquet::Type::type, int>> forms = {
      {parquet::Type::INT32, -1},
      {parquet::Type::INT64, -1},
      {parquet::Type::BYTE_ARRAY, -1},
      {parquet::Type::FIXED_LEN_BYTE_ARRAY, 4},
      {parquet::Type::FIXED_LEN_BYTE_ARRAY, 16}};
  for (const auto& [physical, length] : forms) {
    for (const bool with_dictionary : {true, false}) {
      SCOPED_TRACE(parquet::TypeToString(physical) + std::to_string(length));
      RowTable table({Optional(1, "d", Type::Decimal(9, 2))});
      const auto task = table.AddFile("a", DecimalFile(physical, length, with_dictionary));
      EXPECT_THAT(
          table.Read({task}, {}, "", true),
          IsOkAnd(ElementsAre(R"({"d":"1.23"})", R"({"d":"-9999999.99"})", R"({"d":"0.00"})")));
      EXPECT_THAT(table.Read({task}, {}, "d < -1"), IsOkAnd(ElementsAre(R"({"d":"-9999999.99"})")));
      table.EvolveTo({Optional(1, "d", Type::Decimal(38, 2))});
      EXPECT_THAT(table.Read({task}, {}, "d = 1.23"), IsOkAnd(ElementsAre(R"({"d":"1.23"})")));
    }
  }
}

// B110
TEST(ForeignParquetTest, RefusesADecimalWithMoreDigitsThanItsPrecision) {
  RowTable table({Optional(1, "d", Type::Decimal(9, 2))});
  const std::string bytes =
      MakeParquet({DecimalLeaf(parquet::Type::INT64)}, [&](parquet::RowGroupWriter& rows) {
        WriteColumn<parquet::Int64Writer, int64_t>(rows, {1}, {}, {1000000000});
      });

  const auto rows = table.Read({table.AddFile("wide.parquet", bytes)});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(),
              testing::AllOf(HasSubstr("wide.parquet"), HasSubstr("'d'"), HasSubstr("1000000000")));
}

// A file of one column of decimals of fixed width.
std::string FixedDecimalFile(int length, int precision, int scale,
                             const std::vector<Int128>& values) {
  std::vector<std::string> bytes;
  std::vector<parquet::FixedLenByteArray> views;
  for (const Int128 value : values)
    bytes.push_back(FixedBigEndian(value, static_cast<size_t>(length)));
  for (const std::string& value : bytes)
    views.emplace_back(reinterpret_cast<const uint8_t*>(value.data()));
  return MakeParquet({DecimalLeaf(parquet::Type::FIXED_LEN_BYTE_ARRAY, length, precision, scale)},
                     [&](parquet::RowGroupWriter& rows) {
                       WriteColumn<parquet::FixedLenByteArrayWriter>(
                           rows, std::vector<int16_t>(values.size(), 1), {}, views);
                     });
}

// B110
TEST(ForeignParquetTest, ReadsTheLargestDecimals) {
  RowTable table({Optional(1, "d", Type::Decimal(38, 0))});
  const Int128 most = PowerOfTen(38) - 1;
  const std::string digits(38, '9');

  EXPECT_THAT(table.Read({table.AddFile("a", FixedDecimalFile(16, 38, 0, {most, -most}))}, {}, "",
                         /*is_ordered=*/true),
              IsOkAnd(ElementsAre(R"({"d":")" + digits + "\"}", R"({"d":"-)" + digits + "\"}")));
}

// B111
TEST(ForeignParquetTest, WidensDecimalsOfFewBytes) {
  const auto wide = [](parquet::RowGroupWriter& rows) {
    WriteColumn<parquet::Int64Writer, int64_t>(rows, {1, 1}, {}, {12345678901, -1});
  };
  const std::vector<std::string> files = {
      FixedDecimalFile(6, 13, 10, {12345678901, -1}),
      MakeParquet({DecimalLeaf(parquet::Type::INT64, -1, 13, 10)}, wide)};
  for (const std::string& bytes : files) {
    const NestedField promoted = Optional(1, "d", Type::Decimal(28, 10));
    RowTable table({promoted});
    FileScanTask task = table.AddFile("a", bytes);
    EXPECT_THAT(table.Read({task}, {}, "", true),
                IsOkAnd(ElementsAre(R"({"d":"1.2345678901"})", R"({"d":"-0.0000000001"})")));
    EXPECT_THAT(table.Read({task}, {}, "d < 999999999999999999.5 AND d > 0"),
                IsOkAnd(ElementsAre(R"({"d":"1.2345678901"})")));
    EXPECT_THAT(table.Read({task}, {}, "d > 999999999999999999.5"), IsOkAnd(testing::IsEmpty()));
    task.deletes = {table.WriteDeletes(FileContent::kEqualityDeletes, {promoted},
                                       {StructValue{{Value(Int128{-1})}}}, 2, {1})};
    EXPECT_THAT(table.Read({task}), IsOkAnd(ElementsAre(R"({"d":"1.2345678901"})")));
  }
}

TEST(ForeignParquetTest, ReadsUnsignedAndNarrowIntegers) {
  RowTable table(
      {Optional(1, "a", Primitive(TypeId::kLong)), Optional(2, "b", Primitive(TypeId::kInt))});
  const std::string bytes =
      MakeParquet({PrimitiveNode::Make("a", Repetition::OPTIONAL, LogicalType::Int(32, false),
                                       parquet::Type::INT32, -1, 1),
                   PrimitiveNode::Make("b", Repetition::OPTIONAL, LogicalType::Int(8, true),
                                       parquet::Type::INT32, -1, 2)},
                  [&](parquet::RowGroupWriter& rows) {
                    WriteColumn<parquet::Int32Writer, int32_t>(rows, {1, 1}, {}, {-1, 5});
                    WriteColumn<parquet::Int32Writer, int32_t>(rows, {1, 0}, {}, {-128});
                  });
  const auto task = table.AddFile("a", bytes);

  EXPECT_THAT(table.Read({task}, {}, "", true),
              IsOkAnd(ElementsAre(R"({"a":4294967295,"b":-128})", R"({"a":5,"b":null})")));
  EXPECT_THAT(table.Read({task}, {"a"}, "a > 4000000000"),
              IsOkAnd(ElementsAre(R"({"a":4294967295})")));
}

TEST(ForeignParquetTest, RefusesUnsigned64BitIntegers) {
  RowTable table({Optional(1, "a", Primitive(TypeId::kLong))});
  const std::string bytes =
      MakeParquet({PrimitiveNode::Make("a", Repetition::OPTIONAL, LogicalType::Int(64, false),
                                       parquet::Type::INT64, -1, 1)},
                  [&](parquet::RowGroupWriter& rows) {
                    WriteColumn<parquet::Int64Writer, int64_t>(rows, {1}, {}, {1});
                  });

  const auto rows = table.Read({table.AddFile("a", bytes)});

  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.error().message(), HasSubstr("is stored as uint64, expected long"));
}

TEST(ForeignParquetTest, ReadsInt96AsInstantsOfAnyYear) {
  RowTable table({Optional(1, "ts", Primitive(TypeId::kTimestamptz))});
  const auto int96 = [](uint32_t julian_day, uint64_t nanos) {
    parquet::Int96 value{};
    std::memcpy(value.value.data(), &nanos, sizeof(nanos));
    value.value[2] = julian_day;
    return value;
  };
  const std::string bytes = MakeParquet(
      {PrimitiveNode::Make("ts", Repetition::OPTIONAL, parquet::Type::INT96, ConvertedType::NONE,
                           -1, -1, -1, 1)},
      [&](parquet::RowGroupWriter& rows) {
        WriteColumn<parquet::Int96Writer, parquet::Int96>(
            rows, {1, 1, 0}, {}, {int96(2440588, 1999), int96(5373484, 86399999999999)});
      });

  EXPECT_THAT(
      table.Read({table.AddFile("a", bytes)}, {}, "", true),
      IsOkAnd(ElementsAre(R"({"ts":"1970-01-01T00:00:00.000001+00:00"})",
                          R"({"ts":"9999-12-31T23:59:59.999999+00:00"})", R"({"ts":null})")));
}

// B97
TEST(ForeignParquetTest, ReadsTimesOfOtherUnitsAndZones) {
  RowTable table({Optional(1, "ms", Primitive(TypeId::kTimestamp)),
                  Optional(2, "ns", Primitive(TypeId::kTimestamptz)),
                  Optional(3, "t", Primitive(TypeId::kTime)),
                  Optional(4, "us", Primitive(TypeId::kTimestamptzNs))});
  using Unit = LogicalType::TimeUnit;
  const auto time = [](const std::string& name, std::shared_ptr<const LogicalType> type,
                       parquet::Type::type physical, int id) {
    return PrimitiveNode::Make(name, Repetition::OPTIONAL, std::move(type), physical, -1, id);
  };
  const std::string bytes =
      MakeParquet({time("ms", LogicalType::Timestamp(false, Unit::MILLIS), parquet::Type::INT64, 1),
                   time("ns", LogicalType::Timestamp(true, Unit::NANOS), parquet::Type::INT64, 2),
                   time("t", LogicalType::Time(false, Unit::MILLIS), parquet::Type::INT32, 3),
                   time("us", LogicalType::Timestamp(true, Unit::MICROS), parquet::Type::INT64, 4)},
                  [&](parquet::RowGroupWriter& rows) {
                    WriteColumn<parquet::Int64Writer, int64_t>(rows, {1}, {}, {-1});
                    WriteColumn<parquet::Int64Writer, int64_t>(rows, {1}, {}, {-1});
                    WriteColumn<parquet::Int32Writer, int32_t>(rows, {1}, {}, {1});
                    WriteColumn<parquet::Int64Writer, int64_t>(rows, {1}, {}, {1});
                  });

  EXPECT_THAT(table.Read({table.AddFile("a", bytes)}),
              IsOkAnd(ElementsAre(R"({"ms":"1969-12-31T23:59:59.999000",)"
                                  R"("ns":"1969-12-31T23:59:59.999999+00:00",)"
                                  R"("t":"00:00:00.001000",)"
                                  R"("us":"1970-01-01T00:00:00.000001000+00:00"})")));
}

TEST(ForeignParquetTest, ReadsTextWithoutAnnotationIfItIsText) {
  RowTable table({Optional(1, "s", Primitive(TypeId::kString))});
  const auto file = [](std::string_view text) {
    return MakeParquet({PrimitiveNode::Make("s", Repetition::OPTIONAL, parquet::Type::BYTE_ARRAY,
                                            ConvertedType::NONE, -1, -1, -1, 1)},
                       [&](parquet::RowGroupWriter& rows) {
                         WriteColumn<parquet::ByteArrayWriter, parquet::ByteArray>(
                             rows, {1}, {}, {parquet::ByteArray(text)});
                       });
  };

  EXPECT_THAT(table.Read({table.AddFile("a", file("h\xC3\xA9"))}),
              IsOkAnd(ElementsAre("{\"s\":\"h\xC3\xA9\"}")));
  const auto rows = table.Read({table.AddFile("b", file("\xff\xfe"))});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("column 's'"));
}

std::string FileWithoutIds() {
  const NodePtr inner = GroupNode::Make(
      "s", Repetition::OPTIONAL,
      {Leaf("x", Repetition::OPTIONAL),
       GroupNode::Make("y", Repetition::OPTIONAL, {Leaf("z", Repetition::OPTIONAL)})});
  const NodePtr list =
      GroupNode::Make("l", Repetition::OPTIONAL,
                      {GroupNode::Make("bag", Repetition::REPEATED,
                                       {GroupNode::Make("array_element", Repetition::OPTIONAL,
                                                        {Leaf("k", Repetition::OPTIONAL)})})},
                      LogicalType::List());
  return MakeParquet({Leaf("a", Repetition::OPTIONAL), inner, list},
                     [&](parquet::RowGroupWriter& rows) {
                       WriteColumn<parquet::Int32Writer, int32_t>(rows, {1}, {}, {1});
                       WriteColumn<parquet::Int32Writer, int32_t>(rows, {2}, {}, {2});
                       WriteColumn<parquet::Int32Writer, int32_t>(rows, {3}, {}, {3});
                       WriteColumn<parquet::Int32Writer, int32_t>(rows, {4}, {0}, {4});
                     });
}

std::vector<NestedField> MappedFields() {
  const TypePtr whole = Primitive(TypeId::kInt);
  return {Optional(1, "a", whole),
          Optional(2, "s",
                   Type::Struct({Optional(3, "x", whole),
                                 Optional(4, "y", Type::Struct({Optional(5, "z", whole)}))})),
          Optional(6, "l",
                   Type::List(Optional(7, "element", Type::Struct({Optional(8, "k", whole)}))))};
}

// B101
TEST(ForeignParquetTest, ReadsNestedColumnsOfFilesWithoutIdsByTheNameMapping) {
  RowTable table(MappedFields());
  table.metadata().properties["schema.name-mapping.default"] =
      FormatNameMapping(MakeNameMapping(*table.metadata().current_schema()));
  const auto task = table.AddFile("a", FileWithoutIds());

  EXPECT_THAT(table.Read({task}),
              IsOkAnd(ElementsAre(R"({"a":1,"s":{"x":2,"y":{"z":3}},"l":[{"k":4}]})")));
  EXPECT_THAT(table.Read({task}, {"s.y.z"}, "s.x = 2"),
              IsOkAnd(ElementsAre(R"({"s":{"y":{"z":3}}})")));
}

// B101
TEST(ForeignParquetTest, RefusesNestedColumnsThatTheNameMappingDoesNotReach) {
  RowTable table(MappedFields());
  table.metadata().properties["schema.name-mapping.default"] =
      R"([{"field-id":1,"names":["a"]},{"field-id":2,"names":["s"]}])";
  const auto task = table.AddFile("a", FileWithoutIds());

  EXPECT_THAT(table.Read({task}, {"a"}), IsOkAnd(ElementsAre(R"({"a":1})")));
  EXPECT_THAT(table.Read({task}, {"l"}), IsOkAnd(ElementsAre(R"({"l":null})")));
  const auto rows = table.Read({task}, {"s"});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("maps no field of this struct, such as 'x'"));
}

TEST(ForeignParquetTest, RefusesFilesWithNeitherIdsNorMapping) {
  RowTable table(MappedFields());

  const auto rows = table.Read({table.AddFile("a", FileWithoutIds())});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("schema.name-mapping.default"));
}

}  // namespace
}  // namespace firn

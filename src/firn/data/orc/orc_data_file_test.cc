#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/base/random.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/data/write/writer.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string WriteOrc(const arrow::RecordBatch& batch,
                     arrow::adapters::orc::WriteOptions options = {}) {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  options.stripe_size = 16 << 10;
  options.batch_size = 1024;
  auto writer = *arrow::adapters::orc::ORCFileWriter::Open(sink.get(), options);
  FIRN_CHECK(writer->Write(batch).ok() && writer->Close().ok());
  return (*sink->Finish())->ToString();
}

// An ORC file with the columns id (0, 1, ...), text and time, in stripes of some thousand rows.
// Its columns have no field ids, which Arrow's writer cannot give; the tables that Spark wrote have
// them.
std::string MakeOrc(int64_t rows) {
  arrow::Int64Builder id;
  arrow::StringBuilder text;
  arrow::TimestampBuilder time(arrow::timestamp(arrow::TimeUnit::NANO),
                               arrow::default_memory_pool());
  for (int64_t i = 0; i < rows; ++i) {
    FIRN_CHECK(id.Append(i).ok());
    FIRN_CHECK((i % 3 == 0 ? text.AppendNull() : text.Append(std::to_string(i))).ok());
    FIRN_CHECK(time.Append(i * 1000 - 1).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("text", arrow::utf8()),
                     arrow::field("time", arrow::timestamp(arrow::TimeUnit::NANO))});
  const auto batch =
      arrow::RecordBatch::Make(schema, rows, {*id.Finish(), *text.Finish(), *time.Finish()});
  return WriteOrc(*batch);
}

// A file of one row: id 7 and `micros` since 1970.
std::string MakeOrcOfTime(int64_t micros) {
  arrow::Int64Builder id;
  arrow::TimestampBuilder time(arrow::timestamp(arrow::TimeUnit::MICRO),
                               arrow::default_memory_pool());
  FIRN_CHECK(id.Append(7).ok() && time.Append(micros).ok());
  const auto schema =
      arrow::schema({arrow::field("id", arrow::int64()),
                     arrow::field("time", arrow::timestamp(arrow::TimeUnit::MICRO))});
  return WriteOrc(*arrow::RecordBatch::Make(schema, 1, {*id.Finish(), *time.Finish()}));
}

class OrcDataFileTest : public testing::Test {
 protected:
  OrcDataFileTest()
      : table_({Required(1, "id", Primitive(TypeId::kLong)),
                Optional(2, "text", Primitive(TypeId::kString)),
                Optional(3, "time", Primitive(TypeId::kTimestamp))}) {
    table_.metadata().properties["schema.name-mapping.default"] =
        FormatNameMapping(MakeNameMapping(*table_.metadata().current_schema()));
  }

  RowTable table_;
};

TEST_F(OrcDataFileTest, ReadsRowsOfAllStripesWithTheirPositions) {
  FileScanTask task = table_.AddFile("a.orc", MakeOrc(20000), FileFormat::kOrc);
  task.deletes = {table_.WritePositionDeletes({{task.file.file_path, 15001}}, 2)};

  EXPECT_THAT(table_.Read({task}, {}, "id < 2", true),
              IsOkAnd(ElementsAre(R"({"id":0,"text":null,"time":"1969-12-31T23:59:59.999999"})",
                                  R"({"id":1,"text":"1","time":"1970-01-01T00:00:00.000000"})")));
  EXPECT_THAT(table_.Read({task}, {"id", "_pos"}, "id >= 15000 AND id < 15003"),
              IsOkAnd(ElementsAre(R"({"id":15000,"_pos":15000})", R"({"id":15002,"_pos":15002})")));
  EXPECT_THAT(table_.Read({task}, {"_pos"}), IsOkAnd(testing::SizeIs(19999)));
}

TEST_F(OrcDataFileTest, ReadsTheFirstAndTheLastYearThatArrowCanHold) {
  const auto first = table_.AddFile("a.orc", MakeOrcOfTime(-9214560000000000), FileFormat::kOrc);
  const auto last = table_.AddFile("b.orc", MakeOrcOfTime(9214646399999999), FileFormat::kOrc);

  EXPECT_THAT(table_.Read({first, last}, {"time"}, "", true),
              IsOkAnd(ElementsAre(R"({"time":"1678-01-01T00:00:00.000000"})",
                                  R"({"time":"2261-12-31T23:59:59.999999"})")));
}

TEST_F(OrcDataFileTest, RefusesTimesOfOtherYearsInsteadOfWrappingThem) {
  for (const int64_t micros : {-62135596800000000, 253402300799999999, 9223372036854775807}) {
    const auto task = table_.AddFile("far.orc", MakeOrcOfTime(micros), FileFormat::kOrc);

    EXPECT_THAT(table_.Read({task}, {"id"}), IsOkAnd(ElementsAre(R"({"id":7})")));
    const auto rows = table_.Read({task});
    ASSERT_FALSE(rows.ok()) << micros;
    EXPECT_EQ(rows.error().code(), ErrorCode::kUnsupported);
    EXPECT_THAT(rows.error().message(),
                testing::AllOf(HasSubstr("far.orc"), HasSubstr("column 'time'"),
                               HasSubstr("years 1678 to 2261")));
  }
}

TEST_F(OrcDataFileTest, NamesAFileThatIsDamaged) {
  std::string bytes = MakeOrc(5000);
  bytes.resize(bytes.size() / 2);

  const auto rows = table_.Read({table_.AddFile("half.orc", bytes, FileFormat::kOrc)});

  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(rows.error().message(), HasSubstr("half.orc"));
}

TEST_F(OrcDataFileTest, NeedsNoRowIndex) {
  const std::string whole = MakeOrcOfTime(1'000'000);
  const auto rows = table_.Read({table_.AddFile("a.orc", whole, FileFormat::kOrc)});
  ASSERT_THAT(rows, IsOkAnd(testing::SizeIs(1)));

  for (size_t bit = 24; bit < 20 * 8; ++bit) {  // Behind "ORC" the first row index begins.
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(*table_.Read({table_.AddFile("a.orc", bytes, FileFormat::kOrc)}), *rows) << bit;
  }
}

TEST_F(OrcDataFileTest, RefusesAFooterOfOtherRowsThanItsStripes) {
  std::string bytes = MakeOrcOfTime(1'000'000);
  // The number of rows is field 6 of the footer, in front of the statistics (7).
  const size_t place = bytes.rfind(std::string("\x30\x01\x3a", 3));
  ASSERT_NE(place, std::string::npos);
  bytes[place + 1] = 2;

  const auto rows = table_.Read({table_.AddFile("two.orc", bytes, FileFormat::kOrc)});

  EXPECT_THAT(rows, IsError(ErrorCode::kCorrupt, "stripes have 1 rows, the footer tells 2"));
}

TEST_F(OrcDataFileTest, ReadsFilesOfVersion11) {
  arrow::Int64Builder id;
  std::vector<std::string> expected;
  for (int64_t i = 0; i < 3000; ++i) {
    const int64_t value = i < 1000 ? i * 3 : (i < 2000 ? 7 : i * i * 7919 * (i % 2 == 0 ? 1 : -1));
    FIRN_CHECK(id.Append(value).ok());
    expected.push_back(fmt::format(R"({{"id":{}}})", value));
  }
  arrow::adapters::orc::WriteOptions options;
  options.file_version = arrow::adapters::orc::FileVersion(0, 11);
  const auto schema = arrow::schema({arrow::field("id", arrow::int64())});
  const std::string bytes =
      WriteOrc(*arrow::RecordBatch::Make(schema, 3000, {*id.Finish()}), options);

  const auto task = table_.AddFile("old.orc", bytes, FileFormat::kOrc);

  EXPECT_EQ(*table_.Read({task}, {"id"}, "", true), expected);
}

// Rows whose numbers and texts make the writer choose among all its encodings.
StructValue VariedRow(int64_t i, Random& random) {
  const auto any = static_cast<int64_t>(random.Next());
  const auto pick = [&](int64_t end) {
    return static_cast<int64_t>(random.Next() % uint64_t(end));
  };
  const int64_t block = i / 600 % 4;
  int64_t number = any;
  if (block == 1) number = i * 5;
  if (block == 2) number = pick(50) == 0 ? any / 1024 : pick(100);
  if (block == 3) number = i / 100;
  std::vector<Value> items;
  for (int64_t k = pick(4); k > 0; --k)
    items.push_back(pick(5) == 0 ? Value()
                                 : Value::Struct({fmt::format("k{}", k), any >> pick(60)}));
  Value text = fmt::format("{}", any);
  if (pick(6) == 0) text = Value();
  const Value word = i % 700 < 100 ? Value() : Value(i % 3 == 0 ? "one" : "another");
  return {{number, text, word, any % 2 == 0, static_cast<int32_t>(pick(40000)),
           Int128{any} * pick(1000), 0.5 * static_cast<double>(pick(100)), any % (int64_t{1} << 50),
           pick(8) == 0 ? Value() : Value::List(items),
           pick(3) == 0 ? Value() : Value::Struct({pick(3) == 0 ? Value() : Value(number), text})}};
}

class OrcCodecTest : public testing::TestWithParam<const char*> {};

TEST_P(OrcCodecTest, GivesTheRowsThatWereWritten) {
  const TypePtr text = Primitive(TypeId::kString);
  const TypePtr number = Primitive(TypeId::kLong);
  const TypePtr item = Type::Struct({Optional(21, "k", text), Optional(22, "v", number)});
  RowTable table(
      {Optional(1, "number", number), Optional(2, "text", text), Optional(3, "word", text),
       Optional(4, "b", Primitive(TypeId::kBoolean)), Optional(5, "day", Primitive(TypeId::kDate)),
       Optional(6, "dec", Type::Decimal(30, 4)), Optional(7, "f", Primitive(TypeId::kDouble)),
       Optional(8, "ts", Primitive(TypeId::kTimestampNs)),
       Optional(9, "list", Type::List(Optional(23, "element", item))),
       Optional(10, "st", Type::Struct({Optional(24, "a", number), Optional(25, "b", text)}))});
  std::vector<StructValue> rows;
  const auto random = MakeSeededRandom(11);
  for (int64_t i = 0; i < 5000; ++i) {
    rows.push_back(VariedRow(i, *random));
    auto* const time = rows.back().fields[7].get_if<int64_t>();
    if (time != nullptr && *time < 0) rows.back().fields[7] = -*time;
  }
  const FileScanTask parquet = table.Write(rows);
  table.metadata().properties["write.format.default"] = "orc";
  table.metadata().properties["write.orc.compression-codec"] = GetParam();
  table.metadata().properties["write.orc.stripe-size-bytes"] = "100000";
  auto options = TableWriteOptions(table.metadata());
  ASSERT_THAT(options, IsOk());
  options->partition = StructValue{};
  const auto files = WriteDataFiles(table.write_context(), *options,
                                    *MakeRowStream(options->schema->as_struct(), rows));
  ASSERT_THAT(files, IsOkAnd(testing::SizeIs(1)));
  const FileScanTask orc{.file = (*files)[0], .sequence_number = 1};

  EXPECT_EQ(*table.Read({orc}, {}, "", true), *table.Read({parquet}, {}, "", true));
  for (const char* column : {"st.b", "list.element.v", "word"}) {
    EXPECT_EQ(*table.Read({orc}, {column}, "", true), *table.Read({parquet}, {column}, "", true))
        << column;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, OrcCodecTest,
                         testing::Values("none", "zlib", "snappy", "lz4", "zstd"),
                         [](const auto& made) { return std::string(made.param); });

}  // namespace
}  // namespace firn

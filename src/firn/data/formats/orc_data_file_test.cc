#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/row_table_testing_internal.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string WriteOrc(const arrow::RecordBatch& batch) {
  const auto sink = *arrow::io::BufferOutputStream::Create();
  arrow::adapters::orc::WriteOptions options;
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

}  // namespace
}  // namespace firn

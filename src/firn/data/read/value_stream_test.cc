#include <atomic>

#include <arrow/record_batch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

TypePtr RowType() { return Type::Struct({Optional(1, "n", Primitive(TypeId::kLong))}); }

using Visitor = std::function<Status(StructValue&&)>;

TEST(StreamRowsTest, GivesTheRowsInOrder) {
  auto rows = StreamRows(RowType(), [](const Visitor& visit) -> Status {
    for (int64_t i = 0; i < 5000; ++i)
      FIRN_RETURN_IF_ERROR(visit({{Value(i)}}));
    return {};
  });
  ASSERT_THAT(rows, IsOk());
  std::string expected = "n\n";
  for (int i = 0; i < 5000; ++i)
    expected += std::to_string(i) + "\n";
  EXPECT_THAT(RenderText(*std::move(rows), RowType(), RowFormat::kCsv), IsOkAnd(expected));

  auto none = StreamRows(RowType(), [](const Visitor&) { return Status(); });
  ASSERT_THAT(none, IsOk());
  EXPECT_THAT(RenderText(*std::move(none), RowType(), RowFormat::kCsv),
              IsOkAnd(std::string("n\n")));
}

TEST(StreamRowsTest, TellsAnErrorBeforeTheFirstRowsAtOnceAndOthersInTheirPlace) {
  const auto fail_after = [](int64_t count) {
    return StreamRows(RowType(), [count](const Visitor& visit) -> Status {
      for (int64_t i = 0; i < count; ++i)
        FIRN_RETURN_IF_ERROR(visit({{Value(i)}}));
      return MakeError(ErrorCode::kCorrupt, "manifest is broken");
    });
  };
  EXPECT_THAT(fail_after(0), IsError(ErrorCode::kCorrupt, "manifest is broken"));
  auto rows = fail_after(3000);
  ASSERT_THAT(rows, IsOk());
  EXPECT_THAT(RenderText(*std::move(rows), RowType(), RowFormat::kCsv),
              IsError(ErrorCode::kCorrupt, "manifest is broken"));
}

TEST(StreamRowsTest, MakesFewRowsAheadOfTheReaderAndStopsWithIt) {
  std::atomic<int64_t> made = 0;
  auto rows = StreamRows(RowType(), [&made](const Visitor& visit) -> Status {
    for (int64_t i = 0; i < 10'000'000; ++i) {
      FIRN_RETURN_IF_ERROR(visit({{Value(i)}}));
      ++made;
    }
    return {};
  });
  ASSERT_THAT(rows, IsOk());
  auto reader = RowStreamReader::Open(*std::move(rows));
  ASSERT_THAT(reader, IsOk());
  int64_t taken = 0;
  for (int i = 0; i < 10; ++i) {
    const auto batch = reader->Next();
    ASSERT_THAT(batch, IsOk());
    taken += (*batch)->num_rows();
    EXPECT_LT(made, taken + 5000);
  }
}

}  // namespace
}  // namespace firn

#include "firn/change/overwrite_rows.h"

#include "firn/change/row_change_testing_internal.h"

namespace firn {
namespace {

using ::testing::ElementsAre;

class OverwriteRowsTest : public RowChangeTest {
 protected:
  Result<ReplaceRowsResult> Overwrite(const std::string& where, const Pairs& rows,
                                      WriteMode mode = WriteMode::kCopyOnWrite) {
    OverwriteRowsRequest request;
    request.condition = *ParseExpression(where);
    request.mode = mode;
    return OverwriteRows(context(), Load(), MakeRows(rows), request);
  }
};

// B44: rows for which the condition is null stay.
TEST_F(OverwriteRowsTest, ReplacesTheRowsForWhichTheConditionIsTrue) {
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    for (const int version : {2, 3}) {
      io_ = MakeMemoryFileIO(clock_);
      MakeTable(version);
      Append({{1, "a"}, {2, "b"}, {3, ""}});
      const auto result = Overwrite("kind = 'b'", {{4, "c"}, {5, ""}}, mode);
      ASSERT_THAT(result, IsOk());
      EXPECT_EQ(result->deleted_rows, 1);
      EXPECT_EQ(result->added_rows, 2);
      EXPECT_THAT(Rows({"id", "kind"}), ElementsAre("1,a", "3,", "4,c", "5,"));
      EXPECT_EQ(Load().metadata->current_snapshot()->operation, "overwrite");
    }
  }
}

// B45: bounds are cut after 16 characters, so only the rows tell that all of the first file match.
TEST_F(OverwriteRowsTest, ReplacesAFileOfWhichAllRowsTurnOutToMatch) {
  const std::string same = "a text of more than sixteen characters";
  for (const WriteMode mode : {WriteMode::kCopyOnWrite, WriteMode::kMergeOnRead}) {
    io_ = MakeMemoryFileIO(clock_);
    MakeTable(2);
    Append({{1, same}, {2, same}});
    Append({{3, same}, {4, same + "!"}});
    const auto result = Overwrite("kind = '" + same + "'", {{5, "new"}}, mode);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(result->deleted_rows, 3);
    EXPECT_EQ(result->added_rows, 1);
    EXPECT_THAT(Rows(), ElementsAre("4", "5"));
    const Summary& summary = Load().metadata->current_snapshot()->summary;
    EXPECT_EQ(summary.Find("total-records"), mode == WriteMode::kCopyOnWrite ? "2" : "3");
  }
}

TEST_F(OverwriteRowsTest, RefusesRowsThatDoNotMatchIfTheyMust) {
  MakeTable(2);
  Append({{1, "a"}, {2, "b"}});
  const size_t before = CountDataFiles();
  OverwriteRowsRequest request;
  request.condition = *ParseExpression("kind = 'a'");
  request.rows_must_match = true;
  EXPECT_THAT(OverwriteRows(context(), Load(), MakeRows({{3, "a"}, {4, ""}}), request),
              IsError(ErrorCode::kInvalidInput, "row 2 of the input does not match kind = 'a'"));
  EXPECT_EQ(CountDataFiles(), before);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(OverwriteRows(context(), Load(), MakeRows({{3, "a"}, {4, "a"}}), request), IsOk());
    EXPECT_THAT(Rows(), ElementsAre("2", "3", "4"));
  }
}

TEST_F(OverwriteRowsTest, TakesOutRowsAloneAndPutsInRowsAlone) {
  MakeTable(2);
  ASSERT_THAT(Overwrite("true", {{1, "a"}}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("1"));
  ASSERT_THAT(Overwrite("id = 7", {{2, "a"}}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("1", "2"));
  ASSERT_THAT(Overwrite("id = 1", {}), IsOk());
  EXPECT_THAT(Rows(), ElementsAre("2"));
}

}  // namespace
}  // namespace firn

#include "firn/engine/row_expressions.h"

#include <gmock/gmock.h>

#include "firn/engine/engine_testing_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;

class RowExpressionsTest : public testing::Test {
 protected:
  RowExpressionsTest()
      : engine_(*Engine::Open({.memory_bytes = int64_t{64} << 20,
                               .temporary_folder = folder_.path(),
                               .random = &SystemRandom(),
                               .clock = &SystemClock()})) {}

  Result<RowExpressions> Prepare(const std::vector<RowExpression>& expressions,
                                 const arrow::FieldVector& fields) {
    ArrowSchema schema{};
    EXPECT_TRUE(arrow::ExportSchema(*arrow::schema(fields), &schema).ok());
    Result<RowExpressions> prepared = RowExpressions::Prepare(engine_, schema, expressions);
    schema.release(&schema);
    return prepared;
  }
  Result<RowExpressions> Prepare(const std::string& sql, const std::string& type = "VARCHAR") {
    return Prepare({{.where = "set 'x'", .sql = sql, .type_sql = type}}, fields_);
  }

  static std::string Evaluate(RowExpressions& expressions,
                              const std::shared_ptr<arrow::RecordBatch>& batch) {
    ArrowArray array{};
    EXPECT_TRUE(arrow::ExportRecordBatch(*batch, &array).ok());
    const auto table = ReadAll(expressions.Evaluate(&array));
    if (!table.ok()) return table.error().Format();
    std::string text;
    for (int64_t row = 0; row < (*table)->num_rows(); ++row) {
      for (int column = 0; column < (*table)->num_columns(); ++column)
        text += (column > 0 ? "," : "") + (*(*table)->column(column)->GetScalar(row))->ToString();
      text += ";";
    }
    return text;
  }

  /// The value for one row (7, "abc").
  std::string Value(const std::string& sql, const std::string& type = "VARCHAR") {
    Result<RowExpressions> prepared = Prepare(sql, type);
    if (!prepared.ok()) return prepared.error().Format();
    return Evaluate(*prepared, MakeBatch(fields_, R"([[7, "abc"]])"));
  }

  const arrow::FieldVector fields_ = {arrow::field("id", arrow::int32()),
                                      arrow::field("name", arrow::utf8())};
  TemporaryFolder folder_;
  Engine engine_;
};

TEST_F(RowExpressionsTest, ComputesAValueForEachRowOfEachBatch) {
  Result<RowExpressions> prepared = Prepare(
      {{"a", "id + 1", "BIGINT"}, {"b", "upper(name)", "VARCHAR"}, {"c", "1", "INTEGER"}}, fields_);
  ASSERT_THAT(prepared, IsOk());
  EXPECT_EQ(Evaluate(*prepared, MakeBatch(fields_, R"([[1, "a"], [null, null]])")),
            "2,A,1;null,null,1;");
  EXPECT_EQ(Evaluate(*prepared, MakeBatch(fields_, "[]")), "");
  EXPECT_EQ(Evaluate(*prepared, MakeBatch(fields_, R"([[5, "z"]])")), "6,Z,1;");
}

TEST_F(RowExpressionsTest, RefusesSeveralExpressionsInTheTextOfOne) {
  EXPECT_THAT(Value("'Zed', name = 'q'", "VARCHAR"), HasSubstr("is several expressions"));
  EXPECT_THAT(Value("1,\n2", "INTEGER"), HasSubstr("is several expressions"));
  EXPECT_THAT(Value("coalesce(NULL, 'a, b')", "VARCHAR"), HasSubstr("a, b"));
}

TEST_F(RowExpressionsTest, RefusesValuesThatDoNotFitTheirType) {
  EXPECT_THAT(Value("id * 1000000000", "BIGINT"), HasSubstr("Overflow in multiplication"));
  EXPECT_THAT(Value("CAST(id AS BIGINT) * 1000000000", "INTEGER"),
              HasSubstr("set 'x': Type INT64 with value 7000000000 can't be cast"));
  EXPECT_THAT(Value("name", "INTEGER"), HasSubstr("Could not convert string 'abc' to INT32"));
  EXPECT_THAT(Value("id * 1000", "DECIMAL(5,2)"), HasSubstr("invalid-input: set 'x': "));
  EXPECT_THAT(Value("id / 0.0", "INTEGER"), HasSubstr("invalid-input: set 'x': "));
  EXPECT_THAT(Value("'2020-02-30'", "DATE"), HasSubstr("invalid-input: set 'x': "));
}

TEST_F(RowExpressionsTest, RefusesToMakeTextOfAListAndTheOtherWayRound) {
  EXPECT_THAT(Value("'a,b'", "VARCHAR[]"),
              HasSubstr("set 'x': ''a,b'' is a single value, expected a list of type VARCHAR[]"));
  EXPECT_THAT(Value("[name, 'b']"),
              HasSubstr("is a list, expected a single value of type VARCHAR"));
  EXPECT_THAT(Value("{'a': id}"), HasSubstr("is a struct, expected a single value"));
  EXPECT_THAT(Value("[[id]]", "VARCHAR[]"),
              HasSubstr("is a list of another kind, expected a list"));
  EXPECT_THAT(Value("{'a': 1}", "MAP(VARCHAR, INTEGER)"), HasSubstr("is a struct, expected a map"));
  EXPECT_EQ(Value("[id, 2]", "VARCHAR[]"), "list<l: string>[7, 2];") << "which converts";
  EXPECT_EQ(Value("NULL", "VARCHAR[]"), "null;");
  for (const char* sql : {"[]", "[NULL]", "NULL"})
    EXPECT_THAT(Value(sql, "VARCHAR[][]"), testing::Not(HasSubstr("expected"))) << sql;
  EXPECT_THAT(Value("NULL", "STRUCT(a INTEGER)"), testing::Not(HasSubstr("expected")));
  EXPECT_EQ(Value("CAST([1] AS VARCHAR)"), "[1];") << "on request";
}

TEST_F(RowExpressionsTest, LetsNothingInThatSeesOrMakesSeveralRows) {
  for (const char* sql : {"sum(id)", "count(*)", "row_number() OVER ()", "unnest([1, 2])"})
    EXPECT_THAT(Value(sql), testing::StartsWith("invalid-input: set 'x': ")) << sql;
  EXPECT_THAT(Value("max(id)"), HasSubstr("sees or makes several rows"));
  EXPECT_THAT(Value("(SELECT 1)"), HasSubstr("a subquery is not supported"));
  EXPECT_THAT(Value("id IN (SELECT 1)"), HasSubstr("a subquery is not supported"));
  EXPECT_THAT(Value("coalesce(id, (SELECT max(content) FROM read_text('/etc/passwd')))"),
              HasSubstr("a subquery is not supported"));
  EXPECT_THAT(Value("?"), HasSubstr("a parameter is not supported"));
  EXPECT_THAT(Value("COLUMNS(*)"), HasSubstr("* is not supported"));
}

TEST_F(RowExpressionsTest, LetsNoTextOutOfItsParentheses) {
  for (const char* sql :
       {"1), (2", "1) FROM rows UNION ALL SELECT (2", "1) FROM rows --", "1; DROP TABLE x",
        "1) AS a FROM range(3) WHERE (true", "1) ORDER BY (1", "1) LIMIT (0", ""}) {
    EXPECT_THAT(Value(sql), testing::StartsWith("invalid-input: set 'x': ")) << sql;
  }
  EXPECT_EQ(Value("id -- the old one", "INTEGER"), "7;");
  EXPECT_EQ(Value("/* (SELECT */ 'it''s (SELECT 1)'"), "it's (SELECT 1);");
}

TEST_F(RowExpressionsTest, NamesThePlaceOfAnError) {
  EXPECT_THAT(Value("id + nam"), HasSubstr("set 'x': Referenced column \"nam\" not found"));
  EXPECT_THAT(Value("id + nam"), HasSubstr("Candidate bindings: \"name\""));
  EXPECT_THAT(Value("id + nam"), HasSubstr(", at character 6 of the SQL text"));
  EXPECT_THAT(Value("id + 1 2"), HasSubstr("syntax error at or near \"2\", at character 8"));
  EXPECT_THAT(Value("nosuch(id)"), HasSubstr("Did you mean"));
}

TEST_F(RowExpressionsTest, MindsOnlyColumnsThatAreNamed) {
  const arrow::FieldVector fields = {
      arrow::field("odd", arrow::decimal256(60, 1)), arrow::field("A", arrow::int32()),
      arrow::field("a", arrow::int32()), arrow::field("b \"c\"", arrow::int32())};
  const auto batch = MakeBatch(fields, R"([["1.5", 1, 2, 3]])");
  Result<RowExpressions> prepared = Prepare({{"x", "\"B \"\"C\"\"\" + 1", "INTEGER"}}, fields);
  ASSERT_THAT(prepared, IsOk());
  EXPECT_EQ(Evaluate(*prepared, batch), "4;");
  EXPECT_THAT(Prepare({{"x", "a", "INTEGER"}}, fields),
              IsError(ErrorCode::kInvalidInput, "columns 'A' and 'a' differ in case alone"));
  EXPECT_THAT(Prepare({{"x", "odd", "INTEGER"}}, fields),
              IsError(ErrorCode::kUnsupported, "column 'odd'"));
}

TEST_F(RowExpressionsTest, KnowsLambdasAndFieldsOfStructs) {
  const arrow::FieldVector fields = {
      arrow::field("s", arrow::struct_({arrow::field("v", arrow::list(arrow::int32()))}))};
  Result<RowExpressions> prepared =
      Prepare({{"x", "list_sum(list_transform(s.v, lambda e: e + 1))", "BIGINT"}}, fields);
  ASSERT_THAT(prepared, IsOk());
  EXPECT_EQ(Evaluate(*prepared, MakeBatch(fields, R"([[{"v": [1, 2]}], [null]])")), "5;null;");
}

TEST_F(RowExpressionsTest, SeesOneTimeInAllBatches) {
  Result<RowExpressions> prepared = Prepare("now()");
  ASSERT_THAT(prepared, IsOk());
  const auto batch = MakeBatch(fields_, R"([[1, "a"]])");
  EXPECT_EQ(Evaluate(*prepared, batch), Evaluate(*prepared, batch));
}

}  // namespace
}  // namespace firn

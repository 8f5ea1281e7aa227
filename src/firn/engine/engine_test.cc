#include "firn/engine/engine.h"

#include <filesystem>
#include <optional>

#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <fmt/format.h>

#include <gmock/gmock.h>

#include "firn/engine/engine_testing_internal.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"

namespace firn {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const arrow::FieldVector kIdAndName = {arrow::field("id", arrow::int64()),
                                       arrow::field("name", arrow::utf8())};

size_t CountFiles(const std::string& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() != ".lock") ++count;
  }
  return count;
}

class EngineTest : public testing::Test {
 protected:
  EngineOptions Options() {
    return {.budget = &budget_,
            .memory_bytes = int64_t{64} << 20,
            .threads = 2,
            .temporary_folder = folder_.path(),
            .random = &SystemRandom(),
            .clock = &SystemClock(),
            .cancel = cancel_.token()};
  }

  const Engine& engine() {
    if (!engine_) {
      Result<Engine> opened = Engine::Open(Options());
      EXPECT_THAT(opened, IsOk());
      engine_.emplace(std::move(*opened));
    }
    return *engine_;
  }

  Result<RowStream> Query(const std::string& sql, RowStream rows) {
    std::vector<EngineInput> inputs;
    inputs.push_back({.name = "t", .rows = std::move(rows)});
    return engine().Query(sql, std::move(inputs));
  }

  /// The result's rows as text.
  std::string Answer(const std::string& sql, const BatchVector& batches) {
    Result<RowStream> rows = Query(sql, StreamOf(batches));
    if (!rows.ok()) return rows.error().Format();
    const auto table = ReadAll(std::move(*rows));
    if (!table.ok()) return table.error().Format();
    std::string text;
    for (int64_t row = 0; row < (*table)->num_rows(); ++row) {
      for (int column = 0; column < (*table)->num_columns(); ++column) {
        const auto value = (*table)->column(column)->GetScalar(row);
        text += (column > 0 ? "," : "") + (*value)->ToString();
      }
      text += ";";
    }
    return text;
  }

  std::string Select(const std::string& sql) {
    return Answer(sql, {MakeBatch(kIdAndName, R"([[1, "a"]])")});
  }

  TemporaryFolder folder_;
  MemoryBudget budget_{int64_t{256} << 20};
  CancelSource cancel_;
  std::optional<Engine> engine_;
};

TEST_F(EngineTest, SelectsFromStreams) {
  const BatchVector batches = {MakeBatch(kIdAndName, R"([[1, "a"], [2, null]])"),
                               MakeBatch(kIdAndName, R"([[3, "c"]])")};
  EXPECT_EQ(Answer("SELECT * FROM t", batches), "1,a;2,null;3,c;");
  EXPECT_EQ(Answer("SELECT name || '!' AS n FROM t WHERE id > 1", batches), "null;c!;");
  EXPECT_EQ(Answer("SELECT count(*) FROM t", batches), "3;");
  EXPECT_EQ(Answer("SELECT name FROM t WHERE name = 'c'", batches), "c;");
}

TEST_F(EngineTest, JoinsSeveralInputs) {
  std::vector<EngineInput> inputs;
  inputs.push_back({"l", StreamOf({MakeBatch(kIdAndName, R"([[1, "a"], [2, "b"]])")})});
  inputs.push_back({"r", StreamOf({MakeBatch(kIdAndName, R"([[2, "x"], [3, "y"]])")})});
  auto rows = engine().Query("SELECT r.name FROM l JOIN r USING (id)", std::move(inputs));
  ASSERT_THAT(rows, IsOk());
  const auto table = ReadAll(std::move(*rows));
  ASSERT_THAT(table, IsOk());
  EXPECT_EQ((*table)->num_rows(), 1);
}

TEST_F(EngineTest, TakesInputsWithoutRows) {
  const arrow::FieldVector fields = {
      arrow::field("l", arrow::list(arrow::struct_({arrow::field("s", arrow::utf8())}))),
      arrow::field("m", arrow::map(arrow::utf8(), arrow::int32())),
      arrow::field("d", arrow::decimal128(20, 3))};
  EXPECT_EQ(Answer("SELECT l, m, d FROM t", {MakeBatch(fields, "[]")}), "");
  EXPECT_EQ(Answer("SELECT count(l), count(*) FROM t", {MakeBatch(fields, "[]")}), "0,0;");
}

// Batches that are slices, of every nesting, longer than DuckDB's vectors.
TEST_F(EngineTest, KeepsNestedValuesOfSlicedBatches) {
  const auto inner =
      arrow::struct_({arrow::field("a", arrow::int32()),
                      arrow::field("b", arrow::list(arrow::field("l", arrow::utf8())))});
  const arrow::FieldVector fields = {
      arrow::field("n", arrow::int64()),
      arrow::field("s", inner),
      arrow::field("d", arrow::struct_({arrow::field("inner", inner)})),
      arrow::field("l", arrow::list(arrow::field("l", inner))),
      arrow::field("m", arrow::map(arrow::utf8(), arrow::float64())),
      arrow::field("t", arrow::boolean())};
  std::string json = "[";
  for (int i = 0; i < 9000; ++i) {
    const std::string value =
        i % 7 == 0 ? "null"
                   : fmt::format(R"({{"a": {}, "b": {}}})", i % 5 == 0 ? "null" : std::to_string(i),
                                 i % 3 == 0 ? "null" : fmt::format(R"(["x{}", null])", i));
    json += fmt::format(R"({}[{}, {}, {}, {}, {}, {}])", i == 0 ? "" : ",", i, value,
                        i % 11 == 0 ? "null" : fmt::format(R"({{"inner": {}}})", value),
                        i % 13 == 0 ? "null" : fmt::format("[{}, {}]", value, value),
                        i % 4 == 0 ? "null" : fmt::format(R"([["k{}", {}.5]])", i, i),
                        i % 2 == 0 ? "true" : "null");
  }
  const auto batch = MakeBatch(fields, json + "]");
  for (const int64_t offset : {0, 8, 1001, 4099}) {
    const auto slice = batch->Slice(offset, batch->num_rows() - offset - 5);
    auto rows = Query("SELECT * FROM t", StreamOf({slice}));
    ASSERT_THAT(rows, IsOk());
    const auto table = ReadAll(std::move(*rows));
    ASSERT_THAT(table, IsOk());
    ASSERT_EQ((*table)->num_rows(), slice->num_rows());
    for (int column = 0; column < slice->num_columns(); ++column) {
      // Text, as names of children differ.
      const auto& array = *(*table)->column(column)->chunk(0);
      for (int64_t row = 0; row < slice->num_rows(); ++row) {
        ASSERT_EQ((*array.GetScalar(row))->ToString(),
                  (*slice->column(column)->GetScalar(row))->ToString())
            << "offset " << offset << ", column " << column << ", row " << row;
      }
    }
  }
}

TEST_F(EngineTest, KeepsNanosecondsOfTimesWithZone) {
  const arrow::FieldVector fields = {
      arrow::field("t", arrow::timestamp(arrow::TimeUnit::NANO, "UTC"))};
  const auto batch = MakeBatch(fields, "[[1234567890123456789]]");
  EXPECT_EQ(Answer("SELECT t FROM t", {batch}), "2009-02-13 23:31:30.123456789;");
  EXPECT_EQ(Answer("SELECT CAST(t AS TIMESTAMPTZ) AS t FROM t", {batch}),
            "2009-02-13 23:31:30.123456Z;");
}

TEST_F(EngineTest, ReadsTimesWithoutZoneAsUtc) {
  EXPECT_EQ(Select("SELECT epoch(CAST('2020-01-01 00:00:00' AS TIMESTAMPTZ)) AS e"), "1577836800;");
}

TEST_F(EngineTest, LetsSqlReachNothingButItsInputs) {
  const std::string file = folder_.Join("secret.csv");
  std::filesystem::copy_file("/proc/self/status", file);
  for (const std::string& sql :
       {"SELECT * FROM read_text('" + file + "')", "SELECT * FROM '" + file + "'",
        "SELECT * FROM read_csv('" + file + "')", std::string("SELECT * FROM glob('/*')"),
        std::string("SELECT * FROM 'https://localhost/x.parquet'")}) {
    EXPECT_THAT(Select(sql), testing::StartsWith("permission-denied: ")) << sql;
  }
  for (const std::string& sql :
       {std::string("COPY t TO '" + file + "'"), std::string("ATTACH '/tmp/x.db'"),
        std::string("LOAD httpfs"), std::string("SET memory_limit = '1GB'"),
        std::string("PRAGMA enable_profiling"), std::string("CREATE TABLE x AS SELECT 1"),
        std::string("SELECT 1; SELECT 2"), std::string("SELECT * FROM firn_rows(99)")}) {
    EXPECT_THAT(Select(sql), testing::ContainsRegex("^(invalid-input|permission-denied): ")) << sql;
  }
}

TEST_F(EngineTest, SaysWhereTheTextIsWrong) {
  EXPECT_THAT(Select("SELECT nam FROM t"),
              HasSubstr("\"nam\" not found in FROM clause!; Candidate bindings: \"name\", at "
                        "character 8 of the SQL text"));
  EXPECT_THAT(Select("SELECT (id FROM t"), HasSubstr("syntax error at or near \"FROM\""));
  EXPECT_THAT(Select("SELECT CAST(name AS INT) AS x FROM t"),
              HasSubstr("invalid-input: Could not convert string 'a' to INT32"));
}

class FailingReader final : public arrow::RecordBatchReader {
 public:
  explicit FailingReader(std::shared_ptr<arrow::RecordBatch> first) : next_(std::move(first)) {
    schema_ = next_->schema();
  }
  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (next_ == nullptr) return arrow::Status::IOError("corrupt: file 'x': page 7 is broken");
    *batch = std::exchange(next_, nullptr);
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::RecordBatch> next_;
  std::shared_ptr<arrow::Schema> schema_;
};

TEST_F(EngineTest, HandsErrorsOfItsInputsOn) {
  const auto batch = MakeBatch(kIdAndName, R"([[1, "a"]])");
  auto rows = Query("SELECT sum(id) FROM t", StreamOf(std::make_shared<FailingReader>(batch)));
  ASSERT_THAT(rows, IsOk());
  const auto table = ReadAll(std::move(*rows));
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.error().message(), HasSubstr("corrupt: file 'x': page 7 is broken"));
}

TEST_F(EngineTest, RefusesTypesThatItHasNot) {
  const arrow::FieldVector fields = {arrow::field("d", arrow::decimal256(60, 3))};
  EXPECT_THAT(Answer("SELECT 1 FROM t", {MakeBatch(fields, "[]")}),
              testing::StartsWith("unsupported: column 'd': "));
}

TEST_F(EngineTest, StopsWhenItIsCancelled) {
  auto rows = Query("SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b",
                    StreamOf({MakeBatch(kIdAndName, "[]")}));
  ASSERT_THAT(rows, IsOk());
  cancel_.Cancel();
  EXPECT_THAT(ReadAll(std::move(*rows)), IsError(ErrorCode::kCancelled));
}

TEST_F(EngineTest, ReservesItsMemoryInTheBudget) {
  engine();
  EXPECT_EQ(budget_.used_bytes(), int64_t{64} << 20);
  engine_.reset();
  EXPECT_EQ(budget_.used_bytes(), 0);
}

TEST_F(EngineTest, SortsWithNullsOnEitherSide) {
  const auto batch = MakeBatch(kIdAndName, R"([[2, "b"], [null, "n"], [3, "b"], [1, null]])");
  const auto sort = [&](const std::vector<SortKey>& keys) {
    auto rows = engine().Sort(StreamOf({batch}), keys);
    EXPECT_THAT(rows, IsOk());
    const auto table = ReadAll(std::move(*rows));
    EXPECT_THAT(table, IsOk());
    std::string text;
    for (int64_t i = 0; i < (*table)->num_rows(); ++i)
      text += (*(*table)->column(0)->GetScalar(i))->ToString() + ";";
    return text;
  };
  EXPECT_EQ(sort({{.column = {"id"}, .nulls_first = true}}), "null;1;2;3;");
  EXPECT_EQ(sort({{.column = {"id"}, .is_descending = true}}), "3;2;1;null;");
  EXPECT_EQ(sort({{.column = {"name"}}, {.column = {"id"}, .is_descending = true}}), "3;2;null;1;");
  EXPECT_THAT(engine().Sort(StreamOf({batch}), {{.column = {"ID x"}}}),
              IsError(ErrorCode::kInvalidInput, "ID x"));
}

TEST_F(EngineTest, SortsByFieldsOfStructs) {
  const arrow::FieldVector fields = {
      arrow::field("rows", arrow::struct_({arrow::field("a \"b\"", arrow::int32())}))};
  auto rows =
      engine().Sort(StreamOf({MakeBatch(fields, R"([[{"a \"b\"": 2}], [{"a \"b\"": 1}]])")}),
                    {{.column = {"rows", "a \"b\""}}});
  ASSERT_THAT(rows, IsOk());
  const auto table = ReadAll(std::move(*rows));
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT((*(*table)->column(0)->GetScalar(0))->ToString(), HasSubstr("1"));
}

// 200 MB of rows within 64 MiB.
class ManyRows final : public arrow::RecordBatchReader {
 public:
  std::shared_ptr<arrow::Schema> schema() const override { return arrow::schema(kIdAndName); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (made_ == kBatches) return arrow::Status::OK();
    arrow::Int64Builder ids;
    arrow::StringBuilder names;
    for (int i = 0; i < kRows; ++i) {
      state_ = state_ * 6364136223846793005 + 1442695040888963407;
      ARROW_RETURN_NOT_OK(ids.Append(static_cast<int64_t>(state_ >> 16)));
      ARROW_RETURN_NOT_OK(names.Append(fmt::format("{:0200}", state_)));
    }
    ++made_;
    *batch = arrow::RecordBatch::Make(schema(), kRows, {*ids.Finish(), *names.Finish()});
    return arrow::Status::OK();
  }

  static constexpr int kBatches = 100;
  static constexpr int kRows = 10000;

 private:
  int made_ = 0;
  uint64_t state_ = 7;
};

TEST_F(EngineTest, SpillsWhatDoesNotFitIntoItsMemory) {
  EngineOptions options = Options();
  options.memory_bytes = int64_t{64} << 20;
  Result<Engine> small = Engine::Open(options);
  ASSERT_THAT(small, IsOk());
  engine_.emplace(std::move(*small));
  {
    auto rows = engine().Sort(StreamOf(std::make_shared<ManyRows>()), {{.column = {"id"}}});
    ASSERT_THAT(rows, IsOk());
    int64_t count = 0;
    int64_t last = -1;
    size_t spilled = 0;
    while (true) {
      ArrowArray array{};
      ASSERT_EQ((*rows)->get_next(rows->get(), &array), 0) << (*rows)->get_last_error(rows->get());
      if (array.release == nullptr) break;
      if (count == 0) spilled = CountFiles(folder_.path());
      const auto batch = *arrow::ImportRecordBatch(&array, arrow::schema(kIdAndName));
      const auto& ids = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < ids.length(); ++i) {
        ASSERT_LE(last, ids.Value(i));
        last = ids.Value(i);
      }
      count += batch->num_rows();
    }
    EXPECT_EQ(count, int64_t{ManyRows::kBatches} * ManyRows::kRows);
    EXPECT_GT(spilled, 0U);
  }
  engine_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace firn

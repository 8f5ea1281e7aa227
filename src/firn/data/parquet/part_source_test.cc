#include <numeric>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/parquet/part_source_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

// Rows are delivered once and in order, whichever way their columns are decoded.

namespace firn {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// Row i of a column holds number i.
std::shared_ptr<arrow::ArrayData> Numbers(const std::vector<int64_t>& numbers) {
  return arrow::ArrayData::Make(arrow::int64(), static_cast<int64_t>(numbers.size()),
                                {nullptr, arrow::Buffer::FromVector(numbers)}, 0);
}

std::vector<int64_t> Range(int64_t begin, int64_t end) {
  std::vector<int64_t> numbers(static_cast<size_t>(end - begin));
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

// Fails at the read that would go beyond `rows_max`.
class NumberColumn final : public ColumnSet {
 public:
  explicit NumberColumn(int64_t rows_max = 1000) : rows_max_(rows_max) {}

  Result<Columns> Read(int64_t rows) override {
    FIRN_RETURN_IF_ERROR(Skip(rows));
    return Columns{Numbers(Range(row_ - rows, row_))};
  }
  Result<Columns> Pick(int64_t rows, std::span<const uint32_t> picks) override {
    std::vector<int64_t> numbers;
    for (const uint32_t pick : picks)
      numbers.push_back(row_ + pick);
    FIRN_RETURN_IF_ERROR(Skip(rows));
    return Columns{Numbers(numbers)};
  }
  Status Skip(int64_t rows) override {
    row_ += rows;
    if (row_ > rows_max_) return MakeError(ErrorCode::kUnsupported, "a surprise");
    return {};
  }

 private:
  const int64_t rows_max_;
  int64_t row_ = 0;
};

// Batches of seven rows.
class SevenRows final : public BatchSource {
 public:
  SevenRows(std::vector<RowRange> ranges, int64_t first_row)
      : ranges_(std::move(ranges)), first_row_(first_row) {}

  Result<std::optional<FileBatch>> Next() override {
    while (range_ < ranges_.size() && ranges_[range_].begin == ranges_[range_].end)
      ++range_;
    if (range_ == ranges_.size()) return std::optional<FileBatch>();
    RowRange& range = ranges_[range_];
    const int64_t begin = range.begin;
    range.begin = std::min(range.begin + 7, range.end);
    auto rows = arrow::ArrayData::Make(arrow::struct_({arrow::field("n", arrow::int64())}),
                                       range.begin - begin, {nullptr},
                                       {Numbers(Range(begin, range.begin))}, 0);
    return std::optional<FileBatch>({.first_position = first_row_ + begin, .rows = rows});
  }

 private:
  std::vector<RowRange> ranges_;
  int64_t first_row_;
  size_t range_ = 0;
};

constexpr int64_t kFirstRow = 500;

PartColumns MakePart(std::vector<RowRange> rows, std::unique_ptr<ColumnSet> column) {
  PartColumns part{.type = arrow::struct_({arrow::field("n", arrow::int64())}),
                   .rows = rows,
                   .first_row = kFirstRow,
                   .batch_rows = 10,
                   .pool = arrow::default_memory_pool()};
  part.sets.push_back({{0}, std::move(column)});
  part.open_with_arrow = [rows]() -> Result<std::unique_ptr<BatchSource>> {
    return std::make_unique<SevenRows>(rows, kFirstRow);
  };
  return part;
}

// The numbers of all rows, after each was compared with its position.
std::vector<int64_t> ReadAll(BatchSource& source) {
  std::vector<int64_t> numbers;
  while (true) {
    const auto batch = source.Next();
    EXPECT_THAT(batch, IsOk());
    if (!batch.ok() || !*batch) return numbers;
    const FileBatch& rows = **batch;
    if (rows.rows->length == 0) continue;
    const arrow::Int64Array column(rows.rows->child_data[0]);
    EXPECT_EQ(column.length(), rows.rows->length);
    for (int64_t i = 0; i < column.length(); ++i) {
      EXPECT_EQ(column.Value(i) + kFirstRow, rows.positions.empty()
                                                 ? rows.first_position + i
                                                 : rows.positions[static_cast<size_t>(i)]);
      numbers.push_back(column.Value(i));
    }
  }
}

TEST(PartSourceTest, GoesOnThroughArrowFromTheRowThatWasReached) {
  const auto source = MakePartSource(MakePart({{0, 50}}, std::make_unique<NumberColumn>(25)));
  EXPECT_THAT(ReadAll(*source), ElementsAreArray(Range(0, 50)));
}

TEST(PartSourceTest, GoesOnThroughArrowInTheMiddleOfWantedRows) {
  const std::vector<RowRange> rows = {{3, 30}, {40, 44}, {60, 90}};
  std::vector<int64_t> wanted;
  for (const RowRange& range : rows) {
    const auto numbers = Range(range.begin, range.end);
    wanted.insert(wanted.end(), numbers.begin(), numbers.end());
  }
  for (const int64_t rows_max : {0, 3, 13, 23, 30, 41, 50, 60, 70, 80, 90}) {
    SCOPED_TRACE(rows_max);
    const auto source = MakePartSource(MakePart(rows, std::make_unique<NumberColumn>(rows_max)));
    EXPECT_THAT(ReadAll(*source), ElementsAreArray(wanted));
  }
}

// Keeps rows whose number divides by three.
class EveryThird final : public RowChooser {
 public:
  const std::set<int>& leaves() const override { return leaves_; }
  Result<RowMask> Choose(const FileBatch& batch) const override {
    RowMask mask;
    for (int64_t i = 0; i < batch.rows->length; ++i)
      mask.push_back((batch.first_position + i - kFirstRow) % 3 == 0 ? 1 : 0);
    return mask;
  }

 private:
  std::set<int> leaves_;
};

TEST(PartSourceTest, DeliversTheRowsThatAreChosen) {
  const EveryThird chooser;
  for (const bool is_tested : {false, true}) {
    PartColumns part = MakePart({{5, 27}, {29, 33}}, std::make_unique<NumberColumn>());
    part.chooser = &chooser;
    part.sets[0].is_tested = is_tested;
    const auto source = MakePartSource(std::move(part));
    EXPECT_THAT(ReadAll(*source), ElementsAre(6, 9, 12, 15, 18, 21, 24, 30));
  }
}

// Text of few values with nulls, text of many, and a struct, in several row groups.
class FilteredTable {
 public:
  static constexpr int32_t kRows = 5000;

  FilteredTable()
      : table_({Required(1, "id", Primitive(TypeId::kInt)),
                Optional(2, "kind", Primitive(TypeId::kString)),
                Optional(3, "name", Primitive(TypeId::kString)),
                Optional(4, "place",
                         Type::Struct({Optional(5, "city", Primitive(TypeId::kString))}))}) {
    table_.metadata().properties["write.parquet.row-group-size-bytes"] = "40000";
    table_.metadata().properties["write.parquet.page-row-limit"] = "300";
    std::vector<StructValue> rows;
    for (int32_t i = 0; i < kRows; ++i) {
      rows.push_back({{Value(i), KindOf(i).empty() ? Value() : Value(KindOf(i)),
                       Value("name " + std::to_string(i)),
                       Value::Struct({Value("city " + std::to_string(i % 7))})}});
    }
    task_ = table_.Write(std::move(rows));
  }

  // Empty: null.
  static std::string KindOf(int32_t i) {
    static const std::vector<std::string> kKinds = {"rail", "road", "", "air", "rain", ""};
    return kKinds[static_cast<size_t>(i * 31 % 17 % 6)];
  }

  void ExpectRows(const std::string& where, const std::function<bool(int32_t)>& matches) {
    SCOPED_TRACE(where);
    std::vector<std::string> expected;
    for (int32_t i = 0; i < kRows; ++i) {
      if (!matches(i)) continue;
      expected.push_back(fmt::format(
          R"({{"_pos":{0},"name":"name {0}","place":{{"city":"city {1}"}}}})", i, i % 7));
    }
    EXPECT_THAT(table_.Read({task_}, {"_pos", "name", "place"}, where, /*is_ordered=*/true),
                IsOkAnd(ElementsAreArray(expected)));
  }

  RowTable& table() { return table_; }
  FileScanTask& task() { return task_; }

 private:
  RowTable table_;
  FileScanTask task_;
};

TEST(LateRowsTest, AreThoseThatAFilterOnTextKeeps) {
  FilteredTable table;
  const auto kind = FilteredTable::KindOf;
  table.ExpectRows("kind = 'rail'", [&](int32_t i) { return kind(i) == "rail"; });
  table.ExpectRows("kind != 'rail'",
                   [&](int32_t i) { return !kind(i).empty() && kind(i) != "rail"; });
  table.ExpectRows("kind IN ('air', 'road', 'sea')",
                   [&](int32_t i) { return kind(i) == "air" || kind(i) == "road"; });
  table.ExpectRows("kind LIKE 'rai%'", [&](int32_t i) { return kind(i).starts_with("rai"); });
  table.ExpectRows("kind IS NULL", [&](int32_t i) { return kind(i).empty(); });
  table.ExpectRows("kind IS NOT NULL", [&](int32_t i) { return !kind(i).empty(); });
  table.ExpectRows("name = 'name 4321'", [](int32_t i) { return i == 4321; });
  table.ExpectRows("place.city = 'city 3'", [](int32_t i) { return i % 7 == 3; });
  table.ExpectRows("place.city = 'city 3' AND kind = 'air' OR id < 10",
                   [&](int32_t i) { return (i % 7 == 3 && kind(i) == "air") || i < 10; });
}

TEST(LateRowsTest, LeaveOutWhatIsDeletedByPositionAndByKey) {
  FilteredTable table;
  std::vector<std::pair<std::string, int64_t>> positions;
  for (int64_t i = 0; i < FilteredTable::kRows; i += 10)
    positions.emplace_back(table.task().file.file_path, i);
  table.task().deletes = {
      table.table().WritePositionDeletes(positions, 2),
      table.table().WriteDeletes(FileContent::kEqualityDeletes,
                                 {Optional(2, "kind", Primitive(TypeId::kString))},
                                 {StructValue{{Value("road")}}, StructValue{{Value()}}}, 2, {2})};
  const auto kind = FilteredTable::KindOf;
  const auto is_live = [&](int32_t i) {
    return i % 10 != 0 && kind(i) != "road" && !kind(i).empty();
  };
  table.ExpectRows("id >= 0", is_live);
  table.ExpectRows("kind = 'air'", [&](int32_t i) { return is_live(i) && kind(i) == "air"; });
  table.ExpectRows("", is_live);
}

}  // namespace
}  // namespace firn

#include "firn/data/read/equality_positions.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firn/data/read/deleted_keys_internal.h"
#include "firn/data/row_table_testing_internal.h"
#include "firn/testing/matchers.h"

namespace firn {
namespace {

constexpr int64_t kPlenty = int64_t{256} << 20;
constexpr int64_t kTight = int64_t{6} << 20;  // A quarter holds about a third of the keys.
constexpr int32_t kIds = 60000;

NestedField Id() { return Optional(1, "id", Primitive(TypeId::kInt)); }
NestedField Name() { return Optional(2, "name", Primitive(TypeId::kString)); }

Value NameOf(uint64_t number) {
  return number % 5 == 0 ? Value() : Value("n" + std::to_string(number % 5));
}

/// A row, or a key of both columns; an id that is negative stands for null.
struct Row {
  int32_t id = 0;
  Value name;

  Value id_value() const { return id < 0 ? Value() : Value(id); }
};

Row RandomRow(Random& random) {
  const auto id = static_cast<int32_t>(random.Below(kIds));
  return {.id = id % 1000 == 0 ? -1 : id, .name = NameOf(random.Next() >> 8)};
}

/// Data files of several ages, and deletes of several ages by one and by both columns.
class EqualityPositionsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int64_t age = 1; age <= 4; ++age)
      WriteDataFile(age);
    for (int64_t age = 2; age <= 5; ++age) {
      deletes_.push_back(WriteDeletes(age, false));
      deletes_.push_back(WriteDeletes(age, true));
    }
    for (FileScanTask& task : tasks_)
      task.deletes = deletes_;
  }

  void WriteDataFile(int64_t age) {
    std::vector<Row> rows;
    std::vector<StructValue> values;
    for (int i = 0; i < 10000; ++i) {
      rows.push_back(RandomRow(*random_));
      values.push_back({{rows.back().id_value(), rows.back().name}});
    }
    tasks_.push_back(table_.Write(std::move(values), age));
    rows_.push_back(std::move(rows));
  }

  DeleteFilePtr WriteDeletes(int64_t age, bool by_both) {
    std::vector<StructValue> values;
    for (int i = 0; i < 8000; ++i) {
      const Row key = RandomRow(*random_);
      if (by_both) {
        values.push_back({{key.id_value(), key.name}});
        ages_by_both_[{key.id, FormatName(key.name)}] = age;  // Ages ascend.
      } else {
        values.push_back({{key.id_value()}});
        ages_by_id_[key.id] = age;
      }
    }
    return table_.WriteDeletes(
        FileContent::kEqualityDeletes, by_both ? std::vector{Id(), Name()} : std::vector{Id()},
        std::move(values), age, by_both ? std::vector<int32_t>{1, 2} : std::vector<int32_t>{1});
  }

  static std::string FormatName(const Value& name) {
    return name.is_null() ? "" : name.get<std::string>();
  }

  bool IsDeleted(const Row& row, int64_t age) const {
    const auto by_id = ages_by_id_.find(row.id);
    const auto by_both = ages_by_both_.find({row.id, FormatName(row.name)});
    return (by_id != ages_by_id_.end() && by_id->second > age) ||
           (by_both != ages_by_both_.end() && by_both->second > age);
  }

  std::set<int64_t> Expected(size_t file) const {
    std::set<int64_t> positions;
    for (size_t i = 0; i < rows_[file].size(); ++i) {
      if (IsDeleted(rows_[file][i], tasks_[file].sequence_number)) {
        positions.insert(static_cast<int64_t>(i));
      }
    }
    return positions;
  }

  ReadContext ContextWith(MemoryBudget& budget) {
    ReadContext context = table_.read_context();
    context.budget = &budget;
    return context;
  }

  RowTable table_{{Id(), Name()}};
  std::unique_ptr<Random> random_ = MakeSeededRandom(7);
  std::vector<FileScanTask> tasks_;
  std::vector<std::vector<Row>> rows_;
  std::vector<DeleteFilePtr> deletes_;
  std::map<int32_t, int64_t> ages_by_id_;
  std::map<std::pair<int32_t, std::string>, int64_t> ages_by_both_;
};

TEST_F(EqualityPositionsTest, AreThoseOfTheRowsThatAnEqualityDeleteMeans) {
  for (const int64_t bytes : {kPlenty, kTight}) {
    SCOPED_TRACE(bytes);
    MemoryBudget budget(bytes);
    const auto found = FindEqualityDeletedRows(ContextWith(budget), tasks_);
    ASSERT_THAT(found, IsOk());
    for (size_t file = 0; file < tasks_.size(); ++file) {
      const auto positions = found->at(tasks_[file].file.file_path).InRange(0, 10000);
      EXPECT_EQ(std::set<int64_t>(positions.begin(), positions.end()), Expected(file));
    }
  }
}

TEST_F(EqualityPositionsTest, ReadsWithoutMemoryForAllKeysGiveTheSameRows) {
  size_t kept = 0;
  for (size_t file = 0; file < tasks_.size(); ++file)
    kept += rows_[file].size() - Expected(file).size();
  for (const int64_t bytes : {kPlenty, kTight}) {
    SCOPED_TRACE(bytes);
    MemoryBudget budget(bytes);
    auto rows =
        ReadTasks(ContextWith(budget), tasks_, {.projection = table_.metadata().current_schema()});
    ASSERT_THAT(rows, IsOk());
    EXPECT_THAT(CountRows(*std::move(rows)), IsOkAnd(static_cast<int64_t>(kept)));
  }
}

TEST_F(EqualityPositionsTest, OfOtherPartitionsAreNone) {
  for (FileScanTask& task : tasks_)
    task.deletes.clear();
  tasks_[0].deletes = deletes_;
  const auto found = FindEqualityDeletedRows(table_.read_context(), tasks_);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->size(), 1U);
}

TEST(DeletedKeysTest, FindTheHighestNumberHoweverLittleMemoryThereIs) {
  for (const int64_t bytes : {int64_t{64} << 20, int64_t{2} << 20}) {
    MemoryBudget budget(bytes);
    DeletedKeys keys(&budget);
    for (int64_t number = 1; number <= 3; ++number) {
      for (int i = 0; i < 20000; ++i) {
        if (i % number != 0) continue;
        ASSERT_THAT(keys.Add("key " + std::to_string(i), number), IsOk());
      }
    }
    ASSERT_THAT(keys.Finish(), IsOk());
    EXPECT_EQ(keys.pass_count() > 1, bytes < int64_t{64} << 20);
    std::vector<int64_t> found(20001, -1);
    for (size_t pass = 0; pass < keys.pass_count(); ++pass) {
      ASSERT_THAT(keys.Load(pass), IsOk());
      for (size_t i = 0; i <= 20000; ++i)
        found[i] = std::max(found[i], keys.Find("key " + std::to_string(i)));
    }
    for (size_t i = 0; i < 20000; ++i)
      ASSERT_EQ(found[i], i % 3 == 0 ? 3 : i % 2 == 0 ? 2 : 1);
    EXPECT_EQ(found[20000], -1);
  }
}

}  // namespace
}  // namespace firn

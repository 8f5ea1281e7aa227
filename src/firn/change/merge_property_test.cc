#include <map>

#include "firn/change/row_change_testing_internal.h"

namespace firn {
namespace {

// Random merges, deletions and appends of tables of every kind, against a map from key to value.
class MergePropertyTest : public RowChangeTest, public testing::WithParamInterface<int> {
 protected:
  uint64_t Below(uint64_t bound) { return random_->Below(bound); }
  WriteMode AnyMode() { return Below(2) == 0 ? WriteMode::kCopyOnWrite : WriteMode::kMergeOnRead; }
  std::string AnyKind() { return std::string(1, static_cast<char>('a' + Below(4))); }

  void MergeSome() {
    std::map<int64_t, std::string> input;
    const bool has_duplicates = Below(4) == 0;
    Pairs rows;
    for (uint64_t count = Below(40); count > 0; --count) {
      const auto id = static_cast<int64_t>(Below(kIds));
      if (input.contains(id) && !has_duplicates) continue;
      input[id] = AnyKind();
      rows.emplace_back(id, input[id]);
    }
    int64_t updates = 0;
    for (const auto& [id, kind] : input) {
      updates += model_.contains(id) ? 1 : 0;
      model_[id] = kind;
    }
    MergeRowsRequest request;
    request.key = {"id"};
    request.mode = AnyMode();
    if (has_duplicates) request.duplicates = DuplicateKeys::kLast;
    const auto result = MergeRows(context(), Load(), MakeRows(rows), request);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(result->updated_rows, updates);
    EXPECT_EQ(result->inserted_rows, std::ssize(input) - updates);
    EXPECT_EQ(result->deleted_rows, updates);
  }

  void DeleteSome() {
    DeleteRowsRequest request;
    const auto begin = static_cast<int64_t>(Below(kIds));
    const std::string kind = AnyKind();
    request.condition = *ParseExpression(
        fmt::format("id between {} and {} and kind <> '{}'", begin, begin + 20, kind));
    request.mode = AnyMode();
    std::erase_if(model_, [&](const auto& row) {
      return row.first >= begin && row.first <= begin + 20 && row.second != kind;
    });
    ASSERT_THAT(DeleteRows(context(), Load(), request), IsOk());
  }

  void OverwriteSome() {
    OverwriteRowsRequest request;
    const std::string kind = AnyKind();
    request.condition = *ParseExpression(fmt::format("kind = '{}'", kind));
    request.mode = AnyMode();
    std::erase_if(model_, [&](const auto& row) { return row.second == kind; });
    Pairs rows;
    for (uint64_t count = Below(5); count > 0; --count) {
      const auto id = static_cast<int64_t>(Below(kIds));
      if (model_.contains(id)) continue;
      model_[id] = AnyKind();
      rows.emplace_back(id, model_[id]);
    }
    ASSERT_THAT(OverwriteRows(context(), Load(), MakeRows(rows), request), IsOk());
  }

  std::vector<std::string> ModelRows() const {
    std::vector<std::string> rows;
    for (const auto& [id, kind] : model_)
      rows.push_back(fmt::format("{},{}", id, kind));
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  // Of version 3: they stay, whatever happens to the row, until it goes.
  void CheckRowIds() {
    std::map<std::string, std::string> now;
    std::map<std::string, std::string> owners;
    for (const std::string& row : Rows({"id", "_row_id"})) {
      const auto parts = SplitText(row, ',');
      const std::string id(parts[0]);
      const std::string row_id(parts[1]);
      EXPECT_TRUE(owners.emplace(row_id, id).second) << "two rows have the row id " << row_id;
      if (const auto before = row_ids_.find(id); before != row_ids_.end()) {
        EXPECT_EQ(before->second, row_id) << "of row " << id;
      }
      now[id] = row_id;
    }
    row_ids_ = std::move(now);
  }

  static constexpr uint64_t kIds = 120;
  std::map<int64_t, std::string> model_;
  std::map<std::string, std::string> row_ids_;
};

TEST_P(MergePropertyTest, LeavesWhatAMapWouldHold) {
  random_ = MakeSeededRandom(static_cast<uint64_t>(GetParam()));
  const int version = Below(2) == 0 ? 2 : 3;
  MakeTable(version, Below(2) == 0);
  for (int step = 0; step < 12; ++step) {
    SCOPED_TRACE(fmt::format("seed {}, step {}", GetParam(), step));
    const uint64_t choice = Below(6);
    if (choice == 0) {
      DeleteSome();
    } else if (choice == 1) {
      OverwriteSome();
    } else {
      MergeSome();
    }
    ASSERT_EQ(Rows({"id", "kind"}), ModelRows());
    if (choice <= 1) row_ids_.clear();  // A key that is gone may come again as another row.
    if (version == 3) CheckRowIds();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MergePropertyTest, testing::Range(0, 40));

}  // namespace
}  // namespace firn

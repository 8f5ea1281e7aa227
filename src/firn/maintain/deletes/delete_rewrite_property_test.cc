#include <set>

#include <gmock/gmock.h>

#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/compaction/row_rewrite_testing_internal.h"
#include "firn/maintain/deletes/convert_equality_deletes.h"
#include "firn/maintain/deletes/rewrite_position_deletes.h"

// Random tables with every kind of delete: rewriting takes out what a dry run lists, and readers
// see the same rows.

namespace firn {
namespace {

class DeleteRewritePropertyTest : public RowRewriteTest,
                                  public testing::WithParamInterface<uint64_t> {
 protected:
  void Fill(Random& random) {
    partitions_ =
        is_partitioned_ ? std::vector<std::string>{"a", "b", "c"} : std::vector<std::string>{"a"};
    for (int step = 0; step < 14; ++step) {
      const std::string& partition = partitions_[random.Below(partitions_.size())];
      switch (random.Below(5)) {
        case 0:
          table().Add({EqualityDeletes(Ids(random), partition)});
          break;
        case 1:
        case 2:
          AddPositions(random, partition);
          break;
        case 3:
          if (!files_.empty() && random.Below(3) == 0) {
            table().Remove(files_.back().file_path);
            files_.pop_back();
          }
          break;
        default:
          AddRows(random, partition);
      }
    }
  }

  static std::vector<int64_t> Ids(Random& random) {
    std::vector<int64_t> ids;
    for (int i = 0; i < 4; ++i)
      ids.push_back(static_cast<int64_t>(random.Below(30)));
    return ids;
  }

  void AddRows(Random& random, const std::string& partition) {
    std::vector<StructValue> rows;
    for (int i = 0; i < 12; ++i)
      rows.push_back(Row({static_cast<int64_t>(random.Below(30)), partition}));
    files_.push_back(Write(std::move(rows), partition));
    table().Add({files_.back()});
  }

  void AddPositions(Random& random, const std::string& partition) {
    std::vector<std::pair<std::string, int64_t>> places;
    for (const DataFile& file : files_) {
      const bool is_here = !is_partitioned_ || file.partition.fields[0] == Value(partition);
      if (is_here && random.Below(2) == 0) {
        places.emplace_back(file.file_path, static_cast<int64_t>(random.Below(14)));
      }
    }
    if (!places.empty()) table().Add({PositionDeletes(places, partition)});
  }

  std::set<std::string> LiveDeletes() {
    std::set<std::string> keys;
    for (const ManifestEntry& entry : LiveFiles(false))
      keys.insert(FileKey(entry.file));
    return keys;
  }

  /// What is gone is what the plan listed, `merged` deletes by position aside.
  void ExpectGone(const DeleteRewritePlan& plan, const std::set<std::string>& before,
                  int64_t merged) {
    const std::set<std::string> after = LiveDeletes();
    std::set<std::string> gone;
    for (const std::string& key : before) {
      if (!after.contains(key)) gone.insert(key);
    }
    std::set<std::string> listed;
    for (const DeleteGroup& group : plan.groups) {
      for (const DeleteFilePtr& file : group.inputs)
        listed.insert(FileKey(file->file));
    }
    for (const std::string& key : listed)
      EXPECT_TRUE(gone.contains(key)) << key;
    EXPECT_EQ(static_cast<int64_t>(gone.size()), static_cast<int64_t>(listed.size()) + merged);
  }

  void Convert(Random& random) {
    ConvertEqualityDeletesOptions options;
    options.has_partial_progress = random.Below(2) == 0;
    const std::set<std::string> before = LiveDeletes();
    const auto plan =
        PlanEqualityDeleteConversion(Verified(), table().Load(), "main", nullptr, options);
    ASSERT_THAT(plan, IsOk());
    const auto result =
        ConvertEqualityDeletes(Verified(), table().Load(), "main", nullptr, options);
    ASSERT_THAT(result, IsOk());
    ExpectGone(*plan, before, result->rewritten_position_deletes);
    for (const ManifestEntry& entry : LiveFiles(false))
      EXPECT_EQ(entry.file.content, FileContent::kPositionDeletes);
  }

  void Rewrite(Random& random) {
    auto options = ParseRewritePositionDeletesOptions(*table().Load().metadata, {});
    ASSERT_THAT(options, IsOk());
    options->rewrite_all = random.Below(2) == 0;
    options->min_input_files = 2;
    options->has_partial_progress = random.Below(2) == 0;
    options->is_by_partition = random.Below(2) == 0;
    if (random.Below(2) == 0) options->max_file_group_input_files = 2;
    const std::set<std::string> before = LiveDeletes();
    const auto plan =
        PlanPositionDeleteRewrite(Verified(), table().Load(), "main", nullptr, *options);
    ASSERT_THAT(plan, IsOk());
    ASSERT_THAT(RewritePositionDeletes(Verified(), table().Load(), "main", nullptr, *options),
                IsOk());
    ExpectGone(*plan, before, 0);
  }

  MaintainContext Verified() {
    MaintainContext verified = context();
    verified.verification = Verification::kContent;
    return verified;
  }

  bool is_partitioned_ = false;
  std::vector<std::string> partitions_;
  std::vector<DataFile> files_;
};

TEST_P(DeleteRewritePropertyTest, TakesOutWhatADryRunListsAndLeavesTheRows) {
  const auto random = MakeSeededRandom(GetParam());
  is_partitioned_ = random->Below(2) == 0;
  Open({.is_partitioned = is_partitioned_, .seed = GetParam()});
  for (int round = 0; round < 3; ++round) {
    Fill(*random);
    const bool upgrades = round == 1 && random->Below(2) == 0;
    if (upgrades) {
      const std::vector<TableUpdate> updates = {UpgradeFormatVersion{3}};
      ASSERT_THAT(table().catalog().Commit(table().name(), {}, updates), IsOk());
    }
    const Rows expected = Read();
    if (random->Below(2) == 0) Convert(*random);
    EXPECT_EQ(Read(), expected);
    if (random->Below(3) != 0) Rewrite(*random);
    EXPECT_EQ(Read(), expected);
    if (upgrades) break;  // No more position delete files.
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeleteRewritePropertyTest, testing::Range<uint64_t>(1, 41));

}  // namespace
}  // namespace firn

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "firn/scan/manifest_table.h"
#include "firn/scan/scan.h"
#include "firn/testing/fake_clock.h"

// Random tables: the deletes of each planned file must be those that the rules of the spec name
// (reference 2.5), written down once more without an index.

namespace firn {
namespace {

struct ModelFile {
  FileContent content = FileContent::kData;
  bool is_vector = false;
  std::string path;
  int32_t spec_id = 0;
  std::vector<Value> partition;
  int64_t sequence_number = 0;
  std::string target;  // Of a delete of one data file.
};

// Spec 0 is unpartitioned, 1 and 2 have one int field each.
bool AppliesTo(const ModelFile& deletes, const ModelFile& data, bool has_vector) {
  const bool is_same_partition =
      deletes.spec_id == data.spec_id && deletes.partition == data.partition;
  if (deletes.content == FileContent::kEqualityDeletes) {
    return data.sequence_number < deletes.sequence_number &&
           (deletes.spec_id == 0 || is_same_partition);
  }
  if (deletes.is_vector) return deletes.target == data.path;
  if (has_vector || data.sequence_number > deletes.sequence_number) return false;
  return deletes.target.empty() ? is_same_partition : deletes.target == data.path;
}

class RandomTable {
 public:
  explicit RandomTable(uint64_t seed) : random_(seed) {
    const size_t commits = 1 + Below(6);
    for (size_t i = 1; i <= commits; ++i)
      AddCommit(static_cast<int64_t>(i));
  }

  using Plan = std::map<std::string, std::set<std::string>>;

  Plan Expected() const {
    Plan plan;
    for (const ModelFile& data : files_) {
      if (data.content != FileContent::kData) continue;
      std::set<std::string>& deletes = plan[data.path];
      const bool has_vector = vectors_.contains(data.path);
      for (const ModelFile& file : files_) {
        if (file.content != FileContent::kData && AppliesTo(file, data, has_vector)) {
          deletes.insert(file.path);
        }
      }
    }
    return plan;
  }

  Plan Planned() {
    Plan plan;
    const auto result =
        PlanFiles(*io_, table_.metadata(), {}, *executor_, {}, [&](FileScanTask&& task) -> Status {
          std::set<std::string>& deletes = plan[task.file.file_path];
          for (const DeleteFilePtr& file : task.deletes)
            deletes.insert(file->file.file_path);
          if (deletes.size() == task.deletes.size()) return {};
          return MakeError(ErrorCode::kInternal, "a delete came twice");
        });
    if (!result.ok()) RC_FAIL(result.error().Format());
    return plan;
  }

 private:
  size_t Below(size_t count) { return random_() % count; }

  static std::vector<PartitionSpec> Specs() {
    return {{.spec_id = 0},
            {.spec_id = 1, .fields = {{.source_ids = {1}, .field_id = 1000, .name = "a"}}},
            {.spec_id = 2, .fields = {{.source_ids = {2}, .field_id = 1001, .name = "b"}}}};
  }

  void AddCommit(int64_t sequence_number) {
    std::vector<ModelFile> added;
    const size_t data_count = 1 + Below(4);
    for (size_t i = 0; i < data_count; ++i)
      added.push_back(DrawFile(sequence_number, FileContent::kData));
    const size_t delete_count = Below(5);
    for (size_t i = 0; i < delete_count; ++i)
      added.push_back(DrawDelete(sequence_number, added));
    std::map<std::pair<ManifestContent, int32_t>, ManifestTable::Manifest> manifests;
    for (const ModelFile& file : added) {
      const auto content =
          file.content == FileContent::kData ? ManifestContent::kData : ManifestContent::kDeletes;
      ManifestTable::Manifest& manifest = manifests[{content, file.spec_id}];
      manifest.content = content;
      manifest.spec_id = file.spec_id;
      manifest.entries.push_back(MakeEntry(file));
      files_.push_back(file);
    }
    std::vector<ManifestTable::Manifest> list;
    for (auto& [key, manifest] : manifests)
      list.push_back(std::move(manifest));
    table_.Commit(std::move(list));
  }

  ModelFile DrawFile(int64_t sequence_number, FileContent content) {
    ModelFile file{.content = content,
                   .path = "f" + std::to_string(++count_),
                   .spec_id = static_cast<int32_t>(Below(3)),
                   .sequence_number = sequence_number};
    if (file.spec_id > 0) {
      const size_t value = Below(3);
      file.partition = {value == 0 ? Value() : Value(static_cast<int32_t>(value))};
    }
    return file;
  }

  ModelFile DrawDelete(int64_t sequence_number, const std::vector<ModelFile>& added) {
    const bool is_position = Below(2) == 0;
    ModelFile file = DrawFile(sequence_number, is_position ? FileContent::kPositionDeletes
                                                           : FileContent::kEqualityDeletes);
    if (!is_position || Below(3) == 0) return file;
    // Of one data file, an older one or one of this commit.
    std::vector<ModelFile> candidates = files_;
    candidates.insert(candidates.end(), added.begin(), added.end());
    const ModelFile& target = candidates[Below(candidates.size())];
    if (target.content != FileContent::kData) return file;
    file.target = target.path;
    file.spec_id = target.spec_id;
    file.partition = target.partition;
    file.is_vector = Below(2) == 0 && vectors_.insert(target.path).second;
    return file;
  }

  ManifestEntry MakeEntry(const ModelFile& file) {
    if (file.content == FileContent::kData) return ManifestTable::Added(file.path, file.partition);
    if (file.content == FileContent::kEqualityDeletes) {
      return ManifestTable::EqualityDelete(file.path, {1}, file.partition);
    }
    if (file.is_vector) {
      return ManifestTable::DeletionVector(file.path, file.target, file.partition);
    }
    ManifestEntry entry = ManifestTable::PositionDelete(file.path, file.partition);
    if (file.target.empty()) return entry;
    if (Below(2) == 0) {
      entry.file.referenced_data_file = file.target;
    } else {
      entry.file.metrics.lower_bounds = {{kDeleteFilePathFieldId, file.target}};
      entry.file.metrics.upper_bounds = {{kDeleteFilePathFieldId, file.target}};
    }
    return entry;
  }

  std::mt19937_64 random_;
  FakeClock clock_;
  std::unique_ptr<FileIO> io_ = MakeMemoryFileIO(clock_);
  std::unique_ptr<Executor> executor_ = MakeThreadPool(2);
  ManifestTable table_{
      *io_,
      std::make_shared<const Schema>(
          0,
          std::vector<NestedField>{{.id = 1, .name = "a", .type = Type::Primitive(TypeId::kInt)},
                                   {.id = 2, .name = "b", .type = Type::Primitive(TypeId::kInt)}}),
      Specs(), 3};
  std::vector<ModelFile> files_;
  std::set<std::string> vectors_;  // Data files with a deletion vector.
  int count_ = 0;
};

TEST(DeleteMatchingPropertyTest, GivesEachFileTheDeletesThatTheSpecNames) {
  EXPECT_TRUE(rc::check("deletes are matched by the rules", [](uint64_t seed) {
    RandomTable table(seed);
    RC_ASSERT(table.Planned() == table.Expected());
  }));
}

}  // namespace
}  // namespace firn

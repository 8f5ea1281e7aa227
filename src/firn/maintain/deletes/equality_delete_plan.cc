#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "firn/format/puffin/delete_reference.h"
#include "firn/maintain/deletes/convert_equality_deletes.h"
#include "firn/maintain/deletes/delete_rewrite_internal.h"

namespace firn {
namespace {

bool IsEquality(const DeleteFilePtr& file) {
  return file->file.content == FileContent::kEqualityDeletes;
}

/// Sets of numbers that are united step by step.
class DisjointSets {
 public:
  explicit DisjointSets(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }
  size_t Find(size_t member) {
    while (parents_[member] != member) {
      parents_[member] = parents_[parents_[member]];
      member = parents_[member];
    }
    return member;
  }
  void Unite(size_t a, size_t b) { parents_[Find(a)] = Find(b); }

 private:
  std::vector<size_t> parents_;
};

class ConversionPlanner {
 public:
  ConversionPlanner(const MaintainContext& context, const Table& table, const Snapshot& head,
                    const ConvertEqualityDeletesOptions& options, const DeleteFileKeys* only)
      : context_(context),
        table_(table),
        metadata_(*table.metadata),
        head_(head),
        options_(options),
        only_(only) {}

  Result<DeleteRewritePlan> Plan(const ExpressionPtr& where) {
    plan_.starting_snapshot_id = head_.snapshot_id;
    FIRN_ASSIGN(files_,
                ListDeleteFiles(context_, table_, head_, FileContent::kEqualityDeletes, nullptr));
    if (only_ != nullptr) {
      std::erase_if(files_, [this](const DeleteFilePtr& file) {
        return !only_->contains(FileKey(file->file));
      });
    }
    if (files_.empty()) {
      plan_.reason = "there is no equality delete file";
      return std::move(plan_);
    }
    for (size_t i = 0; i < files_.size(); ++i)
      numbers_.emplace(FileKey(files_[i]->file), i);
    FIRN_RETURN_IF_ERROR(FindTasks());
    if (where != nullptr) FIRN_RETURN_IF_ERROR(FindWanted(where));
    MakeGroups();
    OrderGroups(plan_.groups, options_.rewrite_job_order);
    return std::move(plan_);
  }

 private:
  Status Visit(const ExpressionPtr& where, const std::function<Status(FileScanTask&&)>& visit) {
    ScanOptions scan;
    scan.snapshot_id = head_.snapshot_id;
    scan.schema = metadata_.current_schema();
    scan.filter = where;
    scan.with_residuals = false;
    FIRN_ASSIGN([[maybe_unused]] const ScanStatistics statistics,
                PlanFiles(*table_.io, metadata_, scan, *context_.commit.executor,
                          context_.commit.cancel, visit));
    return {};
  }

  // Numbers of the equality deletes to be converted that apply to a data file.
  std::vector<size_t> NumbersOf(const FileScanTask& task) const {
    std::vector<size_t> found;
    for (const DeleteFilePtr& file : task.deletes) {
      if (!IsEquality(file)) continue;
      const auto number = numbers_.find(FileKey(file->file));
      if (number != numbers_.end()) found.push_back(number->second);
    }
    return found;
  }

  Status FindTasks() {
    sets_.emplace(files_.size());
    FIRN_RETURN_IF_ERROR(Visit(nullptr, [&](FileScanTask&& task) -> Status {
      const std::vector<size_t> numbers = NumbersOf(task);
      if (numbers.empty()) return {};
      for (const size_t number : numbers)
        sets_->Unite(number, numbers.front());
      if (only_ != nullptr) DropOthers(task);
      tasks_.push_back(std::move(task));
      return {};
    }));
    std::sort(tasks_.begin(), tasks_.end(), [](const FileScanTask& a, const FileScanTask& b) {
      return a.file.file_path < b.file.file_path;
    });
    return {};
  }

  // Equality deletes that are not asked for stay as they are.
  void DropOthers(FileScanTask& task) const {
    std::erase_if(task.deletes, [this](const DeleteFilePtr& file) {
      return IsEquality(file) && !only_->contains(FileKey(file->file));
    });
  }

  Status FindWanted(const ExpressionPtr& where) {
    wanted_.emplace();
    return Visit(where, [&](FileScanTask&& task) -> Status {
      for (const size_t number : NumbersOf(task))
        wanted_->insert(sets_->Find(number));
      return {};
    });
  }

  void MakeGroups() {
    std::vector<DeleteGroup> groups;
    std::unordered_map<size_t, size_t> places;  // Set to group.
    for (size_t i = 0; i < files_.size(); ++i) {
      const size_t set = sets_->Find(i);
      if (wanted_ && !wanted_->contains(set)) continue;
      const auto [place, is_new] = places.emplace(set, groups.size());
      if (is_new) groups.emplace_back();
      DeleteGroup& group = groups[place->second];
      group.inputs.push_back(files_[i]);
      group.input_bytes += files_[i]->file.file_size_in_bytes;
    }
    for (FileScanTask& task : tasks_) {
      const auto place = places.find(sets_->Find(NumbersOf(task).front()));
      if (place != places.end()) groups[place->second].tasks.push_back(std::move(task));
    }
    size_t most = 0;
    for (DeleteGroup& group : groups) {
      most = std::max(most, group.inputs.size());
      if (static_cast<int64_t>(group.inputs.size()) < options_.min_input_files) continue;
      group.expected_outputs = static_cast<int64_t>(group.tasks.size());
      group.partition_path = PathOf(group.inputs.front()->file);
      plan_.groups.push_back(std::move(group));
    }
    if (!plan_.groups.empty()) return;
    plan_.reason =
        groups.empty()
            ? fmt::format("none of {} equality delete files applies to what 'where' asks for",
                          files_.size())
            : fmt::format(
                  "of {} equality delete files no {} have data files in common "
                  "(min-input-files; the most are {})",
                  files_.size(), options_.min_input_files, most);
  }

  std::string PathOf(const DataFile& file) const {
    const PartitionSpecPtr spec = metadata_.FindSpec(file.partition_spec_id);
    FIRN_CHECK(spec != nullptr);  // Its manifest was read.
    return PartitionPath(*spec, *PartitionType(*spec, metadata_.SchemasNewestFirst()),
                         file.partition);
  }

  const MaintainContext& context_;
  const Table& table_;
  const TableMetadata& metadata_;
  const Snapshot& head_;
  const ConvertEqualityDeletesOptions& options_;
  const DeleteFileKeys* const only_;  // May be null.
  std::vector<DeleteFilePtr> files_;
  std::unordered_map<std::string, size_t> numbers_;  // By key of the file.
  std::optional<DisjointSets> sets_;
  std::optional<std::unordered_set<size_t>> wanted_;  // By their sets; empty: all.
  std::vector<FileScanTask> tasks_;
  DeleteRewritePlan plan_;
};

}  // namespace

Result<ConvertEqualityDeletesOptions> ParseConvertEqualityDeletesOptions(
    const std::map<std::string, std::string>& options) {
  ConvertEqualityDeletesOptions parsed;
  OptionReader reader(options);
  FIRN_RETURN_IF_ERROR(reader.Integer("min-input-files", 1, parsed.min_input_files));
  FIRN_RETURN_IF_ERROR(ReadDeleteRewriteOptions(reader, parsed));
  FIRN_RETURN_IF_ERROR(reader.RefuseUnknown());
  return parsed;
}

Result<DeleteRewritePlan> PlanEqualityDeletes(const MaintainContext& context, const Table& table,
                                              const std::string& branch, const ExpressionPtr& where,
                                              const ConvertEqualityDeletesOptions& options,
                                              const DeleteFileKeys* only) {
  FIRN_ASSIGN(const Snapshot* head, HeadOfBranch(*table.metadata, branch));
  if (head == nullptr) return DeleteRewritePlan{.reason = "the table has no snapshot"};
  return ConversionPlanner(context, table, *head, options, only).Plan(where);
}

Result<DeleteRewritePlan> PlanEqualityDeleteConversion(
    const MaintainContext& context, const Table& table, const std::string& branch,
    const ExpressionPtr& where, const ConvertEqualityDeletesOptions& options) {
  return PlanEqualityDeletes(context, table, branch, where, options, nullptr);
}

}  // namespace firn

#include "firn/commit/rewrite_manifests.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "firn/base/format_bytes.h"
#include "firn/commit/commit_loop_internal.h"
#include "firn/commit/manifest_cluster_internal.h"
#include "firn/commit/open_manifest_internal.h"

namespace firn {
namespace {

constexpr int64_t kDefaultTargetBytes = 8 << 20;

/// What a request means for a table as it is.
struct Choice {
  PartitionSpecPtr spec;
  std::vector<size_t> sort_fields;
  int64_t target_bytes = kDefaultTargetBytes;
};

std::string FieldNames(const PartitionSpec& spec) {
  std::string names;
  for (const PartitionField& field : spec.fields)
    names += (names.empty() ? "" : ", ") + field.name;
  return names.empty() ? "none" : names;
}

Result<std::vector<size_t>> FindSortFields(const PartitionSpec& spec,
                                           const std::optional<std::vector<std::string>>& sort_by) {
  std::vector<size_t> positions;
  for (size_t i = 0; !sort_by && i < spec.fields.size(); ++i)
    positions.push_back(i);
  if (!sort_by) return positions;
  if (sort_by->empty()) {
    return MakeError(ErrorCode::kInvalidInput, "sort_by is empty, expected partition fields: {}",
                     FieldNames(spec));
  }
  for (const std::string& name : *sort_by) {
    const auto found =
        std::find_if(spec.fields.begin(), spec.fields.end(),
                     [&](const PartitionField& field) { return field.name == name; });
    if (found == spec.fields.end()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "sort_by names '{}', expected partition fields of spec {}: {}", name,
                       spec.spec_id, FieldNames(spec));
    }
    positions.push_back(static_cast<size_t>(found - spec.fields.begin()));
  }
  return positions;
}

Result<Choice> Choose(const TableMetadata& metadata, const RewriteManifestsRequest& request) {
  Choice choice;
  choice.spec = metadata.FindSpec(request.spec_id.value_or(metadata.default_spec_id));
  if (choice.spec == nullptr) {
    std::string known;
    for (const PartitionSpecPtr& spec : metadata.partition_specs)
      known += (known.empty() ? "" : ", ") + std::to_string(spec->spec_id);
    return MakeError(ErrorCode::kInvalidInput, "spec_id is {}, expected one of {}",
                     *request.spec_id, known);
  }
  FIRN_ASSIGN(choice.sort_fields, FindSortFields(*choice.spec, request.sort_by));
  FIRN_ASSIGN(choice.target_bytes,
              metadata.IntProperty("commit.manifest.target-size-bytes", kDefaultTargetBytes));
  if (choice.target_bytes < 1) {
    return MakeError(ErrorCode::kInvalidInput,
                     "commit.manifest.target-size-bytes is {}, expected 1 or more",
                     choice.target_bytes);
  }
  return choice;
}

/// The range of a manifest in the first field that decides about the order; nullopt: unknown.
std::optional<std::pair<Value, Value>> RangeOf(const ManifestFile& manifest, size_t field,
                                               const Type& partition_type) {
  if (!manifest.partitions || field >= manifest.partitions->size()) return std::nullopt;
  const FieldSummary& summary = (*manifest.partitions)[field];
  const Type& type = *partition_type.fields()[field].type;
  const Value upper =
      summary.upper_bound ? FromBoundBytes(AsBytes(*summary.upper_bound), type) : Value();
  const Value lower = summary.lower_bound && !summary.contains_null
                          ? FromBoundBytes(AsBytes(*summary.lower_bound), type)
                          : Value();  // Null is before all others.
  if (upper.is_null() && !summary.contains_null) return std::nullopt;
  return std::pair(lower, upper);
}

// Whether another run could only write the same again.
bool IsAsItShouldBe(const std::vector<ManifestFile>& manifests, int64_t bytes, const Choice& choice,
                    const Type& partition_type) {
  if (manifests.size() == 1 && bytes <= choice.target_bytes) return true;
  // On average they may be half full: how small entries get is only known when they are written.
  const double full = static_cast<double>(bytes) / static_cast<double>(choice.target_bytes);
  if (full * 2 < static_cast<double>(manifests.size() - 1)) return false;
  std::vector<std::pair<Value, Value>> ranges;
  for (const ManifestFile& manifest : manifests) {
    const bool is_clean = manifest.deleted_files_count == 0 &&
                          manifest.manifest_length <= choice.target_bytes / 10 * 12;
    if (!is_clean) return false;
    if (choice.sort_fields.empty()) continue;
    auto range = RangeOf(manifest, choice.sort_fields.front(), partition_type);
    if (!range) return false;
    ranges.push_back(*std::move(range));
  }
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    const auto order = CompareValues(a.first, b.first);
    return order != 0 ? order < 0 : CompareValues(a.second, b.second) < 0;
  });
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (CompareValues(ranges[i - 1].second, ranges[i].first) > 0) return false;
  }
  return true;
}

/// Those of `manifests` that are to be rewritten.
std::vector<ManifestFile> Select(const std::vector<ManifestFile>& manifests,
                                 ManifestContent content, const Choice& choice,
                                 const Type& partition_type, int64_t smaller_than_bytes) {
  std::vector<ManifestFile> selected;
  int64_t bytes = 0;
  for (const ManifestFile& manifest : manifests) {
    const bool is_small = smaller_than_bytes == 0 || manifest.manifest_length < smaller_than_bytes;
    if (manifest.content != content || manifest.partition_spec_id != choice.spec->spec_id ||
        !is_small) {
      continue;
    }
    bytes += manifest.manifest_length;
    selected.push_back(manifest);
  }
  if (selected.empty() || IsAsItShouldBe(selected, bytes, choice, partition_type)) return {};
  return selected;
}

/// Why none of `manifests` is to be rewritten.
std::string DescribeNothingToDo(const std::vector<ManifestFile>& manifests, const Choice& choice,
                                int64_t smaller_than_bytes) {
  if (manifests.empty()) return "the current snapshot has no manifest";
  const int32_t spec_id = choice.spec->spec_id;
  std::set<int32_t> specs;
  int64_t of_spec = 0;
  int64_t small = 0;
  for (const ManifestFile& manifest : manifests) {
    specs.insert(manifest.partition_spec_id);
    if (manifest.partition_spec_id != spec_id) continue;
    ++of_spec;
    if (manifest.manifest_length < smaller_than_bytes) ++small;
  }
  if (of_spec == 0) {
    return fmt::format("none of {} manifests is of partition spec {}; they are of {} (spec_id)",
                       manifests.size(), spec_id, fmt::join(specs, ", "));
  }
  std::string found = fmt::format("{} of {} manifests are of partition spec {}", of_spec,
                                  manifests.size(), spec_id);
  if (smaller_than_bytes > 0) {
    found += fmt::format(", {} of them below {} (smaller_than_bytes)", small,
                         FormatBytes(static_cast<double>(smaller_than_bytes)));
    if (small == 0) return found;
  }
  return found + fmt::format(
                     "; these are as they should be: one for data and one for delete files, or "
                     "about as few as {} each makes (commit.manifest.target-size-bytes), in order "
                     "and of live entries only",
                     FormatBytes(static_cast<double>(choice.target_bytes)));
}

class RewriteManifests final : public SnapshotOperation {
 public:
  RewriteManifests(const CommitContext& context, const RewriteManifestsRequest& request,
                   SnapshotId snapshot_id)
      : context_(context), request_(request), snapshot_id_(snapshot_id) {}

  std::string operation() const override { return "replace"; }
  Status Validate(const CommitBase&) override { return {}; }
  Result<StagedSnapshot> Stage(const CommitBase& base, CommitFiles& files) override;

  /// Another writer came first with all there was to do.
  bool has_nothing_left() const { return has_nothing_left_; }
  int64_t rewritten_count() const { return static_cast<int64_t>(removed_.size()); }
  int64_t added_count() const { return static_cast<int64_t>(added_.size()); }

 private:
  bool StillHolds(const CommitBase& base) const;
  Status Write(const CommitBase& base, CommitFiles& files);

  const CommitContext& context_;
  const RewriteManifestsRequest& request_;
  const SnapshotId snapshot_id_;
  int format_version_ = 0;         // Of what is written.
  std::set<std::string> removed_;  // CopyKeys.
  std::vector<ManifestFile> added_;
  int64_t entry_count_ = 0;
  bool has_nothing_left_ = false;
};

// What an earlier attempt wrote is right as long as all that it was made of is there.
bool RewriteManifests::StillHolds(const CommitBase& base) const {
  if (removed_.empty() || format_version_ != base.table->metadata->format_version) return false;
  const auto there = std::count_if(
      base.manifests.begin(), base.manifests.end(),
      [&](const ManifestFile& manifest) { return removed_.contains(CopyKey(manifest)); });
  return static_cast<size_t>(there) == removed_.size();
}

Status RewriteManifests::Write(const CommitBase& base, CommitFiles& files) {
  const TableMetadata& metadata = *base.table->metadata;
  removed_.clear();
  added_.clear();
  entry_count_ = 0;
  format_version_ = metadata.format_version;
  FIRN_ASSIGN(const Choice choice, Choose(metadata, request_));
  const TypePtr type = PartitionType(*choice.spec, metadata.SchemasNewestFirst());
  for (const ManifestContent content : {ManifestContent::kData, ManifestContent::kDeletes}) {
    const auto selected =
        Select(base.manifests, content, choice, *type, request_.smaller_than_bytes);
    if (selected.empty()) continue;
    ManifestCluster cluster(context_, *base.table, files,
                            {.content = content,
                             .spec_id = choice.spec->spec_id,
                             .sort_fields = choice.sort_fields,
                             .target_bytes = choice.target_bytes,
                             .snapshot_id = snapshot_id_});
    FIRN_ASSIGN(auto written, cluster.Write(selected));
    entry_count_ += cluster.entry_count();
    for (const ManifestFile& manifest : selected)
      removed_.insert(CopyKey(manifest));
    std::move(written.begin(), written.end(), std::back_inserter(added_));
  }
  has_nothing_left_ = removed_.empty();
  if (!has_nothing_left_) return {};
  return MakeError(ErrorCode::kCommitConflict,
                   "another writer has rewritten the manifests meanwhile: nothing is left to do");
}

Result<StagedSnapshot> RewriteManifests::Stage(const CommitBase& base, CommitFiles& files) {
  if (!StillHolds(base)) {
    FIRN_RETURN_IF_ERROR(Write(base, files));
  }
  StagedSnapshot staged;
  staged.manifests = added_;
  for (const ManifestFile& manifest : base.manifests) {
    if (!removed_.contains(CopyKey(manifest))) staged.manifests.push_back(manifest);
  }
  staged.summary.Set("manifests-created", std::to_string(added_.size()));
  staged.summary.Set("manifests-kept", std::to_string(staged.manifests.size() - added_.size()));
  staged.summary.Set("manifests-replaced", std::to_string(removed_.size()));
  staged.summary.Set("entries-processed", std::to_string(entry_count_));
  return staged;
}

}  // namespace

Result<ManifestsToRewrite> ChooseManifestsToRewrite(const Table& planned,
                                                    const RewriteManifestsRequest& request) {
  const TableMetadata& metadata = *planned.metadata;
  FIRN_ASSIGN(const Choice choice, Choose(metadata, request));
  const Snapshot* head = metadata.current_snapshot();
  ManifestsToRewrite chosen;
  if (head == nullptr) {
    chosen.reason = "the table has no snapshot";
    return chosen;
  }
  FIRN_ASSIGN(const auto manifests, ReadManifests(*planned.io, *head));
  const TypePtr type = PartitionType(*choice.spec, metadata.SchemasNewestFirst());
  for (const ManifestContent content : {ManifestContent::kData, ManifestContent::kDeletes}) {
    auto selected = Select(manifests, content, choice, *type, request.smaller_than_bytes);
    std::move(selected.begin(), selected.end(), std::back_inserter(chosen.manifests));
  }
  if (chosen.manifests.empty()) {
    chosen.reason = DescribeNothingToDo(manifests, choice, request.smaller_than_bytes);
  }
  return chosen;
}

Result<RewriteManifestsResult> CommitRewriteManifests(const CommitContext& context,
                                                      const Table& planned,
                                                      const RewriteManifestsRequest& request) {
  FIRN_ASSIGN(auto chosen, ChooseManifestsToRewrite(planned, request));
  if (chosen.manifests.empty()) return RewriteManifestsResult{.reason = std::move(chosen.reason)};
  SnapshotOptions options;
  options.summary_properties = request.summary_properties;
  const SnapshotId id = NewSnapshotId(*planned.metadata, *context.random);
  RewriteManifests operation(context, request, id);
  const Result<CommitResult> committed = RunCommitLoop(context, planned, {id, options, &operation});
  if (!committed.ok()) {
    const bool is_done =
        operation.has_nothing_left() && committed.error().code() == ErrorCode::kCommitConflict;
    if (is_done) return RewriteManifestsResult{.reason = committed.error().message()};
    return committed.error();
  }
  return RewriteManifestsResult{.rewritten_manifests_count = operation.rewritten_count(),
                                .added_manifests_count = operation.added_count(),
                                .snapshot_id = committed->snapshot_id};
}

}  // namespace firn

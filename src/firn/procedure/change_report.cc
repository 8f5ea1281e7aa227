#include <utility>

#include "firn/catalog/dropped_metadata.h"
#include "firn/catalog/dry_run_catalog.h"
#include "firn/format/manifest/manifest.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

std::string KindOf(const DataFile& file) {
  switch (file.content) {
    case FileContent::kData:
      return "data";
    case FileContent::kPositionDeletes:
      return file.is_deletion_vector() ? "dv" : "position-delete";
    case FileContent::kEqualityDeletes:
      return "equality-delete";
  }
  return "other";
}

struct Total {
  int64_t files = 0;
  int64_t bytes = 0;
};

// A name that chance has a part in, of a file that is not there: that of the real run is another.
std::string WithoutChance(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  const size_t dot = path.rfind('.');
  const bool has_suffix = dot != std::string::npos && dot >= name;
  return path.substr(0, name) + "*" + (has_suffix ? path.substr(dot) : "");
}

// Collects the rows.
class Report {
 public:
  /// `real`: where files are that are there, whatever a dry run has made up.
  Report(bool is_dry_run, std::shared_ptr<FileIO> real)
      : is_dry_run_(is_dry_run), real_(std::move(real)) {}

  void Add(const std::string& action, std::string kind, std::string path, int64_t bytes) {
    Total& total = action == "write" ? written_ : removed_;
    ++total.files;
    total.bytes += bytes;
    rows_.push_back({{Value(action), Value(std::move(kind)), Value(std::move(path)), Value(bytes),
                      Value(is_dry_run_)}});
  }

  // A file that comes: new, or one that lay somewhere and becomes the table's.
  void AddWritten(std::string kind, const std::string& path, int64_t bytes) {
    const bool is_new = is_dry_run_ && !real_->Stat(path).ok();
    Add("write", std::move(kind), is_new ? WithoutChance(path) : path, bytes);
  }

  Status AddManifest(const Table& table, const ManifestFile& manifest, SnapshotId snapshot_id) {
    AddWritten("manifest", manifest.manifest_path, manifest.manifest_length);
    const TableMetadata& metadata = *table.metadata;
    const PartitionSpecPtr spec = metadata.FindSpec(manifest.partition_spec_id);
    if (spec == nullptr) {
      return MakeError(ErrorCode::kCorrupt, "manifest '{}' has the unknown partition spec {}",
                       manifest.manifest_path, manifest.partition_spec_id);
    }
    const TypePtr type = PartitionType(*spec, metadata.SchemasNewestFirst());
    ManifestReadOptions options;
    options.with_metrics = false;
    return ReadManifest(*table.io, manifest, *type, options, [&](ManifestEntry& entry) -> Status {
      const DataFile& file = entry.file;
      if (entry.status == EntryStatus::kExisting || entry.snapshot_id != snapshot_id) return {};
      const int64_t bytes = file.is_deletion_vector() ? file.content_size_in_bytes.value_or(0)
                                                      : file.file_size_in_bytes;
      if (entry.status == EntryStatus::kAdded) {
        AddWritten(KindOf(file), file.file_path, bytes);
      } else {
        Add("delete", KindOf(file), file.file_path, bytes);
      }
      return {};
    });
  }

  std::string Totals() const {
    return fmt::format(
        fmt::runtime(is_dry_run_ ? "dry run: would write {} files ({} bytes) and take out "
                                   "{} files ({} bytes)"
                                 : "{} files written ({} bytes), {} files taken out ({} "
                                   "bytes)"),
        written_.files, written_.bytes, removed_.files, removed_.bytes);
  }

  // Metadata files that the commit deletes; after a real run they are gone.
  Status AddDropped(const Table& after, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      const auto info = after.io->Stat(file);
      if (info.ok()) {
        Add("delete", "metadata", file, info->size);
      } else if (info.error().code() != ErrorCode::kNotFound) {
        return info.error();
      }
    }
    return {};
  }

  std::vector<StructValue> TakeRows() { return std::move(rows_); }

 private:
  const bool is_dry_run_;
  const std::shared_ptr<FileIO> real_;
  std::vector<StructValue> rows_;
  Total written_;
  Total removed_;
};

}  // namespace

bool WantsChangeReport(const ProcedureContext& context) {
  return context.is_dry_run || context.report != nullptr;
}

Result<ProcedureOutput> MakeChangeReport(ProcedureContext& context,
                                         const std::vector<std::string>& dropped_metadata,
                                         const Table& after,
                                         std::optional<SnapshotId> snapshot_id) {
  Report report(context.is_dry_run, context.session->io());
  FIRN_RETURN_IF_ERROR(report.AddDropped(after, dropped_metadata));
  if (snapshot_id) {
    const Snapshot* snapshot = after.metadata->FindSnapshot(*snapshot_id);
    FIRN_CHECK(snapshot != nullptr);
    FIRN_ASSIGN(const auto manifests, ReadManifests(*after.io, *snapshot));
    FIRN_ASSIGN(const FileInfo list, after.io->Stat(snapshot->manifest_list));
    report.AddWritten("manifest-list", snapshot->manifest_list, list.size);
    for (const ManifestFile& manifest : manifests) {
      if (manifest.added_snapshot_id != *snapshot_id) continue;
      FIRN_RETURN_IF_ERROR(report.AddManifest(after, manifest, *snapshot_id));
    }
  }
  if (context.notice) context.notice(report.Totals());
  return MakeOutput(MakeRowType({{"action", TextType()},
                                 {"kind", TextType()},
                                 {"path", TextType()},
                                 {"bytes", LongType()},
                                 {"dry_run", BooleanType()}}),
                    report.TakeRows());
}

void TellRowChange(const ProcedureContext& context, int64_t deleted_rows, int64_t added_rows) {
  if (!context.is_dry_run || !context.notice) return;
  context.notice(
      fmt::format("dry run: {} rows would be deleted, {} rows added", deleted_rows, added_rows));
}

Result<ProcedureOutput> FinishChange(ProcedureContext& context, const TableMetadata* before,
                                     const Table& after, std::optional<SnapshotId> snapshot_id,
                                     Result<ProcedureOutput> output) {
  if (!WantsChangeReport(context) || !output.ok()) return output;
  const bool is_old = snapshot_id && before != nullptr && before->FindSnapshot(*snapshot_id);
  if (is_old) snapshot_id.reset();
  std::vector<std::string> dropped;
  if (context.is_dry_run && before != nullptr) {
    dropped = FindDroppedMetadata(*before, *after.metadata);
  }
  FIRN_ASSIGN(ProcedureOutput report, MakeChangeReport(context, dropped, after, snapshot_id));
  if (context.is_dry_run) return report;
  FIRN_RETURN_IF_ERROR(context.report(std::move(report)), "the change is made, but the report");
  return output;
}

Status PrepareDryRun(const ProcedureContext& context, TableReference& reference) {
  if (!context.is_dry_run || !reference.catalog) return {};
  Session& session = *context.session;
  reference.catalog =
      MakeDryRunCatalog(reference.catalog, session.io(), session.clock(), session.random());
  if (!reference.table.metadata) return {};
  FIRN_ASSIGN(reference.table, reference.catalog->Load(reference.name));
  return {};
}

}  // namespace firn

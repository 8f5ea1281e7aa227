#include "firn/testing/test_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "firn/base/log.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

/// A test cannot go on without its table.
template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) {
    Log(LogLevel::kError, "test table: {}", result.error().Format());
  }
  FIRN_CHECK(result.ok());
  return std::move(result).value();
}

void Must(const Status& status) {
  if (!status.ok()) {
    Log(LogLevel::kError, "test table: {}", status.error().Format());
  }
  FIRN_CHECK(status.ok());
}

Schema MakeSchema() {
  NestedField id;
  id.id = 1;
  id.name = "id";
  id.type = Type::Primitive(TypeId::kLong);
  id.required = true;
  NestedField category;
  category.id = 2;
  category.name = "cat";
  category.type = Type::Primitive(TypeId::kString);
  return Schema(0, {id, category});
}

std::vector<ManifestFile> ManifestsOf(const Table& table, const std::string& branch) {
  const Snapshot* head = table.metadata->RefSnapshot(branch);
  if (head == nullptr) return {};
  return Must(ReadManifests(*table.io, *head));
}

ManifestWriterOptions WriterOptions(const TableMetadata& metadata, ManifestContent content,
                                    SnapshotId snapshot_id) {
  return {.format_version = metadata.format_version,
          .content = content,
          .schema = metadata.current_schema(),
          .spec = metadata.default_spec(),
          .partition_type = PartitionType(*metadata.default_spec(), metadata.SchemasNewestFirst()),
          .snapshot_id = snapshot_id};
}

std::string OperationOf(const std::vector<DataFile>& files) {
  const bool has_data = std::any_of(files.begin(), files.end(), [](const DataFile& file) {
    return file.content == FileContent::kData;
  });
  const bool has_deletes = std::any_of(files.begin(), files.end(), [](const DataFile& file) {
    return file.content != FileContent::kData;
  });
  return has_data ? (has_deletes ? "overwrite" : "append") : "delete";
}

}  // namespace

TestTable::TestTable(const TestTableOptions& options)
    : random_(MakeSeededRandom(options.seed)),
      executor_(MakeInlineExecutor()),
      io_(std::make_shared<FaultyFileIO>(MakeMemoryFileIO(clock_))) {
  catalog_ = Must(OpenCatalog({.name = "test",
                               .type = "memory",
                               .properties = {{"warehouse", "memory:/warehouse"}},
                               .io = io_,
                               .clock = &clock_,
                               .random = random_.get()}));
  Must(catalog_->CreateNamespace(name_.levels, {}));
  PartitionSpec spec;
  if (options.is_partitioned) {
    spec.fields.push_back({.source_ids = {2}, .field_id = 1000, .name = "cat", .transform = {}});
  }
  Must(catalog_->Create(name_, {.schema = MakeSchema(),
                                .spec = spec,
                                .properties = options.properties,
                                .format_version = options.format_version}));
}

CommitContext TestTable::context() {
  return {.catalog = catalog_.get(),
          .executor = executor_.get(),
          .clock = &clock_,
          .random = random_.get()};
}

Table TestTable::Load() { return Must(catalog_->Load(name_)); }

DataFile TestTable::MakeDataFile(const std::string& file_name, int64_t records,
                                 const std::string& partition) {
  const Table table = Load();
  DataFile file;
  file.file_path = JoinUri(table.metadata->location, "data/" + file_name);
  file.partition_spec_id = table.metadata->default_spec_id;
  if (!table.metadata->default_spec()->is_unpartitioned()) {
    file.partition.fields = {Value(partition)};
  }
  file.record_count = records;
  file.file_size_in_bytes = records * 100;
  return file;
}

DataFile TestTable::MakePositionDeletes(const std::string& file_name, const DataFile& data_file,
                                        bool is_file_scoped) {
  DataFile file = data_file;
  file.content = FileContent::kPositionDeletes;
  file.file_path = JoinUri(Load().metadata->location, "data/" + file_name);
  file.record_count = 1;
  if (is_file_scoped) {
    file.referenced_data_file = data_file.file_path;
  }
  return file;
}

DataFile TestTable::MakeEqualityDeletes(const std::string& file_name,
                                        const std::string& partition) {
  DataFile file = MakeDataFile(file_name, 1, partition);
  file.content = FileContent::kEqualityDeletes;
  file.equality_ids = {1};
  return file;
}

DataFile TestTable::MakeDeletionVector(const std::string& file_name, const DataFile& data_file,
                                       int64_t offset, int64_t cardinality) {
  DataFile file = MakePositionDeletes(file_name, data_file);
  file.file_format = FileFormat::kPuffin;
  file.record_count = cardinality;
  file.content_offset = offset;
  file.content_size_in_bytes = 40;
  return file;
}

std::string TestTable::NewUri(const std::string& suffix) {
  return JoinUri(Load().metadata->MetadataLocation(), FormatUuid(MakeUuid(*random_)) + suffix);
}

Snapshot TestTable::Commit(const Table& base, std::vector<ManifestFile> manifests,
                           const std::string& operation, const std::string& branch) {
  const TableMetadata& metadata = *base.metadata;
  FIRN_CHECK(!manifests.empty());
  Snapshot snapshot;
  snapshot.snapshot_id = manifests.front().added_snapshot_id;
  snapshot.parent_snapshot_id = metadata.RefSnapshotId(branch);
  snapshot.sequence_number = metadata.format_version >= 2 ? metadata.last_sequence_number + 1 : 0;
  clock_.Advance(std::chrono::seconds(1));
  snapshot.timestamp = clock_.Now();
  snapshot.manifest_list = NewUri("-list.avro");
  snapshot.operation = operation;
  snapshot.schema_id = metadata.current_schema_id;
  ManifestListOptions options{.format_version = metadata.format_version,
                              .snapshot_id = snapshot.snapshot_id,
                              .parent_snapshot_id = snapshot.parent_snapshot_id,
                              .sequence_number = snapshot.sequence_number};
  if (metadata.format_version >= 3) {
    options.first_row_id = metadata.next_row_id;
  }
  const int64_t next_row_id =
      Must(WriteManifestList(*base.io, snapshot.manifest_list, options, manifests));
  if (metadata.format_version >= 3) {
    snapshot.first_row_id = metadata.next_row_id;
    snapshot.added_rows = next_row_id - metadata.next_row_id;
  }
  const auto ref = metadata.refs.find(branch);
  SnapshotRef moved = ref == metadata.refs.end() ? SnapshotRef() : ref->second;
  moved.snapshot_id = snapshot.snapshot_id;
  const std::vector<TableUpdate> updates = {AddSnapshot{snapshot}, SetSnapshotRef{branch, moved}};
  Must(catalog_->Commit(name_, {}, updates));
  return snapshot;
}

Snapshot TestTable::Add(const std::vector<DataFile>& files, const std::string& operation,
                        const std::string& branch) {
  const Table base = Load();
  const auto snapshot_id = static_cast<SnapshotId>(random_->Next() >> 1);
  std::vector<ManifestFile> manifests;
  for (const ManifestContent content : {ManifestContent::kData, ManifestContent::kDeletes}) {
    std::unique_ptr<ManifestWriter> writer;
    for (const DataFile& file : files) {
      if ((file.content == FileContent::kData) != (content == ManifestContent::kData)) {
        continue;
      }
      if (writer == nullptr) {
        writer = Must(MakeManifestWriter(*base.io, NewUri("-m.avro"),
                                         WriterOptions(*base.metadata, content, snapshot_id)));
      }
      Must(writer->Add({.status = EntryStatus::kAdded, .snapshot_id = snapshot_id, .file = file}));
    }
    if (writer != nullptr) {
      manifests.push_back(Must(writer->Finish()));
    }
  }
  for (ManifestFile& manifest : ManifestsOf(base, branch)) {
    manifests.push_back(std::move(manifest));
  }
  return Commit(base, std::move(manifests), operation.empty() ? OperationOf(files) : operation,
                branch);
}

Snapshot TestTable::Remove(const std::string& path) {
  const Table base = Load();
  const auto snapshot_id = static_cast<SnapshotId>(random_->Next() >> 1);
  std::vector<ManifestFile> kept;
  std::vector<ManifestFile> manifests;
  for (const ManifestFile& manifest : ManifestsOf(base, std::string(kMainBranch))) {
    const ManifestWriterOptions options =
        WriterOptions(*base.metadata, manifest.content, snapshot_id);
    auto writer = Must(MakeManifestWriter(*base.io, NewUri("-m.avro"), options));
    bool is_named = false;
    Must(ReadManifest(*base.io, manifest, *options.partition_type, {.with_deleted = false},
                      [&](ManifestEntry& entry) -> Status {
                        const bool is_removed = entry.file.file_path == path;
                        is_named = is_named || is_removed;
                        entry.status = is_removed ? EntryStatus::kDeleted : EntryStatus::kExisting;
                        entry.snapshot_id = is_removed ? snapshot_id : entry.snapshot_id;
                        return writer->Add(entry);
                      }));
    if (is_named) {
      manifests.push_back(Must(writer->Finish()));
    } else {
      kept.push_back(manifest);
    }
  }
  manifests.insert(manifests.end(), kept.begin(), kept.end());
  return Commit(base, std::move(manifests), "delete", std::string(kMainBranch));
}

void TestTable::SetRef(const std::string& name, SnapshotId snapshot_id, RefType type) {
  SnapshotRef ref;
  ref.snapshot_id = snapshot_id;
  ref.type = type;
  const std::vector<TableUpdate> updates = {SetSnapshotRef{name, ref}};
  clock_.Advance(std::chrono::seconds(1));
  Must(catalog_->Commit(name_, {}, updates));
}

std::vector<ManifestFile> TestTable::CurrentManifests() {
  return ManifestsOf(Load(), std::string(kMainBranch));
}

std::vector<ManifestEntry> TestTable::LiveEntries() {
  const Table table = Load();
  std::vector<ManifestEntry> entries;
  for (const ManifestFile& manifest : CurrentManifests()) {
    const PartitionSpecPtr spec = table.metadata->FindSpec(manifest.partition_spec_id);
    const TypePtr type = PartitionType(*spec, table.metadata->SchemasNewestFirst());
    Must(ReadManifest(*table.io, manifest, *type, {.with_deleted = false},
                      [&](ManifestEntry& entry) -> Status {
                        entries.push_back(entry);
                        return {};
                      }));
  }
  std::sort(entries.begin(), entries.end(), [](const ManifestEntry& a, const ManifestEntry& b) {
    return a.file.file_path < b.file.file_path;
  });
  return entries;
}

std::vector<std::string> TestTable::LivePaths() {
  std::vector<std::string> names;
  for (const ManifestEntry& entry : LiveEntries()) {
    names.emplace_back(UriFileName(entry.file.file_path));
  }
  return names;
}

std::vector<std::string> TestTable::AllFiles() {
  std::vector<std::string> uris;
  Must(io_->List("memory:/warehouse", [&](const FileInfo& info) -> Status {
    uris.push_back(info.uri);
    return {};
  }));
  std::sort(uris.begin(), uris.end());
  return uris;
}

std::vector<std::string> TestTable::ReachableMetadata() {
  const Table table = Load();
  std::set<std::string> uris;
  for (const Snapshot& snapshot : table.metadata->snapshots) {
    uris.insert(snapshot.manifest_list);
    for (const ManifestFile& manifest : Must(ReadManifests(*table.io, snapshot))) {
      uris.insert(manifest.manifest_path);
    }
  }
  return {uris.begin(), uris.end()};
}

}  // namespace firn

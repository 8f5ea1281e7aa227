#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "firn/base/text.h"
#include "firn/data/read/reader.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/ingest/input/row_source_internal.h"
#include "firn/ingest/target/column_fit_internal.h"
#include "firn/ingest/text/text_types_internal.h"

// Files that carry types: read as data files of a made-up table, whose schema is that of the target
// and whose name mapping leads from the files' names to its ids. Folders `key=value` are its
// identity partitions.

namespace firn {
namespace {

FileFormat FormatOf(SourceFormat format) {
  switch (format) {
    case SourceFormat::kOrc:
      return FileFormat::kOrc;
    case SourceFormat::kAvro:
      return FileFormat::kAvro;
    case SourceFormat::kParquet:
    case SourceFormat::kCsv:
    case SourceFormat::kJson:
      break;
  }
  return FileFormat::kParquet;
}

class ColumnarSource final : public RowSource {
 public:
  ColumnarSource(const IngestContext& context, const IngestRequest& request,
                 std::vector<SourceFile> files)
      : context_(context),
        request_(request),
        format_(FormatOf(request.format)),
        files_(std::move(files)) {}

  Result<std::vector<SourceColumn>> ReadColumns(bool wants_types) override;
  Result<RowStream> OpenRows(const RowTarget& target) override;
  bool has_own_types() const override { return true; }

 private:
  struct Known {
    SourceColumn column;
    size_t file_count = 0;
    TextType folder_type;  // Of values in the names of folders.
    bool is_folder = false;
  };

  ReadContext MakeReadContext(TableMetadataPtr metadata) const {
    const CommitContext& commit = context_.change.commit;
    return {.io = context_.io,
            .metadata = std::move(metadata),
            .executor = commit.executor,
            .budget = context_.change.budget,
            .cancel = commit.cancel};
  }
  Known& Find(const std::string& name, size_t file);
  Status AddFile(size_t file, const Schema& schema);
  Status AddField(size_t file, const NestedField& field);
  Status AddFolders(size_t file, const Schema& schema);
  Result<TableMetadataPtr> MakeUpTable(const RowTarget& target) const;
  Result<StructValue> PartitionOf(const SourceFile& file, const TableMetadata& metadata) const;

  const IngestContext& context_;
  const IngestRequest& request_;
  FileFormat format_;
  std::vector<SourceFile> files_;
  std::vector<Known> known_;  // In the order of first sight.
  std::map<std::string, size_t> places_;
};

ColumnarSource::Known& ColumnarSource::Find(const std::string& name, size_t file) {
  const auto [place, is_new] = places_.emplace(name, known_.size());
  if (is_new) {
    Known known;
    known.column.name = name;
    known.column.first_file = file;
    known_.push_back(std::move(known));
  }
  Known& found = known_[place->second];
  ++found.file_count;
  return found;
}

// The type that holds the values of all files.
Status ColumnarSource::AddField(size_t file, const NestedField& field) {
  Known& known = Find(field.name, file);
  TypePtr& type = known.column.type;
  if (type == nullptr || CanStoreAs(*type, *field.type)) {
    // Microseconds fit nanoseconds, and either fits the other by name: keep the finer.
    const bool is_coarser = type != nullptr && type->is_timestamp() &&
                            MinFormatVersion(type->id()) > MinFormatVersion(field.type->id());
    if (!is_coarser) type = field.type;
    return {};
  }
  if (CanStoreAs(*field.type, *type)) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "column '{}' is {} in '{}' and {} in '{}', and neither holds the other",
                   field.name, FormatType(*type), files_[known.column.first_file].info.uri,
                   FormatType(*field.type), files_[file].info.uri);
}

Status ColumnarSource::AddFolders(size_t file, const Schema& schema) {
  for (const auto& [key, value] : files_[file].folders) {
    const auto in_file = std::find_if(
        schema.fields().begin(), schema.fields().end(),
        [&key = key](const NestedField& field) { return EqualsIgnoreCase(field.name, key); });
    if (in_file != schema.fields().end()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "'{}': column '{}' is in the file and, as '{}', in the names of its folders",
                       files_[file].info.uri, in_file->name, key);
    }
    Known& known = Find(key, file);
    known.is_folder = true;
    if (value) known.folder_type.Add(*value, {.file = file, .line = 0});
  }
  return {};
}

Status ColumnarSource::AddFile(size_t file, const Schema& schema) {
  std::set<std::string> names;
  for (const NestedField& field : schema.fields()) {
    if (field.name.empty()) {
      return MakeError(
          ErrorCode::kInvalidInput,
          "'{}' has a column without a name; columns are matched by name, so give it one",
          files_[file].info.uri);
    }
    if (!names.insert(field.name).second) {
      return MakeError(ErrorCode::kInvalidInput, "'{}' has two columns '{}'", files_[file].info.uri,
                       field.name);
    }
    FIRN_RETURN_IF_ERROR(AddField(file, field));
  }
  return request_.hive_partitions ? AddFolders(file, schema) : Status();
}

Result<std::vector<SourceColumn>> ColumnarSource::ReadColumns(bool wants_types) {
  const ReadContext read = MakeReadContext(nullptr);
  std::vector<Schema> schemas(files_.size());
  FIRN_RETURN_IF_ERROR(ParallelFor(
      *read.executor, files_.size(),
      [&](size_t i) -> Status {
        FIRN_ASSIGN(schemas[i],
                    ReadFileSchema(read, files_[i].info.uri, format_, files_[i].info.size));
        return {};
      },
      read.cancel));
  for (size_t i = 0; i < files_.size(); ++i)
    FIRN_RETURN_IF_ERROR(AddFile(i, schemas[i]));
  std::vector<SourceColumn> columns;
  for (Known& known : known_) {
    if (known.is_folder && wants_types) known.column.type = known.folder_type.type();
    known.column.is_in_all = known.file_count == files_.size();
    columns.push_back(known.column);
  }
  return columns;
}

Result<TableMetadataPtr> ColumnarSource::MakeUpTable(const RowTarget& target) const {
  auto metadata = std::make_shared<TableMetadata>();
  std::vector<NestedField> fields = target.schema->fields();
  NameMapping mapping = MakeNameMapping(*target.schema);
  auto spec = std::make_shared<PartitionSpec>();
  for (size_t i = 0; i < fields.size(); ++i) {
    // A column that a file lacks is one that the writer does not give.
    fields[i].initial_default = fields[i].write_default;
    const std::string& name = target.source_names[i];
    mapping.fields[i].names.clear();
    if (name.empty()) continue;
    mapping.fields[i].names = {name};
    const auto place = places_.find(name);
    if (place != places_.end() && known_[place->second].is_folder) {
      spec->fields.push_back({.source_ids = {fields[i].id},
                              .field_id = static_cast<int32_t>(1000 + spec->fields.size()),
                              .name = name,
                              .transform = {}});
    }
  }
  metadata->format_version = 3;
  metadata->schemas = {std::make_shared<const Schema>(0, std::move(fields))};
  metadata->partition_specs = {std::move(spec)};
  metadata->properties["schema.name-mapping.default"] = FormatNameMapping(mapping);
  return TableMetadataPtr(std::move(metadata));
}

Result<StructValue> ColumnarSource::PartitionOf(const SourceFile& file,
                                                const TableMetadata& metadata) const {
  StructValue partition;
  for (const PartitionField& field : metadata.partition_specs[0]->fields) {
    const NestedField* column = metadata.schemas[0]->FindField(field.source_id());
    Value value;
    for (const auto& [key, text] : file.folders) {
      if (key != field.name || !text) continue;
      FIRN_ASSIGN(value, ParseValue(*text, *column->type), "'{}', folder '{}={}'", file.info.uri,
                  key, *text);
    }
    partition.fields.push_back(std::move(value));
  }
  return partition;
}

Result<RowStream> ColumnarSource::OpenRows(const RowTarget& target) {
  FIRN_ASSIGN(const TableMetadataPtr metadata, MakeUpTable(target));
  std::vector<FileScanTask> tasks;
  for (const SourceFile& file : files_) {
    FileScanTask task;
    task.file.file_path = file.info.uri;
    task.file.file_format = format_;
    task.file.file_size_in_bytes = file.info.size;
    FIRN_ASSIGN(task.file.partition, PartitionOf(file, *metadata));
    tasks.push_back(std::move(task));
  }
  ReadOptions options;
  options.projection = metadata->schemas[0];
  options.is_ordered = true;
  options.matches_names = true;
  options.verifies_row_counts = false;  // No manifest tells them.
  return ReadTasks(MakeReadContext(metadata), std::move(tasks), options);
}

}  // namespace

Result<std::unique_ptr<RowSource>> MakeColumnarSource(const IngestContext& context,
                                                      const IngestRequest& request,
                                                      std::vector<SourceFile> files) {
  return std::make_unique<ColumnarSource>(context, request, std::move(files));
}

}  // namespace firn

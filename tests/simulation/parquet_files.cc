#include "parquet_files.h"

#include <algorithm>
#include <utility>

#include "firn/base/text.h"
#include "firn/data/render/render.h"
#include "firn/data/value_file.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/format/puffin/deletion_vector.h"

#include "tiny_files.h"

namespace firn::simulation {
namespace {

NestedField Field(int32_t id, std::string name, TypeId type) {
  NestedField field;
  field.id = id;
  field.name = std::move(name);
  field.type = Type::Primitive(type);
  return field;
}

std::optional<int64_t> OptionalLong(const Value& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<int64_t>());
}

Value OtherValueOf(int64_t row, const NestedField& field) {
  const int64_t value = OtherValue(row, field.id);
  const TypeId type = field.type->id();
  if (type == TypeId::kInt || type == TypeId::kDate) return Value(static_cast<int32_t>(value));
  if (type == TypeId::kLong) return Value(value);
  if (type == TypeId::kFloat) return Value(static_cast<float>(value));
  if (type == TypeId::kDouble) return Value(static_cast<double>(value));
  return {};
}

std::optional<int64_t> OptionalNumber(const Value& value, const NestedField& field) {
  if (value.is_null()) return std::nullopt;
  const TypeId type = field.type->id();
  if (type == TypeId::kInt || type == TypeId::kDate) return value.get<int32_t>();
  if (type == TypeId::kFloat) return static_cast<int64_t>(value.get<float>());
  if (type == TypeId::kDouble) return static_cast<int64_t>(value.get<double>());
  return value.get<int64_t>();
}

// Of all schemas, each by the widest type that it had.
std::vector<NestedField> OtherFieldsOf(const TableMetadata& metadata) {
  std::vector<NestedField> others;
  for (const SchemaPtr& schema : metadata.SchemasNewestFirst()) {
    for (const NestedField& field : schema->fields()) {
      const bool is_known =
          std::any_of(others.begin(), others.end(),
                      [&](const NestedField& known) { return known.id == field.id; });
      if (is_known || !HasOtherValues(field)) continue;
      others.push_back(Field(field.id, fmt::format("c{}", field.id), field.type->id()));
    }
  }
  return others;
}

}  // namespace

Result<const std::vector<Row>*> ParquetFiles::RowsOf(const ReadContext& context,
                                                     const std::string& path) {
  const auto known = rows_.find(path);
  if (known != rows_.end()) return &known->second;
  std::vector<NestedField> columns = {
      Field(kIdField, "id", TypeId::kLong), Field(kCatField, "cat", TypeId::kString),
      Field(kRowIdFieldId, "_row_id", TypeId::kLong),
      Field(kLastUpdatedSequenceNumberFieldId, "_last_updated_sequence_number", TypeId::kLong)};
  const size_t others_begin = columns.size();
  const std::vector<NestedField> others = OtherFieldsOf(*context.metadata);
  columns.insert(columns.end(), others.begin(), others.end());
  const Schema schema(0, columns);
  std::vector<Row> rows;
  FIRN_RETURN_IF_ERROR(
      ReadValueFile(context, path, {}, schema, [&](StructValue&& values) -> Status {
        const std::vector<Value>& fields = values.fields;
        Row& row = rows.emplace_back(Row{fields[0].get<int64_t>(), fields[1].get<std::string>(),
                                         OptionalLong(fields[2]), OptionalLong(fields[3])});
        for (size_t i = 0; i < others.size(); ++i)
          row.others[others[i].id] = OptionalNumber(fields[others_begin + i], others[i]);
        return {};
      }));
  return &(rows_[path] = std::move(rows));
}

Result<const ParquetFiles::Positions*> ParquetFiles::PositionsOf(const ReadContext& context,
                                                                 const DataFile& file) {
  static const Schema kSchema(0, {Field(kDeleteFilePathFieldId, "file_path", TypeId::kString),
                                  Field(kDeleteFilePosFieldId, "pos", TypeId::kLong)});
  const std::string key = FileKey(file);
  const auto known = positions_.find(key);
  if (known != positions_.end()) return &known->second;
  Positions positions;
  if (file.is_deletion_vector()) {
    FIRN_ASSIGN(const Buffer bytes, ReadFile(*context.io, file.file_path));
    const auto blob = AsBytes(bytes.view())
                          .subspan(static_cast<size_t>(file.content_offset.value_or(0)),
                                   static_cast<size_t>(file.content_size_in_bytes.value_or(0)));
    FIRN_ASSIGN(const PositionSet set, ParseDeletionVector(blob));
    const std::vector<int64_t> all = set.InRange(0, int64_t{1} << 32);
    positions[file.referenced_data_file.value_or("")].insert(all.begin(), all.end());
  } else {
    FIRN_RETURN_IF_ERROR(
        ReadValueFile(context, file.file_path, {}, kSchema, [&](StructValue&& values) -> Status {
          positions[values.fields[0].get<std::string>()].insert(values.fields[1].get<int64_t>());
          return {};
        }));
  }
  return &(positions_[key] = std::move(positions));
}

Result<const std::set<int64_t>*> ParquetFiles::KeysOf(const ReadContext& context,
                                                      const DataFile& file) {
  static const Schema kSchema(0, {Field(kIdField, "id", TypeId::kLong)});
  const auto known = keys_.find(file.file_path);
  if (known != keys_.end()) return &known->second;
  std::set<int64_t> keys;
  FIRN_RETURN_IF_ERROR(
      ReadValueFile(context, file.file_path, {}, kSchema, [&](StructValue&& values) -> Status {
        keys.insert(values.fields[0].get<int64_t>());
        return {};
      }));
  return &(keys_[file.file_path] = std::move(keys));
}

Status ParquetFiles::AddLive(const ReadContext& context, const FileScanTask& task,
                             std::vector<Row>& rows) {
  FIRN_ASSIGN(const std::vector<Row>* all, RowsOf(context, task.file.file_path));
  std::set<int64_t> gone;
  std::set<int64_t> keys;
  for (const DeleteFilePtr& deletes : task.deletes) {
    if (deletes->file.content == FileContent::kEqualityDeletes) {
      FIRN_ASSIGN(const std::set<int64_t>* more, KeysOf(context, deletes->file));
      keys.insert(more->begin(), more->end());
      continue;
    }
    FIRN_ASSIGN(const Positions* positions, PositionsOf(context, deletes->file));
    const auto own = positions->find(task.file.file_path);
    if (own != positions->end()) gone.insert(own->second.begin(), own->second.end());
  }
  for (size_t i = 0; i < all->size(); ++i) {
    Row row = (*all)[i];
    if (gone.contains(static_cast<int64_t>(i)) || keys.contains(row.id)) continue;
    InheritLineage(task, static_cast<int64_t>(i), row);
    rows.push_back(std::move(row));
  }
  return {};
}

Result<std::vector<Row>> ParquetFiles::ReadTable(const std::shared_ptr<FileIO>& io,
                                                 const Table& table, SnapshotId snapshot_id) {
  const ReadContext context{.io = io,
                            .metadata = table.metadata,
                            .executor = &executor_,
                            .budget = &budget_,
                            .cancel = {}};
  FIRN_ASSIGN(const std::vector<FileScanTask> tasks,
              PlanSnapshot(*io, *table.metadata, snapshot_id, nullptr));
  std::vector<Row> rows;
  for (const FileScanTask& task : tasks)
    FIRN_RETURN_IF_ERROR(AddLive(context, task, rows));
  return rows;
}

RowStream MakeRows(const TableMetadata& metadata, const std::vector<Row>& rows) {
  const SchemaPtr schema = metadata.current_schema();
  std::vector<StructValue> values;
  for (const Row& row : rows) {
    StructValue& value = values.emplace_back();
    for (const NestedField& field : schema->fields()) {
      if (field.id == kIdField) {
        value.fields.emplace_back(row.id);
      } else if (field.id == kCatField) {
        value.fields.emplace_back(row.cat);
      } else {
        value.fields.push_back(OtherValueOf(row.id, field));
      }
    }
  }
  auto stream = MakeRowStream(schema->as_struct(), std::move(values));
  FIRN_CHECK(stream.ok());
  return *std::move(stream);
}

Result<std::vector<std::vector<std::string>>> ReadLines(RowStream rows, const Schema& schema) {
  std::string text;
  const RenderOptions options{.format = RowFormat::kCsv, .type = schema.as_struct()};
  FIRN_RETURN_IF_ERROR(
      RenderRows(std::move(rows), options, [&](std::span<const std::byte> bytes) -> Status {
        text += AsText(bytes);
        return {};
      }));
  std::vector<std::vector<std::string>> lines;
  bool is_header = true;
  for (std::string_view line : SplitText(text, '\n')) {
    while (line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.empty()) continue;
    if (!std::exchange(is_header, false)) {
      const auto fields = SplitText(line, ',');
      lines.emplace_back(fields.begin(), fields.end());
    }
  }
  return lines;
}

}  // namespace firn::simulation

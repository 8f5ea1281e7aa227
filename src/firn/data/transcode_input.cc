#include <map>
#include <set>
#include <utility>

#include "firn/data/transcode_input_internal.h"
#include "firn/data/variant_column_internal.h"

namespace firn {
namespace {

// Smaller files are read whole, at once.
constexpr int64_t kSmallFileBytes = int64_t{512} << 10;

// Columns whose values stand in the partition where a file lacks them.
bool IsIdentitySource(const TableMetadata& metadata, const FileScanTask& task, int32_t field_id) {
  const PartitionSpecPtr spec = metadata.FindSpec(task.file.partition_spec_id);
  if (spec == nullptr) return true;
  for (const PartitionField& field : spec->fields) {
    if (field.transform.kind != TransformKind::kIdentity) continue;
    if (field.source_id() == field_id) return true;
  }
  return false;
}

// A column that a leaf belongs to, and the leaf's name in it: parts of variants have no ids.
using LeafKey = std::pair<int32_t, std::string>;

LeafKey KeyOf(const NestedField& field, const LeafNode& leaf) {
  return {field.id, field.type->id() == TypeId::kVariant ? leaf.element.name : ""};
}

// The keys of a file's leaves; none if a leaf has no id and is no part of a group of a variant's
// two parts.
class LeafKeys {
 public:
  std::optional<std::vector<LeafKey>> Find(const std::vector<SchemaElement>& schema) {
    size_t next = 1;  // Behind the root.
    const bool are_all = Add(schema, schema[0], next);
    return are_all ? std::optional(std::move(keys_)) : std::nullopt;
  }

 private:
  bool Add(const std::vector<SchemaElement>& schema, const SchemaElement& group, size_t& next) {
    const size_t first = next;
    for (int32_t i = 0; i < group.num_children; ++i) {
      const SchemaElement& node = schema[next++];
      if (!node.type) {
        if (!Add(schema, node, next)) return false;
      } else if (node.field_id) {
        keys_.emplace_back(*node.field_id, "");
      } else if (group.field_id && IsVariant(schema, group, first)) {
        keys_.emplace_back(*group.field_id, node.name);
      } else {
        return false;
      }
    }
    return true;
  }

  static bool IsVariant(const std::vector<SchemaElement>& schema, const SchemaElement& group,
                        size_t first) {
    if (group.num_children != 2) return false;
    const SchemaElement& a = schema[first];
    const SchemaElement& b = schema[first + 1];
    if (!a.type || !b.type) return false;
    return (a.name == kVariantMetadata && b.name == kVariantValue) ||
           (a.name == kVariantValue && b.name == kVariantMetadata);
  }

  std::vector<LeafKey> keys_;
};

class SourceFinder {
 public:
  SourceFinder(const WriteContext& context, const ParquetLayout& layout, TranscodeInput& input)
      : context_(context), layout_(layout), input_(input) {}

  // False: rows must be read.
  bool Find() {
    const auto keys = LeafKeys().Find(input_.footer.schema);
    if (!keys) return false;  // Files without ids are read by the table's name mapping.
    std::map<LeafKey, size_t> by_key;
    for (size_t i = 0; i < keys->size(); ++i) {
      if (!by_key.emplace((*keys)[i], i).second) return false;
    }
    for (size_t i = 0; i < layout_.leaves.size(); ++i) {
      const auto found = by_key.find(KeyOf(layout_.fields[i], layout_.leaves[i]));
      const bool fits = found == by_key.end() ? AddMissing(i) : AddStored(i, found->second);
      if (!fits) return false;
    }
    return true;
  }

 private:
  bool AddStored(size_t leaf, size_t from) {
    const bool is_lineage = IsLineage(layout_.fields[leaf].id);
    // Without a first row id the rows have no lineage, whatever the file holds.
    if (is_lineage && !input_.task->file.first_row_id) return false;
    for (const RowGroup& group : input_.footer.row_groups) {
      const ColumnChunk& chunk = group.columns[from];
      if (!CanTranscode(input_.leaves[from], chunk, layout_.leaves[leaf])) return false;
      // Nulls of lineage stand for what the row inherits.
      if (is_lineage && chunk.statistics.null_count != 0) return false;
    }
    input_.sources.push_back({.leaf = static_cast<int>(from)});
    return true;
  }

  bool AddMissing(size_t leaf) {
    const NestedField& field = layout_.fields[leaf];
    TranscodeInput::Source source;
    const std::optional<int64_t> first_row_id = input_.task->file.first_row_id;
    if (first_row_id && field.id == kRowIdFieldId) {
      source.generated = {.first = *first_row_id, .step = 1};
    } else if (first_row_id && field.id == kLastUpdatedSequenceNumberFieldId) {
      source.generated = {.first = input_.task->sequence_number, .step = 0};
    } else if (!IsLineage(field.id)) {
      const bool is_null = layout_.leaves[leaf].repetitions.size() == 1 && !field.required &&
                           !field.initial_default &&
                           !IsIdentitySource(*context_.metadata, *input_.task, field.id);
      if (!is_null) return false;
    }
    input_.sources.push_back(source);
    return true;
  }

  static bool IsLineage(int32_t id) {
    return id == kRowIdFieldId || id == kLastUpdatedSequenceNumberFieldId;
  }

  const WriteContext& context_;
  const ParquetLayout& layout_;
  TranscodeInput& input_;
};

// The rows of [begin, begin + rows) that are not deleted, counted from `begin`.
std::optional<std::vector<RowSpan>> KeptRows(const PositionSet& deleted, int64_t begin,
                                             int64_t rows) {
  const std::vector<int64_t> positions = deleted.InRange(begin, begin + rows);
  if (positions.empty()) return std::nullopt;
  std::vector<RowSpan> kept;
  int64_t next = 0;
  for (const int64_t position : positions) {
    const int64_t row = position - begin;
    if (row > next) kept.push_back({next, row});
    next = row + 1;
  }
  if (next < rows) kept.push_back({next, rows});
  return kept;
}

Status ReadInput(const WriteContext& context, TranscodeInput& input) {
  const DataFile& data_file = input.task->file;
  FIRN_ASSIGN(input.file, context.io->Open(data_file.file_path, data_file.file_size_in_bytes));
  FIRN_ASSIGN(const int64_t size, input.file->Size());
  if (size > kSmallFileBytes) {
    FIRN_ASSIGN(input.footer, ReadFooter(*input.file, size));
    return {};
  }
  input.bytes = Buffer(static_cast<size_t>(size));
  FIRN_ASSIGN(const int64_t read, input.file->ReadAt(0, input.bytes.span()));
  if (read != size) {
    return MakeError(ErrorCode::kCorrupt, "the file has {} bytes, expected {}", read, size);
  }
  FIRN_ASSIGN(input.footer, ReadFooter(input.bytes.span()));
  input.file = nullptr;
  return {};
}

}  // namespace

int64_t TranscodeInput::kept_rows(size_t row_group) const {
  if (kept.empty() || !kept[row_group]) return footer.row_groups[row_group].num_rows;
  int64_t rows = 0;
  for (const RowSpan& span : *kept[row_group])
    rows += span.end - span.begin;
  return rows;
}

int64_t TranscodeInput::stored_bytes(size_t row_group) const {
  int64_t sum = 0;
  for (const Source& source : sources) {
    if (source.leaf < 0) continue;
    sum += footer.row_groups[row_group]
               .columns[static_cast<size_t>(source.leaf)]
               .total_compressed_size;
  }
  return sum;
}

Result<std::shared_ptr<TranscodeInput>> OpenTranscodeInput(const WriteContext& context,
                                                           const ParquetLayout& layout,
                                                           const FileScanTask& task,
                                                           const PositionSet* deleted) {
  auto input = std::make_shared<TranscodeInput>();
  input->task = &task;
  FIRN_RETURN_IF_ERROR(ReadInput(context, *input), "'{}'", task.file.file_path);
  FIRN_ASSIGN(input->leaves, LeavesOf(input->footer.schema), "'{}'", task.file.file_path);
  if (!SourceFinder(context, layout, *input).Find()) return std::shared_ptr<TranscodeInput>();
  int64_t row = 0;
  for (const RowGroup& group : input->footer.row_groups) {
    input->first_rows.push_back(row);
    if (deleted != nullptr) input->kept.push_back(KeptRows(*deleted, row, group.num_rows));
    row += group.num_rows;
  }
  if (row != task.file.record_count) {
    return MakeError(ErrorCode::kCorrupt, "'{}': the footer tells {} rows, the manifest {}",
                     task.file.file_path, row, task.file.record_count);
  }
  return input;
}

}  // namespace firn

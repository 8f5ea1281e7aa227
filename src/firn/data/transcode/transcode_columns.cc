#include <cstring>
#include <map>
#include <utility>

#include "firn/data/columns/identity_values_internal.h"
#include "firn/data/transcode/transcode_columns_internal.h"

namespace firn {
namespace {

bool IsLineage(int32_t id) {
  return id == kRowIdFieldId || id == kLastUpdatedSequenceNumberFieldId;
}

std::string DecimalBytes(Int128 number, const SchemaElement& leaf) {
  if (leaf.type != PhysicalType::kFixedLenByteArray) {
    const size_t width = leaf.type == PhysicalType::kInt32 ? sizeof(int32_t) : sizeof(int64_t);
    std::string bytes(width, '\0');
    std::memcpy(bytes.data(), &number, width);
    return bytes;
  }
  std::string bytes(static_cast<size_t>(leaf.type_length), '\0');
  for (size_t i = bytes.size(); i-- > 0; number >>= 8)
    bytes[i] = static_cast<char>(number & 0xFF);
  return bytes;
}

// A value as PLAIN stores it, without length. The bounds of manifests have the same form, but for
// decimals.
Result<std::string> PlainBytes(const Value& value, const Type& type, const SchemaElement& leaf) {
  if (!HasFormOf(value, type)) {
    return MakeError(ErrorCode::kUnsupported, "a value that is no {}", FormatType(type));
  }
  if (type.id() == TypeId::kDecimal) return DecimalBytes(value.get<Int128>(), leaf);
  FIRN_ASSIGN(std::string bytes, ToBoundBytes(value, type));
  const bool is_fixed = leaf.type == PhysicalType::kFixedLenByteArray;
  if (!is_fixed || bytes.size() == static_cast<size_t>(leaf.type_length)) return bytes;
  return MakeError(ErrorCode::kUnsupported, "a value of {} bytes, expected {}", bytes.size(),
                   leaf.type_length);
}

class SourceFinder {
 public:
  SourceFinder(const TranscodeContext& context, const FileScanTask& task, const FileFooter& footer,
               const std::vector<LeafNode>& leaves)
      : context_(context), task_(task), footer_(footer), leaves_(leaves) {}

  Result<std::vector<LeafSource>> Find() {
    FIRN_ASSIGN(file_, FindFileLeaves(footer_.schema, context_.names ? &*context_.names : nullptr));
    FIRN_ASSIGN(identity_,
                IdentityValues(*context_.write.metadata, task_, context_.schema.fields()));
    std::vector<LeafSource> sources;
    const ParquetLayout& layout = context_.layout;
    for (size_t i = 0; i < layout.leaves.size(); ++i) {
      const auto found = file_.leaves.find(KeyOf(layout.fields[i], layout.leaves[i]));
      FIRN_ASSIGN(LeafSource source,
                  found == file_.leaves.end() ? FindMissing(i) : FindStored(i, found->second),
                  "column '{}'", layout.fields[i].name);
      sources.push_back(std::move(source));
    }
    return sources;
  }

 private:
  Result<LeafSource> FindStored(size_t leaf, size_t from) const {
    const bool is_lineage = IsLineage(context_.layout.fields[leaf].id);
    // Without a first row id the rows have no lineage, whatever the file holds.
    if (is_lineage && !task_.file.first_row_id) {
      return MakeError(ErrorCode::kUnsupported, "lineage of a file without first row id");
    }
    for (const RowGroup& group : footer_.row_groups) {
      const ColumnChunk& chunk = group.columns[from];
      FIRN_RETURN_IF_ERROR(CheckTranscode(leaves_[from], chunk, context_.layout.leaves[leaf]));
      // Nulls of lineage stand for what the row inherits.
      if (is_lineage && chunk.statistics.null_count != 0) {
        return MakeError(ErrorCode::kUnsupported, "lineage that some rows inherit");
      }
    }
    return LeafSource{.leaf = static_cast<int>(from)};
  }

  Result<LeafSource> FindMissing(size_t leaf) {
    const NestedField& field = context_.layout.fields[leaf];
    if (IsLineage(field.id)) return Inherit(field.id);
    const auto& counted = task_.file.counted_columns;
    if (counted != nullptr && !identity_.contains(field.id) &&
        std::ranges::binary_search(*counted, field.id)) {
      return MakeError(ErrorCode::kUnsupported, "the file lacks it, the manifest counts values");
    }
    return context_.layout.leaves[leaf].repetitions.size() == 1 ? FindFlat(leaf) : FindNested(leaf);
  }

  LeafSource Inherit(int32_t id) const {
    LeafSource source;
    const std::optional<int64_t> first_row_id = task_.file.first_row_id;
    if (!first_row_id) return source;
    if (id == kRowIdFieldId) {
      source.generated = {.first = *first_row_id, .step = 1};
    } else {
      source.generated = {.first = task_.sequence_number, .step = 0};
    }
    return source;
  }

  // A value of the partition, the initial default, or null.
  Result<LeafSource> FindFlat(size_t leaf) {
    const NestedField& field = context_.layout.fields[leaf];
    const auto identity = identity_.find(field.id);
    Value value = field.initial_default.value_or(Value());
    if (identity != identity_.end()) value = identity->second;
    if (value.is_null()) {
      if (!field.required) return LeafSource();
      return MakeError(ErrorCode::kUnsupported, "it is required and the file lacks it");
    }
    LeafSource source;
    FIRN_ASSIGN(source.constant,
                PlainBytes(value, *field.type, context_.layout.leaves[leaf].element));
    return source;
  }

  // Null from the first node of its path on that the file lacks.
  Result<LeafSource> FindNested(size_t leaf) const {
    const LeafPath& path = context_.paths[leaf];
    const std::optional<Sibling> sibling = FindSibling(leaf);
    const size_t missing = sibling ? sibling->shared_nodes : 0;
    const NestedField* field = nullptr;
    if (missing < path.size() && path[missing]) field = context_.schema.FindField(*path[missing]);
    const bool is_null = field != nullptr && !field->required &&
                         (!field->initial_default || field->initial_default->is_null());
    if (!is_null || file_.ids.contains(field->id) || (sibling && identity_.contains(field->id))) {
      return MakeError(ErrorCode::kUnsupported, "a part that the file lacks, or has elsewhere");
    }
    if (!sibling) return LeafSource();
    for (const RowGroup& group : footer_.row_groups) {
      FIRN_RETURN_IF_ERROR(CheckShared(leaves_[sibling->leaf], group.columns[sibling->leaf],
                                       context_.layout.leaves[leaf], missing));
    }
    return LeafSource{.leaf = static_cast<int>(sibling->leaf), .shared_nodes = missing};
  }

  // Another leaf of the innermost group that the file has.
  struct Sibling {
    size_t leaf = 0;
    size_t shared_nodes = 0;
    int lists = 0;  // The fewer, the fewer levels.
  };

  std::optional<Sibling> FindSibling(size_t leaf) const {
    std::optional<Sibling> best;
    for (size_t i = 0; i < file_.paths.size(); ++i) {
      const Sibling other{.leaf = i,
                          .shared_nodes = CountShared(file_.paths[i], context_.paths[leaf]),
                          .lists = leaves_[i].max_repetition_level};
      const bool is_better =
          !best || other.shared_nodes > best->shared_nodes ||
          (other.shared_nodes == best->shared_nodes && other.lists < best->lists);
      if (other.shared_nodes > 0 && is_better) best = other;
    }
    return best;
  }

  const TranscodeContext& context_;
  const FileScanTask& task_;
  const FileFooter& footer_;
  const std::vector<LeafNode>& leaves_;
  FileLeaves file_;
  std::map<int32_t, Value> identity_;
};

}  // namespace

Result<TranscodeContext> TranscodeContext::Make(const WriteContext& write,
                                                const ParquetLayout& layout, const Schema& schema) {
  constexpr const char* kProperty = "schema.name-mapping.default";
  TranscodeContext context{.write = write,
                           .layout = layout,
                           .schema = schema,
                           .names = {},
                           .paths = LeafPathsOf(layout.footer.schema),
                           .leaves = std::make_shared<LeavesOfInputs>()};
  const std::string names = write.metadata->Property(kProperty, "");
  if (!names.empty()) {
    FIRN_ASSIGN(context.names, ParseNameMapping(names), "table property '{}'", kProperty);
  }
  return context;
}

Result<LeavesOfInputs::Leaves> LeavesOfInputs::Find(const std::vector<SchemaElement>& schema) {
  std::string encoded;
  for (const SchemaElement& element : schema)
    encoded += element.raw;
  {
    const std::lock_guard lock(mutex_);
    if (newest_ != nullptr && newest_schema_ == encoded) return newest_;
  }
  FIRN_ASSIGN(std::vector<LeafNode> leaves, LeavesOf(schema));
  auto shared = std::make_shared<const std::vector<LeafNode>>(std::move(leaves));
  const std::lock_guard lock(mutex_);
  newest_schema_ = std::move(encoded);
  newest_ = shared;
  return shared;
}

Result<std::vector<LeafSource>> FindLeafSources(const TranscodeContext& context,
                                                const FileScanTask& task, const FileFooter& footer,
                                                const std::vector<LeafNode>& leaves) {
  return SourceFinder(context, task, footer, leaves).Find();
}

}  // namespace firn

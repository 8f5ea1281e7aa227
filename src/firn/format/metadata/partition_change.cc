#include "firn/format/metadata/partition_change.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firn/base/suggest.h"
#include "firn/format/schema/column_lookup.h"
#include "firn/format/types/as_request_internal.h"

namespace firn {
namespace {

constexpr int32_t kFirstPartitionFieldId = 1000;

template <typename... Args>
Error Refuse(fmt::format_string<Args...> text, Args&&... args) {
  return MakeError(ErrorCode::kInvalidInput, text, std::forward<Args>(args)...);
}

bool IsVoid(const PartitionField& field) { return field.transform.kind == TransformKind::kVoid; }

bool IsSameSource(const PartitionField& a, const PartitionField& b) {
  return a.source_ids == b.source_ids && a.transform == b.transform;
}

// A spec while it is changed.
class PartitionEditor {
 public:
  explicit PartitionEditor(const TableMetadata& metadata)
      : metadata_(metadata), last_id_(metadata.last_partition_id) {
    for (const PartitionField& field : metadata.default_spec()->fields)
      entries_.push_back({field, false});
  }

  Status Apply(const AddPartitionField& change) {
    FIRN_ASSIGN(PartitionField field, Resolve(change.term));
    field.name = change.term.name.value_or("");
    for (Entry& entry : entries_) {
      if (!IsSameSource(entry.field, field)) continue;
      if (!entry.is_dropped) {
        return Refuse("partition field '{}' holds {} of column '{}' already", entry.field.name,
                      FormatTransform(field.transform), change.term.column);
      }
      entry.is_dropped = false;
      if (field.name.empty() || field.name == entry.field.name) return {};
      return Rename(entry, field.name);
    }
    field = Recycle(std::move(field));
    if (field.name.empty()) {
      field.name = DefaultPartitionName(schema().FullName(field.source_id()), field.transform,
                                        PartitionNaming::kAdded);
    }
    FIRN_RETURN_IF_ERROR(FreeName(field.name));
    entries_.push_back({std::move(field), false});
    return {};
  }

  Status Apply(const DropPartitionField& change) {
    FIRN_ASSIGN(Entry * entry, Find(change.term));
    if (IsVoid(entry->field) && metadata_.format_version == 1) {
      return Refuse("partition field '{}' was dropped before; format version 1 keeps it as void",
                    entry->field.name);
    }
    entry->is_dropped = true;
    return {};
  }

  Status Apply(const RenamePartitionField& change) {
    FIRN_ASSIGN(Entry * entry, Find(PartitionTerm{change.field, {}, std::nullopt}));
    return entry->field.name == change.new_name ? Status() : Rename(*entry, change.new_name);
  }

  PartitionSpec Take() && {
    PartitionSpec spec;
    for (Entry& entry : entries_) {
      if (entry.is_dropped) {
        if (metadata_.format_version > 1) continue;
        // Ids of version 1 count places, so that a dropped field keeps its place.
        entry.field.transform = {.kind = TransformKind::kVoid, .width = 0, .text = ""};
      }
      spec.fields.push_back(std::move(entry.field));
    }
    spec.spec_id = metadata_.default_spec_id;
    return spec;
  }

 private:
  struct Entry {
    PartitionField field;
    bool is_dropped;
  };

  const Schema& schema() const { return *schema_; }

  // The field without id and name.
  Result<PartitionField> Resolve(const PartitionTerm& term) const {
    FIRN_ASSIGN(const NestedField* column, FindColumn(schema(), term.column));
    PartitionField field;
    field.source_ids = {column->id};
    field.transform = term.transform;
    return field;
  }

  Result<Entry*> Find(const PartitionTerm& term) {
    if (term.transform.kind == TransformKind::kIdentity) {
      for (Entry& entry : entries_) {
        if (!entry.is_dropped && entry.field.name == term.column) return &entry;
      }
    }
    // Columns that are nowhere may still be meant for a partition field, which is told below.
    if (const Result<PartitionField> field = Resolve(term); field.ok()) {
      for (Entry& entry : entries_) {
        if (!entry.is_dropped && IsSameSource(entry.field, *field)) return &entry;
      }
    }
    std::vector<std::string> names;
    for (const Entry& entry : entries_) {
      if (!entry.is_dropped) names.push_back(entry.field.name);
    }
    const auto near = SuggestName(term.column, names);
    return Refuse("there is no partition field '{}'{}; {}", FormatPartitionTerm(term),
                  near ? " (did you mean '" + *near + "'?)" : std::string(),
                  names.empty() ? "the table is not partitioned"
                                : fmt::format("the fields are {}", fmt::join(names, ", ")));
  }

  // The id, and unless one is wanted the name, that the field had in an earlier spec; else a new
  // id.
  PartitionField Recycle(PartitionField field) {
    if (metadata_.format_version > 1) {
      for (const PartitionSpecPtr& spec : metadata_.partition_specs) {
        for (const PartitionField& old : spec->fields) {
          const bool has_name = field.name.empty() || field.name == old.name;
          if (IsSameSource(old, field) && has_name) return old;
        }
      }
      field.field_id = ++last_id_;
    } else {
      field.field_id = kFirstPartitionFieldId + static_cast<int32_t>(entries_.size());
    }
    return field;
  }

  Status Rename(Entry& entry, const std::string& name) {
    if (name.empty()) return Refuse("the name of partition field '{}' is empty", entry.field.name);
    FIRN_RETURN_IF_ERROR(FreeName(name));
    entry.field.name = name;
    return {};
  }

  // A field that is gone, or is void, hands its name over to a new one.
  Status FreeName(const std::string& name) {
    for (Entry& entry : entries_) {
      if (entry.field.name != name) continue;
      if (!entry.is_dropped && !IsVoid(entry.field)) {
        return Refuse("there is a partition field '{}' already; give the other one a name", name);
      }
      entry.field.name += fmt::format("_{}", entry.field.field_id);
    }
    return {};
  }

  const TableMetadata& metadata_;
  const SchemaPtr schema_ = metadata_.current_schema();
  std::vector<Entry> entries_;
  int32_t last_id_;
};

}  // namespace

Result<PartitionSpec> EvolvePartitionSpec(const TableMetadata& metadata,
                                          std::span<const PartitionChange> changes) {
  PartitionEditor editor(metadata);
  std::vector<std::string> problems;
  for (const PartitionChange& change : changes) {
    const Status applied = std::visit([&](const auto& one) { return editor.Apply(one); }, change);
    if (!applied.ok()) problems.push_back(applied.error().message());
  }
  if (problems.size() == 1) return Error(ErrorCode::kInvalidInput, problems.front());
  if (!problems.empty()) {
    return Refuse("{} changes are refused: {}", problems.size(), fmt::join(problems, "; "));
  }
  PartitionSpec spec = std::move(editor).Take();
  const SchemaPtr schema = metadata.current_schema();
  FIRN_RETURN_IF_ERROR(AsRequest(ValidatePartitionSpec(spec, *schema)));
  FIRN_RETURN_IF_ERROR(
      AsRequest(ValidateChangedPartitionSpec(spec, *schema, *metadata.default_spec())));
  return spec;
}

}  // namespace firn

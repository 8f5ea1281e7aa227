#include <algorithm>
#include <utility>

#include <arrow/type.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/read/read_layout_internal.h"

namespace firn {
namespace {

OutputColumn::Kind KindOf(int32_t field_id) {
  switch (field_id) {
    case kFileFieldId:
      return OutputColumn::Kind::kFile;
    case kPosFieldId:
      return OutputColumn::Kind::kPosition;
    case kDeletedFieldId:
      return OutputColumn::Kind::kDeleted;
    case kSpecIdFieldId:
      return OutputColumn::Kind::kSpecId;
    case kPartitionFieldId:
      return OutputColumn::Kind::kPartition;
    case kRowIdFieldId:
      return OutputColumn::Kind::kRowId;
    case kLastUpdatedSequenceNumberFieldId:
      return OutputColumn::Kind::kLastUpdatedSequenceNumber;
    default:
      return OutputColumn::Kind::kField;
  }
}

bool IsReadFromFile(OutputColumn::Kind kind) {
  return kind == OutputColumn::Kind::kField || kind == OutputColumn::Kind::kRowId ||
         kind == OutputColumn::Kind::kLastUpdatedSequenceNumber;
}

// Fields that the filter tests and the outputs do not have.
Status AddFilterFields(const TableMetadata& metadata, const Expression& filter,
                       std::vector<NestedField>& fields) {
  if (!filter.is_predicate()) {
    for (const ExpressionPtr& child : filter.children()) {
      FIRN_RETURN_IF_ERROR(AddFilterFields(metadata, *child, fields));
    }
    return {};
  }
  const Term& term = filter.term();
  if (!FindFieldPlaces(fields, term.field_id).empty()) return {};
  FIRN_ASSIGN(const NestedField path,
              FindFieldPath(metadata, term.field_id, term.source_type.get()), "filter on '{}'",
              term.name);
  AddFieldPath(fields, path);
  return {};
}

}  // namespace

Result<ReadLayout> MakeReadLayout(const TableMetadata& metadata, const ReadOptions& options) {
  ReadLayout layout;
  std::vector<std::shared_ptr<arrow::Field>> arrow_fields;
  for (const NestedField& field : options.projection->fields()) {
    OutputColumn output{.kind = KindOf(field.id), .field = field};
    FIRN_ASSIGN(auto arrow_field, ToArrowField(field));
    arrow_fields.push_back(std::move(arrow_field));
    if (IsReadFromFile(output.kind)) {
      output.source = layout.fields.size();
      layout.fields.push_back(field);
      // A lineage column may be missing in any file, whatever the result promises.
      if (output.kind != OutputColumn::Kind::kField) layout.fields.back().required = false;
    }
    layout.has_deleted_column |= output.kind == OutputColumn::Kind::kDeleted;
    layout.outputs.push_back(std::move(output));
  }
  layout.schema = arrow::schema(std::move(arrow_fields));
  if (options.filter != nullptr && options.filter->kind() != ExpressionKind::kTrue) {
    layout.filter = options.filter;
    FIRN_RETURN_IF_ERROR(AddFilterFields(metadata, *layout.filter, layout.fields));
  }
  const std::string mapping = metadata.Property("schema.name-mapping.default", "");
  if (!mapping.empty()) {
    FIRN_ASSIGN(layout.name_mapping, ParseNameMapping(mapping),
                "table property 'schema.name-mapping.default'");
  }
  layout.matches_names = options.matches_names;
  layout.dropped_positions = options.dropped_positions;
  layout.batch_rows = std::max<int64_t>(options.batch_rows, 1);
  layout.with_deletes_applied = options.with_deletes_applied;
  return layout;
}

}  // namespace firn

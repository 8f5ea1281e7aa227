#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "firn/catalog/fresh_ids_internal.h"
#include "firn/format/types/type_fields.h"

namespace firn {
namespace {

class IdAssigner {
 public:
  using NextId = std::function<int32_t(const NestedField&)>;
  explicit IdAssigner(NextId next_id) : next_id_(std::move(next_id)) {}

  std::vector<NestedField> Renumber(std::vector<NestedField> fields) {
    return AssignFreshIds(std::move(fields), [this](const NestedField& field) {
      const int32_t id = next_id_(field);
      new_ids_[field.id] = id;
      return id;
    });
  }

  Result<int32_t> Find(int32_t old_id, std::string_view what) const {
    const auto found = new_ids_.find(old_id);
    if (found != new_ids_.end()) return found->second;
    return MakeError(ErrorCode::kInvalidInput, "{}: no column has the id {}", what, old_id);
  }

  Status Replace(std::vector<int32_t>& ids, std::string_view what) const {
    for (int32_t& id : ids) {
      FIRN_ASSIGN(id, Find(id, what));
    }
    return {};
  }

 private:
  NextId next_id_;
  std::unordered_map<int32_t, int32_t> new_ids_;
};

Result<CreateTableRequest> Renumber(CreateTableRequest request, IdAssigner::NextId next_id) {
  IdAssigner assigner(std::move(next_id));
  std::vector<NestedField> fields = assigner.Renumber(request.schema.fields());
  std::vector<int32_t> identifiers = request.schema.identifier_field_ids();
  FIRN_RETURN_IF_ERROR(assigner.Replace(identifiers, "identifier field"));
  request.schema = Schema(0, std::move(fields), std::move(identifiers));
  request.spec.spec_id = 0;
  for (PartitionField& field : request.spec.fields) {
    FIRN_RETURN_IF_ERROR(
        assigner.Replace(field.source_ids, "partition field '" + field.name + "'"));
    field.field_id = 0;
  }
  request.sort_order.order_id = request.sort_order.fields.empty() ? 0 : 1;
  for (SortField& field : request.sort_order.fields) {
    FIRN_RETURN_IF_ERROR(assigner.Replace(field.source_ids, "sort field"));
  }
  return request;
}

bool CanTakeOver(const NestedField& old, const NestedField& field, int format_version) {
  if (!old.type->is_primitive() || !field.type->is_primitive()) {
    return old.type->id() == field.type->id();
  }
  return *old.type == *field.type || IsPromotionAllowed(*old.type, *field.type, format_version);
}

}  // namespace

Result<CreateTableRequest> AssignFreshIds(CreateTableRequest request) {
  int32_t last_id = 0;
  FIRN_ASSIGN(request, Renumber(std::move(request), [&](const NestedField&) { return ++last_id; }));
  int32_t field_id = 1000;
  for (PartitionField& field : request.spec.fields)
    field.field_id = field_id++;
  return request;
}

Result<CreateTableRequest> AssignReplacementIds(CreateTableRequest request,
                                                const TableMetadata& base) {
  const Schema wanted = request.schema;
  const SchemaPtr current = base.current_schema();
  int32_t last_id = std::max(base.last_column_id, current->highest_field_id());
  std::unordered_set<int32_t> taken;
  return Renumber(std::move(request), [&](const NestedField& field) {
    const std::string name = wanted.FullName(field.id);
    const NestedField* old = current->FindField(name);
    const bool is_kept = old != nullptr && current->FullName(old->id) == name &&
                         CanTakeOver(*old, field, base.format_version) &&
                         taken.insert(old->id).second;
    return is_kept ? old->id : ++last_id;
  });
}

}  // namespace firn

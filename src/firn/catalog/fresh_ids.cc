#include <unordered_map>
#include <utility>

#include "firn/catalog/fresh_ids_internal.h"
#include "firn/format/type_fields.h"

namespace firn {
namespace {

class IdAssigner {
 public:
  std::vector<NestedField> Renumber(std::vector<NestedField> fields) {
    return AssignFreshIds(std::move(fields), [this](const NestedField& field) {
      new_ids_[field.id] = ++last_id_;
      return last_id_;
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
  int32_t last_id_ = 0;
  std::unordered_map<int32_t, int32_t> new_ids_;
};

}  // namespace

Result<CreateTableRequest> AssignFreshIds(CreateTableRequest request) {
  IdAssigner assigner;
  std::vector<NestedField> fields = assigner.Renumber(request.schema.fields());
  std::vector<int32_t> identifiers = request.schema.identifier_field_ids();
  FIRN_RETURN_IF_ERROR(assigner.Replace(identifiers, "identifier field"));
  request.schema = Schema(0, std::move(fields), std::move(identifiers));

  request.spec.spec_id = 0;
  int32_t field_id = 1000;
  for (PartitionField& field : request.spec.fields) {
    FIRN_RETURN_IF_ERROR(
        assigner.Replace(field.source_ids, "partition field '" + field.name + "'"));
    field.field_id = field_id++;
  }
  request.sort_order.order_id = request.sort_order.fields.empty() ? 0 : 1;
  for (SortField& field : request.sort_order.fields) {
    FIRN_RETURN_IF_ERROR(assigner.Replace(field.source_ids, "sort field"));
  }
  return request;
}

}  // namespace firn

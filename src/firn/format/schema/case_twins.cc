#include "firn/format/schema/case_twins.h"

#include <map>
#include <string>

#include "firn/base/text.h"

namespace firn {
namespace {

Status RefuseIn(const Schema& schema, const std::vector<NestedField>& fields) {
  std::map<std::string, int32_t> ids;  // By small letters.
  for (const NestedField& field : fields) {
    const auto [other, is_new] = ids.emplace(LowerAscii(field.name), field.id);
    if (!is_new) {
      return MakeError(ErrorCode::kInvalidInput,
                       "columns '{}' and '{}' differ in case alone: Spark, Hive and Glue take both "
                       "for one and cannot read such a table; choose another name",
                       schema.FullName(other->second), schema.FullName(field.id));
    }
    FIRN_RETURN_IF_ERROR(RefuseIn(schema, field.type->fields()));
  }
  return {};
}

}  // namespace

Status RefuseCaseTwins(const Schema& schema) { return RefuseIn(schema, schema.fields()); }

}  // namespace firn

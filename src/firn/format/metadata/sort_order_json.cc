#include <utility>

#include "firn/base/text.h"
#include "firn/format/metadata/metadata_json.h"

namespace firn {
namespace {

// True for `first`, false for `second`, ignoring case.
Result<bool> ChooseWord(const JsonValue& json, std::string_view key, std::string_view text,
                        std::string_view first, std::string_view second) {
  if (EqualsIgnoreCase(text, first)) return true;
  if (EqualsIgnoreCase(text, second)) return false;
  return json.MakePathError(
      fmt::format("{}: found '{}', expected '{}' or '{}'", key, text, first, second));
}

}  // namespace

Status ReadJson(JsonValue& json, SortField& out) {
  std::optional<int32_t> source_id;
  std::string transform;
  std::string direction;
  std::string null_order;
  FIRN_RETURN_IF_ERROR(ReadMembers(
      json,
      {OptionalMember("source-id", source_id), OptionalMember("source-ids", out.source_ids),
       RequiredMember("transform", transform), RequiredMember("direction", direction),
       RequiredMember("null-order", null_order)},
      out.extra));
  if (out.source_ids.empty() && source_id) out.source_ids = {*source_id};
  if (out.source_ids.empty()) {
    return json.MakePathError("required field 'source-id' (or 'source-ids') is missing");
  }
  auto parsed = ParseTransform(transform);
  if (!parsed.ok()) return json.AddPath(parsed.error().Within("transform"));
  out.transform = std::move(parsed).value();
  FIRN_ASSIGN(out.is_descending, ChooseWord(json, "direction", direction, "desc", "asc"));
  FIRN_ASSIGN(out.is_nulls_first,
              ChooseWord(json, "null-order", null_order, "nulls-first", "nulls-last"));
  return {};
}

Status ReadJson(JsonValue& json, SortOrder& out) {
  return ReadMembers(
      json, {RequiredMember("order-id", out.order_id), RequiredMember("fields", out.fields)},
      out.extra);
}

void WriteJson(JsonWriter& json, const SortOrder& order) {
  json.BeginObject();
  json.IntField("order-id", order.order_id);
  json.Key("fields");
  json.BeginArray();
  for (const SortField& field : order.fields) {
    json.BeginObject();
    json.StringField("transform", FormatTransform(field.transform));
    WriteSourceIds(json, field.source_ids);
    json.StringField("direction", field.is_descending ? "desc" : "asc");
    json.StringField("null-order", field.is_nulls_first ? "nulls-first" : "nulls-last");
    WriteExtra(json, field.extra);
    json.EndObject();
  }
  json.EndArray();
  WriteExtra(json, order.extra);
  json.EndObject();
}

}  // namespace firn

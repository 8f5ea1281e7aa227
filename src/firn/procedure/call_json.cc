#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/text.h"
#include "firn/format/json/json_reader.h"
#include "firn/procedure/call_binding_internal.h"

namespace firn {
namespace {

struct JsonCall {
  std::optional<std::string> procedure;
  std::string catalog;
  std::vector<CallArgument> arguments;
};

Status ReadText(JsonValue& value, std::string& text) {
  FIRN_ASSIGN(const std::string_view found, value.ReadScalarText());
  text = std::string(found);
  return {};
}

Result<CallValue> ReadValue(JsonValue& value) {
  CallValue result;
  result.place = value.Path();
  auto add = [&result](JsonValue& item) -> Status {
    return ReadText(item, result.texts.emplace_back());
  };
  FIRN_ASSIGN(const JsonKind kind, value.Kind());
  switch (kind) {
    case JsonKind::kNull:
      FIRN_RETURN_IF_ERROR(value.ReadRaw());
      return result;
    case JsonKind::kObject:
      result.shape = CallValue::Shape::kMap;
      FIRN_RETURN_IF_ERROR(value.VisitMembers([&](std::string_view key, JsonValue& member) {
        result.texts.emplace_back(key);
        return add(member);
      }));
      return result;
    case JsonKind::kArray:
      result.shape = CallValue::Shape::kArray;
      FIRN_RETURN_IF_ERROR(value.VisitElements(add));
      return result;
    case JsonKind::kString:
    case JsonKind::kNumber:
    case JsonKind::kBool:
      break;
  }
  result.shape = CallValue::Shape::kScalar;
  FIRN_RETURN_IF_ERROR(add(value));
  return result;
}

Status ReadMember(std::string_view key, JsonValue& value, JsonCall& call) {
  if (key == "procedure") return ReadText(value, call.procedure.emplace());
  if (key == "catalog") return ReadText(value, call.catalog);
  if (key != "arguments") {
    return value.MakePathError("unknown member, expected procedure, catalog or arguments");
  }
  return value.VisitMembers([&call](std::string_view name, JsonValue& argument) -> Status {
    CallArgument given{.name = LowerAscii(name), .place = argument.Path(), .value = {}};
    FIRN_ASSIGN(given.value, ReadValue(argument));
    call.arguments.push_back(std::move(given));
    return {};
  });
}

Result<JsonCall> ReadCall(std::string_view text) {
  JsonCall call;
  FIRN_RETURN_IF_ERROR(VisitJson(text, "call", [&call](JsonValue& root) {
    return root.VisitMembers(
        [&call](std::string_view key, JsonValue& value) { return ReadMember(key, value, call); });
  }));
  if (call.procedure) return call;
  return Error(ErrorCode::kInvalidInput,
               "call: there is no procedure, expected {\"procedure\": NAME, \"arguments\": {…}}");
}

}  // namespace

Result<CallStatement> ParseCallJson(std::string_view text, Timestamp now) {
  Result<JsonCall> call = ReadCall(text);
  // It is the request that is wrong, not a file.
  if (!call.ok()) return Error(ErrorCode::kInvalidInput, call.error().message());
  CallStatement statement;
  statement.catalog = std::move(call->catalog);
  std::vector<std::string> parts;
  for (const std::string_view part : SplitText(*call->procedure, '.'))
    parts.emplace_back(part);
  FIRN_ASSIGN(statement.procedure, FindProcedure(std::move(parts), statement.catalog), "call");
  FIRN_ASSIGN(statement.arguments, BindArguments(*statement.procedure, call->arguments, now),
              "call of {}", statement.procedure->call_name);
  return statement;
}

}  // namespace firn

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "firn/base/suggest.h"
#include "firn/base/text.h"
#include "firn/procedure/call_binding_internal.h"

namespace firn {
namespace {

Result<const Argument*> FindArgument(const Procedure& procedure, const CallArgument& given,
                                     size_t index) {
  std::vector<std::string> names;
  for (const Argument& argument : procedure.arguments) {
    if (argument.name == given.name) return &argument;
    names.push_back(argument.name);
  }
  if (given.name.empty() && index < names.size()) return &procedure.arguments[index];
  std::string list;
  for (const std::string& name : names)
    list += (list.empty() ? "" : ", ") + name;
  if (given.name.empty()) {
    return MakeError(ErrorCode::kInvalidInput, "{}: too many arguments, expected {}", given.place,
                     list);
  }
  const auto near = SuggestName(given.name, names);
  return MakeError(ErrorCode::kInvalidInput, "{}: unknown argument '{}'{}, expected {}",
                   given.place, given.name,
                   near ? " (did you mean '" + *near + "'?)" : std::string(), list);
}

Result<Arguments::ArgumentValue> Convert(const Argument& argument, const CallValue& value,
                                         Timestamp now) {
  const bool is_map = argument.type == ArgumentType::kTextMap;
  const bool is_list =
      argument.type == ArgumentType::kTextList || argument.type == ArgumentType::kIntegerList;
  const auto wanted = is_map    ? CallValue::Shape::kMap
                      : is_list ? CallValue::Shape::kArray
                                : CallValue::Shape::kScalar;
  if (value.shape != wanted) {
    return MakeError(ErrorCode::kInvalidInput, "{}: argument '{}' must be {}", value.place,
                     argument.name,
                     is_map    ? "a map: map('key', 'value', …), in JSON an object"
                     : is_list ? "a list: array(…), in JSON […]"
                               : "a single value");
  }
  if (is_map) {
    std::map<std::string, std::string> entries;
    for (size_t i = 0; i + 1 < value.texts.size(); i += 2) {
      entries[value.texts[i]] = value.texts[i + 1];
    }
    return Arguments::ArgumentValue(std::move(entries));
  }
  // Not through the text form, in which a comma would split an item.
  if (argument.type == ArgumentType::kTextList) return Arguments::ArgumentValue(value.texts);
  return ParseArgument(argument, value.texts, now);
}

}  // namespace

// [[catalog.]system.]procedure
Result<const Procedure*> FindProcedure(std::vector<std::string> parts, std::string& catalog) {
  const std::string wanted = LowerAscii(parts.back());
  const bool has_system = parts.size() > 1 && EqualsIgnoreCase(parts[parts.size() - 2], "system");
  if (parts.size() > 3 || (parts.size() > 1 && !has_system)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the name of the procedure has {} parts, expected "
                     "CATALOG.system.PROCEDURE",
                     parts.size());
  }
  if (parts.size() == 3) catalog = std::move(parts.front());
  std::vector<std::string> known;
  for (const Procedure& procedure : Procedures()) {
    if (procedure.call_name.empty()) continue;
    if (procedure.call_name == wanted) return &procedure;
    known.push_back(procedure.call_name);
  }
  std::sort(known.begin(), known.end());
  std::string list;
  for (const std::string& name : known)
    list += (list.empty() ? "" : ", ") + name;
  const auto near = SuggestName(wanted, known);
  return MakeError(ErrorCode::kInvalidInput, "unknown procedure '{}'{}, expected one of {}",
                   parts.back(), near ? " (did you mean '" + *near + "'?)" : std::string(), list);
}

Result<Arguments> BindArguments(const Procedure& procedure, const std::vector<CallArgument>& given,
                                Timestamp now) {
  Arguments arguments;
  std::set<std::string> seen;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].name.empty() != given.front().name.empty()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "{}: named and positional arguments cannot be mixed", given[i].place);
    }
    FIRN_ASSIGN(const Argument* argument, FindArgument(procedure, given[i], i));
    if (!seen.insert(argument->name).second) {
      return MakeError(ErrorCode::kInvalidInput, "{}: argument '{}' is given twice", given[i].place,
                       argument->name);
    }
    if (given[i].value.shape == CallValue::Shape::kNull) continue;
    FIRN_ASSIGN(auto value, Convert(*argument, given[i].value, now));
    arguments.Set(argument->name, std::move(value));
  }
  for (const Argument& argument : procedure.arguments) {
    if (!argument.is_required || arguments.Has(argument.name)) continue;
    return MakeError(ErrorCode::kInvalidInput, "argument '{}' is missing", argument.name);
  }
  return arguments;
}

}  // namespace firn

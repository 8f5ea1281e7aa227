#include <algorithm>
#include <set>
#include <utility>

#include "firn/base/suggest.h"
#include "firn/base/text.h"
#include "firn/procedure/call_lexer_internal.h"
#include "firn/procedure/procedure.h"

namespace firn {
namespace {

using Kind = CallToken::Kind;

// A value before it is known which argument it is for.
struct CallValue {
  enum class Shape { kNull, kScalar, kArray, kMap };
  Shape shape = Shape::kNull;
  std::vector<std::string> texts;  // Of a map: key, value, key, value.
  size_t position = 0;
};

struct CallArgument {
  std::string name;  // Empty: positional.
  size_t position = 0;
  CallValue value;
};

class Parser {
 public:
  Parser(std::vector<CallToken> tokens, Timestamp now) : tokens_(std::move(tokens)), now_(now) {}

  Result<CallStatement> Parse();

 private:
  const CallToken& Peek() const { return tokens_[at_]; }
  const CallToken& Take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }

  static Error Fail(const CallToken& token, std::string_view expected) {
    return MakeError(ErrorCode::kInvalidInput, "CALL statement, position {}: expected {}, found {}",
                     token.position, expected, DescribeToken(token));
  }
  Status Expect(std::string_view symbol) {
    const CallToken& token = Take();
    if (token.IsSymbol(symbol)) return {};
    return Fail(token, "'" + std::string(symbol) + "'");
  }

  Result<std::vector<std::string>> ParseName();
  Result<const Procedure*> FindProcedure(std::vector<std::string> parts, std::string& catalog);
  Result<std::vector<CallArgument>> ParseArguments();
  Result<CallValue> ParseValue();
  Result<std::string> ParseScalarText();
  Result<CallValue> ParseItems(CallValue value);
  Result<const Argument*> FindArgument(const Procedure& procedure, const CallArgument& given,
                                       size_t index) const;
  Result<Arguments::ArgumentValue> Convert(const Argument& argument, const CallValue& value) const;
  Result<Arguments> Bind(const Procedure& procedure, const std::vector<CallArgument>& given) const;

  const std::vector<CallToken> tokens_;
  const Timestamp now_;
  size_t at_ = 0;
};

Result<CallStatement> Parser::Parse() {
  if (!Peek().IsKeyword("CALL")) return Fail(Peek(), "CALL");
  Take();
  FIRN_ASSIGN(std::vector<std::string> name, ParseName());
  CallStatement statement;
  FIRN_ASSIGN(statement.procedure, FindProcedure(std::move(name), statement.catalog));
  FIRN_ASSIGN(const auto given, ParseArguments());
  if (Peek().IsSymbol(";")) Take();
  if (Peek().kind != Kind::kEnd) return Fail(Peek(), "the end of the statement");
  FIRN_ASSIGN(statement.arguments, Bind(*statement.procedure, given), "CALL {}",
              statement.procedure->call_name);
  return statement;
}

Result<std::vector<std::string>> Parser::ParseName() {
  std::vector<std::string> parts;
  while (true) {
    if (Peek().kind != Kind::kName) return Fail(Peek(), "the name of a procedure");
    parts.push_back(Take().text);
    if (!Peek().IsSymbol(".")) return parts;
    Take();
  }
}

// [[catalog.]system.]procedure
Result<const Procedure*> Parser::FindProcedure(std::vector<std::string> parts,
                                               std::string& catalog) {
  const std::string wanted = LowerAscii(parts.back());
  const bool has_system = parts.size() > 1 && EqualsIgnoreCase(parts[parts.size() - 2], "system");
  if (parts.size() > 3 || (parts.size() > 1 && !has_system)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "CALL statement: the name of the procedure has {} parts, expected "
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
  return MakeError(ErrorCode::kInvalidInput,
                   "CALL statement: unknown procedure '{}'{}, expected one of {}", parts.back(),
                   near ? " (did you mean '" + *near + "'?)" : std::string(), list);
}

Result<std::vector<CallArgument>> Parser::ParseArguments() {
  FIRN_RETURN_IF_ERROR(Expect("("));
  std::vector<CallArgument> arguments;
  if (Peek().IsSymbol(")")) {
    Take();
    return arguments;
  }
  while (true) {
    CallArgument argument;
    argument.position = Peek().position;
    const bool is_named = Peek().kind == Kind::kName && tokens_[at_ + 1].IsSymbol("=>");
    if (is_named) {
      argument.name = LowerAscii(Take().text);
      Take();
    }
    FIRN_ASSIGN(argument.value, ParseValue());
    arguments.push_back(std::move(argument));
    const CallToken& token = Take();
    if (token.IsSymbol(")")) return arguments;
    if (!token.IsSymbol(",")) return Fail(token, "',' or ')'");
  }
}

// A literal's text; TIMESTAMP and DATE in front of it change nothing, since the argument's type
// tells how to read it.
Result<std::string> Parser::ParseScalarText() {
  if (Peek().IsKeyword("TIMESTAMP") || Peek().IsKeyword("DATE")) {
    Take();
    if (Peek().kind != Kind::kText) return Fail(Peek(), "a text in quotes");
  }
  const CallToken& token = Peek();
  const bool is_literal = token.kind == Kind::kText || token.kind == Kind::kNumber ||
                          token.IsKeyword("TRUE") || token.IsKeyword("FALSE");
  if (is_literal) return Take().text;
  return Fail(token, "a text in quotes, a number, true, false, map(…) or array(…)");
}

Result<CallValue> Parser::ParseValue() {
  CallValue value;
  value.position = Peek().position;
  if (Peek().IsKeyword("NULL")) {
    Take();
    return value;
  }
  if (Peek().IsKeyword("MAP") || Peek().IsKeyword("ARRAY")) {
    const bool is_map = Take().IsKeyword("MAP");
    value.shape = is_map ? CallValue::Shape::kMap : CallValue::Shape::kArray;
    return ParseItems(std::move(value));
  }
  value.shape = CallValue::Shape::kScalar;
  FIRN_ASSIGN(std::string text, ParseScalarText());
  value.texts.push_back(std::move(text));
  return value;
}

Result<CallValue> Parser::ParseItems(CallValue value) {
  FIRN_RETURN_IF_ERROR(Expect("("));
  if (Peek().IsSymbol(")")) {
    Take();
    return value;
  }
  while (true) {
    FIRN_ASSIGN(std::string text, ParseScalarText());
    value.texts.push_back(std::move(text));
    const CallToken& token = Take();
    if (token.IsSymbol(",")) continue;
    if (!token.IsSymbol(")")) return Fail(token, "',' or ')'");
    const bool is_odd = value.shape == CallValue::Shape::kMap && value.texts.size() % 2 != 0;
    if (is_odd) return Fail(token, "a value for the last key of the map");
    return value;
  }
}

Result<const Argument*> Parser::FindArgument(const Procedure& procedure, const CallArgument& given,
                                             size_t index) const {
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
    return MakeError(ErrorCode::kInvalidInput, "position {}: too many arguments, expected {}",
                     given.position, list);
  }
  const auto near = SuggestName(given.name, names);
  return MakeError(ErrorCode::kInvalidInput, "position {}: unknown argument '{}'{}, expected {}",
                   given.position, given.name,
                   near ? " (did you mean '" + *near + "'?)" : std::string(), list);
}

Result<Arguments::ArgumentValue> Parser::Convert(const Argument& argument,
                                                 const CallValue& value) const {
  const bool is_map = argument.type == ArgumentType::kTextMap;
  const bool is_list =
      argument.type == ArgumentType::kTextList || argument.type == ArgumentType::kIntegerList;
  const auto wanted = is_map    ? CallValue::Shape::kMap
                      : is_list ? CallValue::Shape::kArray
                                : CallValue::Shape::kScalar;
  if (value.shape != wanted) {
    return MakeError(ErrorCode::kInvalidInput, "position {}: argument '{}' must be {}",
                     value.position, argument.name,
                     is_map    ? "map('key', 'value', …)"
                     : is_list ? "array(…)"
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
  return ParseArgument(argument, value.texts, now_);
}

Result<Arguments> Parser::Bind(const Procedure& procedure,
                               const std::vector<CallArgument>& given) const {
  Arguments arguments;
  std::set<std::string> seen;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].name.empty() != given.front().name.empty()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "position {}: named and positional arguments cannot be mixed",
                       given[i].position);
    }
    FIRN_ASSIGN(const Argument* argument, FindArgument(procedure, given[i], i));
    if (!seen.insert(argument->name).second) {
      return MakeError(ErrorCode::kInvalidInput, "position {}: argument '{}' is given twice",
                       given[i].position, argument->name);
    }
    if (given[i].value.shape == CallValue::Shape::kNull) continue;
    FIRN_ASSIGN(auto value, Convert(*argument, given[i].value));
    arguments.Set(argument->name, std::move(value));
  }
  for (const Argument& argument : procedure.arguments) {
    if (!argument.is_required || arguments.Has(argument.name)) continue;
    return MakeError(ErrorCode::kInvalidInput, "argument '{}' is missing", argument.name);
  }
  return arguments;
}

}  // namespace

Result<CallStatement> ParseCall(std::string_view text, Timestamp now) {
  FIRN_ASSIGN(std::vector<CallToken> tokens, SplitCall(text));
  return Parser(std::move(tokens), now).Parse();
}

}  // namespace firn

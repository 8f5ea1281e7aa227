#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/procedure/call_binding_internal.h"
#include "firn/procedure/call_lexer_internal.h"
#include "firn/procedure/procedure.h"

namespace firn {
namespace {

using Kind = CallToken::Kind;

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
  Result<std::vector<CallArgument>> ParseArguments();
  Result<CallValue> ParseValue();
  Result<std::string> ParseScalarText();
  Result<CallValue> ParseItems(CallValue value);

  const std::vector<CallToken> tokens_;
  const Timestamp now_;
  size_t at_ = 0;
};

Result<CallStatement> Parser::Parse() {
  if (!Peek().IsKeyword("CALL")) return Fail(Peek(), "CALL");
  Take();
  FIRN_ASSIGN(std::vector<std::string> name, ParseName());
  CallStatement statement;
  FIRN_ASSIGN(statement.procedure, FindProcedure(std::move(name), statement.catalog),
              "CALL statement");
  FIRN_ASSIGN(const auto given, ParseArguments());
  if (Peek().IsSymbol(";")) Take();
  if (Peek().kind != Kind::kEnd) return Fail(Peek(), "the end of the statement");
  FIRN_ASSIGN(statement.arguments, BindArguments(*statement.procedure, given, now_), "CALL {}",
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

Result<std::vector<CallArgument>> Parser::ParseArguments() {
  FIRN_RETURN_IF_ERROR(Expect("("));
  std::vector<CallArgument> arguments;
  if (Peek().IsSymbol(")")) {
    Take();
    return arguments;
  }
  while (true) {
    CallArgument argument;
    argument.place = fmt::format("position {}", Peek().position);
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
  value.place = fmt::format("position {}", Peek().position);
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

}  // namespace

Result<CallStatement> ParseCall(std::string_view text, Timestamp now) {
  if (text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{')) {
    return ParseCallJson(text, now);
  }
  FIRN_ASSIGN(std::vector<CallToken> tokens, SplitCall(text));
  return Parser(std::move(tokens), now).Parse();
}

}  // namespace firn

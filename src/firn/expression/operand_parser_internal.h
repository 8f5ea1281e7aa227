#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/expression/expression.h"
#include "firn/expression/filter_lexer_internal.h"

/// The parts of a filter between its operators: columns, transforms and literals. For this module
/// only.

namespace firn {

/// A column, a transform of one, or a literal.
struct Operand {
  size_t offset = 0;
  bool is_term = false;
  Term term;
  Literal literal;
  std::string calendar_function;  ///< "year", "month", "day" or "hour", if it was called so.
};

/// Walks over the tokens of a filter.
class OperandParser {
 public:
  OperandParser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<Operand> ParseOperand();
  /// The other side of a comparison with `left`. As in Spark, "text" in double quotes is a text
  /// where a column cannot stand; elsewhere it is the name of a column, as in standard SQL.
  Result<Operand> ParseOther(const Operand& left);
  bool IsDoubleQuoted() const;
  Result<Literal> ParseLiteral();
  /// A column, its parts joined by dots.
  Result<std::string> ParseColumn();

  /// SQL's year(ts) is the calendar year, and its month, day and hour begin anew in each year,
  /// month
  /// and day, while the transforms count from 1970: adapt a number to the transform, or refuse it.
  Result<Literal> AdaptToCalendar(const Operand& operand, Literal literal) const;

  const Token& Peek() const { return tokens_[next_]; }
  const Token& PeekNext() const { return tokens_[next_ + 1]; }  ///< Not at the end.
  const Token& Take() { return tokens_[next_++]; }
  /// Text of the symbol that comes; empty if none does.
  std::string_view PeekSymbol() const;
  bool AcceptSymbol(std::string_view symbol);
  bool AcceptWord(std::string_view word);

  template <typename... Args>
  Error FailAt(size_t offset, fmt::format_string<Args...> message, Args&&... args) const {
    return MakeError(ErrorCode::kInvalidInput, message, std::forward<Args>(args)...)
        .Within(FormatFilterPosition(text_, offset));
  }
  /// "found X, expected ..." at the token that comes.
  Error Fail(std::string_view expected) const;

 private:
  Result<std::vector<std::string>> ParseName();
  Status ParseCall(const std::vector<std::string>& parts, Operand& operand);
  Status ParseArguments(bool has_width, Operand& operand);
  Status ParseWidth(Operand& operand);
  bool IsTypedLiteral() const;
  Literal ParseTypedLiteral();

  std::string_view text_;
  std::vector<Token> tokens_;  // The last one is kEnd, and nothing is taken beyond it.
  size_t next_ = 0;
};

Literal MakeBooleanLiteral(bool value);

}  // namespace firn

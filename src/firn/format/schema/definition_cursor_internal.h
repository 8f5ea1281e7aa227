#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

/// Text in which people define schemas, partitions and sort orders, token by token. For this module
/// only.

namespace firn {

enum class DefinitionTokenKind { kEnd, kName, kQuotedName, kText, kNumber, kSymbol };

struct DefinitionToken {
  DefinitionTokenKind kind = DefinitionTokenKind::kEnd;
  std::string text;   ///< Without quotes.
  size_t offset = 0;  ///< Of its first byte.
};

/// Walks over the tokens of a text; errors say where, what was found and what was expected.
class DefinitionCursor {
 public:
  /// `what` is the text as messages call it: "schema". Errors: kInvalidInput: a quote that is not
  /// closed, a character that starts no token.
  static Result<DefinitionCursor> Open(std::string_view what, std::string_view text);

  const DefinitionToken& Peek(size_t ahead = 0) const;
  DefinitionToken Take();
  bool IsAtEnd() const { return Peek().kind == DefinitionTokenKind::kEnd; }

  bool IsSymbol(char symbol, size_t ahead = 0) const;
  /// Take the symbol, or the word in any case, if it is next.
  bool TakeSymbol(char symbol);
  bool TakeKeyword(std::string_view keyword);

  Status ExpectSymbol(char symbol);
  Status ExpectKeyword(std::string_view keyword);
  Status ExpectEnd(std::string_view expected);
  /// Bare or in backquotes.
  Result<std::string> TakeName(std::string_view expected);
  /// "a.b.`c d`".
  Result<std::vector<std::string>> TakePath(std::string_view expected);
  /// A number from 0 to 2^31 - 1.
  Result<int32_t> TakeNumber(std::string_view expected);
  Result<std::string> TakeText(std::string_view expected);
  /// The text up to the next `close`, which is taken too.
  Result<std::string> TakeRawUntil(char close);

  /// The next token is not what was expected.
  Error Unexpected(std::string_view expected) const;
  /// What is wrong at `offset`.
  Error Fail(size_t offset, std::string_view problem) const;

 private:
  DefinitionCursor(std::string_view what, std::string_view text) : what_(what), text_(text) {}

  std::string what_;
  std::string text_;
  std::vector<DefinitionToken> tokens_;
  size_t at_ = 0;
};

/// A name as the text has it: in backquotes unless it is plain.
std::string FormatDefinitionName(std::string_view name);

/// "a.b.`c d`".
std::string FormatDefinitionPath(const std::vector<std::string>& path);

}  // namespace firn

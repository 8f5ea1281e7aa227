#include "firn/base/utf8.h"
#include "firn/expression/like_pattern_internal.h"

namespace firn {
namespace {

bool IsWildcard(char c) { return c == '%' || c == '_'; }

// Bytes of the first character; a byte that is not valid UTF-8 is one character.
size_t FirstCharacterSize(std::string_view text) { return TakeCodePoints(text, 1).size(); }

// Match `text` against the part of `pattern` before its next %. Returns false on a mismatch;
// otherwise the bytes of both that were used.
struct PieceMatch {
  bool is_match = false;
  size_t text_size = 0;
  size_t pattern_size = 0;
};

PieceMatch MatchPiece(std::string_view text, std::string_view pattern) {
  PieceMatch match;
  while (match.pattern_size < pattern.size()) {
    const char c = pattern[match.pattern_size];
    if (c == '%') break;
    if (match.text_size == text.size()) return match;
    if (c == '_') {
      match.text_size += FirstCharacterSize(text.substr(match.text_size));
      ++match.pattern_size;
      continue;
    }
    const bool is_escaped = c == '\\' && match.pattern_size + 1 < pattern.size();
    const char expected = is_escaped ? pattern[match.pattern_size + 1] : c;
    if (text[match.text_size] != expected) return match;
    ++match.text_size;
    match.pattern_size += is_escaped ? 2 : 1;
  }
  match.is_match = true;
  return match;
}

}  // namespace

LikePattern AnalyzeLikePattern(std::string_view pattern) {
  LikePattern result;
  size_t i = 0;
  for (; i < pattern.size() && !IsWildcard(pattern[i]); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    result.prefix += pattern[i];
  }
  if (i == pattern.size()) {
    result.shape = LikeShape::kExact;
  } else if (pattern.find_first_not_of('%', i) == std::string_view::npos) {
    result.shape = LikeShape::kPrefix;
  }
  return result;
}

Result<std::string> NormalizeLikePattern(std::string_view pattern, std::string_view escape) {
  std::string normal;
  for (size_t i = 0; i < pattern.size();) {
    std::string_view rest = pattern.substr(i);
    const bool is_escape = rest.starts_with(escape);
    if (is_escape) rest = rest.substr(escape.size());
    const std::string_view character = TakeCodePoints(rest, 1);
    const bool is_special = character == "%" || character == "_";
    if (is_escape && !is_special && character != escape) {
      return MakeError(ErrorCode::kInvalidInput,
                       "LIKE pattern '{}': the escape character '{}' stands before '{}', expected "
                       "it before %, _ or itself",
                       pattern, escape, character);
    }
    if (character == "\\" || (is_escape && is_special)) normal += '\\';
    normal += character;
    i += character.size() + (is_escape ? escape.size() : 0);
  }
  return normal;
}

std::string EscapeLikePattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (IsWildcard(c) || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool MatchesLikePattern(std::string_view text, std::string_view pattern) {
  PieceMatch piece = MatchPiece(text, pattern);
  if (!piece.is_match) return false;
  text.remove_prefix(piece.text_size);
  pattern.remove_prefix(piece.pattern_size);
  if (pattern.empty()) return text.empty();
  // Each piece after a % takes the first place where it fits: a later one leaves less to the rest.
  while (true) {
    pattern.remove_prefix(1);
    if (pattern.empty()) return true;
    piece = MatchPiece(text, pattern);
    const auto fits = [&] {
      return piece.is_match &&
             (piece.pattern_size < pattern.size() || piece.text_size == text.size());
    };
    while (!fits()) {
      if (text.empty()) return false;
      text.remove_prefix(FirstCharacterSize(text));
      piece = MatchPiece(text, pattern);
    }
    text.remove_prefix(piece.text_size);
    pattern.remove_prefix(piece.pattern_size);
    if (pattern.empty()) return true;
  }
}

}  // namespace firn

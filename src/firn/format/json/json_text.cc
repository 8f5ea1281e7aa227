#include "firn/format/json/json_reader.h"

namespace firn {
namespace {

constexpr int kMaxDepth = 200;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A strict recogniser of the JSON grammar. Each function moves over what its name says.
class JsonRecogniser {
 public:
  explicit JsonRecogniser(std::string_view text) : text_(text) {}

  bool TakeAll() { return TakeValue(0) && at_ == text_.size(); }

 private:
  bool TakeValue(int depth) {
    SkipBlanks();
    const char first = Peek();
    bool is_legal = false;
    if (first == '{') {
      is_legal = depth < kMaxDepth && TakeObject(depth);
    } else if (first == '[') {
      is_legal = depth < kMaxDepth && TakeArray(depth);
    } else if (first == '"') {
      is_legal = TakeString();
    } else if (first == '-' || IsDigit(first)) {
      is_legal = TakeNumber();
    } else {
      is_legal = TakeWord("true") || TakeWord("false") || TakeWord("null");
    }
    SkipBlanks();
    return is_legal;
  }

  bool TakeObject(int depth) {
    ++at_;
    SkipBlanks();
    if (Take('}')) return true;
    do {
      SkipBlanks();
      if (!TakeString()) return false;
      SkipBlanks();
      if (!Take(':') || !TakeValue(depth + 1)) return false;
    } while (Take(','));
    return Take('}');
  }

  bool TakeArray(int depth) {
    ++at_;
    SkipBlanks();
    if (Take(']')) return true;
    do {
      if (!TakeValue(depth + 1)) return false;
    } while (Take(','));
    return Take(']');
  }

  bool TakeString() {
    if (!Take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && !TakeEscape()) return false;
      ++at_;
    }
    return Take('"');
  }

  // Moves to the last character of an escape.
  bool TakeEscape() {
    ++at_;
    if (Peek() != 'u') return std::string_view("\"\\/bfnrt").find(Peek()) != std::string_view::npos;
    for (int i = 0; i < 4; ++i) {
      ++at_;
      const char c = Peek();
      if (!IsDigit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return false;
    }
    return true;
  }

  bool TakeNumber() {
    Take('-');
    if (!Take('0') && !TakeDigits()) return false;
    if (Take('.') && !TakeDigits()) return false;
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      return TakeDigits();
    }
    return true;
  }

  bool TakeDigits() {
    const size_t start = at_;
    while (IsDigit(Peek()))
      ++at_;
    return at_ > start;
  }

  bool TakeWord(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // NUL at the end, which starts nothing.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipBlanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool IsJsonText(std::string_view text) { return JsonRecogniser(text).TakeAll(); }

}  // namespace firn

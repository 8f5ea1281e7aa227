#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace firn {

/// Append `text` as a JSON string with quotes. UTF-8 stays as it is; bytes that are not UTF-8
/// become U+FFFD, so that the output is always legal JSON. Returns false if there were such bytes.
bool AppendJsonString(std::string& out, std::string_view text);

/// Writes compact JSON into a string. Commas are placed by the writer; the caller balances Begin
/// and End and writes exactly one value after each Key.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }

  void Key(std::string_view key) {
    Separate();
    is_lossless_ &= AppendJsonString(out_, key);
    out_ += ':';
    needs_comma_ = false;
  }

  void String(std::string_view value) {
    Separate();
    is_lossless_ &= AppendJsonString(out_, value);
  }
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  void Int(T value) {
    Separate();
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
    out_.append(digits, end);
  }
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }

  /// Text that is JSON already.
  void Raw(std::string_view json) {
    Separate();
    out_ += json;
  }

  // One member of an object.
  void StringField(std::string_view key, std::string_view value) {
    Key(key);
    String(value);
  }
  template <typename T>
  void IntField(std::string_view key, T value) {
    Key(key);
    Int(value);
  }
  void BoolField(std::string_view key, bool value) {
    Key(key);
    Bool(value);
  }
  void RawField(std::string_view key, std::string_view json) {
    Key(key);
    Raw(json);
  }

  const std::string& text() const { return out_; }
  /// False if text that is not UTF-8 was changed.
  bool is_lossless() const { return is_lossless_; }
  std::string Take() && { return std::move(out_); }
  void Reserve(size_t bytes) { out_.reserve(bytes); }

 private:
  void Separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
  }
  void Open(char bracket) {
    Separate();
    out_ += bracket;
    needs_comma_ = false;
  }
  void Close(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
  }

  std::string out_;
  bool needs_comma_ = false;
  bool is_lossless_ = true;
};

}  // namespace firn

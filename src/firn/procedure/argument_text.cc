#include <chrono>
#include <cmath>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/procedure/procedure.h"

namespace firn {
namespace {

Error Expected(const Argument& argument, std::string_view text, std::string_view expected) {
  return MakeError(ErrorCode::kInvalidInput, "argument '{}' is '{}', expected {}", argument.name,
                   text, expected);
}

// "7d", "1d12h": the time back from now; nullopt if it is no duration.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  constexpr std::pair<char, int64_t> kUnits[] = {
      {'w', 604'800'000}, {'d', 86'400'000}, {'h', 3'600'000}, {'m', 60'000}, {'s', 1'000}};
  constexpr int64_t kMillisecondsMax = int64_t{100'000} * 365 * 86'400'000;
  if (text.empty()) return std::nullopt;
  int64_t total = 0;
  while (!text.empty()) {
    size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9')
      ++digits;
    const auto count = ParseInt64(text.substr(0, digits));
    if (!count || digits == text.size()) return std::nullopt;
    int64_t factor = 0;
    for (const auto& [unit, milliseconds] : kUnits) {
      if (unit == text[digits]) factor = milliseconds;
    }
    if (factor == 0 || *count > (kMillisecondsMax - total) / factor) return std::nullopt;
    total += *count * factor;
    text.remove_prefix(digits + 1);
  }
  return std::chrono::milliseconds(total);
}

Result<Timestamp> ParseTime(const Argument& argument, std::string_view text, Timestamp now) {
  if (text == "now") return now;
  if (const auto back = ParseDuration(text)) return now - *back;
  const auto parsed = ParseTimestamp(text, TimeUnit::kMicros);
  if (parsed) {
    const std::chrono::microseconds micros(parsed->value);
    return Timestamp(std::chrono::floor<std::chrono::milliseconds>(micros));
  }
  return Expected(
      argument, text,
      "a time such as 2026-01-31T10:00:00Z, a duration back from now such as 7d or 12h, "
      "or now");
}

Result<bool> ParseBoolean(const Argument& argument, std::string_view text) {
  const std::string lower = LowerAscii(text);
  if (lower == "true" || lower == "1" || lower == "yes") return true;
  if (lower == "false" || lower == "0" || lower == "no") return false;
  return Expected(argument, text, "true or false");
}

Result<int64_t> ParseInteger(const Argument& argument, std::string_view text) {
  if (const auto value = ParseInt64(text)) return *value;
  return Expected(argument, text, "an integer");
}

// Items may be given one by one or with commas between them.
std::vector<std::string> SplitItems(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) {
    for (const std::string_view item : SplitText(text, ',')) {
      if (!TrimText(item).empty()) items.emplace_back(TrimText(item));
    }
  }
  return items;
}

Result<std::map<std::string, std::string>> ParseMap(const Argument& argument,
                                                    const std::vector<std::string>& texts) {
  std::map<std::string, std::string> entries;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return Expected(argument, text, "KEY=VALUE");
    const auto [entry, is_new] = entries.emplace(text.substr(0, equals), text.substr(equals + 1));
    if (!is_new) {
      return MakeError(ErrorCode::kInvalidInput, "argument '{}' sets '{}' twice", argument.name,
                       entry->first);
    }
  }
  return entries;
}

Result<Arguments::ArgumentValue> ParseList(const Argument& argument,
                                           const std::vector<std::string>& texts) {
  std::vector<std::string> items = argument.has_commas ? texts : SplitItems(texts);
  if (argument.type == ArgumentType::kTextList) return Arguments::ArgumentValue(std::move(items));
  std::vector<int64_t> numbers;
  for (const std::string& item : items) {
    FIRN_ASSIGN(const int64_t number, ParseInteger(argument, item));
    numbers.push_back(number);
  }
  return Arguments::ArgumentValue(std::move(numbers));
}

Result<Arguments::ArgumentValue> ParseScalar(const Argument& argument, const std::string& text,
                                             Timestamp now) {
  using ArgumentValue = Arguments::ArgumentValue;
  switch (argument.type) {
    case ArgumentType::kText:
    case ArgumentType::kTable:
    case ArgumentType::kNamespace:
      return ArgumentValue(text);
    case ArgumentType::kInteger: {
      FIRN_ASSIGN(const int64_t number, ParseInteger(argument, text));
      return ArgumentValue(number);
    }
    case ArgumentType::kNumber: {
      const auto number = ParseDouble(text);
      if (!number || !std::isfinite(*number)) return Expected(argument, text, "a number");
      return ArgumentValue(*number);
    }
    case ArgumentType::kBoolean: {
      FIRN_ASSIGN(const bool flag, ParseBoolean(argument, text));
      return ArgumentValue(flag);
    }
    case ArgumentType::kTimestamp: {
      FIRN_ASSIGN(const Timestamp time, ParseTime(argument, text, now));
      return ArgumentValue(time);
    }
    case ArgumentType::kTextList:
    case ArgumentType::kIntegerList:
    case ArgumentType::kTextMap:
      break;
  }
  return MakeError(ErrorCode::kInternal, "argument '{}' is no scalar", argument.name);
}

}  // namespace

Result<Arguments::ArgumentValue> ParseArgument(const Argument& argument,
                                               const std::vector<std::string>& texts,
                                               Timestamp now) {
  switch (argument.type) {
    case ArgumentType::kTextMap: {
      FIRN_ASSIGN(auto entries, ParseMap(argument, texts));
      return Arguments::ArgumentValue(std::move(entries));
    }
    case ArgumentType::kTextList:
    case ArgumentType::kIntegerList:
      return ParseList(argument, texts);
    case ArgumentType::kText:
    case ArgumentType::kTable:
    case ArgumentType::kNamespace:
    case ArgumentType::kInteger:
    case ArgumentType::kNumber:
    case ArgumentType::kBoolean:
    case ArgumentType::kTimestamp:
      break;
  }
  if (texts.size() != 1) {
    return MakeError(ErrorCode::kInvalidInput, "argument '{}' was given {} times, expected once",
                     argument.name, texts.size());
  }
  return ParseScalar(argument, texts.front(), now);
}

}  // namespace firn

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/ranges.h>

#include "firn/base/number.h"
#include "firn/base/suggest.h"
#include "firn/base/text.h"
#include "firn/maintain/compaction/option_reader_internal.h"

namespace firn {
namespace {

Error Unexpected(const std::string& name, const std::string& found, const std::string& expected) {
  return MakeError(ErrorCode::kInvalidInput, "option '{}' is '{}', expected {}", name, found,
                   expected);
}

// Nothing that is stored comes near; what is computed from it still fits into 64 bits.
constexpr int64_t kTargetBytesMax = INT64_MAX / 4;

int64_t Share(int64_t bytes, double factor) {
  return static_cast<int64_t>(static_cast<double>(bytes) * factor);
}

}  // namespace

const std::string* OptionReader::Find(const std::string& name) {
  known_.insert(name);
  const auto found = options_.find(name);
  return found == options_.end() ? nullptr : &found->second;
}

Status OptionReader::Integer(const std::string& name, int64_t least, int64_t& target) {
  const std::string* text = Find(name);
  if (text == nullptr) return {};
  const auto value = ParseInt64(*text);
  if (!value || *value < least) {
    return Unexpected(name, *text, fmt::format("a whole number >= {}", least));
  }
  target = *value;
  return {};
}

Status OptionReader::Boolean(const std::string& name, bool& target) {
  const std::string* text = Find(name);
  if (text == nullptr) return {};
  const std::string lower = LowerAscii(*text);
  if (lower != "true" && lower != "false") return Unexpected(name, *text, "true or false");
  target = lower == "true";
  return {};
}

Status OptionReader::Ratio(const std::string& name, double& target) {
  const std::string* text = Find(name);
  if (text == nullptr) return {};
  const auto value = ParseDouble(*text);
  if (!value || !(*value > 0 && *value <= 1)) {
    return Unexpected(name, *text, "a number > 0 and <= 1");
  }
  target = *value;
  return {};
}

Status OptionReader::AboveZero(const std::string& name, double& target) {
  const std::string* text = Find(name);
  if (text == nullptr) return {};
  const auto value = ParseDouble(*text);
  if (!value || !(*value > 0) || !std::isfinite(*value)) {
    return Unexpected(name, *text, "a number > 0");
  }
  target = *value;
  return {};
}

Status OptionReader::OneOf(const std::string& name, const std::vector<std::string>& choices,
                           std::string& target) {
  const std::string* text = Find(name);
  if (text == nullptr) return {};
  const std::string lower = LowerAscii(*text);
  for (const std::string& choice : choices) {
    if (lower != choice) continue;
    target = choice;
    return {};
  }
  return Unexpected(name, *text, fmt::format("one of {}", fmt::join(choices, ", ")));
}

Status OptionReader::JobOrder(std::string& target) {
  return OneOf("rewrite-job-order", {"bytes-asc", "bytes-desc", "files-asc", "files-desc", "none"},
               target);
}

Result<FileSizes> OptionReader::Sizes(int64_t target_default, std::string_view target_property) {
  constexpr const char* kTarget = "target-file-size-bytes";
  if (!Has(kTarget) && target_default < 1) {
    return MakeError(ErrorCode::kInvalidInput, "table property '{}' is {}, expected 1 or more",
                     target_property, target_default);
  }
  FileSizes sizes;
  sizes.target_bytes = target_default;
  FIRN_RETURN_IF_ERROR(Integer(kTarget, 1, sizes.target_bytes));
  sizes.target_bytes = std::min(sizes.target_bytes, kTargetBytesMax);
  sizes.min_bytes = Share(sizes.target_bytes, 0.75);
  sizes.max_bytes = Share(sizes.target_bytes, 1.80);
  FIRN_RETURN_IF_ERROR(Integer("min-file-size-bytes", 0, sizes.min_bytes));
  FIRN_RETURN_IF_ERROR(Integer("max-file-size-bytes", 1, sizes.max_bytes));
  if (sizes.target_bytes <= 0 || sizes.min_bytes >= sizes.target_bytes ||
      sizes.max_bytes <= sizes.target_bytes) {
    return MakeError(ErrorCode::kInvalidInput,
                     "min-file-size-bytes is {}, target-file-size-bytes{} {} and "
                     "max-file-size-bytes {}, expected 0 <= min < target < max",
                     sizes.min_bytes,
                     Has(kTarget) ? "" : fmt::format(" (table property '{}')", target_property),
                     sizes.target_bytes, sizes.max_bytes);
  }
  return sizes;
}

Status OptionReader::RefuseUnknown() const {
  for (const auto& [name, value] : options_) {
    if (known_.contains(name)) continue;
    const auto near = SuggestName(name, std::vector<std::string>(known_.begin(), known_.end()));
    return MakeError(ErrorCode::kInvalidInput, "unknown option '{}'{}, expected one of {}", name,
                     near ? fmt::format(" (did you mean '{}'?)", *near) : std::string(),
                     fmt::join(known_, ", "));
  }
  return {};
}

}  // namespace firn

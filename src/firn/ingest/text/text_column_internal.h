#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/types/type.h"

namespace firn {

/// The values of one column of a batch.
struct TextColumn {
  std::shared_ptr<arrow::Array> values;
  std::vector<size_t> bad;  ///< Places of texts that stand for no value of the type; null there.
};

/// The values that `texts` stand for. A text without characters and without a place for some
/// (`data()` is null) is null. Blanks around anything but text are ignored; text must be UTF-8.
/// `are_ascii`: all are known to be. Errors: kUnsupported, for nested types and those whose values
/// cannot be written; those of memory.
Result<TextColumn> ConvertTexts(const Type& type, std::span<const std::string_view> texts,
                                bool are_ascii, arrow::MemoryPool* pool);

/// What a text may be called as a boolean: true, false, t, f, yes, no, y, n, 1, 0; any case.
std::optional<bool> ParseBooleanText(std::string_view text);

/// Decimal digits with an optional sign. Nullopt: something else, or more than 64 bits.
std::optional<int64_t> ParseIntegerText(std::string_view text);

/// A number in decimal notation, or "NaN", "Infinity", "inf" with a sign; any case.
std::optional<double> ParseDoubleText(std::string_view text);

/// Without the blanks around it.
std::string_view TrimBlanks(std::string_view text);

/// Whether no character has its highest bit set.
bool IsAscii(std::string_view text);

}  // namespace firn

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <arrow/type_fwd.h>

#include "firn/base/result.h"
#include "firn/format/type.h"

namespace firn {

/// Builds one column of a batch from the texts of its values.
class TextColumn {
 public:
  virtual ~TextColumn() = default;
  /// Append the value that `text` stands for. False: it stands for none of the type; a null takes
  /// its place. Blanks around anything but text are ignored.
  virtual bool Append(std::string_view text) = 0;
  virtual void AppendNull() = 0;
  /// The column so far; the next one begins.
  virtual Result<std::shared_ptr<arrow::Array>> Finish() = 0;
};

/// For a column of `type`. Text must be UTF-8. Errors: kUnsupported, for nested types and those
/// whose values cannot be written.
Result<std::unique_ptr<TextColumn>> MakeTextColumn(const Type& type, arrow::MemoryPool* pool);

/// What a text may be called as a boolean: true, false, t, f, yes, no, y, n, 1, 0; any case.
std::optional<bool> ParseBooleanText(std::string_view text);

/// Decimal digits with an optional sign. Nullopt: something else, or more than 64 bits.
std::optional<int64_t> ParseIntegerText(std::string_view text);

/// A number in decimal notation, or "NaN", "Infinity", "inf" with a sign; any case.
std::optional<double> ParseDoubleText(std::string_view text);

/// Without the blanks around it.
std::string_view TrimBlanks(std::string_view text);

}  // namespace firn

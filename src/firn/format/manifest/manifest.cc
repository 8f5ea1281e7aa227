#include "firn/format/manifest/manifest.h"

#include "firn/base/text.h"

namespace firn {
namespace {

constexpr std::pair<std::string_view, FileFormat> kFormats[] = {
    {"PARQUET", FileFormat::kParquet},
    {"AVRO", FileFormat::kAvro},
    {"ORC", FileFormat::kOrc},
    {"PUFFIN", FileFormat::kPuffin},
};

}  // namespace

std::string_view FormatFileFormat(FileFormat format) {
  for (const auto& [text, known] : kFormats) {
    if (known == format) return text;
  }
  return "PARQUET";
}

Result<FileFormat> ParseFileFormat(std::string_view text) {
  for (const auto& [known, format] : kFormats) {
    if (EqualsIgnoreCase(known, text)) return format;
  }
  return MakeError(ErrorCode::kCorrupt, "file format '{}', expected avro, orc, parquet or puffin",
                   text);
}

}  // namespace firn

#include "firn/base/text.h"
#include "firn/data/formats/write_properties_internal.h"

namespace firn {

std::string WriteProperties::NameOf(std::string_view key) const {
  std::string name = "write.delete." + std::string(key);
  if (is_delete_ && !metadata_.Property(name, "").empty()) return name;
  return "write." + std::string(key);
}

std::string WriteProperties::Text(std::string_view key, std::string_view fallback) const {
  return metadata_.Property(NameOf(key), fallback);
}

Result<int64_t> WriteProperties::Positive(std::string_view key, int64_t fallback) const {
  const std::string name = NameOf(key);
  FIRN_ASSIGN(const int64_t value, metadata_.IntProperty(name, fallback));
  if (value > 0) return value;
  return MakeError(ErrorCode::kInvalidInput, "table property '{}' is {}, expected >= 1", name,
                   value);
}

Result<FileFormat> WriteProperties::Format() const {
  constexpr std::string_view kKey = "format.default";
  const std::string text = Text(kKey, "parquet");
  if (EqualsIgnoreCase(text, "parquet")) return FileFormat::kParquet;
  if (EqualsIgnoreCase(text, "avro")) return FileFormat::kAvro;
  if (EqualsIgnoreCase(text, "orc")) return FileFormat::kOrc;
  return MakeError(ErrorCode::kInvalidInput,
                   "table property '{}' is '{}', expected one of avro, orc, parquet", NameOf(kKey),
                   text);
}

}  // namespace firn

#include "firn/format/manifest/content_file_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "firn/format/types/value_json.h"

namespace firn {
namespace {

constexpr std::array<std::string_view, 3> kContentNames = {"data", "position-deletes",
                                                           "equality-deletes"};

// Java writes "PARQUET" and "EQUALITY_DELETES", the REST specification "parquet" and
// "equality-deletes".
std::string Normalize(std::string_view text) {
  std::string name;
  for (const char letter : text) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    name += letter == '_' ? '-' : is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return name;
}

void WriteValue(JsonWriter& json, int64_t count) { json.Int(count); }
void WriteValue(JsonWriter& json, const std::string& bound) {
  json.String(FormatHex(AsBytes(bound)));
}

template <typename T>
void WriteMap(JsonWriter& json, std::string_view name, const FieldMap<T>& map) {
  if (map.empty()) return;
  json.Key(name);
  json.BeginObject();
  json.Key("keys");
  json.BeginArray();
  for (const auto& [id, value] : map)
    json.Int(id);
  json.EndArray();
  json.Key("values");
  json.BeginArray();
  for (const auto& [id, value] : map)
    WriteValue(json, value);
  json.EndArray();
  json.EndObject();
}

template <typename T>
void WriteList(JsonWriter& json, std::string_view name, const std::vector<T>& values) {
  if (values.empty()) return;
  json.Key(name);
  json.BeginArray();
  for (const T value : values)
    json.Int(value);
  json.EndArray();
}

template <typename T>
void WriteInt(JsonWriter& json, std::string_view name, const std::optional<T>& value) {
  if (value) json.IntField(name, *value);
}

// Where to read a type of the format to: one of this file, so that its ReadJson is found.
template <typename T>
struct Into {
  T& to;
};

// Bytes as hexadecimal digits.
struct HexText {
  std::string bytes;
};

Status ReadJson(JsonValue& json, HexText& out) {
  FIRN_ASSIGN(const std::string_view text, json.ReadString());
  auto bytes = ParseHex(text);
  if (!bytes) {
    return json.MakePathError(
        fmt::format("found '{}', expected hexadecimal digits", text.substr(0, 80)));
  }
  out.bytes = std::move(*bytes);
  return {};
}

// Keys and values of a map, in arrays of the same length.
template <typename Value, typename Stored>
Status ReadMap(JsonValue& json, FieldMap<Value>& out, Value (*value_of)(Stored&)) {
  std::vector<int32_t> keys;
  std::vector<Stored> values;
  ExtraFields extra;
  FIRN_RETURN_IF_ERROR(
      ReadMembers(json, {RequiredMember("keys", keys), RequiredMember("values", values)}, extra));
  if (keys.size() != values.size()) {
    return json.MakePathError(
        fmt::format("found {} keys and {} values", keys.size(), values.size()));
  }
  out.clear();
  for (size_t i = 0; i < keys.size(); ++i)
    out.emplace_back(keys[i], value_of(values[i]));
  std::sort(out.begin(), out.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::adjacent_find(out.begin(), out.end(), same) != out.end()) {
    return json.MakePathError("a field id stands twice");
  }
  return {};
}

Status ReadJson(JsonValue& json, Into<FieldMap<int64_t>>& out) {
  return ReadMap<int64_t, int64_t>(json, out.to, [](int64_t& value) { return value; });
}

Status ReadJson(JsonValue& json, Into<FieldMap<std::string>>& out) {
  return ReadMap<std::string, HexText>(json, out.to,
                                       [](HexText& value) { return std::move(value.bytes); });
}

Status ReadJson(JsonValue& json, Into<FileContent>& out) {
  FIRN_ASSIGN(const std::string_view text, json.ReadString());
  const std::string name = Normalize(text);
  for (size_t i = 0; i < kContentNames.size(); ++i) {
    const bool is_same = name == kContentNames[i] || name + "-deletes" == kContentNames[i];
    if (is_same) {
      out.to = static_cast<FileContent>(i);
      return {};
    }
  }
  return json.MakePathError(
      fmt::format("found '{}', expected data, position-deletes or "
                  "equality-deletes",
                  text.substr(0, 80)));
}

Status ReadJson(JsonValue& json, Into<FileFormat>& out) {
  FIRN_ASSIGN(const std::string_view text, json.ReadString());
  auto format = ParseFileFormat(text);
  if (!format.ok()) return json.MakePathError(format.error().message());
  out.to = *format;
  return {};
}

Status ReadPartition(const RawJson& text, const Type& type, StructValue& out) {
  if (text.text.empty()) return {};
  FIRN_ASSIGN(const Value value, ParseValueJson(text.text, type), "partition");
  if (!value.is_null()) out = value.as_struct();
  return {};
}

}  // namespace

void WriteContentFileJson(JsonWriter& json, const DataFile& file, const Type& partition_type) {
  json.BeginObject();
  json.IntField("spec-id", file.partition_spec_id);
  json.StringField("content", kContentNames[static_cast<size_t>(file.content)]);
  json.StringField("file-path", file.file_path);
  json.StringField("file-format", Normalize(FormatFileFormat(file.file_format)));
  json.RawField("partition", FormatValueJson(Value::Struct(file.partition.fields), partition_type));
  json.IntField("file-size-in-bytes", file.file_size_in_bytes);
  json.IntField("record-count", file.record_count);
  WriteMap(json, "column-sizes", file.metrics.column_sizes);
  WriteMap(json, "value-counts", file.metrics.value_counts);
  WriteMap(json, "null-value-counts", file.metrics.null_value_counts);
  WriteMap(json, "nan-value-counts", file.metrics.nan_value_counts);
  WriteMap(json, "lower-bounds", file.metrics.lower_bounds);
  WriteMap(json, "upper-bounds", file.metrics.upper_bounds);
  if (file.key_metadata) json.StringField("key-metadata", FormatHex(AsBytes(*file.key_metadata)));
  WriteList(json, "split-offsets", file.split_offsets);
  WriteList(json, "equality-ids", file.equality_ids);
  WriteInt(json, "sort-order-id", file.sort_order_id);
  WriteInt(json, "first-row-id", file.first_row_id);
  if (file.referenced_data_file) {
    json.StringField("referenced-data-file", *file.referenced_data_file);
  }
  WriteInt(json, "content-offset", file.content_offset);
  WriteInt(json, "content-size-in-bytes", file.content_size_in_bytes);
  json.EndObject();
}

Result<DataFile> ReadContentFileJson(JsonValue& json, const FindPartitionType& find_type) {
  DataFile file;
  RawJson partition;
  std::optional<HexText> key_metadata;
  FileMetrics& metrics = file.metrics;
  Into content{file.content};
  Into format{file.file_format};
  Into column_sizes{metrics.column_sizes};
  Into value_counts{metrics.value_counts};
  Into null_value_counts{metrics.null_value_counts};
  Into nan_value_counts{metrics.nan_value_counts};
  Into lower_bounds{metrics.lower_bounds};
  Into upper_bounds{metrics.upper_bounds};
  ExtraFields extra;
  FIRN_RETURN_IF_ERROR(
      ReadMembers(json,
                  {RequiredMember("spec-id", file.partition_spec_id),
                   RequiredMember("content", content),
                   RequiredMember("file-path", file.file_path),
                   RequiredMember("file-format", format),
                   OptionalMember("partition", partition),
                   RequiredMember("file-size-in-bytes", file.file_size_in_bytes),
                   RequiredMember("record-count", file.record_count),
                   OptionalMember("column-sizes", column_sizes),
                   OptionalMember("value-counts", value_counts),
                   OptionalMember("null-value-counts", null_value_counts),
                   OptionalMember("nan-value-counts", nan_value_counts),
                   OptionalMember("lower-bounds", lower_bounds),
                   OptionalMember("upper-bounds", upper_bounds),
                   OptionalMember("key-metadata", key_metadata),
                   OptionalMember("split-offsets", file.split_offsets),
                   OptionalMember("equality-ids", file.equality_ids),
                   OptionalMember("sort-order-id", file.sort_order_id),
                   OptionalMember("first-row-id", file.first_row_id),
                   OptionalMember("referenced-data-file", file.referenced_data_file),
                   OptionalMember("content-offset", file.content_offset),
                   OptionalMember("content-size-in-bytes", file.content_size_in_bytes)},
                  extra));
  if (key_metadata) file.key_metadata = std::move(key_metadata->bytes);
  const TypePtr type = find_type(file.partition_spec_id);
  if (type == nullptr) {
    return json.MakePathError(
        fmt::format("spec-id is {}, which the table lacks", file.partition_spec_id));
  }
  if (file.record_count < 0 || file.file_size_in_bytes < 0) {
    return json.MakePathError("found a negative count or size");
  }
  const Status status = ReadPartition(partition, *type, file.partition);
  if (!status.ok()) return json.AddPath(status.error());
  file.partition.fields.resize(type->fields().size());
  return file;
}

}  // namespace firn

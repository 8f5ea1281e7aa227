#include <utility>

#include "firn/base/bytes.h"
#include "firn/base/text.h"
#include "firn/base/utf8.h"
#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/io/uri.h"
#include "firn/maintain/orphans/quarantine_list_internal.h"

namespace firn {
namespace {

constexpr std::string_view kAside = ".file";

void AddName(JsonWriter& line, const std::string& key, const std::string& name) {
  line.StringField(key, name);
  if (!IsValidUtf8(name)) line.StringField(key + "-hex", FormatHex(AsBytes(name)));
}

Status ReadHex(JsonValue& value, std::string& name) {
  FIRN_ASSIGN(const std::string_view text, value.ReadString());
  auto bytes = ParseHex(text);
  if (!bytes) return MakeError(ErrorCode::kCorrupt, "found '{}', expected hexadecimal bytes", text);
  name = *std::move(bytes);
  return {};
}

Result<QuarantineMove> ParseMove(std::string_view line) {
  QuarantineMove move;
  std::string from_bytes;
  std::string to_bytes;
  FIRN_ASSIGN(JsonDocument document, JsonDocument::Open(PaddedText::CopyOf(line)));
  auto read = [&](std::string_view key, JsonValue& value) -> Status {
    if (key == "path") {
      FIRN_ASSIGN(move.from, value.ReadString());
    } else if (key == "quarantined") {
      FIRN_ASSIGN(move.to, value.ReadString());
    } else if (key == "bytes") {
      FIRN_ASSIGN(move.bytes, value.ReadInt64());
    } else if (key == "path-hex") {
      FIRN_RETURN_IF_ERROR(ReadHex(value, from_bytes));
    } else if (key == "quarantined-hex") {
      FIRN_RETURN_IF_ERROR(ReadHex(value, to_bytes));
    } else {
      FIRN_RETURN_IF_ERROR(value.ReadRaw());
    }
    return {};
  };
  FIRN_RETURN_IF_ERROR(
      document.VisitRoot([&](JsonValue& root) { return root.VisitMembers(read); }));
  if (!from_bytes.empty()) move.from = std::move(from_bytes);
  if (!to_bytes.empty()) move.to = std::move(to_bytes);
  if (move.from.empty() || move.to.empty()) {
    return MakeError(ErrorCode::kCorrupt, "found '{}', expected 'path' and 'quarantined'", line);
  }
  return move;
}

// "manifest.jsonl", "manifest.jsonl.file", ...
bool IsNamedLikeList(std::string_view name) {
  while (name.size() > kQuarantineList.size() && name.ends_with(kAside))
    name.remove_suffix(kAside.size());
  return name == kQuarantineList;
}

}  // namespace

std::string FormatQuarantineMove(const QuarantineMove& move) {
  JsonWriter line;
  line.BeginObject();
  AddName(line, "path", move.from);
  AddName(line, "quarantined", move.to);
  line.IntField("bytes", move.bytes);
  line.EndObject();
  return std::move(line).Take() + "\n";
}

std::string QuarantinePlace(const std::string& location, const std::string& folder,
                            const std::string& path) {
  const std::string_view root = StripTrailingSlash(location);
  std::string_view relative = path;
  if (path.starts_with(root)) relative.remove_prefix(root.size());
  while (relative.starts_with('/'))
    relative.remove_prefix(1);
  std::string place = JoinUri(folder, relative);
  // Those that are named like the list get out of its way, one after the other.
  if (IsNamedLikeList(relative)) place += kAside;
  return place;
}

Status VisitQuarantineList(FileIO& io, const std::string& list,
                           const std::function<Status(QuarantineMove)>& visit) {
  FIRN_ASSIGN(const Buffer bytes, ReadFile(io, list));
  int64_t line_number = 0;
  for (const std::string_view line : SplitText(bytes.view(), '\n')) {
    ++line_number;
    if (line.empty()) continue;
    FIRN_ASSIGN(QuarantineMove move, ParseMove(line), "'{}' line {}", list, line_number);
    FIRN_RETURN_IF_ERROR(visit(std::move(move)));
  }
  return {};
}

}  // namespace firn

#include "firn/format/metadata/adopted_folders.h"

#include <algorithm>
#include <map>
#include <utility>

#include "firn/format/json/json_reader.h"
#include "firn/format/json/json_writer.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr size_t kFoldersMax = 50;

bool IsWithin(const std::string& folder, const std::string& outer) {
  const std::string above = CanonicalUriKey(outer) + "/";
  return (CanonicalUriKey(folder) + "/").starts_with(above);
}

// Empty for a root.
std::string ParentOf(const std::string& folder) {
  const size_t slash = folder.rfind('/');
  if (slash == std::string::npos || slash == 0 || folder[slash - 1] == '/' ||
      folder[slash - 1] == ':') {
    return {};
  }
  return folder.substr(0, slash);
}

void LeaveOutInner(std::vector<std::string>& folders) {
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::vector<std::string> outer;
  for (size_t i = 0; i < folders.size(); ++i) {
    bool is_inner = false;
    for (size_t k = 0; k < folders.size() && !is_inner; ++k) {
      // Of two spellings of one folder, the first stays.
      is_inner = k != i && IsWithin(folders[i], folders[k]) &&
                 (k < i || !IsWithin(folders[k], folders[i]));
    }
    if (!is_inner) outer.push_back(folders[i]);
  }
  folders = std::move(outer);
}

// The folder that most of them are in; empty if no two are in one.
std::string CommonParent(const std::vector<std::string>& folders) {
  std::map<std::string, size_t> counts;
  for (const std::string& folder : folders) {
    const std::string parent = ParentOf(folder);
    // Not a whole disk or bucket.
    if (!parent.empty() && !ParentOf(parent).empty()) ++counts[parent];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() || most->second < 2 ? std::string() : most->first;
}

}  // namespace

Result<std::vector<std::string>> ParseAdoptedFolders(const Properties& properties) {
  std::vector<std::string> folders;
  const auto found = properties.find(std::string(kAdoptedFolders));
  if (found == properties.end()) return folders;
  const auto read = [&]() -> Status {
    FIRN_ASSIGN(JsonDocument document, JsonDocument::Open(PaddedText::CopyOf(found->second)));
    return document.VisitRoot([&](JsonValue& root) {
      return root.VisitElements([&](JsonValue& value) -> Status {
        FIRN_ASSIGN(const std::string_view folder, value.ReadString());
        if (!folder.empty()) folders.emplace_back(folder);
        return {};
      });
    });
  };
  const Status status = read();
  if (status.ok()) return folders;
  return MakeError(ErrorCode::kInvalidInput,
                   "table property '{}' is '{}', expected a JSON array of folders ({}); put it "
                   "right, since it says which files are not to be deleted",
                   kAdoptedFolders, found->second, status.error().message());
}

std::string FormatAdoptedFolders(const std::vector<std::string>& folders) {
  JsonWriter json;
  json.BeginArray();
  for (const std::string& folder : folders)
    json.String(folder);
  json.EndArray();
  return std::move(json).Take();
}

std::vector<std::string> JoinFolders(std::vector<std::string> known,
                                     const std::vector<std::string>& more) {
  known.insert(known.end(), more.begin(), more.end());
  for (std::string& folder : known)
    folder = std::string(StripTrailingSlash(folder));
  LeaveOutInner(known);
  while (known.size() > kFoldersMax) {
    const std::string parent = CommonParent(known);
    if (parent.empty()) break;
    known.push_back(parent);
    LeaveOutInner(known);
  }
  return known;
}

std::vector<std::string> OwnFolders(const TableMetadata& metadata) {
  std::vector<std::string> folders;
  for (const std::string& folder :
       {metadata.location, metadata.MetadataLocation(), metadata.Property("write.data.path", ""),
        metadata.Property("write.object-storage.path", ""),
        metadata.Property("write.folder-storage.path", "")}) {
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

}  // namespace firn

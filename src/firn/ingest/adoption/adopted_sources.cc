#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/base/utf8.h"
#include "firn/ingest/adoption/adopted_sources_internal.h"
#include "firn/io/real_names.h"

namespace firn {
namespace {

// Bytes that are no text as \xNN.
std::string Escape(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const auto point = DecodeUtf8(text);
    const size_t size = point ? point->size : 1;
    if (point) {
      escaped += text.substr(0, size);
    } else {
      escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(size);
  }
  return escaped;
}

Status CheckText(const SourceFile& file) {
  const std::string& uri = file.info.uri;
  if (!IsValidUtf8(uri)) {
    return MakeError(
        ErrorCode::kInvalidInput,
        "file '{}': its name is not UTF-8, and metadata can hold no other, so that the "
        "table would name no file; rename it, or load it with 'ingest'",
        Escape(uri));
  }
  for (const auto& [key, value] : file.folders) {
    if (IsValidUtf8(key) && IsValidUtf8(value.value_or(""))) continue;
    return MakeError(
        ErrorCode::kInvalidInput,
        "file '{}': the folder '{}={}' is not UTF-8 once it is decoded, expected text; "
        "rename it",
        uri, Escape(key), Escape(value.value_or("")));
  }
  return {};
}

// Spark, Hive and Glue do not tell columns by case.
Status CheckFoldersAbove(const SourceFile& file) {
  std::map<std::string, std::string> keys;
  for (const auto& [key, value] : file.folders) {
    const auto [other, is_new] = keys.emplace(LowerAscii(key), key);
    if (is_new) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "file '{}' lies in folders '{}=' and '{}=', which name one column twice; move "
                     "or rename one of them",
                     file.info.uri, other->second, key);
  }
  return {};
}

std::string FormatKeys(const SourceFile& file) {
  std::string keys;
  for (const auto& folder : file.folders)
    keys += (keys.empty() ? "'" : ", '") + folder.first + "='";
  return keys.empty() ? "no folder key=value" : "folders " + keys;
}

}  // namespace

Status CheckSourceNames(FileIO& io, const std::vector<SourceFile>& sources) {
  const RealNames names(io);
  std::map<std::string, const SourceFile*> seen;
  for (const SourceFile& file : sources) {
    FIRN_RETURN_IF_ERROR(CheckText(file));
    FIRN_ASSIGN(const RealNames::Names name, names.Find(file.info.uri));
    const auto [other, is_new] = seen.emplace(name.file(), &file);
    if (is_new) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "'{}' and '{}' are one file, by way of a link; its rows would be in the table "
                     "twice, so leave one out",
                     other->second->info.uri, file.info.uri);
  }
  return {};
}

Status CheckSameFolders(const std::vector<SourceFile>& sources) {
  const auto keys_of = [](const SourceFile& file, bool is_lower) {
    std::set<std::string> keys;
    for (const auto& folder : file.folders)
      keys.insert(is_lower ? LowerAscii(folder.first) : folder.first);
    return keys;
  };
  const SourceFile& first = sources.front();
  const auto expected = keys_of(first, false);
  for (const SourceFile& file : sources) {
    FIRN_RETURN_IF_ERROR(CheckFoldersAbove(file));
    if (keys_of(file, false) == expected) continue;
    const bool is_case = keys_of(file, true) == keys_of(first, true);
    return MakeError(ErrorCode::kInvalidInput, "'{}' lies in {}, and '{}' in {}: {}",
                     first.info.uri, FormatKeys(first), file.info.uri, FormatKeys(file),
                     is_case ? "names that differ in case alone are one column for Spark, Hive and "
                               "Glue, and two for others; rename the folders so that they are alike"
                             : "expected all files in folders of the same columns; name those that "
                               "belong together by a glob");
  }
  return {};
}

}  // namespace firn

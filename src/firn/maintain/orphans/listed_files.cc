#include <algorithm>
#include <chrono>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/base/log.h"
#include "firn/base/text.h"
#include "firn/io/uri.h"
#include "firn/maintain/orphans/listed_files_internal.h"

namespace firn {

HiddenNames::HiddenNames(const TableMetadata& metadata, std::string location)
    : location_(std::move(location)) {
  const std::vector<SchemaPtr> schemas = metadata.SchemasNewestFirst();
  for (const PartitionSpecPtr& spec : metadata.partition_specs) {
    // Names as they stand in paths, where they are encoded.
    const StructValue nulls{std::vector<Value>(spec->fields.size())};
    const std::string path = PartitionPath(*spec, *PartitionType(*spec, schemas), nulls);
    for (const std::string_view folder : SplitText(path, '/')) {
      if (IsHiddenName(folder)) partition_prefixes_.emplace_back(folder, 0, folder.find('=') + 1);
    }
    for (const PartitionField& field : spec->fields) {
      if (IsHiddenName(field.name)) partition_prefixes_.push_back(field.name + "=");
    }
  }
}

bool HiddenNames::IsHiddenName(std::string_view name) const {
  return name.starts_with('_') || name.starts_with('.');
}

bool HiddenNames::IsHidden(std::string_view uri) const {
  if (!uri.starts_with(location_)) return false;
  const std::string_view rest = uri.substr(location_.size());
  // Nearly all names are plain, and there may be millions.
  if (rest.find("/_") == std::string_view::npos && rest.find("/.") == std::string_view::npos &&
      !IsHiddenName(rest)) {
    return false;
  }
  const std::vector<std::string_view> names = SplitText(rest, '/');
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsHiddenName(names[i])) continue;
    const bool is_folder = i + 1 < names.size();
    const bool is_partition =
        is_folder &&
        std::any_of(partition_prefixes_.begin(), partition_prefixes_.end(),
                    [&](const std::string& prefix) { return names[i].starts_with(prefix); });
    if (!is_partition) return true;
  }
  return false;
}

void FutureFiles::Add(const FileInfo& file) {
  // Clocks need not agree to the minute.
  constexpr auto kTolerance = std::chrono::hours(1);
  if (!file.modified || *file.modified <= now_ + kTolerance) return;
  ++count_;
  if (!newest_.modified || *newest_.modified < *file.modified) newest_ = file;
}

void FutureFiles::Warn() const {
  if (count_ == 0) return;
  Log(LogLevel::kWarning,
      "{} files were last modified in the future, such as '{}' at {}, while this machine's clock "
      "says {}: they stay; if its clock or that of the store is wrong, put it right",
      count_, newest_.uri, FormatInstant(*newest_.modified), FormatInstant(now_));
}

namespace {

// The first field of a line, unquoted, and what follows the comma; nullopt if it is malformed.
std::optional<std::pair<std::string, std::string_view>> SplitLine(std::string_view line) {
  if (!line.starts_with('"')) {
    const size_t comma = line.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    return std::pair(std::string(line.substr(0, comma)), line.substr(comma + 1));
  }
  std::string field;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"') {
      field.push_back(line[i]);
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      field.push_back('"');
      ++i;
    } else {
      if (i + 1 >= line.size() || line[i + 1] != ',') return std::nullopt;
      return std::pair(std::move(field), line.substr(i + 2));
    }
  }
  return std::nullopt;
}

Result<FileInfo> ParseLine(std::string_view line) {
  const auto fields = SplitLine(line);
  const auto time =
      fields ? ParseTimestamp(TrimText(fields->second), TimeUnit::kMicros) : std::nullopt;
  if (!time || fields->first.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     "found '{}', expected a path and a time such as 2026-01-31T10:00:00Z", line);
  }
  return FileInfo{.uri = fields->first,
                  .modified = std::chrono::floor<std::chrono::milliseconds>(
                      std::chrono::sys_time<std::chrono::microseconds>(
                          std::chrono::microseconds(time->value)))};
}

// Where the line that starts at `begin` ends: a line break in quotes does not. npos: further on.
size_t FindLineEnd(std::string_view text, size_t begin) {
  if (begin >= text.size() || text[begin] != '"') return text.find('\n', begin);
  for (size_t i = begin + 1; i + 1 < text.size(); ++i) {
    if (text[i] != '"') continue;
    if (text[i + 1] != '"') return text.find('\n', i);
    ++i;
  }
  return std::string_view::npos;
}

// What comes behind a folder's canonical key in that of `uri`; nullopt: it is elsewhere.
std::optional<std::string> PathBelow(std::string_view uri, const std::string& folder) {
  const std::string key = CanonicalUriKey(uri);
  const bool is_below =
      key.size() > folder.size() + 1 && key.starts_with(folder) && key[folder.size()] == '/';
  return is_below ? std::optional(key.substr(folder.size() + 1)) : std::nullopt;
}

}  // namespace

Status ReadFileList(FileIO& io, const std::string& uri, std::string_view location,
                    const std::function<Status(const FileInfo&)>& visit) {
  constexpr std::string_view kHeader = "file_path,last_modified";
  constexpr int64_t kPieceBytes = int64_t{1} << 20;
  FIRN_ASSIGN(const auto file, io.Open(uri));
  FIRN_ASSIGN(const int64_t size, file->Size());
  constexpr size_t kLineBytesMax = size_t{1} << 20;
  const std::string folder = CanonicalUriKey(location);
  const std::string folder_text = std::string(StripTrailingSlash(location)) + "/";
  std::string text;
  int64_t line_number = 0;
  const auto visit_line = [&](std::string_view line) -> Status {
    line = TrimText(line);
    ++line_number;
    if (line.empty() || (line_number == 1 && line == kHeader)) return {};
    FIRN_ASSIGN(FileInfo info, ParseLine(line), "'{}' line {}", uri, line_number);
    if (info.uri.starts_with(folder_text)) return visit(info);
    const auto below = PathBelow(info.uri, folder);
    if (!below) return {};
    info.uri = JoinUri(location, *below);
    return visit(info);
  };
  for (int64_t done = 0; done < size;) {
    const size_t kept = text.size();
    text.resize(kept + static_cast<size_t>(std::min(kPieceBytes, size - done)));
    FIRN_ASSIGN(const int64_t got,
                file->ReadAt(done, std::as_writable_bytes(std::span(text).subspan(kept))));
    if (got <= 0) break;
    text.resize(kept + static_cast<size_t>(got));
    done += got;
    size_t begin = 0;
    for (size_t end = FindLineEnd(text, 0); end != std::string::npos;
         end = FindLineEnd(text, begin)) {
      FIRN_RETURN_IF_ERROR(visit_line(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
    text.erase(0, begin);
    if (text.size() > kLineBytesMax) {
      return MakeError(ErrorCode::kInvalidInput,
                       "'{}' line {} has more than {} bytes: is a quote missing?", uri,
                       line_number + 1, kLineBytesMax);
    }
  }
  return text.empty() ? Status() : visit_line(text);
}

}  // namespace firn

#include <algorithm>
#include <string_view>

#include "firn/base/log.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/catalog/commit_steps_internal.h"
#include "firn/catalog/hadoop_layout_internal.h"
#include "firn/catalog/metadata_files_internal.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr int64_t kHintBytesMax = 1024;
// In the order of preference where a version exists in several spellings.
constexpr std::string_view kSpellings[] = {".metadata.json", ".gz.metadata.json",
                                           ".metadata.json.gz"};

std::string MetadataFolder(const std::string& folder) { return JoinUri(folder, "metadata"); }

std::string HintLocation(const std::string& folder) {
  return JoinUri(MetadataFolder(folder), "version-hint.text");
}

size_t SpellingRank(std::string_view name) {
  if (name.ends_with(".gz")) return 2;
  return name.ends_with(kSpellings[1]) ? 1 : 0;
}

// Nullopt if the hint is missing or not a number.
Result<std::optional<int64_t>> ReadHint(FileIO& io, const std::string& folder) {
  const auto bytes = ReadFile(io, HintLocation(folder), kHintBytesMax);
  if (bytes.ok()) return ParseInt64(TrimText(bytes->view()));
  const ErrorCode code = bytes.error().code();
  // An absurdly long hint is as good as none.
  if (code == ErrorCode::kNotFound || code == ErrorCode::kResourceExhausted) {
    return std::optional<int64_t>();
  }
  return bytes.error();
}

Result<std::optional<HadoopVersion>> FindVersion(FileIO& io, const std::string& folder,
                                                 int64_t version) {
  for (const std::string_view spelling : kSpellings) {
    std::string location =
        JoinUri(MetadataFolder(folder), "v" + std::to_string(version) + std::string(spelling));
    FIRN_ASSIGN(const bool exists, FileExists(io, location));
    if (exists) return std::optional(HadoopVersion{version, std::move(location)});
  }
  return std::optional<HadoopVersion>();
}

}  // namespace

Result<std::optional<HadoopVersion>> ListForNewest(FileIO& io, const std::string& folder) {
  std::optional<int64_t> newest;
  std::string newest_name;
  const std::string metadata_folder = MetadataFolder(folder);
  const Status listed = io.List(metadata_folder, [&](const FileInfo& file) -> Status {
    const std::string_view name = UriFileName(file.uri);
    // What lies deeper is that of others: "metadata" may be the name of a table, in a namespace
    // that has no metadata of its own.
    if (file.uri.size() != metadata_folder.size() + 1 + name.size()) return {};
    const auto version = HadoopMetadataVersion(name);
    if (!version) return {};
    const bool is_better = !newest || *version > *newest ||
                           (*version == *newest && SpellingRank(name) < SpellingRank(newest_name));
    if (is_better) {
      newest = version;
      newest_name = name;
    }
    return {};
  });
  if (!listed.ok() && listed.error().code() != ErrorCode::kNotFound) return listed.error();
  if (!newest) return std::optional<HadoopVersion>();
  return std::optional(HadoopVersion{*newest, JoinUri(MetadataFolder(folder), newest_name)});
}

Result<std::optional<HadoopVersion>> FindHadoopVersion(FileIO& io, const std::string& folder) {
  FIRN_ASSIGN(const auto hint, ReadHint(io, folder));
  if (!hint) return ListForNewest(io, folder);
  FIRN_ASSIGN(auto current, FindVersion(io, folder, *hint));
  if (!current) return ListForNewest(io, folder);  // The hint is ahead, or its file was cleaned up.
  while (true) {
    FIRN_ASSIGN(auto next, FindVersion(io, folder, current->version + 1));
    if (!next) return current;
    current = std::move(next);
  }
}

Result<bool> IsTableFolder(FileIO& io, const std::string& folder) {
  FIRN_ASSIGN(const bool has_hint, FileExists(io, HintLocation(folder)));
  if (has_hint) return true;
  FIRN_ASSIGN(const auto newest, ListForNewest(io, folder));
  return newest.has_value();
}

std::string HadoopMetadataLocation(const std::string& folder, int64_t version,
                                   const std::string& codec) {
  return JoinUri(MetadataFolder(folder), "v" + std::to_string(version) + codec + ".metadata.json");
}

Status PublishHadoopVersion(const CatalogConfig& config, const std::string& location,
                            const TableMetadata& metadata) {
  const RetryPolicy check = StatusCheckPolicy(metadata);
  Status published;
  bool is_unclear = false;  // After any try so far: what was sent then may still arrive.
  for (int attempt = 0;; ++attempt) {
    published = WriteTableMetadata(*config.io, location, metadata, {.exclusive = true});
    if (published.ok()) return {};
    const ErrorCode code = published.error().code();
    is_unclear = is_unclear || code == ErrorCode::kCommitUnknown;
    // "It exists" may be the second answer to a request whose first one got lost below us.
    if (code != ErrorCode::kAlreadyExists && !is_unclear) return published;
    const auto found = LoadTableMetadata(*config.io, location);
    if (found.ok()) {
      if (FormatTableMetadata(**found) == FormatTableMetadata(metadata)) return {};
      return MakeError(ErrorCode::kCommitConflict, "another writer made '{}' first", location);
    }
    if (code == ErrorCode::kAlreadyExists && found.error().code() == ErrorCode::kCorrupt) {
      return MakeError(ErrorCode::kCommitConflict, "'{}' exists and is not readable: {}", location,
                       found.error().message());
    }
    if (attempt >= check.retry_count_max) break;
    if (!WaitBeforeRetry(check, attempt + 1, config).ok()) break;
  }
  return MakeError(ErrorCode::kCommitUnknown,
                   "'{}' may have been written: {}; look at the table before trying again",
                   location, published.error().message());
}

void WriteHadoopHint(FileIO& io, const std::string& folder, int64_t version) {
  const std::string text = std::to_string(version);
  const Status written = WriteFile(io, HintLocation(folder), AsBytes(text));
  if (written.ok()) return;
  Log(LogLevel::kWarning, "'{}' was not updated to {}: {}", HintLocation(folder), version,
      written.error().Format());
}

}  // namespace firn

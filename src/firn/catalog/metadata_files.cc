#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/catalog/dropped_metadata.h"
#include "firn/catalog/metadata_files_internal.h"
#include "firn/io/discard_files.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr std::string_view kMetadataSuffix = ".metadata.json";
constexpr size_t kVersionDigitsMax = 9;

std::optional<int64_t> ParseVersion(std::string_view digits) {
  if (digits.size() > kVersionDigitsMax || digits.starts_with('-')) return std::nullopt;
  return ParseInt64(digits);
}

bool RemoveSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

Result<std::string> MetadataCodecSuffix(const TableMetadata& metadata) {
  constexpr std::string_view kKey = "write.metadata.compression-codec";
  const std::string codec = LowerAscii(metadata.Property(kKey, "none"));
  if (codec == "none") return std::string();
  if (codec == "gzip") return std::string(".gz");
  return MakeError(ErrorCode::kInvalidInput,
                   "table property '{}' is '{}', expected one of gzip, none", kKey, codec);
}

Result<std::string> NewMetadataLocation(const TableMetadata& metadata,
                                        std::string_view base_location, Random& random) {
  FIRN_ASSIGN(const std::string codec, MetadataCodecSuffix(metadata));
  const int64_t version = MetastoreMetadataVersion(UriFileName(base_location)).value_or(-1) + 1;
  return JoinUri(
      metadata.MetadataLocation(),
      fmt::format("{:05}-{}{}{}", version, FormatUuid(MakeUuid(random)), codec, kMetadataSuffix));
}

std::optional<int64_t> MetastoreMetadataVersion(std::string_view file_name) {
  const size_t dash = file_name.find('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  if (file_name.find(kMetadataSuffix) == std::string_view::npos) return std::nullopt;
  return ParseVersion(file_name.substr(0, dash));
}

std::optional<int64_t> HadoopMetadataVersion(std::string_view file_name) {
  if (!file_name.starts_with('v')) return std::nullopt;
  const bool is_legacy = RemoveSuffix(file_name, ".gz");
  if (!RemoveSuffix(file_name, kMetadataSuffix)) return std::nullopt;
  if (!is_legacy) RemoveSuffix(file_name, ".gz");
  file_name.remove_prefix(1);
  return ParseVersion(file_name);
}

bool DeletesOldMetadata(const TableMetadata& metadata) {
  return EqualsIgnoreCase(metadata.Property("write.metadata.delete-after-commit.enabled", "false"),
                          "true");
}

std::vector<std::string> FindDroppedMetadata(const TableMetadata& base, const TableMetadata& next) {
  std::vector<std::string> dropped;
  if (!DeletesOldMetadata(next)) return dropped;
  std::set<std::string_view> kept;
  for (const MetadataLogEntry& entry : next.metadata_log)
    kept.insert(entry.metadata_file);
  for (const MetadataLogEntry& entry : base.metadata_log) {
    if (!kept.contains(entry.metadata_file)) dropped.push_back(entry.metadata_file);
  }
  return dropped;
}

std::vector<std::string> PredictDroppedMetadata(const Table& table, int64_t commit_count) {
  const TableMetadata& metadata = *table.metadata;
  if (!DeletesOldMetadata(metadata) || commit_count <= 0) return {};
  std::vector<std::string> log;
  for (const MetadataLogEntry& entry : metadata.metadata_log)
    log.push_back(entry.metadata_file);
  log.push_back(table.metadata_location);
  constexpr int64_t kDefaultMax = 100;
  const int64_t kept_max =
      std::max<int64_t>(1, ParseInt64(metadata.Property("write.metadata.previous-versions-max", ""))
                               .value_or(kDefaultMax));
  // Besides the current file, each commit but the last puts one more into the log.
  const auto known = static_cast<int64_t>(log.size());
  const int64_t dropped = std::clamp<int64_t>(known + commit_count - 1 - kept_max, 0, known);
  log.resize(static_cast<size_t>(dropped));
  return log;
}

void DeleteDroppedMetadata(FileIO& io, const TableMetadata& base, const TableMetadata& next) {
  DiscardFiles(io, FindDroppedMetadata(base, next), "old metadata file");
}

}  // namespace firn

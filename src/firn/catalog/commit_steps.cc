#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "firn/base/log.h"
#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/catalog/commit_steps_internal.h"
#include "firn/catalog/fresh_ids_internal.h"
#include "firn/format/metadata/column_properties.h"
#include "firn/io/uri.h"

namespace firn {
namespace {

constexpr int kFormatVersionMax = 3;

Status CheckNewPart(const TableName& name, std::string_view part) {
  const bool is_folder = part != "." && part != ".." && !part.empty() &&
                         std::none_of(part.begin(), part.end(), [](char c) {
                           return c == '/' || static_cast<unsigned char>(c) < 0x20;
                         });
  if (is_folder) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   "name '{}': part '{}' cannot name a folder: it may not be empty, '.' or '..', "
                   "nor hold '/' or control characters",
                   FormatTableName(name), part);
}

// The request's properties with the catalog's defaults below and its overrides above them.
Properties MergeProperties(const Properties& requested, const Properties& catalog) {
  constexpr std::string_view kDefault = "table-default.";
  constexpr std::string_view kOverride = "table-override.";
  // Java stores the codec, so that a later change of the default does not change the table.
  Properties merged = {{"write.parquet.compression-codec", "zstd"}};
  for (const auto& [key, value] : catalog) {
    if (key.starts_with(kDefault)) merged[key.substr(kDefault.size())] = value;
  }
  for (const auto& [key, value] : requested)
    merged[key] = value;
  for (const auto& [key, value] : catalog) {
    if (key.starts_with(kOverride)) merged[key.substr(kOverride.size())] = value;
  }
  return merged;
}

// `format-version` among the properties selects the version and is not stored.
Result<int> TakeFormatVersion(Properties& properties, int fallback) {
  const auto found = properties.find("format-version");
  if (found == properties.end()) return fallback;
  const auto version = ParseInt32(found->second);
  if (!version || *version < 1 || *version > kFormatVersionMax) {
    return MakeError(ErrorCode::kInvalidInput, "format-version is '{}', expected 1 to {}",
                     found->second, kFormatVersionMax);
  }
  properties.erase(found);
  return *version;
}

std::chrono::milliseconds Milliseconds(Result<int64_t> value, std::chrono::milliseconds fallback) {
  return value.ok() && *value >= 0 ? std::chrono::milliseconds(*value) : fallback;
}

}  // namespace

Status CheckNewName(const TableName& name) {
  for (const std::string& level : name.levels) {
    FIRN_RETURN_IF_ERROR(CheckNewPart(name, level));
  }
  return CheckNewPart(name, name.name);
}

Result<std::vector<TableUpdate>> PlanNewTable(CreateTableRequest request,
                                              const CatalogConfig& config) {
  FIRN_ASSIGN(request, AssignFreshIds(std::move(request)));
  FIRN_RETURN_IF_ERROR(CheckColumnProperties(request.properties, request.schema));
  Properties properties = MergeProperties(request.properties, config.properties);
  FIRN_ASSIGN(const int version, TakeFormatVersion(properties, request.format_version));
  return std::vector<TableUpdate>{
      AssignUuid{FormatUuid(MakeUuid(*config.random))},
      UpgradeFormatVersion{version},
      AddSchema{std::make_shared<const Schema>(std::move(request.schema))},
      SetCurrentSchema{},
      AddPartitionSpec{std::move(request.spec)},
      SetDefaultSpec{},
      AddSortOrder{std::move(request.sort_order)},
      SetDefaultSortOrder{},
      SetLocation{std::string(StripTrailingSlash(request.location))},
      SetProperties{std::move(properties)},
  };
}

Result<TableMetadataPtr> MakeOfNothing(std::span<const TableUpdate> updates,
                                       const CatalogConfig& config) {
  FIRN_ASSIGN(TableMetadata metadata, ApplyUpdates(nullptr, "", updates, config.clock->Now()));
  return std::make_shared<const TableMetadata>(std::move(metadata));
}

Result<TableMetadataPtr> MakeNewTable(CreateTableRequest request, const CatalogConfig& config) {
  FIRN_ASSIGN(const std::vector<TableUpdate> updates, PlanNewTable(std::move(request), config));
  return MakeOfNothing(updates, config);
}

bool CreatesTable(std::span<const TableRequirement> requirements) {
  return std::any_of(requirements.begin(), requirements.end(), [](const TableRequirement& one) {
    return std::holds_alternative<AssertCreate>(one);
  });
}

Result<TableMetadataPtr> BuildNextMetadata(const Table& base, std::span<const TableUpdate> updates,
                                           const CatalogConfig& config) {
  if (updates.empty()) return TableMetadataPtr();
  FIRN_ASSIGN(TableMetadata metadata, ApplyUpdates(base.metadata.get(), base.metadata_location,
                                                   updates, config.clock->Now()));
  return std::make_shared<const TableMetadata>(std::move(metadata));
}

Status WriteNewMetadata(FileIO& io, const std::string& location, const TableMetadata& metadata) {
  const Status written = WriteTableMetadata(io, location, metadata, {.exclusive = true});
  if (written.ok()) return {};
  const Error& error = written.error();
  // Nobody else uses the name: it is the second answer to a request whose first one got lost.
  if (error.code() == ErrorCode::kAlreadyExists) {
    const auto found = LoadTableMetadata(io, location);
    const bool is_ours =
        found.ok() && FormatTableMetadata(**found) == FormatTableMetadata(metadata);
    if (is_ours) return {};
  }
  DiscardMetadata(io, location);
  // The file may be there, but no table names it: the commit itself has not begun.
  const bool is_unclear = error.code() == ErrorCode::kCommitUnknown;
  return Error(is_unclear ? ErrorCode::kUnavailable : error.code(), error.message())
      .Within("writing '" + location + "'");
}

void DiscardMetadata(FileIO& io, const std::string& location) {
  const Status deleted = io.Delete(location);
  if (deleted.ok() || deleted.error().code() == ErrorCode::kNotFound) return;
  Log(LogLevel::kWarning, "the unused metadata file '{}' was not deleted: {}", location,
      deleted.error().Format());
}

Result<RetryPolicy> CommitRetryPolicy(const TableMetadata& metadata) {
  RetryPolicy policy;
  FIRN_ASSIGN(const int64_t retries,
              metadata.IntProperty("commit.retry.num-retries", policy.retry_count_max));
  FIRN_ASSIGN(const int64_t wait_min,
              metadata.IntProperty("commit.retry.min-wait-ms", policy.wait_min.count()));
  FIRN_ASSIGN(const int64_t wait_max,
              metadata.IntProperty("commit.retry.max-wait-ms", policy.wait_max.count()));
  FIRN_ASSIGN(const int64_t total,
              metadata.IntProperty("commit.retry.total-timeout-ms", policy.total_max.count()));
  policy.retry_count_max = static_cast<int>(std::clamp<int64_t>(retries, 0, 1'000'000));
  policy.wait_min = std::chrono::milliseconds(std::max<int64_t>(wait_min, 0));
  policy.wait_max = std::chrono::milliseconds(std::max<int64_t>(wait_max, 0));
  policy.total_max = std::chrono::milliseconds(std::max<int64_t>(total, 0));
  return policy;
}

RetryPolicy StatusCheckPolicy(const TableMetadata& metadata) {
  RetryPolicy policy;
  const auto retries = metadata.IntProperty("commit.status-check.num-retries", 3);
  policy.retry_count_max =
      retries.ok() ? static_cast<int>(std::clamp<int64_t>(*retries, 0, 100)) : 3;
  policy.wait_min = Milliseconds(metadata.IntProperty("commit.status-check.min-wait-ms", 1'000),
                                 std::chrono::milliseconds(1'000));
  policy.wait_max = Milliseconds(metadata.IntProperty("commit.status-check.max-wait-ms", 60'000),
                                 std::chrono::milliseconds(60'000));
  return policy;
}

Status WaitBeforeRetry(const RetryPolicy& policy, int retry, const CatalogConfig& config) {
  return config.clock->Sleep(RetryWait(policy, retry, *config.random), {});
}

}  // namespace firn

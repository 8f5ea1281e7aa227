#include "firn/format/metadata/table_properties.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/ranges.h>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/format/schema/name_mapping.h"

namespace firn {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// What a value must be.
struct Rule {
  enum class Kind { kBoolean, kInteger, kFraction, kChoice, kMetrics, kNameMapping };
  std::string_view name;  ///< Ends with '.' if the name of a column follows.
  Kind kind = Kind::kBoolean;
  int64_t least = 0;                     ///< Of kInteger.
  int64_t most = kMost;                  ///< Of kInteger.
  std::vector<std::string_view> values;  ///< Of kChoice, in lower case.
};

Rule Flag(std::string_view name) { return {.name = name, .kind = Rule::Kind::kBoolean}; }
Rule Whole(std::string_view name, int64_t least, int64_t most = kMost) {
  return {.name = name, .kind = Rule::Kind::kInteger, .least = least, .most = most};
}
Rule Choice(std::string_view name, std::vector<std::string_view> values) {
  return {.name = name, .kind = Rule::Kind::kChoice, .values = std::move(values)};
}
Rule Other(std::string_view name, Rule::Kind kind) { return {.name = name, .kind = kind}; }

std::vector<Rule> CommitRules() {
  return {Whole("commit.manifest.min-count-to-merge", 1),
          Whole("commit.manifest.target-size-bytes", 1),
          Flag("commit.manifest-merge.enabled"),
          Whole("commit.retry.max-wait-ms", 0),
          Whole("commit.retry.min-wait-ms", 0),
          Whole("commit.retry.num-retries", 0),
          Whole("commit.retry.total-timeout-ms", 0),
          Whole("commit.status-check.max-wait-ms", 0),
          Whole("commit.status-check.min-wait-ms", 0),
          Whole("commit.status-check.num-retries", 0),
          Whole("commit.status-check.total-timeout-ms", 0),
          Flag("compatibility.snapshot-id-inheritance.enabled"),
          Flag("gc.enabled"),
          Whole("history.expire.max-ref-age-ms", 1),
          Whole("history.expire.max-snapshot-age-ms", 1),
          Whole("history.expire.min-snapshots-to-keep", 1),
          Other("schema.name-mapping.default", Rule::Kind::kNameMapping),
          Choice("write.manifest.compression-codec",
                 {"gzip", "deflate", "snappy", "zstd", "zstandard", "uncompressed", "none"}),
          Choice("write.metadata.compression-codec", {"none", "gzip"}),
          Flag("write.metadata.delete-after-commit.enabled"),
          Whole("write.metadata.previous-versions-max", 0),
          Whole("write.summary.partition-limit", 0),
          Flag("write.wap.enabled")};
}

std::vector<Rule> LayoutRules() {
  const std::vector<std::string_view> formats = {"parquet", "orc", "avro"};
  const std::vector<std::string_view> modes = {"none", "hash", "range"};
  const std::vector<std::string_view> ways = {"copy-on-write", "merge-on-read"};
  const std::vector<std::string_view> levels = {"serializable", "snapshot"};
  return {Choice("write.delete.distribution-mode", modes),
          Choice("write.delete.format.default", formats),
          Choice("write.delete.granularity", {"file", "partition"}),
          Choice("write.delete.isolation-level", levels),
          Choice("write.delete.mode", ways),
          Whole("write.delete.target-file-size-bytes", 1),
          Choice("write.distribution-mode", modes),
          Choice("write.format.default", formats),
          Choice("write.merge.distribution-mode", modes),
          Choice("write.merge.isolation-level", levels),
          Choice("write.merge.mode", ways),
          Other("write.metadata.metrics.column.", Rule::Kind::kMetrics),
          Other("write.metadata.metrics.default", Rule::Kind::kMetrics),
          Whole("write.metadata.metrics.max-inferred-column-defaults", 0),
          Flag("write.object-storage.enabled"),
          Flag("write.object-storage.partitioned-paths"),
          Flag("write.spark.accept-any-schema"),
          Flag("write.spark.fanout.enabled"),
          Whole("write.target-file-size-bytes", 1),
          Choice("write.update.distribution-mode", modes),
          Choice("write.update.isolation-level", levels),
          Choice("write.update.mode", ways),
          Flag("write.upsert.enabled"),
          Whole("read.parquet.vectorization.batch-size", 1),
          Flag("read.parquet.vectorization.enabled"),
          Whole("read.split.metadata-target-size", 1),
          Whole("read.split.open-file-cost", 0),
          Whole("read.split.planning-lookback", 1),
          Whole("read.split.target-size", 1)};
}

// Those of delete files, `write.delete.parquet.…`, mean the same.
std::vector<Rule> FormatRules() {
  return {Choice("write.avro.compression-codec",
                 {"gzip", "deflate", "snappy", "zstd", "zstandard", "uncompressed", "none"}),
          Choice("write.orc.compression-codec", {"none", "zlib", "snappy", "lzo", "lz4", "zstd"}),
          Choice("write.orc.compression-strategy", {"speed", "compression"}),
          Other("write.orc.bloom.filter.fpp", Rule::Kind::kFraction),
          Whole("write.orc.block-size-bytes", 1),
          Whole("write.orc.stripe-size-bytes", 1),
          Whole("write.orc.vectorized.batch-size", 1),
          Flag("write.parquet.bloom-filter-enabled.column."),
          Other("write.parquet.bloom-filter-fpp.column.", Rule::Kind::kFraction),
          Whole("write.parquet.bloom-filter-max-bytes", 1),
          Whole("write.parquet.bloom-filter-ndv.column.", 1),
          Choice("write.parquet.compression-codec", {"uncompressed", "none", "snappy", "gzip",
                                                     "lzo", "brotli", "lz4", "lz4_raw", "zstd"}),
          Whole("write.parquet.compression-level", std::numeric_limits<int32_t>::min(),
                std::numeric_limits<int32_t>::max()),
          Flag("write.parquet.dict-encoding-enabled.column."),
          Whole("write.parquet.dict-size-bytes", 1),
          Whole("write.parquet.page-row-limit", 1),
          Whole("write.parquet.page-size-bytes", 1),
          Choice("write.parquet.page-version", {"v1", "v2"}),
          Whole("write.parquet.row-group-check-max-record-count", 1),
          Whole("write.parquet.row-group-check-min-record-count", 1),
          Whole("write.parquet.row-group-size-bytes", 1),
          Flag("write.parquet.stats-enabled.column.")};
}

const std::vector<Rule>& Rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> rules = CommitRules();
    for (const auto& more : {LayoutRules(), FormatRules()})
      rules.insert(rules.end(), more.begin(), more.end());
    return rules;
  }();
  return kRules;
}

const Rule* FindRule(std::string_view name) {
  for (const std::string_view format : {"parquet.", "orc.", "avro."}) {
    const std::string of_deletes = "write.delete." + std::string(format);
    if (!name.starts_with(of_deletes)) continue;
    return FindRule("write." + std::string(format) + std::string(name.substr(of_deletes.size())));
  }
  for (const Rule& rule : Rules()) {
    const bool is_prefix = rule.name.ends_with('.');
    if (is_prefix ? name.size() > rule.name.size() && name.starts_with(rule.name)
                  : name == rule.name) {
      return &rule;
    }
  }
  return nullptr;
}

// `truncate(16)`
bool IsMetricsMode(std::string_view text) {
  const std::string lower = LowerAscii(text);
  if (lower == "none" || lower == "counts" || lower == "full") return true;
  constexpr std::string_view kStart = "truncate(";
  if (!lower.starts_with(kStart) || !lower.ends_with(')')) return false;
  const auto length = ParseInt32(lower.substr(kStart.size(), lower.size() - kStart.size() - 1));
  return length && *length > 0;
}

// What was expected; empty if the value is one.
std::optional<std::string> Expected(const Rule& rule, const std::string& value) {
  switch (rule.kind) {
    case Rule::Kind::kBoolean:
      if (EqualsIgnoreCase(value, "true") || EqualsIgnoreCase(value, "false")) return {};
      return "true or false";
    case Rule::Kind::kInteger: {
      const auto number = ParseInt64(value);
      if (number && *number >= rule.least && *number <= rule.most) return {};
      return rule.most == kMost
                 ? fmt::format("a whole number from {}", rule.least)
                 : fmt::format("a whole number from {} to {}", rule.least, rule.most);
    }
    case Rule::Kind::kFraction: {
      const auto number = ParseDouble(value);
      if (number && *number > 0 && *number < 1) return {};
      return "a number between 0 and 1";
    }
    case Rule::Kind::kChoice:
      if (std::find(rule.values.begin(), rule.values.end(), LowerAscii(value)) !=
          rule.values.end()) {
        return {};
      }
      return fmt::format("one of {}", fmt::join(rule.values, ", "));
    case Rule::Kind::kMetrics:
      if (IsMetricsMode(value)) return {};
      return "none, counts, full or truncate(N) with N above 0";
    case Rule::Kind::kNameMapping: {
      const auto mapping = ParseNameMapping(value);
      if (mapping.ok()) return {};
      return "a name mapping (" + mapping.error().message() + ")";
    }
  }
  return {};
}

}  // namespace

Status CheckTableProperties(const Properties& properties) {
  std::vector<std::string> problems;
  for (const auto& [name, value] : properties) {
    const Rule* rule = FindRule(name);
    if (rule == nullptr) continue;
    const auto expected = Expected(*rule, value);
    if (!expected) continue;
    problems.push_back(
        fmt::format("table property '{}' is '{}', expected {}", name, value, *expected));
  }
  if (problems.empty()) return {};
  return Error(ErrorCode::kInvalidInput, fmt::format("{}", fmt::join(problems, "; ")));
}

}  // namespace firn

#include "firn/change/expire_rows.h"

#include <chrono>
#include <utility>

#include "firn/base/civil_time.h"
#include "firn/change/find_rows_internal.h"

namespace firn {
namespace {

/// Milliseconds since 1970, in the summary of a snapshot that deleted old rows.
constexpr std::string_view kLastIngestKey = "firn.last-ingest-ms";
constexpr int64_t kKeepDaysMax = 3'000'000;

int64_t CountIn(const Summary& summary, std::string_view key) {
  return summary.FindNumber(key).value_or(0);
}

// Counts of nothing are left out, and some writers leave out all.
bool IsIngest(const Snapshot& snapshot) {
  const Summary& summary = snapshot.summary;
  if (snapshot.operation == "append") {
    return CountIn(summary, "added-records") > 0 || !summary.Find("total-records");
  }
  if (snapshot.operation != "overwrite") return false;
  const int64_t gone = CountIn(summary, "deleted-records") +
                       CountIn(summary, "added-position-deletes") +
                       CountIn(summary, "added-equality-deletes");
  return CountIn(summary, "added-records") > gone;
}

/// The value of a column of `type` at `time`: of dates the day that it lies in.
Result<Value> ValueAt(Timestamp time, const Type& type) {
  const TypeId id = type.id();
  if (id == TypeId::kDate) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    return Value(static_cast<int32_t>(day.time_since_epoch().count()));
  }
  const int64_t milliseconds = time.time_since_epoch().count();
  if (id == TypeId::kTimestamp || id == TypeId::kTimestamptz) return Value(milliseconds * 1000);
  return MakeError(ErrorCode::kInvalidInput, "type {}, expected date, timestamp or timestamptz",
                   FormatType(type));
}

/// Which rows are too old.
struct RowLimit {
  Timestamp ingested;
  Timestamp kept_since;
  ExpressionPtr condition;
};

Result<RowLimit> FindLimit(const Table& table, const ExpireRowsRequest& request) {
  const TableMetadata& metadata = *table.metadata;
  const NestedField* field = metadata.current_schema()->FindField(request.column);
  if (field == nullptr) {
    return MakeError(ErrorCode::kInvalidInput, "table '{}' has no column '{}'",
                     FormatTableName(table.name), request.column);
  }
  if (request.keep_days < 0 || request.keep_days > kKeepDaysMax) {
    return MakeError(ErrorCode::kInvalidInput, "found {} days to keep, expected 0 to {}",
                     request.keep_days, kKeepDaysMax);
  }
  const auto ingested = FindLastIngest(metadata, metadata.RefSnapshot(request.branch));
  if (!ingested) {
    return MakeError(ErrorCode::kInvalidInput,
                     "no snapshot of branch '{}' of table '{}' tells when rows last came; delete "
                     "old rows by a condition",
                     request.branch, FormatTableName(table.name));
  }
  RowLimit limit{.ingested = *ingested,
                 .kept_since = *ingested - std::chrono::days(request.keep_days)};
  FIRN_ASSIGN(const Value value, ValueAt(limit.kept_since, *field->type), "column '{}'",
              request.column);
  Term term;
  term.name = request.column;
  limit.condition =
      Expression::Predicate(ExpressionKind::kLess, term, {MakeLiteral(value, *field->type)});
  return limit;
}

}  // namespace

std::optional<Timestamp> FindLastIngest(const TableMetadata& metadata, const Snapshot* head) {
  if (head == nullptr) return std::nullopt;
  for (const Snapshot* snapshot : AncestorsOf(metadata, head->snapshot_id)) {
    if (IsIngest(*snapshot)) return snapshot->timestamp;
    const auto time = snapshot->summary.FindNumber(kLastIngestKey);
    if (time) return Timestamp(std::chrono::milliseconds(*time));
  }
  return std::nullopt;
}

Result<ExpireRowsPlan> PlanExpireRows(const ChangeContext& context, const Table& table,
                                      const ExpireRowsRequest& request) {
  FIRN_ASSIGN(const RowLimit limit, FindLimit(table, request));
  FIRN_ASSIGN(ReplaceRowsRequest found,
              PrepareReplacement(*table.metadata, "delete", request.mode, request));
  found.condition = limit.condition;
  FIRN_RETURN_IF_ERROR(FindFiles(context, table, found));
  return ExpireRowsPlan{.kept_since = limit.kept_since,
                        .whole_files = std::move(found.whole_files),
                        .files = std::move(found.files),
                        .mode = found.mode};
}

Result<ExpireRowsResult> ExpireRows(const ChangeContext& context, const Table& table,
                                    const ExpireRowsRequest& request) {
  FIRN_ASSIGN(const RowLimit limit, FindLimit(table, request));
  DeleteRowsRequest deleted;
  static_cast<SnapshotOptions&>(deleted) = request;
  deleted.mode = request.mode;
  deleted.condition = limit.condition;
  deleted.summary_properties[std::string(kLastIngestKey)] =
      std::to_string(limit.ingested.time_since_epoch().count());
  ExpireRowsResult result{.deleted = {}, .kept_since = limit.kept_since};
  FIRN_ASSIGN(result.deleted, DeleteRows(context, table, deleted));
  return result;
}

}  // namespace firn

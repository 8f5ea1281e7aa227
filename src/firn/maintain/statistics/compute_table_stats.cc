#include "firn/maintain/statistics/compute_table_stats.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firn/base/bytes.h"
#include "firn/data/facts/distinct_values.h"
#include "firn/format/puffin/puffin.h"
#include "firn/format/schema/column_lookup.h"
#include "firn/maintain/statistics/register_statistics_internal.h"

namespace firn {
namespace {

bool IsCountable(const Type& type) {
  return type.is_primitive() && type.id() != TypeId::kGeometry && type.id() != TypeId::kGeography;
}

Result<int32_t> FindCountable(const Schema& schema, const std::string& name) {
  FIRN_ASSIGN(const NestedField* field, FindColumn(schema, name));
  if (!IsCountable(*field->type)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "column '{}' is of type {}, expected a primitive one", name,
                     FormatType(*field->type));
  }
  if (!schema.StructPath(field->id)) {
    return MakeError(ErrorCode::kInvalidInput,
                     "column '{}' lies in a list or a map, expected one with a value a row", name);
  }
  return field->id;
}

Result<std::vector<int32_t>> ChooseFields(const Schema& schema,
                                          const std::vector<std::string>& columns) {
  std::vector<int32_t> ids;
  for (const std::string& name : columns) {
    FIRN_ASSIGN(const int32_t id, FindCountable(schema, name));
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  if (columns.empty()) {
    for (const NestedField& field : schema.fields()) {
      if (IsCountable(*field.type)) ids.push_back(field.id);
    }
  }
  if (!ids.empty()) return ids;
  return MakeError(ErrorCode::kInvalidInput,
                   "the table has no primitive column at the top; name nested ones, as in a.b");
}

Result<PuffinFile> WriteBlobs(PuffinWriter& writer, const Snapshot& snapshot,
                              const std::vector<int32_t>& field_ids,
                              const std::vector<ThetaSketch>& sketches) {
  for (size_t i = 0; i < field_ids.size(); ++i) {
    BlobMetadata blob{.type = std::string(kThetaSketchBlob),
                      .snapshot_id = snapshot.snapshot_id,
                      .sequence_number = snapshot.sequence_number,
                      .fields = {field_ids[i]}};
    blob.properties = {{std::string(kNdvProperty), std::to_string(sketches[i].DistinctCount())}};
    FIRN_RETURN_IF_ERROR(writer.Add(std::move(blob), AsBytes(sketches[i].Serialize()), "zstd"));
  }
  return writer.Finish();
}

Result<StatisticsFile> WriteStatistics(const MaintainContext& context, const Table& table,
                                       const Snapshot& snapshot,
                                       const std::vector<int32_t>& field_ids,
                                       const std::vector<ThetaSketch>& sketches) {
  StatisticsFile file{
      .snapshot_id = snapshot.snapshot_id,
      .path = StatisticsLocation(context, *table.metadata, "", snapshot.snapshot_id, ".stats")};
  FIRN_ASSIGN(auto output, table.io->Create(file.path));
  PuffinWriter writer(std::move(output), {{"created-by", "firn"}});
  FIRN_ASSIGN(const PuffinFile written, WriteBlobs(writer, snapshot, field_ids, sketches),
              "statistics file '{}'", file.path);
  file.file_size_in_bytes = writer.bytes_written();
  file.file_footer_size_in_bytes = written.footer_size;
  for (const PuffinBlob& blob : written.blobs)
    file.blobs.push_back(blob.metadata);
  return file;
}

}  // namespace

Result<std::optional<StatisticsFile>> ComputeTableStats(const MaintainContext& context,
                                                        const Table& table,
                                                        const ComputeTableStatsOptions& options) {
  const TableMetadata& metadata = *table.metadata;
  FIRN_ASSIGN(const Snapshot* snapshot, FindStatisticsSnapshot(metadata, options.snapshot_id));
  if (snapshot == nullptr) return std::optional<StatisticsFile>();
  FIRN_ASSIGN(const ResolvedSnapshot resolved,
              ResolveSnapshot(metadata, {.snapshot_id = snapshot->snapshot_id}));
  FIRN_ASSIGN(const auto field_ids, ChooseFields(*resolved.schema, options.columns));
  const CommitContext& commit = context.commit;
  FIRN_ASSIGN(auto tasks,
              PlanAllFiles(*table.io, metadata,
                           {.snapshot_id = snapshot->snapshot_id, .schema = resolved.schema},
                           *commit.executor, commit.cancel));
  const ReadContext read{.io = table.io,
                         .metadata = table.metadata,
                         .executor = commit.executor,
                         .budget = context.budget,
                         .cancel = commit.cancel};
  FIRN_ASSIGN(const auto sketches,
              SketchColumns(read, std::move(tasks), *resolved.schema, field_ids));
  FIRN_ASSIGN(StatisticsFile file, WriteStatistics(context, table, *snapshot, field_ids, sketches));
  FIRN_RETURN_IF_ERROR(
      RegisterStatistics(context, table, snapshot->snapshot_id, file.path, SetStatistics{file}));
  return std::optional(std::move(file));
}

}  // namespace firn

#include "firn/data/facts/file_facts.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <parquet/metadata.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/batch_stream.h"
#include "firn/data/arrow/budget_pool.h"
#include "firn/data/columns/column_resolver_internal.h"
#include "firn/data/facts/footer_ranges_internal.h"
#include "firn/data/facts/foreign_columns_internal.h"
#include "firn/data/facts/value_check_internal.h"
#include "firn/data/formats/data_file_internal.h"
#include "firn/data/metrics/column_metrics_internal.h"
#include "firn/data/metrics/leaf_statistics_internal.h"
#include "firn/data/parquet/parquet_footer_internal.h"
#include "firn/data/render/arrow_file.h"
#include "firn/data/write/partition_splitter_internal.h"
#include "firn/format/avro/avro_reader.h"

namespace firn {
namespace {

constexpr std::string_view kNameMapping = "schema.name-mapping.default";

// The table as it would be with the file in it, but unpartitioned: all values come from the file.
ReadContext ReadingRows(const ReadContext& context, const NameMapping* names) {
  auto metadata = std::make_shared<TableMetadata>();
  metadata->format_version = context.metadata->format_version;
  metadata->schemas = context.metadata->schemas;
  metadata->current_schema_id = context.metadata->current_schema_id;
  metadata->partition_specs = {std::make_shared<const PartitionSpec>()};
  metadata->properties = context.metadata->properties;
  if (names != nullptr) metadata->properties[std::string(kNameMapping)] = FormatNameMapping(*names);
  ReadContext reading = context;
  reading.metadata = std::move(metadata);
  return reading;
}

Result<RowStreamReader> OpenRows(const ReadContext& context, const FileFactsRequest& request,
                                 Schema columns) {
  FileScanTask task;
  task.file.file_path = request.path;
  task.file.file_format = request.format;
  task.file.file_size_in_bytes = request.known_size.value_or(0);
  ReadOptions options;
  options.projection = std::make_shared<const Schema>(std::move(columns));
  options.verifies_row_counts = false;  // They are what is asked for.
  FIRN_ASSIGN(RowStream rows,
              ReadTasks(ReadingRows(context, request.names), {std::move(task)}, options));
  return RowStreamReader::Open(std::move(rows));
}

class FactReader {
 public:
  FactReader(const ReadContext& context, const FileFactsRequest& request)
      : context_(context),
        request_(request),
        pool_(BudgetPool::Make(context.budget->total_bytes())) {}

  Result<FileFacts> Read() {
    FIRN_ASSIGN(file_, context_.io->Open(request_.path, request_.known_size));
    FIRN_ASSIGN(facts_.file_size, file_->Size());
    FIRN_ASSIGN(modes_, MetricsModes(*context_.metadata, *request_.schema));
    if (request_.format == FileFormat::kParquet) {
      FIRN_RETURN_IF_ERROR(ReadParquet());
    } else {
      FIRN_RETURN_IF_ERROR(ReadOther());
    }
    if (!unproven_.empty() && facts_.differences.empty()) FIRN_RETURN_IF_ERROR(CheckValues());
    if (request_.reads_rows && facts_.differences.empty()) FIRN_RETURN_IF_ERROR(ReadRows());
    return std::move(facts_);
  }

 private:
  Result<ColumnMatch> Match(std::vector<FileField>& fields) {
    facts_.has_field_ids = HasFieldIds(fields);
    FIRN_ASSIGN(const bool is_mapped, AssignFieldIds(fields, request_.names));
    ColumnMatch match = MatchColumns(*context_.metadata, *request_.schema, fields,
                                     {.is_mapped_by_name = is_mapped,
                                      .is_adoption = request_.is_adoption,
                                      .has_only_nanos = request_.format == FileFormat::kOrc});
    facts_.differences = match.differences;
    facts_.unknown_columns = match.unknown_columns;
    facts_.found_ids = match.found_ids;
    if (!request_.is_adoption) return match;
    for (const MatchedLeaf& leaf : match.leaves) {
      if (leaf.is_text_in_bytes) text_ids_.insert(leaf.field.id);
      if (leaf.may_be_too_fine) fine_ids_.insert(leaf.field.id);
      const bool must_look = leaf.is_text_in_bytes || leaf.is_required || leaf.may_be_too_fine;
      if (must_look) unproven_.insert(leaf.field.id);
    }
    return match;
  }

  Status ReadParquet() {
    FIRN_ASSIGN(ParquetFooter footer, ReadParquetFooter(*file_, pool_));
    FIRN_ASSIGN(const ColumnMatch match, Match(footer.fields));
    facts_.record_count = footer.metadata->num_rows();
    Status added;
    FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kCorrupt, [&] {
      facts_.split_offsets = RowGroupOffsets(*footer.metadata);
      for (const MatchedLeaf& leaf : match.leaves) {
        const LeafTotals totals = SumLeaf(*footer.metadata, leaf);
        const bool has_no_null = totals.range.null_count == 0;
        if (has_no_null && !leaf.is_text_in_bytes) unproven_.erase(leaf.field.id);
        added = AddLeaf(leaf, totals);
        if (!added.ok()) break;
      }
      return arrow::Status::OK();
    }));
    return added;
  }

  Status AddLeaf(const MatchedLeaf& leaf, const LeafTotals& totals) {
    const auto mode = modes_.find(leaf.field.id);
    // Leaves inside lists and maps have sizes only.
    if (leaf.is_repeated || mode == modes_.end()) {
      facts_.metrics.column_sizes.emplace_back(leaf.field.id, totals.stored_bytes);
      return {};
    }
    const ColumnRange& range = totals.range;
    facts_.ranges.emplace(leaf.field.id, range);
    const bool is_top = !request_.schema->ParentId(leaf.field.id);
    if (is_top && leaf.field.required && range.null_count.value_or(0) > 0) {
      facts_.differences.push_back(fmt::format("column '{}' is required, and the file has {} nulls",
                                               leaf.field.name, *range.null_count));
    }
    return AddLeafMetrics({.field = &leaf.field,
                           .mode = mode->second,
                           .stored_bytes = totals.stored_bytes,
                           .value_count = range.value_count,
                           .null_count = range.null_count,
                           .nan_count = {},
                           .lower = range.lower,
                           .upper = range.upper},
                          facts_.metrics);
  }

  // A block has its records and nothing else.
  static Status CheckRecords(const AvroNode& schema, const AvroBlock& block) {
    AvroCursor cursor(block.bytes);
    for (int64_t i = 0; i < block.record_count && cursor.ok(); ++i)
      cursor.Skip(schema);
    if (cursor.ok() && cursor.remaining() == 0) return {};
    return MakeError(ErrorCode::kCorrupt, "block {} at byte {}: {}", block.index, block.offset,
                     cursor.ok() ? "bytes are left behind its records" : cursor.failure());
  }

  // Columns and the number of rows of ORC and Avro files.
  Status ReadOther() {
    DataFileRequest open{.file = file_, .format = request_.format, .pool = pool_};
    const NameMapping none;
    open.name_mapping = &none;
    FIRN_ASSIGN(const auto reader, OpenDataFile(open));
    std::vector<FileField> fields = reader->fields();
    FIRN_RETURN_IF_ERROR(Match(fields));
    if (request_.format == FileFormat::kOrc) {
      for (const FilePart& part : reader->parts())
        facts_.record_count += part.row_count;
      return {};
    }
    FIRN_ASSIGN(const auto avro, AvroReader::Open(file_));
    AvroBlock block;
    while (true) {
      FIRN_ASSIGN(const bool has_block, avro->NextBlock(block));
      if (!has_block) return {};
      FIRN_RETURN_IF_ERROR(CheckRecords(*avro->schema(), block));
      facts_.record_count += block.record_count;
    }
  }

  Status CheckValues() {
    ValueCheck check(SelectFields(*request_.schema, unproven_),
                     {.text_ids = text_ids_, .fine_ids = fine_ids_});
    FIRN_ASSIGN(RowStreamReader rows, OpenRows(context_, request_, check.schema()));
    while (true) {
      FIRN_ASSIGN(const auto batch, rows.Next());
      if (batch == nullptr) break;
      FIRN_RETURN_IF_ERROR(check.Add(*batch));
    }
    facts_.differences = check.Finish();
    return {};
  }

  Status ReadRows() {
    std::set<int32_t> leaves;
    for (const int32_t id : facts_.found_ids) {
      if (request_.schema->FindField(id)->type->is_primitive()) leaves.insert(id);
    }
    const Schema columns = SelectFields(*request_.schema, leaves);
    const FieldMap<int64_t> sizes = std::move(facts_.metrics.column_sizes);
    MetricsCollector collector(columns, modes_);
    FIRN_ASSIGN(RowStreamReader rows, OpenRows(context_, request_, columns));
    int64_t count = 0;
    while (true) {
      FIRN_ASSIGN(const auto batch, rows.Next());
      if (batch == nullptr) break;
      count += batch->num_rows();
      FIRN_RETURN_IF_ERROR(collector.Add(batch->columns(), batch->num_rows(), pool_.get()));
    }
    if (count != facts_.record_count) {
      return MakeError(ErrorCode::kCorrupt, "the file has {} rows, its footer tells {}", count,
                       facts_.record_count);
    }
    FIRN_ASSIGN(facts_.metrics, collector.Finish(sizes));
    // Those of the footer may be wider. What the metrics tell may be, too, as it is cut.
    facts_.ranges.clear();
    const auto whole = [](const Value& bound) { return IsCutBound(bound) ? Value() : bound; };
    for (const LeafStatistics& leaf : collector.Statistics()) {
      facts_.ranges.emplace(leaf.field->id, ColumnRange{.value_count = leaf.value_count,
                                                        .null_count = leaf.null_count,
                                                        .lower = whole(leaf.lower),
                                                        .upper = whole(leaf.upper)});
    }
    return {};
  }

  const ReadContext& context_;
  const FileFactsRequest& request_;
  std::shared_ptr<BudgetPool> pool_;
  std::shared_ptr<InputFile> file_;
  std::map<int32_t, MetricsMode> modes_;
  FileFacts facts_;
  std::set<int32_t> unproven_;  // Leaves whose values have to be looked at.
  std::set<int32_t> text_ids_;
  std::set<int32_t> fine_ids_;
};

std::string PartitionText(const PartitionSpec& spec, const Schema& schema,
                          const StructValue& partition) {
  std::string text;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const PartitionField& field = spec.fields[i];
    const NestedField* source = schema.FindField(field.source_id());
    if (source == nullptr) continue;
    const TypePtr type = TransformResultType(field.transform, source->type);
    text += fmt::format("{}{}={}", text.empty() ? "" : "/", field.name,
                        FormatTransformed(field.transform, *type, partition.fields[i]));
  }
  return text;
}

}  // namespace

Result<FileFacts> ReadFileFacts(const ReadContext& context, const FileFactsRequest& request) {
  Result<FileFacts> facts = FactReader(context, request).Read();
  if (!facts.ok()) return facts.error().Within(fmt::format("file '{}'", request.path));
  return facts;
}

Result<StructValue> ReadPartitionOfFile(const ReadContext& context, const DataFile& file,
                                        const PartitionSpec& spec) {
  const SchemaPtr schema = context.metadata->current_schema();
  std::set<int32_t> ids;
  for (const PartitionField& field : spec.fields)
    ids.insert(field.source_ids.begin(), field.source_ids.end());
  const Schema columns = SelectFields(*schema, ids);
  FIRN_ASSIGN(PartitionSplitter splitter, PartitionSplitter::Make(spec, columns));
  FIRN_ASSIGN(RowStreamReader rows, OpenRows(context,
                                             {.path = file.file_path,
                                              .format = file.file_format,
                                              .known_size = file.file_size_in_bytes},
                                             columns));
  const auto pool = BudgetPool::Make(context.budget->total_bytes());
  while (true) {
    FIRN_ASSIGN(const auto batch, rows.Next(), "file '{}'", file.file_path);
    if (batch == nullptr) break;
    FIRN_RETURN_IF_ERROR(splitter.Split(batch->columns(), batch->num_rows(), pool.get()));
    if (splitter.partitions().size() < 2) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "file '{}' has rows of more than one partition, such as {} and {}; load it "
                     "with 'ingest', which writes a file for each",
                     file.file_path, PartitionText(spec, columns, splitter.partitions()[0]),
                     PartitionText(spec, columns, splitter.partitions()[1]));
  }
  if (!splitter.partitions().empty()) return splitter.partitions()[0];
  StructValue nulls;
  nulls.fields.resize(spec.fields.size());
  return nulls;
}

}  // namespace firn

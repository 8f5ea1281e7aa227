#include <utility>

#include <fmt/ranges.h>

#include "firn/maintain/compaction/option_reader_internal.h"
#include "firn/maintain/compaction/rewrite_data_files.h"

namespace firn {
namespace {

using OptionMap = std::map<std::string, std::string>;

Status ReadSizes(OptionReader& reader, const TableMetadata& metadata,
                 RewriteDataFilesOptions& parsed) {
  constexpr std::string_view kProperty = "write.target-file-size-bytes";
  FIRN_ASSIGN(const int64_t target, metadata.IntProperty(kProperty, 536870912));
  FIRN_ASSIGN(const FileSizes sizes, reader.Sizes(target, kProperty));
  parsed.target_file_size_bytes = sizes.target_bytes;
  parsed.min_file_size_bytes = sizes.min_bytes;
  parsed.max_file_size_bytes = sizes.max_bytes;
  return {};
}

Status ReadOutputSpec(OptionReader& reader, const TableMetadata& metadata,
                      RewriteDataFilesOptions& parsed) {
  if (!reader.Has("output-spec-id")) {
    return {};
  }
  int64_t spec_id = 0;
  FIRN_RETURN_IF_ERROR(reader.Integer("output-spec-id", 0, spec_id));
  if (spec_id > INT32_MAX || metadata.FindSpec(static_cast<int32_t>(spec_id)) == nullptr) {
    std::vector<int32_t> known;
    for (const PartitionSpecPtr& spec : metadata.partition_specs) {
      known.push_back(spec->spec_id);
    }
    return MakeError(ErrorCode::kInvalidInput,
                     "option 'output-spec-id' is {}, expected a partition spec of the table: {}",
                     spec_id, fmt::join(known, ", "));
  }
  parsed.output_spec_id = static_cast<int32_t>(spec_id);
  return {};
}

}  // namespace

Result<RewriteDataFilesOptions> ParseRewriteDataFilesOptions(const TableMetadata& metadata,
                                                             const OptionMap& options,
                                                             RewriteOrder order) {
  RewriteDataFilesOptions parsed;
  parsed.order = std::move(order);
  OptionReader reader(options);
  FIRN_RETURN_IF_ERROR(ReadSizes(reader, metadata, parsed));
  FIRN_RETURN_IF_ERROR(reader.Integer("min-input-files", 1, parsed.min_input_files));
  FIRN_RETURN_IF_ERROR(reader.Boolean("rewrite-all", parsed.rewrite_all));
  FIRN_RETURN_IF_ERROR(
      reader.Integer("max-file-group-size-bytes", 1, parsed.max_file_group_size_bytes));
  FIRN_RETURN_IF_ERROR(
      reader.Integer("max-file-group-input-files", 1, parsed.max_file_group_input_files));
  FIRN_RETURN_IF_ERROR(reader.Integer("delete-file-threshold", 0, parsed.delete_file_threshold));
  FIRN_RETURN_IF_ERROR(reader.Ratio("delete-ratio-threshold", parsed.delete_ratio_threshold));
  FIRN_RETURN_IF_ERROR(reader.Integer("max-files-to-rewrite", 1, parsed.max_files_to_rewrite));
  FIRN_RETURN_IF_ERROR(reader.JobOrder(parsed.rewrite_job_order));
  FIRN_RETURN_IF_ERROR(reader.Integer("max-concurrent-file-group-rewrites", 1,
                                      parsed.max_concurrent_file_group_rewrites));
  FIRN_RETURN_IF_ERROR(
      reader.Boolean("use-starting-sequence-number", parsed.use_starting_sequence_number));
  FIRN_RETURN_IF_ERROR(ReadOutputSpec(reader, metadata, parsed));
  FIRN_RETURN_IF_ERROR(reader.Boolean("partial-progress.enabled", parsed.has_partial_progress));
  FIRN_RETURN_IF_ERROR(reader.Integer("partial-progress.max-commits", 1, parsed.max_commits));
  parsed.max_failed_commits = parsed.max_commits;
  FIRN_RETURN_IF_ERROR(
      reader.Integer("partial-progress.max-failed-commits", 0, parsed.max_failed_commits));
  // Always done, in the same commit: either value asks for no more.
  bool removes_dangling = true;
  FIRN_RETURN_IF_ERROR(reader.Boolean("remove-dangling-deletes", removes_dangling));
  if (parsed.order.strategy != RewriteOrder::Strategy::kBinpack) {
    // Checked, and nothing more: outputs end by their real size, and nothing is shuffled.
    double compression_factor = 1;
    int64_t shuffle_partitions = 1;
    FIRN_RETURN_IF_ERROR(reader.AboveZero("compression-factor", compression_factor));
    FIRN_RETURN_IF_ERROR(reader.Integer("shuffle-partitions-per-file", 1, shuffle_partitions));
  }
  if (parsed.order.strategy == RewriteOrder::Strategy::kZOrder) {
    FIRN_RETURN_IF_ERROR(reader.Integer("max-output-size", 1, parsed.order.key_bytes_max));
    FIRN_RETURN_IF_ERROR(reader.Integer("var-length-contribution", 1, parsed.order.text_bytes));
  }
  FIRN_RETURN_IF_ERROR(reader.RefuseUnknown());
  return parsed;
}

}  // namespace firn

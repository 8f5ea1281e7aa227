#include <algorithm>

#include <fmt/format.h>

#include "firn/base/format_bytes.h"
#include "firn/maintain/cycle/table_health.h"
#include "firn/procedure/compaction_rows_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

// A reader asks for the footer of a file and for its data.
constexpr double kRequestsPerFile = 2;
constexpr double kDollarsPerRequest = 0.4e-6;  // GET of S3.

std::string DescribeFiles(const SizeHistogram& sizes) {
  return fmt::format("{} data files of {} ({})", sizes.files(),
                     FormatBytes(static_cast<double>(sizes.bytes())), sizes.Format());
}

}  // namespace

std::string DescribePlan(const CompactionPlan& plan) {
  SizeHistogram inputs;
  int64_t outputs = 0;
  bool is_open = false;
  for (const FileGroup& group : plan.groups) {
    for (const FileScanTask& task : group.inputs)
      inputs.Add(task.file.file_size_in_bytes);
    outputs += group.expected_outputs;
    is_open = is_open || !group.partition;
  }
  return fmt::format("dry run: {} in {} groups would become {}", DescribeFiles(inputs),
                     plan.groups.size(), DescribeOutputs(outputs, is_open));
}

std::string DescribeRewrite(const RewriteDataFilesResult& result,
                            std::chrono::nanoseconds elapsed) {
  const double seconds = std::max(std::chrono::duration<double>(elapsed).count(), 0.001);
  const double rate = static_cast<double>(result.rewritten.bytes()) / seconds;
  std::string text = fmt::format("{} became {} in {:.2f} s, {}/s", DescribeFiles(result.rewritten),
                                 DescribeFiles(result.added), seconds, FormatBytes(rate));
  const int64_t fewer = result.rewritten.files() - result.added.files();
  if (fewer <= 0) return text;
  const double requests = static_cast<double>(fewer) * kRequestsPerFile;
  return text + fmt::format(
                    "; a full read asks for about {:.0f} parts of files less (${:.2g} at "
                    "S3)",
                    requests, requests * kDollarsPerRequest);
}

Result<ProcedureOutput> MakePlanRows(const CompactionPlan& plan) {
  std::vector<StructValue> rows;
  for (const FileGroup& group : plan.groups) {
    int64_t delete_files = 0;
    for (const FileScanTask& task : group.inputs) {
      delete_files += static_cast<int64_t>(task.deletes.size());
    }
    rows.push_back({{group.index, group.partition_path, group.output_spec_id,
                     static_cast<int64_t>(group.inputs.size()), group.input_bytes, delete_files,
                     group.expected_outputs}});
  }
  return MakeOutput(MakeRowType({{"group", LongType()},
                                 {"partition", TextType()},
                                 {"spec_id", IntType()},
                                 {"input_files", LongType()},
                                 {"input_bytes", LongType()},
                                 {"delete_files", LongType()},
                                 {"expected_outputs", LongType()}}),
                    std::move(rows));
}

Result<ProcedureOutput> MakeResultRows(const RewriteDataFilesResult& result) {
  return MakeOutput(MakeRowType({{"rewritten_data_files_count", IntType()},
                                 {"added_data_files_count", IntType()},
                                 {"rewritten_bytes_count", LongType()},
                                 {"failed_data_files_count", IntType()},
                                 {"removed_delete_files_count", IntType()}}),
                    {{{result.rewritten_data_files_count, result.added_data_files_count,
                       result.rewritten_bytes_count, result.failed_data_files_count,
                       result.removed_delete_files_count}}});
}

}  // namespace firn

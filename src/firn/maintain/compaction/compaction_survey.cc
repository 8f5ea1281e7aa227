#include <algorithm>

#include <fmt/format.h>

#include "firn/base/format_bytes.h"
#include "firn/maintain/compaction/rewrite_data_files.h"

namespace firn {
namespace {

std::string Bytes(int64_t bytes) { return FormatBytes(static_cast<double>(bytes)); }

std::string DescribeSizes(const RewriteDataFilesOptions& options) {
  return fmt::format("below {} (min-file-size-bytes) or above {} (max-file-size-bytes)",
                     Bytes(options.min_file_size_bytes), Bytes(options.max_file_size_bytes));
}

// Only small files can be too few: one that is large, or has many deletes, is worth it alone.
std::string DescribeTooFew(const CompactionSurvey& survey, const RewriteDataFilesOptions& options) {
  const int64_t least = std::max<int64_t>(options.min_input_files, 2);  // One alone stays as it is.
  std::string text =
      fmt::format("{} of {} data files are below {} (min-file-size-bytes), but no ",
                  survey.candidates, survey.files, Bytes(options.min_file_size_bytes));
  text += survey.most_in_partition < least
              ? "partition"
              : fmt::format(
                    "group of {} files and {} at most (max-file-group-input-files, "
                    "max-file-group-size-bytes)",
                    options.max_file_group_input_files, Bytes(options.max_file_group_size_bytes));
  return text + fmt::format(
                    " has {} of them (min-input-files; the most in a partition is {}) or more of "
                    "them than fill a file of {} (target-file-size-bytes)",
                    least, survey.most_in_partition, Bytes(options.target_file_size_bytes));
}

}  // namespace

std::string DescribeLimits(const RewriteDataFilesOptions& options) {
  if (options.rewrite_all) return "all, by rewrite-all";
  return fmt::format(
      "{} or more in a partition below {} or above {}, or {:.0f} % of the rows "
      "deleted",
      options.min_input_files, Bytes(options.min_file_size_bytes),
      Bytes(options.max_file_size_bytes), 100 * options.delete_ratio_threshold);
}

std::string DescribeNothingToDo(const CompactionSurvey& survey,
                                const RewriteDataFilesOptions& options) {
  if (survey.files == 0) {
    return "there is no data file to look at, in the table or in what 'where' leaves of it";
  }
  std::string text;
  if (survey.candidates > 0) {
    text = DescribeTooFew(survey, options);
  } else {
    text = fmt::format(
        "{} data files were looked at: none is {}, or has {:.0f} % of its rows deleted by deletes "
        "of its own (delete-ratio-threshold)",
        survey.files, DescribeSizes(options), 100 * options.delete_ratio_threshold);
  }
  return text + "; rewrite-all=true takes every file";
}

}  // namespace firn

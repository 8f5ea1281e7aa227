#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "firn/procedure/rewrite_options_internal.h"

namespace firn {
namespace {

constexpr RewriteOption kMinFileSize = {"min-file-size-bytes", "75 % of the target",
                                        "Smaller files are rewritten."};
constexpr RewriteOption kMaxFileSize = {"max-file-size-bytes", "180 % of the target",
                                        "Larger files are rewritten."};
constexpr RewriteOption kMinInputFiles = {
    "min-input-files", "5",
    "So many files make a group worth it; so does content for one file of the target size."};
constexpr RewriteOption kRewriteAll = {"rewrite-all", "false", "Every file, whatever its size."};
constexpr RewriteOption kGroupBytes = {"max-file-group-size-bytes", "107374182400 (100 GiB)",
                                       "Bytes of one group, which is worked on as a whole."};
constexpr RewriteOption kGroupFiles = {"max-file-group-input-files", "no limit",
                                       "Files of one group."};
constexpr RewriteOption kJobOrder = {
    "rewrite-job-order", "none",
    "Which groups come first: bytes-asc, bytes-desc, files-asc, files-desc or none."};
constexpr RewriteOption kConcurrency = {
    "max-concurrent-file-group-rewrites", "5",
    "Groups that are worked on at the same time, as far as threads and memory reach."};
constexpr RewriteOption kPartialProgress = {
    "partial-progress.enabled", "false", "Commit groups as they are finished, in several commits."};
constexpr RewriteOption kMaxCommits = {"partial-progress.max-commits", "10",
                                       "So many commits at most."};

constexpr std::array kDataFiles = {
    RewriteOption{"target-file-size-bytes", "property write.target-file-size-bytes (512 MiB)",
                  "Size of the files that are written, as stored."},
    kMinFileSize,
    kMaxFileSize,
    kMinInputFiles,
    kRewriteAll,
    kGroupBytes,
    kGroupFiles,
    RewriteOption{"delete-file-threshold", "2147483647",
                  "Files to which so many delete files apply are rewritten."},
    RewriteOption{"delete-ratio-threshold", "0.3",
                  "Files of which such a share of the rows is deleted by position are rewritten."},
    RewriteOption{"max-files-to-rewrite", "no limit", "Files of the whole run."},
    kJobOrder,
    kConcurrency,
    RewriteOption{"output-spec-id", "the table's default",
                  "Partition spec of the files that are written."},
    RewriteOption{"use-starting-sequence-number", "true",
                  "New files count as old as the snapshot that they were made from, so that "
                  "equality deletes that came meanwhile apply to them."},
    kPartialProgress,
    kMaxCommits,
    RewriteOption{"partial-progress.max-failed-commits", "as max-commits",
                  "More failed commits make the run an error."},
    RewriteOption{"remove-dangling-deletes", "true",
                  "Accepted for Spark's sake: it is always done."},
    RewriteOption{"compression-factor", "1.0",
                  "Of sort, zorder and hilbert; accepted for Spark's sake: files end by their real "
                  "size."},
    RewriteOption{"shuffle-partitions-per-file", "1",
                  "Of sort, zorder and hilbert; accepted for Spark's sake: nothing is shuffled."},
    RewriteOption{"max-output-size", "2147483647", "Of zorder: bytes of a key at most."},
    RewriteOption{"var-length-contribution", "8",
                  "Of zorder: bytes of a text or binary column that count."},
};

constexpr std::array kPositionDeletes = {
    RewriteOption{"target-file-size-bytes", "property write.delete.target-file-size-bytes (64 MiB)",
                  "Size of the delete files that are written, as stored."},
    kMinFileSize,
    kMaxFileSize,
    kMinInputFiles,
    kRewriteAll,
    kGroupBytes,
    kGroupFiles,
    kJobOrder,
    kConcurrency,
    kPartialProgress,
    kMaxCommits,
};

constexpr std::array kEqualityDeletes = {
    RewriteOption{"min-input-files", "1",
                  "So many equality delete files make a set of them worth it."},
    kJobOrder,
    kConcurrency,
    kPartialProgress,
    kMaxCommits,
};

}  // namespace

std::span<const RewriteOption> RewriteOptionsOf(std::string_view call_name) {
  if (call_name == "rewrite_data_files") return kDataFiles;
  if (call_name == "rewrite_position_delete_files") return kPositionDeletes;
  if (call_name == "convert_equality_deletes") return kEqualityDeletes;
  return {};
}

Argument RewriteOptionsArgument(std::string_view call_name) {
  std::vector<std::string> names;
  for (const RewriteOption& option : RewriteOptionsOf(call_name))
    names.push_back(fmt::format("{} ({})", option.name, option.default_text));
  return {.name = "options",
          .type = ArgumentType::kTextMap,
          .help = fmt::format("An option by Spark's name, such as min-input-files=2; one of these, "
                              "with their defaults: {}.",
                              fmt::join(names, ", ")),
          .option_name = "option"};
}

}  // namespace firn

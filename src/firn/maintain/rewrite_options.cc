#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "firn/base/number.h"
#include "firn/base/text.h"
#include "firn/maintain/rewrite_data_files.h"

namespace firn {
namespace {

using OptionMap = std::map<std::string, std::string>;

/// Reads options by Spark's names, noting which ones are known.
class OptionReader {
 public:
  explicit OptionReader(const OptionMap& options) : options_(options) {}

  Status Integer(const std::string& name, int64_t least, int64_t& target) {
    const std::string* text = Find(name);
    if (text == nullptr) {
      return {};
    }
    const auto value = ParseInt64(*text);
    if (!value || *value < least) {
      return Refuse(name, *text, fmt::format("a whole number >= {}", least));
    }
    target = *value;
    return {};
  }

  Status Boolean(const std::string& name, bool& target) {
    const std::string* text = Find(name);
    if (text == nullptr) {
      return {};
    }
    const std::string lower = LowerAscii(*text);
    if (lower != "true" && lower != "false") {
      return Refuse(name, *text, "true or false");
    }
    target = lower == "true";
    return {};
  }

  Status Ratio(const std::string& name, double& target) {
    const std::string* text = Find(name);
    if (text == nullptr) {
      return {};
    }
    const auto value = ParseDouble(*text);
    if (!value || !(*value > 0 && *value <= 1)) {
      return Refuse(name, *text, "a number > 0 and <= 1");
    }
    target = *value;
    return {};
  }

  Status OneOf(const std::string& name, const std::vector<std::string>& choices,
               std::string& target) {
    const std::string* text = Find(name);
    if (text == nullptr) {
      return {};
    }
    const std::string lower = LowerAscii(*text);
    for (const std::string& choice : choices) {
      if (lower == choice) {
        target = choice;
        return {};
      }
    }
    return Refuse(name, *text, fmt::format("one of {}", fmt::join(choices, ", ")));
  }

  bool Has(const std::string& name) { return Find(name) != nullptr; }

  Status RefuseUnknown() const {
    for (const auto& [name, value] : options_) {
      if (!known_.contains(name)) {
        return MakeError(ErrorCode::kInvalidInput, "unknown option '{}', expected one of {}", name,
                         fmt::join(known_, ", "));
      }
    }
    return {};
  }

 private:
  const std::string* Find(const std::string& name) {
    known_.insert(name);
    const auto found = options_.find(name);
    return found == options_.end() ? nullptr : &found->second;
  }
  static Error Refuse(const std::string& name, const std::string& found,
                      const std::string& expected) {
    return MakeError(ErrorCode::kInvalidInput, "option '{}' is '{}', expected {}", name, found,
                     expected);
  }

  const OptionMap& options_;
  std::set<std::string> known_;
};

int64_t Share(int64_t bytes, double factor) {
  return static_cast<int64_t>(static_cast<double>(bytes) * factor);
}

Status ReadSizes(OptionReader& reader, const TableMetadata& metadata,
                 RewriteDataFilesOptions& parsed) {
  FIRN_ASSIGN(parsed.target_file_size_bytes,
              metadata.IntProperty("write.target-file-size-bytes", 536870912));
  FIRN_RETURN_IF_ERROR(reader.Integer("target-file-size-bytes", 1, parsed.target_file_size_bytes));
  const int64_t target = parsed.target_file_size_bytes;
  parsed.min_file_size_bytes = Share(target, 0.75);
  parsed.max_file_size_bytes = Share(target, 1.80);
  FIRN_RETURN_IF_ERROR(reader.Integer("min-file-size-bytes", 0, parsed.min_file_size_bytes));
  FIRN_RETURN_IF_ERROR(reader.Integer("max-file-size-bytes", 1, parsed.max_file_size_bytes));
  if (target <= 0 || parsed.min_file_size_bytes >= target || parsed.max_file_size_bytes <= target) {
    return MakeError(ErrorCode::kInvalidInput,
                     "min-file-size-bytes is {}, target-file-size-bytes {} and max-file-size-bytes "
                     "{}, expected 0 <= min < target < max",
                     parsed.min_file_size_bytes, target, parsed.max_file_size_bytes);
  }
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
  FIRN_RETURN_IF_ERROR(reader.OneOf("rewrite-job-order",
                                    {"bytes-asc", "bytes-desc", "files-asc", "files-desc", "none"},
                                    parsed.rewrite_job_order));
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
  if (parsed.order.strategy == RewriteOrder::Strategy::kZOrder) {
    FIRN_RETURN_IF_ERROR(reader.Integer("max-output-size", 1, parsed.order.key_bytes_max));
    FIRN_RETURN_IF_ERROR(reader.Integer("var-length-contribution", 1, parsed.order.text_bytes));
  }
  FIRN_RETURN_IF_ERROR(reader.RefuseUnknown());
  return parsed;
}

}  // namespace firn

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"
#include "firn/maintain/compaction/file_sizes_internal.h"

namespace firn {

/// Reads options by Spark's names, noting which ones are known. A target keeps its value where the
/// option is not given. Errors: kInvalidInput, naming option, value and what was expected.
class OptionReader {
 public:
  /// `options` outlives this.
  explicit OptionReader(const std::map<std::string, std::string>& options) : options_(options) {}

  Status Integer(const std::string& name, int64_t least, int64_t& target);
  Status Boolean(const std::string& name, bool& target);
  /// Above 0, at most 1.
  Status Ratio(const std::string& name, double& target);
  /// A number above 0.
  Status AboveZero(const std::string& name, double& target);
  Status OneOf(const std::string& name, const std::vector<std::string>& choices,
               std::string& target);
  /// `rewrite-job-order`.
  Status JobOrder(std::string& target);
  /// `target-file-size-bytes`, `min-file-size-bytes`, `max-file-size-bytes`. Without the first,
  /// `target_default` counts, which table property `target_property` may have set. A target beyond
  /// any file means no limit.
  Result<FileSizes> Sizes(int64_t target_default, std::string_view target_property);

  bool Has(const std::string& name) { return Find(name) != nullptr; }

  /// Errors: kInvalidInput for an option that was not asked for, listing those that were.
  Status RefuseUnknown() const;

 private:
  const std::string* Find(const std::string& name);

  const std::map<std::string, std::string>& options_;
  std::set<std::string> known_;
};

}  // namespace firn

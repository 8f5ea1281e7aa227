#pragma once

#include <string>
#include <string_view>

#include "firn/base/result.h"

namespace firn {

/// Leads from the recorded paths of a table to those of its copy.
class PathPrefix {
 public:
  /// Errors: kInvalidInput: one is empty, or both are the same.
  static Result<PathPrefix> Make(std::string_view source, std::string_view target);

  const std::string& source() const { return source_; }

  /// True for the source itself and what lies below it, by the text.
  bool Covers(std::string_view path) const;
  /// The path in the copy. Errors: kInvalidInput: it does not lie below the source.
  Result<std::string> Rename(std::string_view path) const;
  /// Where the path lies below another folder. Errors: as above.
  Result<std::string> Below(std::string_view folder, std::string_view path) const;

 private:
  std::string source_;  // Without slashes at the end.
  std::string target_;
};

}  // namespace firn

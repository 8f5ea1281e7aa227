#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "firn/base/result.h"

namespace firn {

/// Tells whether two URIs mean one file: what comes before the path (scheme and authority) and the
/// path are compared apart. Thread-safe.
class FilePrefixes {
 public:
  /// Each map: names that mean the same, "s3a,s3n" -> "s3"; keys are split at commas. Schemes s3a
  /// and s3n mean s3 anyway.
  FilePrefixes(const std::map<std::string, std::string>& equal_schemes,
               const std::map<std::string, std::string>& equal_authorities);

  struct Identity {
    std::string path;  ///< Percent-decoded, with single slashes: never too narrow.
    uint16_t prefix = 0;
  };
  /// `real` is where `uri` leads (see RealNames). Errors: kUnsupported beyond 65,535 different
  /// prefixes.
  Result<Identity> Identify(std::string_view uri, std::string_view real);

  /// Whether a listed file and a recorded one with the same path are one. What the record leaves
  /// out matches anything.
  bool Matches(uint16_t listed, uint16_t recorded) const;

  /// "s3://bucket", for people.
  std::string Describe(uint16_t prefix) const;

 private:
  struct Prefix {
    std::string scheme;
    std::string authority;
    auto operator<=>(const Prefix&) const = default;
  };
  std::map<std::string, std::string, std::less<>> schemes_;
  std::map<std::string, std::string, std::less<>> authorities_;
  mutable std::mutex mutex_;
  std::map<Prefix, uint16_t> numbers_;
  std::vector<Prefix> prefixes_;
};

}  // namespace firn

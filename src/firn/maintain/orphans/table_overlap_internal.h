#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/maintain/maintain_context.h"

namespace firn {

/// Refuse if the catalog has another table whose location, or one of its locations for data and
/// metadata, is `location` or below it. Tables that cannot be loaded are passed over; in a catalog
/// of very many tables only those of the same namespace are looked at. Refuse, too, if it is in or
/// around a folder that the table took files over from (`firn.adopted-folders`), unless it is one
/// of its own. Errors: kInvalidInput naming the table or the folder.
Status CheckNoTableBelow(const MaintainContext& context, const Table& table,
                         const std::string& location);

/// Metadata files that a listing came across.
class FoundMetadata {
 public:
  void Add(const FileInfo& file);
  /// Refuse if one of them is that of another table: it lies in a folder where `table` has none of
  /// its own, or it has another UUID, which a file that lost its end may still tell. Errors:
  /// kInvalidInput naming the file.
  Status CheckOwner(const MaintainContext& context, const Table& table) const;

 private:
  struct Found {
    std::string uri;
    std::optional<int64_t> size;
  };
  std::vector<Found> files_;
};

}  // namespace firn

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/result.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/format/schema/schema.h"
#include "firn/parquet/footer.h"

namespace firn {

/// A column that a leaf belongs to, and the leaf's name in it: parts of variants have no ids.
using LeafKey = std::pair<int32_t, std::string>;

LeafKey KeyOf(const NestedField& field, const LeafNode& leaf);

/// The field ids from a column down to a leaf, of those nodes that have one.
using LeafPath = std::vector<std::optional<int32_t>>;

/// The leaves of a Parquet file by the columns of a table.
struct FileLeaves {
  std::map<LeafKey, size_t> leaves;
  std::set<int32_t> ids;        ///< Of all nodes.
  std::vector<LeafPath> paths;  ///< Of all leaves.
};

/// The paths of the leaves of a schema, whose tree was checked.
std::vector<LeafPath> LeafPathsOf(const std::vector<SchemaElement>& schema);

/// How many nodes two paths share from the column on.
size_t CountShared(const LeafPath& a, const LeafPath& b);

/// Find the leaves of a file with this schema, whose tree was checked (see LeavesOf). Files without
/// field ids get those of `names`, which may be null; leaves without an id belong to no column.
/// Errors: kUnsupported: there are no ids, or one is there twice.
Result<FileLeaves> FindFileLeaves(std::vector<SchemaElement> schema, const NameMapping* names);

}  // namespace firn

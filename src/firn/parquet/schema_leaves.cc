#include "firn/parquet/footer.h"

namespace firn {
namespace {

constexpr int kLevelMax = 255;
// Every node has the names of those above it: long ones above many nodes multiply.
constexpr size_t kPathBytesMax = size_t{64} << 20;

// Walks the flattened schema.
class LeafCollector {
 public:
  explicit LeafCollector(const std::vector<SchemaElement>& schema) : schema_(schema) {}

  Result<std::vector<LeafNode>> Collect() {
    if (schema_.empty() || schema_[0].num_children < 0) {
      return MakeError(ErrorCode::kCorrupt, "the schema has no root");
    }
    next_ = 1;
    FIRN_RETURN_IF_ERROR(AddChildren(schema_[0].num_children, {}, 0));
    if (next_ != schema_.size()) {
      return MakeError(ErrorCode::kCorrupt, "the schema has {} nodes, its groups tell {}",
                       schema_.size(), next_);
    }
    return std::move(leaves_);
  }

 private:
  Status AddChildren(int32_t count, const LeafNode& parent, int depth) {
    if (depth > kLevelMax) {
      return MakeError(ErrorCode::kCorrupt, "the schema is nested more than {} deep", kLevelMax);
    }
    for (int32_t i = 0; i < count; ++i) {
      if (next_ >= schema_.size()) {
        return MakeError(ErrorCode::kCorrupt, "the schema ends inside of a group");
      }
      FIRN_RETURN_IF_ERROR(CountPath(parent, schema_[next_].name));
      LeafNode node = parent;
      node.element = schema_[next_++];
      node.path.push_back(node.element.name);
      node.repetitions.push_back(node.element.repetition);
      if (node.element.repetition != FieldRepetition::kRequired) ++node.max_definition_level;
      if (node.element.repetition == FieldRepetition::kRepeated) ++node.max_repetition_level;
      if (node.element.type) {
        leaves_.push_back(std::move(node));
        continue;
      }
      const int32_t children = node.element.num_children;
      FIRN_RETURN_IF_ERROR(AddChildren(children, node, depth + 1));
    }
    return {};
  }

  Status CountPath(const LeafNode& parent, const std::string& name) {
    path_bytes_ += sizeof(std::string) + name.size();
    for (const std::string& above : parent.path)
      path_bytes_ += sizeof(std::string) + above.size();
    if (path_bytes_ <= kPathBytesMax) return {};
    return MakeError(ErrorCode::kUnsupported, "the paths of the schema take more than {} bytes",
                     kPathBytesMax);
  }

  const std::vector<SchemaElement>& schema_;
  std::vector<LeafNode> leaves_;
  size_t next_ = 0;
  size_t path_bytes_ = 0;
};

}  // namespace

Result<std::vector<LeafNode>> LeavesOf(const std::vector<SchemaElement>& schema) {
  return LeafCollector(schema).Collect();
}

}  // namespace firn

#include "firn/procedure/snapshot_arguments_internal.h"

namespace firn {

std::vector<Argument> SnapshotArguments() {
  return {{.name = "snapshot_id",
           .type = ArgumentType::kInteger,
           .help = "Read this snapshot.",
           .default_text = "the current one"},
          {.name = "as_of",
           .type = ArgumentType::kTimestamp,
           .help = "Read the snapshot that was current at this time: ISO-8601, or a duration back "
                   "from now such as 7d."},
          {.name = "ref", .type = ArgumentType::kText, .help = "Read this branch or tag."}};
}

Result<SnapshotSelector> SelectSnapshot(const Arguments& arguments,
                                        const TableReference& reference) {
  SnapshotSelector selector;
  selector.snapshot_id = arguments.Integer("snapshot_id");
  selector.as_of = arguments.Time("as_of");
  selector.ref = arguments.OptionalText("ref");
  const auto& suffix = reference.branch ? reference.branch : reference.tag;
  if (!suffix) return selector;
  if (selector.snapshot_id || selector.as_of || selector.ref) {
    return MakeError(ErrorCode::kInvalidInput,
                     "the name says '{}' already, expected no snapshot_id, as_of or ref",
                     reference.branch ? "branch_" + *suffix : "tag_" + *suffix);
  }
  selector.ref = suffix;
  return selector;
}

}  // namespace firn

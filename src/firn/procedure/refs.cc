#include <limits>
#include <utility>

#include "firn/catalog/ref_change.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

// `create-branch`, `replace-branch`, `drop-branch` and the same of tags.

namespace firn {
namespace {

std::string TypeName(RefType type) { return type == RefType::kBranch ? "branch" : "tag"; }

// What the ref named before and names now; null if it was not or is not there.
Result<ProcedureOutput> MakeRefRow(RefType type, const std::string& name,
                                   std::optional<SnapshotId> before, const Table& table) {
  return MakeOutput(
      MakeRowType({{TypeName(type), TextType()},
                   {"previous_snapshot_id", LongType()},
                   {"snapshot_id", LongType()}}),
      {{{name, OptionalValue(before), OptionalValue(table.metadata->RefSnapshotId(name))}}});
}

Result<RefChange> ReadChange(const Arguments& arguments, RefType type, bool is_replace) {
  RefChange change;
  change.name = arguments.Text(TypeName(type));
  change.type = type;
  if (is_replace) {
    change.mode = RefChange::Mode::kReplace;
  } else if (arguments.Boolean("if_not_exists")) {
    change.mode = RefChange::Mode::kCreateIfMissing;
  }
  change.snapshot_id = arguments.Integer("snapshot_id");
  change.max_ref_age_ms = arguments.Integer("max_ref_age_ms");
  if (type == RefType::kTag) return change;
  change.max_snapshot_age_ms = arguments.Integer("max_snapshot_age_ms");
  const auto kept = arguments.Integer("min_snapshots_to_keep");
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  if (kept && (*kept < 1 || *kept > kMost)) {
    return MakeError(ErrorCode::kInvalidInput, "min_snapshots_to_keep is {}, expected 1 to {}",
                     *kept, kMost);
  }
  if (kept) change.min_snapshots_to_keep = static_cast<int32_t>(*kept);
  return change;
}

Result<ProcedureOutput> RunSet(ProcedureContext& context, const Arguments& arguments, RefType type,
                               bool is_replace) {
  FIRN_ASSIGN(const RefChange change, ReadChange(arguments, type, is_replace));
  std::optional<SnapshotId> before;
  FIRN_ASSIGN(const Table table,
              ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
                before = metadata.RefSnapshotId(change.name);
                return PlanSetRef(metadata, change);
              }));
  return MakeRefRow(type, change.name, before, table);
}

Result<ProcedureOutput> RunDrop(ProcedureContext& context, const Arguments& arguments,
                                RefType type) {
  const std::string name = arguments.Text(TypeName(type));
  const bool is_missing_fine = arguments.Boolean("if_exists");
  std::optional<SnapshotId> before;
  FIRN_ASSIGN(const Table table,
              ChangeTableOf(context, arguments, [&](const TableMetadata& metadata) {
                before = metadata.RefSnapshotId(name);
                return PlanDropRef(metadata, name, type, is_missing_fine);
              }));
  return MakeRefRow(type, name, before, table);
}

std::vector<Argument> NameArguments(RefType type) {
  return {ChangedTableArgument(),
          {.name = TypeName(type),
           .is_required = true,
           .is_positional = true,
           .help = "The name of the " + TypeName(type) + "."}};
}

std::vector<Argument> SetArguments(RefType type, bool is_replace) {
  const auto unset = [is_replace](const std::string& property) {
    return is_replace ? "as it is" : "the table's history.expire." + property;
  };
  std::vector<Argument> arguments = NameArguments(type);
  arguments.push_back({.name = "snapshot_id",
                       .type = ArgumentType::kInteger,
                       .help = "The snapshot that it names.",
                       .default_text = "the current one of main"});
  if (!is_replace) {
    arguments.push_back({.name = "if_not_exists",
                         .type = ArgumentType::kBoolean,
                         .help = "Leave it alone if it is there."});
  }
  arguments.push_back({.name = "max_ref_age_ms",
                       .type = ArgumentType::kInteger,
                       .help = "Age of its snapshot in milliseconds at which expiry drops it.",
                       .default_text = unset("max-ref-age-ms")});
  if (type == RefType::kTag) return arguments;
  arguments.push_back({.name = "min_snapshots_to_keep",
                       .type = ArgumentType::kInteger,
                       .help = "Number of its snapshots that expiry keeps whatever their age.",
                       .default_text = unset("min-snapshots-to-keep")});
  arguments.push_back({.name = "max_snapshot_age_ms",
                       .type = ArgumentType::kInteger,
                       .help = "Age of its snapshots in milliseconds at which expiry drops them.",
                       .default_text = unset("max-snapshot-age-ms")});
  return arguments;
}

Procedure DescribeSet(RefType type, bool is_replace) {
  const std::string verb = is_replace ? "replace" : "create";
  const std::string name = TypeName(type);
  return {.command = {verb + "-" + name},
          .call_name = verb + "_" + name,
          .summary = is_replace ? "Move a " + name + " to another snapshot or change its retention."
                                : "Give a snapshot a name: make a " + name + ".",
          .arguments = SetArguments(type, is_replace),
          .can_dry_run = true,
          .run = [type, is_replace](ProcedureContext& context, const Arguments& arguments) {
            return RunSet(context, arguments, type, is_replace);
          }};
}

Procedure DescribeDrop(RefType type) {
  std::vector<Argument> arguments = NameArguments(type);
  arguments.push_back({.name = "if_exists",
                       .type = ArgumentType::kBoolean,
                       .help = "It is no error if it is not there."});
  return {.command = {"drop-" + TypeName(type)},
          .call_name = "drop_" + TypeName(type),
          .summary = "Forget a " + TypeName(type) + "; its snapshots stay until they expire.",
          .arguments = std::move(arguments),
          .can_dry_run = true,
          .run = [type](ProcedureContext& context, const Arguments& values) {
            return RunDrop(context, values, type);
          }};
}

}  // namespace

Procedure DescribeCreateBranch() { return DescribeSet(RefType::kBranch, /*is_replace=*/false); }
Procedure DescribeCreateTag() { return DescribeSet(RefType::kTag, /*is_replace=*/false); }
Procedure DescribeDropBranch() { return DescribeDrop(RefType::kBranch); }
Procedure DescribeDropTag() { return DescribeDrop(RefType::kTag); }
Procedure DescribeReplaceBranch() { return DescribeSet(RefType::kBranch, /*is_replace=*/true); }
Procedure DescribeReplaceTag() { return DescribeSet(RefType::kTag, /*is_replace=*/true); }

}  // namespace firn

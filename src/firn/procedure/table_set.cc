#include "firn/base/number.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

// `format-version` is no property, but that is how Spark's users upgrade a table.
Result<std::vector<TableUpdate>> MakeUpdates(std::map<std::string, std::string> properties) {
  std::vector<TableUpdate> updates;
  const auto version = properties.find("format-version");
  if (version != properties.end()) {
    const auto number = ParseInt32(version->second);
    if (!number) {
      return MakeError(ErrorCode::kInvalidInput, "format-version is '{}', expected a number",
                       version->second);
    }
    updates.emplace_back(UpgradeFormatVersion{*number});
    properties.erase(version);
  }
  if (!properties.empty()) {
    updates.emplace_back(SetProperties{Properties(properties.begin(), properties.end())});
  }
  return updates;
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  FIRN_ASSIGN(const auto updates, MakeUpdates(arguments.TextMap("properties")));
  FIRN_RETURN_IF_ERROR(CommitUpdates(reference, updates));
  return MakeEmptyOutput();
}

}  // namespace

Procedure DescribeTableSet() {
  return {.command = {"table", "set"},
          .call_name = "table_set",
          .summary = "Set properties of a table.",
          .arguments = {{.name = "table",
                         .type = ArgumentType::kTable,
                         .is_required = true,
                         .is_positional = true,
                         .help = "The table."},
                        {.name = "properties",
                         .type = ArgumentType::kTextMap,
                         .is_required = true,
                         .is_positional = true,
                         .help = "Properties as KEY=VALUE; format-version=N upgrades the table."}},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn

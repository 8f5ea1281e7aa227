#include <fmt/ranges.h>

#include "firn/maintain/cycle/table_health.h"
#include "firn/maintain/orphans/remove_orphan_files.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/policy_sections_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"
#include "firn/procedure/table_scope_internal.h"

namespace firn {
namespace {

Result<std::optional<int64_t>> CountOrphanBytes(const MaintainContext& maintain, const Table& table,
                                                const RemoveOrphanFilesOptions& options) {
  FIRN_ASSIGN(const auto orphans, FindOrphanFiles(maintain, table, options));
  int64_t bytes = 0;
  FIRN_RETURN_IF_ERROR(orphans->Visit([&](const FileToDelete& file) -> Status {
    bytes += file.bytes.value_or(0);
    return {};
  }));
  return std::optional(bytes);
}

Result<StructValue> AssessOne(ProcedureContext& context, const PolicySections& sections,
                              const std::string& text,
                              const std::optional<RemoveOrphanFilesOptions>& orphans) {
  FIRN_ASSIGN(const auto reference, ResolveWholeTable(*context.session, text));
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  FIRN_ASSIGN(const auto policy,
              MakeMaintenancePolicy(
                  PolicyFor(sections, context.session->default_catalog(), reference.catalog_name,
                            reference.name.levels, reference.name.name),
                  reference.table.metadata->properties));
  WarnOfProperties(context, NameOf(reference, text), *reference.table.metadata);
  FIRN_ASSIGN(const TableHealth health, AssessTable(maintain, reference.table, policy));
  std::optional<int64_t> orphan_bytes;
  if (orphans) {
    FIRN_ASSIGN(orphan_bytes, CountOrphanBytes(maintain, reference.table, *orphans));
  }
  return StructValue{{NameOf(reference, text), static_cast<int32_t>(health.score),
                      health.small_files, health.data_files, health.delete_ratio, health.manifests,
                      health.snapshots, OptionalValue(orphan_bytes),
                      fmt::format("{}", fmt::join(health.advice, "; "))}};
}

// What is not known is null, so that scripts see the table, too.
StructValue FailedRow(const std::string& table, const Error& error) {
  constexpr size_t kMeasures = 7;
  StructValue row{{table}};
  row.fields.resize(1 + kMeasures);
  row.fields.emplace_back(fmt::format("cannot be assessed: {}", error.Format()));
  return row;
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const PolicySections sections, ReadPolicy(context, arguments));
  FIRN_ASSIGN(const auto tables, FindTablesOf(*context.session, arguments.Text("scope")));
  WarnOfSections(context, arguments, sections, tables);
  std::optional<RemoveOrphanFilesOptions> orphans;
  if (arguments.Boolean("orphans")) {
    orphans.emplace();
    orphans->now = context.session->clock().Now();
    orphans->content_folders = std::make_shared<ContentFolders>();
  }
  std::vector<StructValue> rows;
  std::optional<Error> failure;
  for (const std::string& table : tables) {
    auto row = AssessOne(context, sections, table, orphans);
    if (row.ok()) {
      rows.push_back(*std::move(row));
      continue;
    }
    if (row.error().code() == ErrorCode::kCancelled) return row.error();
    if (context.notice) context.notice(fmt::format("{}: {}", table, row.error().Format()));
    rows.push_back(FailedRow(table, row.error()));
    if (!failure) failure = row.error().Within(table);
  }
  FIRN_ASSIGN(auto output,
              MakeOutput(MakeRowType({{"table", TextType()},
                                      {"score", IntType()},
                                      {"small_files", LongType()},
                                      {"data_files", LongType()},
                                      {"delete_ratio", Type::Primitive(TypeId::kDouble)},
                                      {"manifests", LongType()},
                                      {"snapshots", LongType()},
                                      {"orphan_bytes", LongType()},
                                      {"advice", TextType()}}),
                         std::move(rows)));
  output.failure = std::move(failure);
  return output;
}

}  // namespace

Procedure DescribeHealth() {
  return {.command = {"health"},
          .call_name = "health",
          .summary = "Tell how tables are, and what maintenance would find to do.",
          .arguments = {TableScopeArgument(),
                        {.name = "orphans",
                         .type = ArgumentType::kBoolean,
                         .help = "Also list the locations, for the bytes of orphans.",
                         .default_text = "false"},
                        PolicyArgument()},
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn

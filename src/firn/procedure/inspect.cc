#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/snapshot_arguments_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/scan/metadata_table.h"

namespace firn {
namespace {

// The only metadata table that is made of rows of files, so `data` shows it, not `scan`.
constexpr std::string_view kPositionDeletes = "position_deletes";

std::vector<std::string> ViewNames() {
  std::vector<std::string> names = {std::string(kPositionDeletes)};
  for (const MetadataTable& table : MetadataTables())
    names.push_back(table.name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<const MetadataTable*> FindView(const std::string& text) {
  const auto view = FindMetadataTable(text);
  if (view.ok()) return view;
  return MakeError(ErrorCode::kInvalidInput, "metadata table '{}' is not known, expected one of {}",
                   text, fmt::join(ViewNames(), ", "));
}

Result<ProcedureOutput> ShowPositionDeletes(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  FIRN_ASSIGN(const SnapshotSelector selector, SelectSnapshot(arguments, reference));
  FIRN_ASSIGN(const ResolvedSnapshot resolved,
              ResolveSnapshot(*reference.table.metadata, selector));
  const ReadContext read{.io = reference.table.io,
                         .metadata = reference.table.metadata,
                         .executor = &session.executor(),
                         .budget = &session.budget(),
                         .cancel = session.cancel()};
  FIRN_ASSIGN(RowStream rows, ReadPositionDeletes(read, resolved.snapshot));
  return ProcedureOutput{.type = PositionDeletesType(*reference.table.metadata),
                         .rows = std::move(rows)};
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  const std::string name = arguments.Text("view");
  if (ReplaceText(LowerAscii(name), "-", "_") == kPositionDeletes) {
    return ShowPositionDeletes(context, arguments);
  }
  FIRN_ASSIGN(const MetadataTable* view, FindView(name));
  Session& session = *context.session;
  FIRN_ASSIGN(const auto reference, session.ResolveTable(arguments.Text("table")));
  MetadataTableRequest request;
  request.io = reference.table.io.get();
  request.metadata = reference.table.metadata.get();
  request.metadata_location = reference.table.metadata_location;
  FIRN_ASSIGN(request.selector, SelectSnapshot(arguments, reference));
  request.executor = &session.executor();
  request.cancel = session.cancel();
  FIRN_ASSIGN(TypePtr type, view->type(request));
  FIRN_ASSIGN(RowStream rows,
              StreamRows(type, [view, request, table = reference.table](const RowVisitor& visit) {
                return view->scan(request, visit);
              }));
  return ProcedureOutput{.type = std::move(type), .rows = std::move(rows)};
}

}  // namespace

Procedure DescribeInspect() {
  std::vector<Argument> arguments = {
      TableOrLocationArgument(),
      {.name = "view",
       .type = ArgumentType::kText,
       .is_required = true,
       .is_positional = true,
       .help = fmt::format("One of {}; '-' is as good as '_'.", fmt::join(ViewNames(), ", "))}};
  for (Argument& argument : SnapshotArguments())
    arguments.push_back(std::move(argument));
  return {.command = {"inspect"},
          .call_name = "inspect",
          .summary = "Show one of Iceberg's metadata tables.",
          .arguments = std::move(arguments),
          .can_dry_run = false,
          .run = Run};
}

}  // namespace firn

#include "firn/io/uri.h"
#include "firn/procedure/adopted_source_internal.h"
#include "firn/procedure/adopted_table_internal.h"
#include "firn/procedure/change_report_internal.h"
#include "firn/procedure/new_table_internal.h"
#include "firn/procedure/rows_internal.h"

namespace firn {
namespace {

// What tells the catalog from others of the same name.
std::string DescribeCatalog(const Session& session, const std::string& name) {
  std::string text = "'" + name + "'";
  for (const CatalogConfig& config : session.catalogs()) {
    if (config.name != name) continue;
    text += " (" + config.type;
    for (const char* key : {"uri", "warehouse"}) {
      const auto found = config.properties.find(key);
      if (found != config.properties.end()) text += ", " + found->second;
    }
    text += ")";
  }
  return text;
}

}  // namespace

Result<ProcedureOutput> RunAdoptTable(ProcedureContext& context, const Arguments& arguments,
                                      AdoptTableRequest request, const std::string& count_column) {
  Session& session = *context.session;
  const std::string text = arguments.Text("source_table");
  FIRN_ASSIGN(const AdoptedSource source, ParseAdoptedSource(session, text));
  FIRN_ASSIGN(TableReference reference, session.ResolveNewTable(arguments.Text("table")));
  FIRN_RETURN_IF_ERROR(CheckParallelism(arguments));
  FIRN_RETURN_IF_ERROR(PrepareDryRun(context, reference));
  request.source = StripTrailingSlash(source.location);
  request.format = source.format;
  request.table = reference.name;
  request.catalog = DescribeCatalog(session, reference.catalog_name);
  for (const auto& [key, value] : arguments.TextMap("properties"))
    request.properties[key] = value;
  if (const auto location = arguments.OptionalText("location")) {
    request.location = session.AbsoluteLocation(*location);
  }
  request.ignores_missing = arguments.Boolean("ignore_missing_files");
  FIRN_ASSIGN(const bool has_made_namespace, PrepareNamespace(context, reference));
  const auto added = AdoptTable(MakeAdoptionContext(context, reference), request);
  if (!added.ok()) {
    const bool is_unknown = added.error().code() == ErrorCode::kCommitUnknown;
    if (has_made_namespace && !is_unknown) TakeBackNamespace(context, reference);
    return ExplainMissingSource(added.error(), text);
  }
  return FinishChange(
      context, nullptr, added->table, added->snapshot_id,
      MakeOutput(MakeRowType({{count_column, LongType()}}), {{{Value(added->added_files)}}}));
}

Argument AdoptedPropertiesArgument() {
  return {.name = "properties",
          .type = ArgumentType::kTextMap,
          .help = "A property of the table; may be repeated. format-version chooses that.",
          .option_name = "property"};
}

Argument IgnoreMissingFilesArgument() {
  return {.name = "ignore_missing_files",
          .type = ArgumentType::kBoolean,
          .help = "Leave out files that vanish after the folder was listed, rather than fail.",
          .default_text = "false"};
}

}  // namespace firn

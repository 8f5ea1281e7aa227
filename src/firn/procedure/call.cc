#include "firn/base/civil_time.h"
#include "firn/procedure/registry_internal.h"

namespace firn {
namespace {

// Names in a CALL are meant in the statement's catalog unless they begin with a catalog.
Result<std::string> QualifyName(const Session& session, const std::string& catalog,
                                const std::string& text) {
  const std::string prefix = FormatNamespace({catalog});
  if (text.empty()) return prefix;
  if (text.find('/') != std::string::npos || text.find("://") != std::string::npos) return text;
  FIRN_ASSIGN(const auto parts, SplitName(text));
  for (const CatalogConfig& config : session.catalogs()) {
    if (config.name == parts.front() && parts.size() > 1) return text;
  }
  return prefix + "." + text;
}

Status QualifyArguments(const Session& session, CallStatement& statement) {
  if (statement.catalog.empty()) return {};
  for (const Argument& argument : statement.procedure->arguments) {
    const bool is_namespace = argument.type == ArgumentType::kNamespace;
    const bool is_table =
        argument.type == ArgumentType::kTable && statement.arguments.Has(argument.name);
    if (!is_namespace && !is_table) continue;
    FIRN_ASSIGN(std::string text,
                QualifyName(session, statement.catalog, statement.arguments.Text(argument.name)));
    statement.arguments.Set(argument.name, std::move(text));
  }
  return {};
}

// Times as they are understood.
void TellTimes(const ProcedureContext& context, const CallStatement& statement) {
  if (!context.notice) return;
  for (const Argument& argument : statement.procedure->arguments) {
    if (argument.type != ArgumentType::kTimestamp) continue;
    if (const auto time = statement.arguments.Time(argument.name)) {
      context.notice(fmt::format("{} is {}", argument.name, FormatInstant(*time)));
    }
  }
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  Session& session = *context.session;
  FIRN_ASSIGN(CallStatement statement,
              ParseCall(arguments.Text("statement"), session.clock().Now()));
  if (!statement.catalog.empty()) {
    FIRN_RETURN_IF_ERROR(session.OpenCatalogNamed(statement.catalog));
  }
  FIRN_RETURN_IF_ERROR(QualifyArguments(session, statement));
  TellTimes(context, statement);
  if (context.is_dry_run && !statement.procedure->can_dry_run) {
    return MakeError(ErrorCode::kInvalidInput, "CALL {}: it cannot be tried with --dry-run",
                     statement.procedure->call_name);
  }
  context.is_call = true;
  return statement.procedure->run(context, statement.arguments);
}

}  // namespace

Procedure DescribeCall() {
  return {
      .command = {"call"},
      .call_name = "",
      .summary = "Run a procedure as Spark's SQL calls it.",
      .arguments = {{.name = "statement",
                     .type = ArgumentType::kText,
                     .is_required = true,
                     .is_positional = true,
                     .help = "CALL catalog.system.procedure(argument => value, …); or in JSON "
                             "{\"procedure\": NAME, \"catalog\": NAME, \"arguments\": {…}}, with "
                             "objects for maps."}},
      .can_dry_run = true,
      .run = Run};
}

}  // namespace firn

#include "firn/maintain/orphans/remove_orphan_files.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "firn/base/text.h"
#include "firn/data/data.h"
#include "firn/io/real_names.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_argument_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {
namespace {

Result<PrefixMismatch> ParseMismatch(const std::string& text) {
  const std::string lower = LowerAscii(text);
  if (lower == "error") return PrefixMismatch::kError;
  if (lower == "ignore") return PrefixMismatch::kIgnore;
  if (lower == "delete") return PrefixMismatch::kDelete;
  return MakeError(ErrorCode::kInvalidInput,
                   "prefix_mismatch_mode is '{}', expected ERROR, IGNORE or DELETE", text);
}

Result<RemoveOrphanFilesOptions> ParseOptions(ProcedureContext& context,
                                              const Arguments& arguments) {
  Session& session = *context.session;
  RemoveOrphanFilesOptions options;
  options.now = session.clock().Now();
  options.older_than = arguments.Time("older_than");
  options.allows_recent = arguments.Boolean("allow_recent");
  if (const auto location = arguments.OptionalText("location")) {
    options.location = session.AbsoluteLocation(*location);
  }
  if (const auto list = arguments.OptionalText("file_list_view")) {
    options.file_list = session.AbsoluteLocation(*list);
  }
  options.equal_schemes = arguments.TextMap("equal_schemes");
  options.equal_authorities = arguments.TextMap("equal_authorities");
  FIRN_ASSIGN(options.prefix_mismatch,
              ParseMismatch(arguments.Text("prefix_mismatch_mode", "ERROR")));
  options.max_fraction = arguments.Number("max_fraction").value_or(options.max_fraction);
  if (!(options.max_fraction >= 0 && options.max_fraction <= 1)) {
    return MakeError(ErrorCode::kInvalidInput, "max_fraction is {}, expected 0 to 1",
                     options.max_fraction);
  }
  options.quarantines = arguments.Boolean("quarantine", !context.is_call);
  FIRN_ASSIGN(options.max_concurrent_deletes, ConcurrentDeletes(arguments));
  return options;
}

// A folder with the whole catalog in it, or more.
Status CheckBelowWarehouse(const Session& session, const TableReference& reference,
                           const std::string& location) {
  const std::string& catalog = reference.catalog_name;
  const RealNames names(*reference.table.io);
  for (const CatalogConfig& config : session.catalogs()) {
    const auto warehouse = config.properties.find("warehouse");
    if (config.name != catalog || warehouse == config.properties.end()) continue;
    FIRN_ASSIGN(const bool is_within,
                names.IsWithin(session.AbsoluteLocation(warehouse->second), location));
    if (!is_within) continue;
    return MakeError(ErrorCode::kInvalidInput,
                     "the location '{}' holds the whole warehouse '{}' of catalog '{}': files of "
                     "its tables, and others, would count as orphans; give the table's own folder",
                     location, warehouse->second, catalog);
  }
  return {};
}

// `text` as a word for a shell.
std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain = "/.:-_=+,@%";
  const bool is_plain = std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (is_plain && !text.empty()) return text;
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<ProcedureOutput> MakeRows(std::shared_ptr<OrphanFiles> files) {
  TypePtr type = MakeRowType({{"orphan_file_location", TextType()}});
  FIRN_ASSIGN(RowStream rows,
              StreamRows(type, [files](const std::function<Status(StructValue&&)>& visit) {
                return files->Visit([&](FileToDelete file) { return visit({{Value(file.path)}}); });
              }));
  return ProcedureOutput{.type = std::move(type), .rows = std::move(rows)};
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(const auto reference,
              ResolveChangeableTable(*context.session, arguments.Text("table")));
  FIRN_ASSIGN(const auto options, ParseOptions(context, arguments));
  if (!options.location.empty()) {
    FIRN_RETURN_IF_ERROR(CheckBelowWarehouse(*context.session, reference, options.location));
  }
  const MaintainContext maintain = MakeMaintainContext(context, reference);
  const auto notice = [&](const std::string& text) {
    if (context.notice) context.notice(text);
  };
  if (context.is_dry_run || arguments.Boolean("dry_run")) {
    FIRN_ASSIGN(std::shared_ptr<OrphanFiles> files,
                FindOrphanFiles(maintain, reference.table, options));
    notice(fmt::format("{} of {} files would be removed ({} bytes)", files->orphan_count(),
                       files->listed_count(), files->orphan_bytes()));
    if (const int64_t journals = files->ended_journal_count(); journals > 0) {
      notice(fmt::format("{} journals of rewrites that were killed would be deleted", journals));
    }
    FIRN_ASSIGN(auto output, MakeRows(files));
    output.failure = files->refusal();
    return output;
  }
  FIRN_ASSIGN(const auto result, RemoveOrphanFiles(maintain, reference.table, options));
  notice(fmt::format("{} of {} files were removed ({} bytes)", result.removed_count,
                     result.files->listed_count(), result.files->orphan_bytes()));
  if (!result.quarantine_run.empty()) {
    notice(
        fmt::format("they can be brought back: firn restore-quarantine {} --run {}{}",
                    ShellWord(arguments.Text("table")), result.quarantine_run,
                    options.location.empty() ? "" : " --location " + ShellWord(options.location)));
  }
  if (result.removed_journal_count > 0) {
    notice(fmt::format("{} journals of rewrites that were killed were deleted",
                       result.removed_journal_count));
  }
  FIRN_ASSIGN(auto output, MakeRows(result.files));
  if (result.first_failure) {
    output.failure = result.first_failure->Within(
        fmt::format("{} files could not be removed", result.failed_count));
  }
  return output;
}

std::vector<Argument> MakeArguments() {
  return {TableOrLocationArgument(),
          {.name = "older_than",
           .type = ArgumentType::kTimestamp,
           .help = "Only files last modified before this go. Without zone: UTC.",
           .default_text = "3d"},
          {.name = "location",
           .type = ArgumentType::kText,
           .help = "The folder that is looked through.",
           .default_text = "the table's location"},
          {.name = "dry_run",
           .type = ArgumentType::kBoolean,
           .help = "Remove nothing, and show the same rows.",
           .default_text = "false"},
          ConcurrentDeletesArgument(),
          {.name = "file_list_view",
           .type = ArgumentType::kText,
           .help = "A file of lines path,time to look at instead of a listing, such as an "
                   "inventory of the store."},
          {.name = "equal_schemes",
           .type = ArgumentType::kTextMap,
           .help = "Schemes that mean the same, such as s3a,s3n=s3 (which hold anyway)."},
          {.name = "equal_authorities",
           .type = ArgumentType::kTextMap,
           .help = "Buckets or hosts that mean the same, such as old,older=new."},
          {.name = "prefix_mismatch_mode",
           .type = ArgumentType::kText,
           .help = "What to do about a file that the table names with another scheme or "
                   "authority: ERROR, IGNORE (it stays) or DELETE.",
           .default_text = "ERROR"},
          {.name = "prefix_listing",
           .type = ArgumentType::kBoolean,
           .help = "Accepted for Spark's sake: the store is listed in its cheapest way."},
          {.name = "stream_results",
           .type = ArgumentType::kBoolean,
           .help = "Accepted for Spark's sake: memory is bounded, and all rows are shown."},
          {.name = "allow_recent",
           .type = ArgumentType::kBoolean,
           .help = "older_than may be less than 24 hours ago: no writer is at work.",
           .default_text = "false"},
          {.name = "max_fraction",
           .type = ArgumentType::kNumber,
           .help = "If more than this share of the files, by count, would go, none does.",
           .default_text = "0.5"},
          {.name = "quarantine",
           .type = ArgumentType::kBoolean,
           .help = "Move the files to _firn_quarantine/ in the location, from where "
                   "restore-quarantine brings them back, instead of deleting them.",
           .default_text = "true; in CALL false"}};
}

}  // namespace

Procedure DescribeRemoveOrphanFiles() {
  return {.command = {"remove-orphan-files"},
          .call_name = "remove_orphan_files",
          .summary = "Remove files in a table's location that the table does not know.",
          .arguments = MakeArguments(),
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn

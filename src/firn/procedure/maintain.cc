#include <utility>

#include "firn/io/io.h"
#include "firn/maintain/maintain_table.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"
#include "firn/procedure/table_scope_internal.h"
#include "firn/session/policy_file.h"

namespace firn {
namespace {

/// One run over tables, of which one's failure does not stop the others.
class MaintenanceRun {
 public:
  MaintenanceRun(ProcedureContext& context, PolicySections sections)
      : context_(context), sections_(std::move(sections)) {}

  Status Maintain(const std::string& text) {
    FIRN_RETURN_IF_ERROR(context_.session->cancel().Check());
    const Status status = MaintainOne(text);
    if (!status.ok()) Add(text, "", "failed", status.error().Format(), {}, status.error());
    return {};
  }

  Result<ProcedureOutput> Finish() {
    FIRN_ASSIGN(auto output,
                MakeOutput(MakeRowType({{"table", TextType()},
                                        {"step", TextType()},
                                        {"outcome", TextType()},
                                        {"reason", TextType()},
                                        {"files", LongType()},
                                        {"bytes", LongType()},
                                        {"seconds", Type::Primitive(TypeId::kDouble)}}),
                           std::move(rows_)));
    output.failure = std::move(failure_);
    return output;
  }

 private:
  Status MaintainOne(const std::string& text) {
    FIRN_ASSIGN(const auto reference, ResolveChangeableTable(*context_.session, text));
    const std::string name = NameOf(reference, text);
    FIRN_ASSIGN(const auto policy,
                MakeMaintenancePolicy(PolicyFor(sections_, reference.catalog_name,
                                                reference.name.levels, reference.name.name),
                                      reference.table.metadata->properties));
    if (!policy.is_enabled) {
      Add(name, "", "skipped", "enabled is false", {}, {});
      return {};
    }
    TakeBudget(policy);
    const MaintainContext maintain = MakeMaintainContext(context_, reference);
    MaintainTable(maintain, reference.table, policy, budget_, context_.is_dry_run,
                  [&](const StepReport& report) {
                    Add(name, FormatMaintenanceStep(report.step), FormatStepOutcome(report.outcome),
                        report.reason, report, report.error);
                  });
    return {};
  }

  // Of the run, not of each table: the first one that says so counts.
  void TakeBudget(const MaintenancePolicy& policy) {
    if (!budget_.bytes) budget_.bytes = policy.budget_bytes;
    if (!budget_.ends && policy.budget_seconds) {
      budget_.ends = context_.session->clock().Elapsed() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::duration<double>(*policy.budget_seconds));
    }
  }

  void Add(const std::string& table, std::string_view step, std::string_view outcome,
           const std::string& reason, const StepReport& report, const std::optional<Error>& error) {
    rows_.push_back({{table, std::string(step), std::string(outcome), reason,
                      OptionalValue(report.files), OptionalValue(report.bytes), report.seconds}});
    if (context_.notice) {
      context_.notice(fmt::format("{} {}: {} ({})", table, step, outcome, reason));
    }
    if (error && !failure_) failure_ = error->Within(table);
  }

  ProcedureContext& context_;
  const PolicySections sections_;
  MaintenanceBudget budget_;
  std::vector<StructValue> rows_;
  std::optional<Error> failure_;
};

Result<PolicySections> ReadPolicy(ProcedureContext& context, const Arguments& arguments) {
  const auto file = arguments.OptionalText("policy");
  if (!file) return PolicySections();
  constexpr int64_t kBytesMax = 16 << 20;
  auto text = ReadFile(*context.session->io(), context.session->AbsoluteLocation(*file), kBytesMax);
  if (!text.ok()) return text.error();
  return ParsePolicyFile(text->view(), *file);
}

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(PolicySections sections, ReadPolicy(context, arguments));
  FIRN_ASSIGN(const auto tables, FindTablesOf(*context.session, arguments.Text("scope")));
  MaintenanceRun run(context, std::move(sections));
  for (const std::string& table : tables) {
    FIRN_RETURN_IF_ERROR(run.Maintain(table));
  }
  return run.Finish();
}

}  // namespace

Procedure DescribeMaintain() {
  return {.command = {"maintain"},
          .call_name = "maintain",
          .summary = "Do all maintenance that pays to a table or many, as a policy says.",
          .arguments = {TableScopeArgument(),
                        {.name = "policy",
                         .type = ArgumentType::kText,
                         .help = "A TOML file of sections [default], [catalog.C], "
                                 "[namespace.'C.ns'] and [table.'C.ns.t']; later ones win, and "
                                 "table properties firn.maintain.KEY win over all."}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn

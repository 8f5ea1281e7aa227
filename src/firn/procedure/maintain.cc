#include <map>
#include <memory>
#include <utility>

#include "firn/base/number.h"
#include "firn/catalog/metered_catalog.h"
#include "firn/io/io.h"
#include "firn/maintain/cycle/maintain_table.h"
#include "firn/procedure/maintenance_internal.h"
#include "firn/procedure/policy_sections_internal.h"
#include "firn/procedure/registry_internal.h"
#include "firn/procedure/rows_internal.h"
#include "firn/procedure/table_change_internal.h"
#include "firn/procedure/table_scope_internal.h"
#include "firn/session/policy_file.h"

namespace firn {
namespace {

Status ReadPrices(const std::map<std::string, std::string>& prices, CostRates& rates) {
  const std::map<std::string, std::optional<double> CostRates::*> known = {
      {"gib", &CostRates::dollars_per_gib},
      {"hour", &CostRates::dollars_per_hour},
      {"thousand-requests", &CostRates::dollars_per_thousand_requests}};
  for (const auto& [name, text] : prices) {
    const auto found = known.find(name);
    const auto price = ParseDouble(text);
    if (found == known.end()) {
      return MakeError(ErrorCode::kInvalidInput,
                       "price '{}' is not known, expected one of gib, hour, thousand-requests",
                       name);
    }
    if (!price || !(*price >= 0)) {
      return MakeError(ErrorCode::kInvalidInput, "price '{}' is '{}', expected dollars", name,
                       text);
    }
    rates.*found->second = *price;
  }
  return {};
}

/// One run over tables, of which one's failure does not stop the others.
class MaintenanceRun {
 public:
  /// `prices` go over those of the policy.
  MaintenanceRun(ProcedureContext& context, PolicySections sections,
                 std::map<std::string, std::string> prices)
      : context_(context), sections_(std::move(sections)), prices_(std::move(prices)) {
    budget_.content_folders = std::make_shared<ContentFolders>();
  }

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
                                        {"seconds", Type::Primitive(TypeId::kDouble)},
                                        {"bytes_read", LongType()},
                                        {"bytes_written", LongType()},
                                        {"requests", LongType()},
                                        {"dollars", Type::Primitive(TypeId::kDouble)},
                                        {"estimated_bytes_read", LongType()},
                                        {"estimated_bytes_written", LongType()},
                                        {"estimated_requests", LongType()},
                                        {"estimated_seconds", Type::Primitive(TypeId::kDouble)},
                                        {"estimated_dollars", Type::Primitive(TypeId::kDouble)},
                                        {"ignores_planned_steps", BooleanType()}}),
                           std::move(rows_)));
    output.failure = std::move(failure_);
    if (ignores_planned_steps_ && context_.notice) {
      context_.notice(
          "dry run: steps behind a planned one are told for the table as it is: snapshots and "
          "files "
          "that earlier steps would add or take out are not counted (ignores_planned_steps)");
    }
    return output;
  }

 private:
  Status MaintainOne(const std::string& text) {
    FIRN_ASSIGN(auto reference, ResolveChangeableTable(*context_.session, text));
    const auto meter = std::make_shared<IoMeter>();
    reference.catalog = MakeMeteredCatalog(reference.catalog, meter);
    const std::string name = NameOf(reference, text);
    FIRN_ASSIGN(auto policy,
                MakeMaintenancePolicy(
                    PolicyFor(sections_, context_.session->default_catalog(),
                              reference.catalog_name, reference.name.levels, reference.name.name),
                    reference.table.metadata->properties));
    WarnOfProperties(context_, name, *reference.table.metadata);
    FIRN_RETURN_IF_ERROR(ReadPrices(prices_, policy.cost));
    if (!policy.is_enabled) {
      Add(name, "", "skipped", "enabled is false", {}, {});
      return {};
    }
    TakeBudget(policy);
    budget_.meter = meter;
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
    StructValue row{{table, std::string(step), std::string(outcome), reason,
                     OptionalValue(report.files), OptionalValue(report.bytes), report.seconds}};
    const bool is_step = !step.empty();
    AddCost(row, is_step ? std::optional(report.measured) : std::nullopt, false);
    AddCost(row, report.estimate, true);
    row.fields.emplace_back(report.ignores_planned_steps);
    rows_.push_back(std::move(row));
    ignores_planned_steps_ = ignores_planned_steps_ || report.ignores_planned_steps;
    if (error && !failure_) failure_ = error->Within(table);
  }

  static void AddCost(StructValue& row, const std::optional<StepCost>& cost, bool has_seconds) {
    const auto add = [&](auto member) {
      row.fields.push_back(cost ? Value((*cost).*member) : Value());
    };
    add(&StepCost::bytes_read);
    add(&StepCost::bytes_written);
    add(&StepCost::requests);
    if (has_seconds) add(&StepCost::seconds);
    row.fields.push_back(cost ? OptionalValue(cost->dollars) : Value());
  }

  ProcedureContext& context_;
  const PolicySections sections_;
  const std::map<std::string, std::string> prices_;
  MaintenanceBudget budget_;
  std::vector<StructValue> rows_;
  bool ignores_planned_steps_ = false;
  std::optional<Error> failure_;
};

Result<ProcedureOutput> Run(ProcedureContext& context, const Arguments& arguments) {
  FIRN_ASSIGN(PolicySections sections, ReadPolicy(context, arguments));
  FIRN_ASSIGN(const auto tables, FindTablesOf(*context.session, arguments.Text("scope")));
  WarnOfSections(context, arguments, sections, tables);
  CostRates rates;
  FIRN_RETURN_IF_ERROR(ReadPrices(arguments.TextMap("prices"), rates));
  MaintenanceRun run(context, std::move(sections), arguments.TextMap("prices"));
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
                        PolicyArgument(),
                        {.name = "prices",
                         .type = ArgumentType::kTextMap,
                         .help = "Dollars, such as gib=0.02, thousand-requests=0.005, hour=0.1; "
                                 "the policy may have them as cost.dollars-per-KEY.",
                         .option_name = "price"}},
          .can_dry_run = true,
          .run = Run};
}

}  // namespace firn

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firn/base/result.h"
#include "firn/base/row_stream.h"
#include "firn/format/types/type.h"
#include "firn/session/session.h"

/// The one list of named operations. Every front door (command line, CALL, HTTP, schedule) is made
/// from these descriptors.

namespace firn {

enum class ArgumentType {
  kText,
  kTable,      ///< A table name or location.
  kNamespace,  ///< A namespace or catalog.
  kInteger,
  kNumber,
  kBoolean,
  kTimestamp,  ///< ISO-8601, a duration back from now, or `now`.
  kTextList,
  kIntegerList,
  kTextMap,
};

struct Argument {
  std::string name;  ///< Spark's: "snapshot_id".
  ArgumentType type = ArgumentType::kText;
  bool is_required = false;
  bool is_positional = false;  ///< On the command line; in CALL all are positional in order.
  std::string help;            ///< One sentence, with the unit.
  std::string default_text;    ///< For help; empty: none.
  std::string option_name;     ///< Of one map entry or list item on the command line: "option".
  bool has_commas = false;     ///< Items of a text list are taken whole, not split at commas.
};

/// Parsed arguments by name. Missing ones are absent.
class Arguments {
 public:
  using ArgumentValue =
      std::variant<std::string, int64_t, double, bool, Timestamp, std::vector<std::string>,
                   std::vector<int64_t>, std::map<std::string, std::string>>;
  void Set(std::string name, ArgumentValue value) { values_[std::move(name)] = std::move(value); }
  bool Has(std::string_view name) const { return values_.find(name) != values_.end(); }
  std::string Text(std::string_view name, std::string fallback = "") const;
  std::optional<std::string> OptionalText(std::string_view name) const;
  std::optional<int64_t> Integer(std::string_view name) const;
  std::optional<double> Number(std::string_view name) const;
  bool Boolean(std::string_view name, bool fallback = false) const;
  std::optional<Timestamp> Time(std::string_view name) const;
  std::vector<std::string> TextList(std::string_view name) const;
  std::vector<int64_t> IntegerList(std::string_view name) const;
  std::map<std::string, std::string> TextMap(std::string_view name) const;

 private:
  std::map<std::string, ArgumentValue, std::less<>> values_;
};

/// Rows of an operation, typed as Iceberg types.
struct ProcedureOutput {
  TypePtr type;            ///< Struct of the rows; null without rows.
  RowStream rows;          ///< Streamed: may be longer than memory. Null: there is nothing to tell.
  bool is_record = false;  ///< People read it downwards: few rows of long cells.
  int64_t row_count_max = -1;  ///< Stop reading after so many rows; negative: at the end.
  /// What could not be done, although the rows hold: told after them, and decides the exit code.
  std::optional<Error> failure;
};

/// What an operation may tell while it runs.
struct ProcedureContext {
  Session* session = nullptr;
  bool is_dry_run = false;
  bool is_call = false;  ///< Asked for by a CALL statement, where Spark's defaults hold.
  /// Takes what a change did to files, for `--report`; null: nobody wants it.
  std::function<Status(ProcedureOutput)> report;
  /// A line for people (standard error); may be null.
  std::function<void(std::string_view)> notice;
  /// Live progress; may be null.
  std::function<void(std::string_view phase, int64_t done, int64_t total, std::string_view unit)>
      progress;
};

struct Procedure {
  /// How the command line spells it: {"table", "describe"}, {"rewrite-data-files"}.
  std::vector<std::string> command;
  /// Name in CALL, the server and schedules: "rewrite_data_files"; empty if it has none.
  std::string call_name;
  std::string summary;
  std::vector<Argument> arguments;
  bool can_dry_run = false;
  bool can_report = false;  ///< It gives `ProcedureContext::report` what it did.
  std::function<Result<ProcedureOutput>(ProcedureContext&, const Arguments&)> run;
};

/// All of them, sorted by command.
const std::vector<Procedure>& Procedures();

/// Convert the text of one argument. `now` resolves durations. Errors: kInvalidInput.
Result<Arguments::ArgumentValue> ParseArgument(const Argument& argument,
                                               const std::vector<std::string>& texts,
                                               Timestamp now);

/// "CALL c.system.rewrite_data_files(table => 'db.t', options => map('min-input-files','2'))".
struct CallStatement {
  std::string catalog;  ///< Empty: the default.
  const Procedure* procedure = nullptr;
  Arguments arguments;
};
/// Errors: kInvalidInput with the position; unknown procedures and arguments list the known ones.
Result<CallStatement> ParseCall(std::string_view text, Timestamp now);

}  // namespace firn

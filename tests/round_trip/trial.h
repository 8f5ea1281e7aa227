#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "firn/change/change.h"
#include "firn/maintain/maintain.h"
#include "firn/testing/fake_clock.h"

#include "../seeds.h"
#include "table_model.h"

namespace firn::round_trip {

/// A table, its model, and what compares them. The steps are in `steps.h`.
class Trial {
 public:
  Trial(Executor& threads, uint64_t seed, bool is_traced);

  Random& random() { return *random_; }
  bool Chance(uint64_t percent) { return random_->Below(100) < percent; }
  const Table& table() const { return table_; }
  const TableMetadata& metadata() const { return *table_.metadata; }
  const Schema& schema() const { return *table_.metadata->current_schema(); }
  ChangeContext context();
  MaintainContext maintain_context();
  Catalog& catalog() { return *catalog_; }

  /// Make the table.
  void Begin();

  std::string ChooseBranch();
  /// What the branch holds.
  ModelRows& rows(const std::string& branch) { return branches_[branch]; }
  /// Rows of the current schema for one append or overwrite, added to `rows`.
  RowStream NewRows(size_t count_max, ModelRows& rows);
  /// A column that a condition can be put on; null: there is none.
  const NestedField* ChooseColumn();
  ModelCondition ChooseCondition(const ModelRows& rows);

  /// Load the table after a step and compare everything.
  void Check();
  void MakeBranch(const std::string& name);

  template <typename... Args>
  void Note(fmt::format_string<Args...> text, Args&&... args) {
    if (is_traced_) result_.trace.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  void Count(const std::string& what) { ++result_.count[what]; }
  void Violate(std::string message);
  bool is_violated() const { return result_.violation.has_value(); }
  /// True if it is one; else the trial has failed.
  template <typename T>
  bool Expect(const Result<T>& result, std::string_view what) {
    if (!result.ok()) Violate(fmt::format("{}: {}", what, result.error().Format()));
    return result.ok();
  }
  SeedResult TakeResult() { return std::move(result_); }

 private:
  struct Kept {  ///< A snapshot to travel back to.
    SnapshotId id = 0;
    SchemaPtr schema;
    ModelRows rows;
  };
  void CheckScan(const ScanOptions& scan, const SchemaPtr& schema, const ModelRows& rows,
                 const ModelCondition& condition, std::string_view what);
  void CheckCount(const ScanOptions& scan, const ModelRows& rows, std::string_view what);
  Result<std::vector<std::string>> Read(const ScanOptions& scan, const SchemaPtr& projection);

  std::unique_ptr<Random> random_;
  bool is_traced_;
  FakeClock clock_;
  Executor& threads_;
  std::shared_ptr<FileIO> io_;
  MemoryBudget budget_;
  std::unique_ptr<Catalog> catalog_;
  TableName name_{{"db"}, "t"};
  Table table_;
  std::map<std::string, ModelRows> branches_;
  std::vector<Kept> kept_;
  SeedResult result_;
};

}  // namespace firn::round_trip

#include "actor.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "firn/base/text.h"

namespace firn::simulation {

CommitContext Worker::context() {
  return {.catalog = process_.catalog.get(),
          .executor = scene_.executor,
          .clock = &scene_.world->clock(),
          .random = &random_};
}

MaintainContext Worker::maintain_context() {
  MaintainContext maintain;
  maintain.commit = context();
  maintain.budget = scene_.budget;
  return maintain;
}

Result<Table> Worker::Change(const PlanUpdates& plan) {
  FIRN_ASSIGN(const Table table, Load());
  return ChangeTable(
      {.catalog = process_.catalog.get(), .clock = &scene_.world->clock(), .random = &random_},
      table, plan);
}

Result<Table> Worker::Load() {
  const size_t began = scene_.judge->move_count();
  auto table = process_.catalog->Load(scene_.name);
  if (!table.ok() || scene_.judge->CheckLoaded(*table, began)) return table;
  return Error(ErrorCode::kCommitConflict, "this version of the table is long over");
}

std::optional<SnapshotId> Worker::HeadOf(const Table& table, const std::string& branch) const {
  return table.metadata->RefSnapshotId(branch);
}

std::string Worker::ChooseBranch() {
  std::vector<std::string> others;
  for (const auto& [name, ref] : scene_.judge->metadata().refs) {
    if (ref.type == RefType::kBranch && name != kMainBranch) others.push_back(name);
  }
  if (others.empty() || Chance(75)) return std::string(kMainBranch);
  return others[random_.Below(others.size())];
}

std::string Worker::NewCategory() {
  constexpr const char* kCategories[] = {"a", "b", "c"};
  return kCategories[random_.Below(std::size(kCategories))];
}

std::vector<Row> Worker::NewRows(size_t count_max) {
  const size_t more = scene_.focus == Focus::kKeys ? 4 : 0;
  std::vector<Row> rows(1 + more + random_.Below(count_max));
  for (Row& row : rows)
    row = {scene_.next_row++, NewCategory()};
  return rows;
}

std::string ColumnName(const TableMetadata& metadata, int32_t field_id) {
  return metadata.current_schema()->FullName(field_id);
}

Result<ExpressionPtr> Condition::For(const TableMetadata& metadata) const {
  return ParseExpression(ReplaceText(text, "{}", ColumnName(metadata, kCatField)));
}

Condition Worker::NewCondition() {
  const auto known = static_cast<uint64_t>(scene_.next_row);
  const auto low = static_cast<int64_t>(random_.Below(known + 3));
  const int64_t high = low + static_cast<int64_t>(random_.Below(12));
  const std::string cat = NewCategory();
  // One row of a file that keeps others.
  const bool is_one = scene_.focus == Focus::kKeys && Chance(70);
  switch (is_one ? 0 : random_.Below(6)) {
    case 0:
      return {fmt::format("id = {}", low), [=](const Row& row) { return row.id == low; }};
    case 1:
      return {"{} = '" + cat + "'", [=](const Row& row) { return row.cat == cat; }};
    case 2:
      return {"{} = '" + cat + "' and id < " + std::to_string(low),
              [=](const Row& row) { return row.cat == cat && row.id < low; }};
    default:
      return {fmt::format("id >= {} and id <= {}", low, high),
              [=](const Row& row) { return row.id >= low && row.id <= high; }};
  }
}

KeyDelete Worker::NewKeyDelete(Operation& operation, const Table& table) {
  const TableMetadata& metadata = *table.metadata;
  const auto head = HeadOf(table, operation.branch);
  const bool is_possible = head && metadata.format_version >= 2 && !scene_.has_changing_spec &&
                           metadata.partition_specs.size() == 1;
  const RowsPtr known = is_possible ? judge().FindRows(*head) : nullptr;
  KeyDelete deleted;
  deleted.is_everywhere = metadata.default_spec()->is_unpartitioned();
  for (const auto& [id, cat] : known == nullptr ? Rows() : *known) {
    if (Chance(30) && deleted.rows.size() < 3) deleted.rows.push_back({id, cat});
  }
  operation.apply = [deleted](const Rows& before) {
    Rows after = before;
    for (const Row& row : deleted.rows) {
      const auto found = after.find(row.id);
      if (found == after.end()) continue;
      if (deleted.is_everywhere || found->second == row.cat) after.erase(found);
    }
    return after;
  };
  return deleted;
}

Error Worker::ExcuseLate(const Operation& operation, const Error& error) const {
  const bool has_moved = judge().move_count() > operation.moves_before;
  const bool is_missed =
      error.code() == ErrorCode::kInvalidInput || error.code() == ErrorCode::kNotFound;
  return has_moved && is_missed ? Error(ErrorCode::kCommitConflict, error.message()) : error;
}

Error Worker::ExcuseExpired(const Operation& operation, const Error& error) const {
  const bool is_expired = judge().vanished_count() > operation.vanished_before;
  const bool is_missed =
      error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kInvalidInput;
  return is_expired && is_missed ? Error(ErrorCode::kCommitConflict, error.message()) : error;
}

void Worker::Dawdle() {
  if (!Chance(scene_.focus == Focus::kNone ? 10 : 50)) return;
  scene_.world->turns().Sleep(std::chrono::milliseconds(random_.Below(60)));
}

void Worker::HoldCommit(Operation& operation, Focus focus, std::function<bool()> has_come) {
  if (scene_.focus != focus || !Chance(70)) return;
  Turns& turns = scene_.world->turns();
  process_.before_commit = [&turns, &operation, has_come = std::move(has_come)] {
    operation.is_held = true;
    for (int i = 0; i < 30 && !has_come(); ++i)
      turns.Sleep(std::chrono::milliseconds(2));
    operation.is_held = false;
  };
}

void Worker::HoldCompaction(Operation& operation) {
  HoldCommit(operation, Focus::kKeys, [this, before = CountDone(kDeleteByKeyName)] {
    const auto& operations = judge().operations();
    return CountDone(kDeleteByKeyName) > before &&
           std::any_of(operations.begin(), operations.end(), [](const auto& entry) {
             return entry.second.what == kConversionName && entry.second.is_held;
           });
  });
}

void Worker::HoldConversion(Operation& operation) {
  HoldCommit(operation, Focus::kKeys, [this, before = CountDone(kCompactionName)] {
    return CountDone(kCompactionName) > before;
  });
}

int64_t Worker::CountDone(std::string_view what) const {
  const auto& operations = judge().operations();
  return std::count_if(operations.begin(), operations.end(), [what](const auto& entry) {
    return entry.second.what == what && entry.second.end == OperationEnd::kSucceeded;
  });
}

FileNames Worker::Names(const Operation& operation) {
  return {.location = scene_.judge->metadata().location,
          .operation = operation.number,
          .next = &scene_.next_file};
}

Result<std::optional<SnapshotId>> Worker::Settle(const Result<CommitResult>& committed,
                                                 const std::vector<DataFile>& written) {
  const bool is_unused =
      committed.ok() ? committed->is_repeat : committed.error().code() != ErrorCode::kCommitUnknown;
  if (is_unused) DiscardOutputs(io(), written);
  if (!committed.ok()) return committed.error();
  return std::optional(committed->snapshot_id);
}

std::map<std::string, std::string> Worker::SummaryOf(const Operation& operation) {
  return {{kOperationProperty, std::to_string(operation.number)}};
}

}  // namespace firn::simulation

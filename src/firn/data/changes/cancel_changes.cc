#include <deque>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compare.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "firn/data/arrow/arrow_bridge.h"
#include "firn/data/arrow/row_hash.h"
#include "firn/data/changes/changed_rows_internal.h"
#include "firn/data/sort/sorted_runs_internal.h"

// Rows that were deleted and added, compared. They come sorted by hashes of their values, so that
// equal ones are neighbours; that they are equal is looked at in the values themselves.

namespace firn {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

constexpr std::string_view kUpdateBefore = "UPDATE_BEFORE";
constexpr std::string_view kUpdateAfter = "UPDATE_AFTER";
constexpr int64_t kOutputRows = 16384;
constexpr char kDeleteInitial = 'D';

Result<std::vector<RowHash>> HashColumns(const arrow::RecordBatch& batch,
                                         const std::vector<int>& places) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const int place : places)
    columns.push_back(batch.column(place));
  return HashEachRow(columns, batch.num_rows());
}

const arrow::StringArray& TypesOf(const arrow::RecordBatch& batch) {
  return static_cast<const arrow::StringArray&>(
      *batch.column(batch.num_columns() - kChangeColumns));
}

void AppendBigEndian(std::string& out, uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift);
}

void AppendHash(std::string& out, const RowHash& hash) {
  AppendBigEndian(out, hash.high, 8);
  AppendBigEndian(out, hash.low, 8);
}

class ChangeKeys final : public RowKeyEncoder {
 public:
  explicit ChangeKeys(RowIdentity identity) : identity_(std::move(identity)) {}

  Status AppendKeys(const arrow::RecordBatch& batch, arrow::MemoryPool*, RowKeys& keys) override {
    std::vector<RowHash> identifiers;
    if (!identity_.identifier_columns.empty()) {
      FIRN_ASSIGN(identifiers, HashColumns(batch, identity_.identifier_columns));
    }
    FIRN_ASSIGN(const auto rows, HashColumns(batch, identity_.row_columns));
    const arrow::StringArray& types = TypesOf(batch);
    const auto& ordinals = static_cast<const arrow::Int32Array&>(
        *batch.column(batch.num_columns() - kChangeColumns + 1));
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      std::string& key = keys.bytes();
      if (!identifiers.empty()) AppendHash(key, identifiers[i]);
      AppendHash(key, rows[i]);
      if (identity_.is_net) {
        AppendBigEndian(key, static_cast<uint32_t>(ordinals.Value(row)), sizeof(int32_t));
      }
      key += types.GetView(row).front();  // Deletions first.
      keys.EndRow();
    }
    return {};
  }

 private:
  const RowIdentity identity_;
};

// A row of a batch.
struct PlacedRow {
  BatchPtr batch;
  int64_t row = 0;
  RowHash hash;
  RowHash identifier;

  bool is_delete() const { return TypesOf(*batch).GetView(row).front() == kDeleteInitial; }
};

bool AreEqual(const PlacedRow& a, const PlacedRow& b, const std::vector<int>& places) {
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  for (const int place : places) {
    if (!a.batch->column(place)->RangeEquals(*b.batch->column(place), a.row, a.row + 1, b.row,
                                             options)) {
      return false;
    }
  }
  return true;
}

class CancelledChanges final : public BatchStream {
 public:
  CancelledChanges(std::unique_ptr<BatchStream> rows, RowIdentity identity,
                   std::shared_ptr<arrow::MemoryPool> pool)
      : pool_(std::move(pool)), rows_(std::move(rows)), identity_(std::move(identity)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_->schema(); }

  Result<BatchPtr> Next() override {
    while (ready_rows_ < kOutputRows && !has_ended_)
      FIRN_RETURN_IF_ERROR(ReadBatch());
    if (ready_.empty()) return BatchPtr();
    return TakeReady();
  }

 private:
  // A row that stays, `count` times, with another type unless that is empty.
  struct Ready {
    PlacedRow row;
    int64_t count = 1;
    std::string_view type;
  };

  Status ReadBatch() {
    FIRN_ASSIGN(const BatchPtr batch, rows_->Next());
    if (batch == nullptr) {
      has_ended_ = true;
      FIRN_RETURN_IF_ERROR(EndRun());
      EndIdentifier();
      return {};
    }
    FIRN_ASSIGN(const auto hashes, HashColumns(*batch, identity_.row_columns));
    std::vector<RowHash> identifiers;
    if (finds_updates()) {
      FIRN_ASSIGN(identifiers, HashColumns(*batch, identity_.identifier_columns));
    }
    for (size_t i = 0; i < hashes.size(); ++i) {
      PlacedRow row{batch, static_cast<int64_t>(i), hashes[i]};
      if (finds_updates()) row.identifier = identifiers[i];
      FIRN_RETURN_IF_ERROR(AddRow(std::move(row)));
    }
    for (std::optional<PlacedRow>* held : {&run_, &last_, &deleted_, &insert_})
      KeepApart(*held);
    return {};
  }

  bool finds_updates() const { return !identity_.identifier_columns.empty(); }

  // What is held over a batch must not hold the batch.
  void KeepApart(std::optional<PlacedRow>& row) {
    if (!row || row->batch->num_rows() == 1) return;
    const auto copy = TakeRows(row->batch, {row->row}, pool_.get());
    if (!copy.ok()) return;  // It holds more than it should, no worse.
    row->batch = *copy;
    row->row = 0;
  }

  Status AddRow(PlacedRow row) {
    const bool is_same = run_ && run_->hash == row.hash && run_->identifier == row.identifier &&
                         AreEqual(*run_, row, identity_.row_columns);
    if (!is_same) {
      FIRN_RETURN_IF_ERROR(EndRun());
      run_ = std::move(row);
      run_count_ = 1;
      return {};
    }
    run_count_ += run_->is_delete() == row.is_delete() ? 1 : -1;
    if (run_count_ == 0) run_.reset();
    return {};
  }

  // What remains of equal rows.
  Status EndRun() {
    if (!run_) return {};
    PlacedRow row = std::move(*std::exchange(run_, {}));
    if (!finds_updates()) {
      Emit({std::move(row), run_count_, {}});
      return {};
    }
    const bool is_new = !last_ || last_->identifier != row.identifier ||
                        !AreEqual(*last_, row, identity_.identifier_columns);
    if (is_new) EndIdentifier();
    last_ = row;
    if (row.is_delete()) return AddDeleted(std::move(row), run_count_);
    AddInserted(std::move(row), run_count_);
    return {};
  }

  // One deleted row and the first that was added with its identifier are images of an update.
  Status AddDeleted(PlacedRow row, int64_t count) {
    if (count > 1 || has_deleted_) {
      return MakeError(ErrorCode::kInvalidInput,
                       "a snapshot deleted several rows with the same identifier, so that updates "
                       "cannot be told; choose identifier_columns that are unique");
    }
    has_deleted_ = true;
    deleted_ = std::move(row);
    Pair();
    return {};
  }

  void AddInserted(PlacedRow row, int64_t count) {
    const bool is_first = !has_inserted_;
    has_inserted_ = true;
    if (!is_first) {
      Emit({std::move(row), count, {}});
      return;
    }
    if (count > 1) Emit({row, count - 1, {}});
    insert_ = std::move(row);
    Pair();
  }

  void Pair() {
    if (!deleted_ || !insert_) return;
    Emit({std::move(*std::exchange(deleted_, {})), 1, kUpdateBefore});
    Emit({std::move(*std::exchange(insert_, {})), 1, kUpdateAfter});
  }

  void EndIdentifier() {
    if (deleted_) Emit({std::move(*std::exchange(deleted_, {})), 1, {}});
    if (insert_) Emit({std::move(*std::exchange(insert_, {})), 1, {}});
    has_deleted_ = false;
    has_inserted_ = false;
    last_.reset();
  }

  void Emit(Ready ready) {
    ready_rows_ += ready.count;
    ready_.push_back(std::move(ready));
  }

  // The next rows, as one batch.
  Result<BatchPtr> TakeReady() {
    std::vector<BatchPtr> parts;
    arrow::StringBuilder types(pool_.get());
    int64_t rows = 0;
    while (rows < kOutputRows && !ready_.empty()) {
      // Neighbours of one batch go together.
      const BatchPtr batch = ready_.front().row.batch;
      std::vector<int64_t> places;
      while (rows < kOutputRows && !ready_.empty() && ready_.front().row.batch == batch) {
        Ready& ready = ready_.front();
        const auto type = ready.type.empty() ? TypesOf(*batch).GetView(ready.row.row) : ready.type;
        FIRN_RETURN_IF_ERROR(GuardArrow(ErrorCode::kInternal, [&] { return types.Append(type); }));
        places.push_back(ready.row.row);
        ++rows;
        if (--ready.count == 0) ready_.pop_front();
      }
      FIRN_ASSIGN(BatchPtr part, TakeRows(batch, places, pool_.get()));
      parts.push_back(std::move(part));
    }
    ready_rows_ -= rows;
    return GuardArrowResult(ErrorCode::kInternal, [&]() -> arrow::Result<BatchPtr> {
      ARROW_ASSIGN_OR_RAISE(const BatchPtr batch,
                            arrow::ConcatenateRecordBatches(parts, pool_.get()));
      ARROW_ASSIGN_OR_RAISE(auto type_column, types.Finish());
      const int place = batch->num_columns() - kChangeColumns;
      return batch->SetColumn(place, batch->schema()->field(place), std::move(type_column));
    });
  }

  std::shared_ptr<arrow::MemoryPool> pool_;
  std::unique_ptr<BatchStream> rows_;
  const RowIdentity identity_;
  bool has_ended_ = false;
  std::optional<PlacedRow> run_;   // The first of equal rows.
  int64_t run_count_ = 0;          // Of its kind, less those of the other.
  std::optional<PlacedRow> last_;  // Of the identifier that is looked at.
  std::optional<PlacedRow> deleted_;
  std::optional<PlacedRow> insert_;
  bool has_deleted_ = false;
  bool has_inserted_ = false;
  std::deque<Ready> ready_;
  int64_t ready_rows_ = 0;
};

}  // namespace

std::unique_ptr<RowKeyEncoder> MakeChangeKeys(RowIdentity identity) {
  return std::make_unique<ChangeKeys>(std::move(identity));
}

std::unique_ptr<BatchStream> CancelChanges(std::unique_ptr<BatchStream> rows, RowIdentity identity,
                                           std::shared_ptr<arrow::MemoryPool> pool) {
  return std::make_unique<CancelledChanges>(std::move(rows), std::move(identity), std::move(pool));
}

}  // namespace firn

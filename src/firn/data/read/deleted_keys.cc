#include "firn/base/bytes.h"
#include "firn/base/hash.h"
#include "firn/data/read/deleted_keys_internal.h"

namespace firn {
namespace {

constexpr int64_t kBudgetShare = 4;

}  // namespace

DeletedKeys::DeletedKeys(MemoryBudget* budget)
    : budget_(budget), bytes_max_(budget->total_bytes() / kBudgetShare), keys_(budget) {}

Status DeletedKeys::Add(std::string_view key, int64_t sequence_number) {
  if (!partitions_) {
    const bool fits = KeySet::BytesFor(static_cast<size_t>(keys_.size()) + 1,
                                       keys_.key_bytes() + key.size()) <= bytes_max_;
    if (fits) {
      const Status inserted = keys_.Insert(key, sequence_number);
      if (inserted.ok() || inserted.error().code() != ErrorCode::kResourceExhausted) {
        return inserted;
      }
    }
    FIRN_RETURN_IF_ERROR(Spill());
  }
  return partitions_->Add(key, HashFast(AsBytes(key)), sequence_number);
}

// From here on, keys go to disk.
Status DeletedKeys::Spill() {
  FIRN_ASSIGN(partitions_, KeyPartitions::Make(bytes_max_ / 2));
  FIRN_RETURN_IF_ERROR(keys_.Visit([this](std::string_view key, int64_t number) {
    return partitions_->Add(key, HashFast(AsBytes(key)), number);
  }));
  keys_ = KeySet(budget_);
  return {};
}

Status DeletedKeys::Finish() {
  if (!partitions_) return {};
  FIRN_RETURN_IF_ERROR(partitions_->Finish());
  passes_ = partitions_->Passes([this](const KeyPartitions::Range& range) {
    return KeySet::BytesFor(range.keys, range.key_bytes) <= bytes_max_;
  });
  return {};
}

Status DeletedKeys::Load(size_t pass) {
  if (passes_.empty()) return {};
  keys_ = KeySet(budget_);
  pass_ = passes_[pass];
  FIRN_RETURN_IF_ERROR(keys_.Reserve(pass_.keys, pass_.key_bytes));
  for (size_t i = pass_.begin; i < pass_.end; ++i) {
    FIRN_RETURN_IF_ERROR(partitions_->Take(
        i, [this](std::string_view key, int64_t number) { return keys_.Insert(key, number); }));
  }
  return {};
}

int64_t DeletedKeys::Find(std::string_view key) const {
  const uint64_t hash = HashFast(AsBytes(key));
  if (!passes_.empty() && !pass_.Has(hash)) return -1;
  return keys_.Find(key, hash);
}

}  // namespace firn

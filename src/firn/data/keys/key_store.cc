#include <utility>

#include "firn/data/keys/key_store_internal.h"

namespace firn {
namespace {

constexpr int64_t kBudgetShare = 4;

}  // namespace

KeyStore::KeyStore(MemoryBudget* budget, size_t width, DuplicateVisitor on_duplicate)
    : budget_(budget),
      bytes_max_(budget->total_bytes() / kBudgetShare),
      width_(width),
      on_duplicate_(std::move(on_duplicate)),
      table_(budget, bytes_max_, width) {}

KeyStore::~KeyStore() = default;

Status KeyStore::Insert(std::string_view key, uint64_t hash, int64_t row) {
  FIRN_ASSIGN(const std::optional<KeyOrdinal> known, table_.Insert(key, hash, row));
  if (!known) return {};
  FIRN_RETURN_IF_ERROR(on_duplicate_(table_.row(*known), row));
  table_.set_row(*known, row);
  return {};
}

Status KeyStore::Add(const KeyBatch& keys, int64_t first_row) {
  for (int64_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys.key(i);
    const uint64_t hash = KeyTable::Hash(key);
    if (!partitions_) {
      const Status inserted = Insert(key, hash, first_row + i);
      if (inserted.ok()) continue;
      if (inserted.error().code() != ErrorCode::kResourceExhausted) return inserted;
      FIRN_RETURN_IF_ERROR(Spill());
    }
    FIRN_RETURN_IF_ERROR(partitions_->Add(key, hash, first_row + i));
  }
  return {};
}

// From here on, keys go to disk.
Status KeyStore::Spill() {
  FIRN_ASSIGN(partitions_, KeyPartitions::Make(bytes_max_ / 2));
  const KeyTable table = std::exchange(table_, KeyTable(budget_, bytes_max_, width_));
  for (KeyOrdinal i = 0; i < table.size(); ++i) {
    FIRN_RETURN_IF_ERROR(
        partitions_->Add(table.key(i), KeyTable::Hash(table.key(i)), table.row(i)));
  }
  return {};
}

Status KeyStore::Finish() {
  if (!partitions_) return {};
  FIRN_RETURN_IF_ERROR(partitions_->Finish());
  passes_ = partitions_->Passes([this](const KeyPartitions::Range& range) {
    return KeyTable::BytesFor(range.keys, range.key_bytes, width_) <= bytes_max_;
  });
  return {};
}

Status KeyStore::Load(size_t pass) {
  if (passes_.empty()) return {};
  table_ = KeyTable(budget_, bytes_max_, width_);
  const KeyPartitions::Range& range = passes_[pass];
  FIRN_RETURN_IF_ERROR(table_.Reserve(range.keys, range.key_bytes),
                       "holding a part of the keys; give more with --memory");
  for (size_t i = range.begin; i < range.end; ++i) {
    FIRN_RETURN_IF_ERROR(partitions_->Take(i, [this](std::string_view key, int64_t row) {
      return Insert(key, KeyTable::Hash(key), row);
    }));
  }
  return {};
}

}  // namespace firn

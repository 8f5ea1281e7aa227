#include "firn/format/avro/avro_cursor.h"

#include <limits>

namespace firn {

void AvroCursor::Fail(const char* reason) {
  if (failure_ != nullptr) return;
  failure_ = reason;
  next_ = end_;
}

int64_t AvroCursor::ReadItemCount(int64_t item_min_size) {
  int64_t count = ReadLong();
  if (count < 0) {
    if (count == std::numeric_limits<int64_t>::min()) return Fail("an item count is absurd"), 0;
    count = -count;
    SkipLong();  // The size of the block in bytes.
  }
  if (count == 0 || failure_ != nullptr) return 0;
  if (item_min_size > 0) {
    if (count > static_cast<int64_t>(remaining()) / item_min_size) {
      return Fail("an array or map claims more items than the block can hold"), 0;
    }
    return count;
  }
  if (count > empty_items_left_) return Fail("an array claims too many items without bytes"), 0;
  empty_items_left_ -= count;
  return count;
}

int64_t AvroCursor::SkipSizedBlocks(int64_t item_min_size) {
  while (failure_ == nullptr) {
    const int64_t count = ReadLong();
    if (count == 0) return 0;
    if (count > 0) {
      if (item_min_size > 0 && count > static_cast<int64_t>(remaining()) / item_min_size) {
        return Fail("an array or map claims more items than the block can hold"), 0;
      }
      return count;
    }
    const int64_t size = ReadLong();
    if (size < 0) return Fail("an array or map has a negative size"), 0;
    if (item_min_size > 0 && -(count + 1) >= size / item_min_size) {
      return Fail("an array or map claims more items than it has bytes for"), 0;
    }
    ReadFixed(static_cast<uint64_t>(size));
  }
  return 0;
}

void AvroCursor::Skip(const AvroNode& node) {
  switch (node.kind) {
    case AvroKind::kNull:
      return;
    case AvroKind::kBoolean:
      ReadBool();
      return;
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum:
      SkipLong();
      return;
    case AvroKind::kFloat:
      ReadFixed(4);
      return;
    case AvroKind::kDouble:
      ReadFixed(8);
      return;
    case AvroKind::kBytes:
    case AvroKind::kString:
      SkipBytes();
      return;
    case AvroKind::kFixed:
      ReadFixed(static_cast<uint64_t>(node.size));
      return;
    case AvroKind::kArray:
      while (int64_t count = SkipSizedBlocks(node.items().min_size)) {
        // Items without bytes need no visit, whatever their number.
        if (node.items().min_size == 0) continue;
        for (; count > 0 && failure_ == nullptr; --count)
          Skip(node.items());
      }
      return;
    case AvroKind::kMap:
      while (int64_t count = SkipSizedBlocks(1 + node.values().min_size)) {
        for (; count > 0 && failure_ == nullptr; --count) {
          SkipBytes();
          Skip(node.values());
        }
      }
      return;
    case AvroKind::kRecord:
      for (const AvroNode* field : node.sized_fields)
        Skip(*field);
      return;
    case AvroKind::kUnion:
      Skip(*node.children[static_cast<size_t>(ReadIndex(node.children.size()))]);
      return;
  }
}

}  // namespace firn

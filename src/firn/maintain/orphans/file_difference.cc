#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "firn/base/bytes.h"
#include "firn/maintain/orphans/file_difference_internal.h"

namespace firn {
namespace {

/// Before the payload of a record.
struct RecordHead {
  PathKey key;
  uint32_t payload_size = 0;
  uint32_t tag = 0;
};

constexpr int64_t kFreeBytes = int64_t{1} << 20;  // Not worth a reservation.
constexpr int64_t kChunkBytes = int64_t{4} << 20;
constexpr int64_t kReadBytes = int64_t{1} << 20;

RecordHead ReadHead(std::string_view records) {
  RecordHead head;
  std::memcpy(&head, records.data(), sizeof(head));
  return head;
}

// Candidates of one key but several tags are several.
PathKey WithTag(PathKey key, uint16_t tag) {
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15ULL;
  key.high ^= kSpread * tag;
  return key == PathKey{} ? PathKey{0, 1} : key;
}

}  // namespace

struct FileDifference::OtherKey {
  PathKey key;
  uint16_t tag = 0;
  auto operator<=>(const OtherKey&) const = default;
};

FileDifference::FileDifference(MemoryBudget& budget, int64_t memory_bytes_max)
    : budget_(budget), memory_bytes_max_(memory_bytes_max) {}

Status FileDifference::AddCandidate(std::string_view key, std::string_view payload, uint16_t tag) {
  return Append(&Part::candidates, MakePathKey(key), tag, payload);
}

Status FileDifference::AddOther(std::string_view key, uint16_t tag) {
  return Append(&Part::others, MakePathKey(key), tag, {});
}

Status FileDifference::Append(Side Part::* side, PathKey key, uint16_t tag,
                              std::string_view payload) {
  RecordHead head{.key = key, .tag = tag};
  head.payload_size = static_cast<uint32_t>(payload.size());
  const std::lock_guard lock(mutex_);
  const auto bytes = static_cast<int64_t>(sizeof(head) + payload.size());
  FIRN_RETURN_IF_ERROR(MakeRoom(bytes));
  std::string& buffer = (parts_[key.high % kPartCount].*side).buffer;
  buffer.append(reinterpret_cast<const char*>(&head), sizeof(head));
  buffer.append(payload);
  buffered_bytes_ += bytes;
  if (side == &Part::candidates) ++candidate_count_;
  return {};
}

Status FileDifference::MakeRoom(int64_t bytes) {
  // A string that grows is there twice for a moment, and then half empty.
  const int64_t needed = 2 * (buffered_bytes_ + bytes);
  const int64_t granted = kFreeBytes + static_cast<int64_t>(reservations_.size()) * kChunkBytes;
  if (needed <= granted) return {};
  if (needed <= memory_bytes_max_) {
    auto more = budget_.TryReserve(kChunkBytes);
    if (more.ok()) {
      reservations_.push_back(std::move(*more));
      return {};
    }
  }
  return Spill();
}

Status FileDifference::Spill() {
  if (scratch_ == nullptr) {
    FIRN_ASSIGN(scratch_, ScratchFile::Make());
  }
  for (Part& part : parts_) {
    FIRN_RETURN_IF_ERROR(SpillSide(part.candidates));
    FIRN_RETURN_IF_ERROR(SpillSide(part.others));
  }
  buffered_bytes_ = 0;
  reservations_.clear();
  return {};
}

Status FileDifference::SpillSide(Side& side) {
  if (side.buffer.empty()) return {};
  side.spilled.push_back({scratch_->size(), static_cast<int64_t>(side.buffer.size())});
  FIRN_RETURN_IF_ERROR(scratch_->Append(AsBytes(side.buffer)));
  side.buffer = std::string();
  return {};
}

Status FileDifference::ReadSide(const Side& side,
                                const std::function<Status(std::string_view)>& visit) const {
  for (const Extent& extent : side.spilled) {
    std::string piece;
    for (int64_t done = 0; done < extent.length;) {
      // What a piece ends with may be half a record: it stays for the next.
      const size_t kept = piece.size();
      const int64_t count = std::min(kReadBytes, extent.length - done);
      piece.resize(kept + static_cast<size_t>(count));
      FIRN_RETURN_IF_ERROR(scratch_->ReadAll(
          extent.offset + done,
          std::as_writable_bytes(std::span(piece.data() + kept, static_cast<size_t>(count)))));
      done += count;
      size_t end = 0;
      while (piece.size() - end >= sizeof(RecordHead)) {
        const size_t size =
            sizeof(RecordHead) + ReadHead(std::string_view(piece).substr(end)).payload_size;
        if (size > piece.size() - end) break;
        end += size;
      }
      FIRN_RETURN_IF_ERROR(visit(std::string_view(piece).substr(0, end)));
      piece.erase(0, end);
    }
  }
  return visit(side.buffer);
}

Result<std::vector<FileDifference::OtherKey>> FileDifference::LoadOthers(const Side& side) const {
  std::vector<OtherKey> others;
  FIRN_RETURN_IF_ERROR(ReadSide(side, [&](std::string_view records) -> Status {
    for (; !records.empty(); records.remove_prefix(sizeof(RecordHead))) {
      const RecordHead head = ReadHead(records);
      others.push_back({head.key, static_cast<uint16_t>(head.tag)});
    }
    return {};
  }));
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

Status FileDifference::VisitRest(
    const std::function<bool(uint16_t candidate, uint16_t other)>& matches,
    const std::function<Status(const Candidate&)>& visit) {
  distinct_count_ = 0;
  for (const Part& part : parts_) {
    FIRN_ASSIGN(const std::vector<OtherKey> others, LoadOthers(part.others));
    PathSet seen(0);
    const auto visit_one = [&](const RecordHead& head, std::string_view payload) -> Status {
      const auto tag = static_cast<uint16_t>(head.tag);
      if (!seen.Insert(WithTag(head.key, tag))) return {};
      ++distinct_count_;
      const auto first = std::lower_bound(others.begin(), others.end(), OtherKey{head.key, 0});
      const bool has_other = first != others.end() && first->key == head.key;
      if (has_other && !matches) return {};
      for (auto other = first; other != others.end() && other->key == head.key; ++other) {
        if (matches(tag, other->tag)) return {};
      }
      return visit({.payload = payload,
                    .tag = tag,
                    .other_tag = has_other ? std::optional(first->tag) : std::nullopt});
    };
    const auto visit_all = [&](std::string_view records) -> Status {
      while (!records.empty()) {
        const RecordHead head = ReadHead(records);
        records.remove_prefix(sizeof(head));
        FIRN_RETURN_IF_ERROR(visit_one(head, records.substr(0, head.payload_size)));
        records.remove_prefix(head.payload_size);
      }
      return {};
    };
    FIRN_RETURN_IF_ERROR(ReadSide(part.candidates, visit_all));
  }
  return {};
}

}  // namespace firn

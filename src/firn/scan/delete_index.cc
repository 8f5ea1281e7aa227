#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "firn/base/int128.h"
#include "firn/scan/delete_index_internal.h"

namespace firn {
namespace {

// A record: the batch that holds it and its place there.
struct RecordRef {
  uint32_t batch = 0;
  uint32_t index = 0;
};

// Entry of a list that is sorted by key and sequence number.
template <typename Key>
struct Posting {
  Key key{};
  int64_t applies_up_to = 0;
  RecordRef ref;

  bool operator<(const Posting& other) const {
    if (key != other.key) return key < other.key;
    return applies_up_to < other.applies_up_to;
  }
};

// Postings by key; found through the leading bits of evenly distributed keys, or by number.
template <typename Key>
class PostingList {
 public:
  void Add(Posting<Key> posting) { postings_.push_back(posting); }

  // `bucket_of` maps a key to 0 .. bucket_count - 1, in the order of keys.
  void Finish(size_t bucket_count) {
    std::sort(postings_.begin(), postings_.end());
    starts_.assign(bucket_count + 1, static_cast<uint32_t>(postings_.size()));
    for (size_t i = postings_.size(); i-- > 0;)
      starts_[Bucket(postings_[i].key)] = static_cast<uint32_t>(i);
    for (size_t bucket = bucket_count; bucket-- > 0;)
      starts_[bucket] = std::min(starts_[bucket], starts_[bucket + 1]);
  }

  // Postings of `key` that apply to a data file with this sequence number.
  std::span<const Posting<Key>> Find(Key key, int64_t sequence_number) const {
    if (postings_.empty()) return {};
    const size_t bucket = Bucket(key);
    const auto begin = postings_.begin() + starts_[bucket];
    const auto end = postings_.begin() + starts_[bucket + 1];
    const auto first = std::lower_bound(begin, end, Posting<Key>{key, sequence_number, {}});
    auto last = first;
    while (last != end && last->key == key)
      ++last;
    return {first, last};
  }

  const std::vector<Posting<Key>>& postings() const { return postings_; }

 private:
  size_t Bucket(uint32_t key) const { return key; }
  size_t Bucket(const PathKey& key) const {
    const size_t bucket_count = starts_.size() - 1;
    return static_cast<size_t>(UInt128{key.high} * bucket_count >> 64);
  }

  std::vector<Posting<Key>> postings_;
  std::vector<uint32_t> starts_;
};

constexpr size_t kLockCount = 64;

}  // namespace

struct DeleteIndex::State {
  std::vector<DeleteBatch> batches;
  PartitionTable partitions;
  PostingList<PathKey> vectors_by_path;
  PostingList<PathKey> positions_by_path;
  PostingList<uint32_t> positions_by_partition;
  PostingList<uint32_t> equality_by_partition;
  PostingList<uint32_t> equality_global;  // All under key 0.
  std::vector<int32_t> equality_field_ids;
  std::vector<SchemaPtr> schemas;
  size_t record_count = 0;
  // Delete files that several data files share, as long as one of them is in use.
  std::vector<std::vector<std::weak_ptr<const DeleteFile>>> shared;
  std::array<std::mutex, kLockCount> locks;

  const DeleteRecord& Record(RecordRef ref) const { return batches[ref.batch].records[ref.index]; }
  std::string_view Path(RecordRef ref) const { return batches[ref.batch].Path(Record(ref)); }

  void Place(RecordRef ref, const std::function<bool(int32_t)>& is_unpartitioned);
  Status CheckVectors() const;
  DeleteFilePtr MakeFile(RecordRef ref) const;
  DeleteFilePtr Share(RecordRef ref);
  Status CheckTarget(RecordRef ref, const DeleteQuery& query) const;
  Status AddPositions(const DeleteQuery& query, std::vector<DeleteFilePtr>& deletes);
  void AddEquality(const DeleteQuery& query, std::vector<DeleteFilePtr>& deletes);
};

// Put the record into the list where data files look for it.
void DeleteIndex::State::Place(RecordRef ref,
                               const std::function<bool(int32_t)>& is_unpartitioned) {
  const DeleteRecord& record = Record(ref);
  const int64_t limit = record.applies_up_to();
  if (record.content == FileContent::kEqualityDeletes) {
    const bool is_global = is_unpartitioned(partitions[record.partition].spec_id);
    PostingList<uint32_t>& list = is_global ? equality_global : equality_by_partition;
    list.Add({is_global ? 0 : record.partition, limit, ref});
  } else if (record.is_deletion_vector()) {
    vectors_by_path.Add({record.target, limit, ref});
  } else if (record.has_target()) {
    positions_by_path.Add({record.target, limit, ref});
  } else {
    positions_by_partition.Add({record.partition, limit, ref});
  }
}

Status DeleteIndex::State::CheckVectors() const {
  const auto& postings = vectors_by_path.postings();
  for (size_t i = 1; i < postings.size(); ++i) {
    if (postings[i].key != postings[i - 1].key) continue;
    const RecordRef ref = postings[i].ref;
    return MakeError(ErrorCode::kCorrupt,
                     "data file '{}' has two deletion vectors, in '{}' and '{}', expected one",
                     batches[ref.batch].ReferencedPath(Record(ref)), Path(postings[i - 1].ref),
                     Path(ref));
  }
  return {};
}

DeleteFilePtr DeleteIndex::State::MakeFile(RecordRef ref) const {
  const DeleteBatch& batch = batches[ref.batch];
  const DeleteRecord& record = Record(ref);
  const PartitionKey& partition = partitions[record.partition];
  // Two allocations, so that weak pointers do not keep the file itself.
  auto result = std::shared_ptr<DeleteFile>(new DeleteFile);  // NOLINT: as said
  result->sequence_number = record.sequence_number;
  DataFile& file = result->file;
  file.content = record.content;
  file.file_path = batch.Path(record);
  file.file_format = record.format;
  file.partition_spec_id = partition.spec_id;
  file.partition = partition.values;
  file.record_count = record.record_count;
  file.file_size_in_bytes = record.file_size_in_bytes;
  file.content_offset = record.content_offset;
  file.content_size_in_bytes = record.content_size_in_bytes;
  if (record.referenced_length > 0) file.referenced_data_file = batch.ReferencedPath(record);
  if (record.extra >= 0) {
    const DeleteExtra& extra = batch.extras[static_cast<size_t>(record.extra)];
    file.equality_ids = extra.equality_ids;
    file.key_metadata = extra.key_metadata;
    file.sort_order_id = extra.sort_order_id;
  }
  return result;
}

DeleteFilePtr DeleteIndex::State::Share(RecordRef ref) {
  const std::lock_guard lock(locks[ref.index % kLockCount]);
  std::weak_ptr<const DeleteFile>& slot = shared[ref.batch][ref.index];
  if (DeleteFilePtr file = slot.lock()) return file;
  DeleteFilePtr file = MakeFile(ref);
  slot = file;
  return file;
}

// A delete of one data file must be of its partition: otherwise the table is broken, and reading on
// would bring deleted rows back.
Status DeleteIndex::State::CheckTarget(RecordRef ref, const DeleteQuery& query) const {
  const DeleteRecord& record = Record(ref);
  if (query.partition == record.partition) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "delete file '{}' of data file '{}' has partition spec {} and other partition "
                   "values than the data file with spec {}",
                   Path(ref), query.file->file_path, partitions[record.partition].spec_id,
                   query.file->partition_spec_id);
}

Status DeleteIndex::State::AddPositions(const DeleteQuery& query,
                                        std::vector<DeleteFilePtr>& deletes) {
  const bool has_targets =
      !vectors_by_path.postings().empty() || !positions_by_path.postings().empty();
  const PathKey key = has_targets ? MakePathKey(query.file->file_path) : PathKey();
  const auto vectors = vectors_by_path.Find(key, std::numeric_limits<int64_t>::min());
  if (!vectors.empty()) {
    const RecordRef ref = vectors.front().ref;
    if (Record(ref).sequence_number < query.sequence_number) {
      return MakeError(ErrorCode::kCorrupt,
                       "deletion vector in '{}' has sequence number {}, below {} of its data file "
                       "'{}'",
                       Path(ref), Record(ref).sequence_number, query.sequence_number,
                       query.file->file_path);
    }
    FIRN_RETURN_IF_ERROR(CheckTarget(ref, query));
    deletes.push_back(MakeFile(ref));
    return {};  // It holds all positions; older position deletes are in it.
  }
  for (const auto& posting : positions_by_path.Find(key, query.sequence_number)) {
    FIRN_RETURN_IF_ERROR(CheckTarget(posting.ref, query));
    deletes.push_back(MakeFile(posting.ref));
  }
  if (!query.partition) return {};
  for (const auto& posting : positions_by_partition.Find(*query.partition, query.sequence_number))
    deletes.push_back(Share(posting.ref));
  return {};
}

void DeleteIndex::State::AddEquality(const DeleteQuery& query,
                                     std::vector<DeleteFilePtr>& deletes) {
  std::optional<std::vector<EqualityColumn>> columns;  // Of the data file, once they are needed.
  const auto add = [&](const Posting<uint32_t>& posting) {
    if (!columns) {
      columns = DescribeEqualityColumns(query.file->metrics, equality_field_ids, schemas);
    }
    const auto extra = static_cast<size_t>(Record(posting.ref).extra);
    if (MayShareRows(batches[posting.ref.batch].extras[extra].columns, *columns)) {
      deletes.push_back(Share(posting.ref));
    }
  };
  for (const auto& posting : equality_global.Find(0, query.sequence_number))
    add(posting);
  if (!query.partition) return;
  for (const auto& posting : equality_by_partition.Find(*query.partition, query.sequence_number))
    add(posting);
}

DeleteIndex::DeleteIndex() : state_(std::make_unique<State>()) {}
DeleteIndex::~DeleteIndex() = default;
DeleteIndex::DeleteIndex(DeleteIndex&&) noexcept = default;
DeleteIndex& DeleteIndex::operator=(DeleteIndex&&) noexcept = default;

Result<DeleteIndex> DeleteIndex::Make(std::vector<DeleteBatch> batches,
                                      const std::function<bool(int32_t)>& is_unpartitioned,
                                      std::vector<SchemaPtr> schemas) {
  DeleteIndex index;
  State& state = *index.state_;
  state.batches = std::move(batches);
  state.schemas = std::move(schemas);
  std::set<int32_t> field_ids;
  for (uint32_t number = 0; number < state.batches.size(); ++number) {
    DeleteBatch& batch = state.batches[number];
    std::vector<uint32_t> partitions;
    for (uint32_t i = 0; i < batch.partitions.size(); ++i) {
      const PartitionKey& key = batch.partitions[i];
      partitions.push_back(state.partitions.Add(key.spec_id, key.values));
    }
    batch.partitions = PartitionTable();
    for (uint32_t i = 0; i < batch.records.size(); ++i) {
      batch.records[i].partition = partitions[batch.records[i].partition];
      state.Place({number, i}, is_unpartitioned);
    }
    for (const DeleteExtra& extra : batch.extras)
      field_ids.insert(extra.equality_ids.begin(), extra.equality_ids.end());
    state.shared.emplace_back(batch.records.size());
    state.record_count += batch.records.size();
  }
  state.vectors_by_path.Finish(state.vectors_by_path.postings().size() + 1);
  state.positions_by_path.Finish(state.positions_by_path.postings().size() + 1);
  state.positions_by_partition.Finish(state.partitions.size() + 1);
  state.equality_by_partition.Finish(state.partitions.size() + 1);
  state.equality_global.Finish(1);
  state.equality_field_ids.assign(field_ids.begin(), field_ids.end());
  FIRN_RETURN_IF_ERROR(state.CheckVectors());
  return index;
}

bool DeleteIndex::empty() const { return state_->record_count == 0; }

std::optional<uint32_t> DeleteIndex::FindPartition(int32_t spec_id,
                                                   const StructValue& partition) const {
  return state_->partitions.Find(spec_id, partition);
}

const std::vector<int32_t>& DeleteIndex::equality_field_ids() const {
  return state_->equality_field_ids;
}

Result<std::vector<DeleteFilePtr>> DeleteIndex::Find(const DeleteQuery& query) const {
  std::vector<DeleteFilePtr> deletes;
  if (empty()) return deletes;
  FIRN_RETURN_IF_ERROR(state_->AddPositions(query, deletes));
  state_->AddEquality(query, deletes);
  return deletes;
}

}  // namespace firn

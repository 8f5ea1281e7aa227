#include <algorithm>
#include <map>
#include <utility>

#include <arrow/array.h>

#include "firn/data/equality_deletes_internal.h"
#include "firn/data/file_rows_internal.h"
#include "firn/data/leaf_column_internal.h"
#include "firn/data/read_fields_internal.h"

namespace firn {
namespace {

std::vector<int32_t> SortedIds(const DataFile& deletes) {
  std::vector<int32_t> ids = deletes.equality_ids;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Result<std::vector<std::shared_ptr<arrow::Array>>> KeyColumns(
    const std::vector<std::shared_ptr<arrow::Array>>& columns,
    const std::vector<std::vector<int>>& places, arrow::MemoryPool* pool) {
  std::vector<std::shared_ptr<arrow::Array>> keys;
  for (const std::vector<int>& place : places) {
    FIRN_ASSIGN(auto column, LeafColumn(columns, place, pool));
    keys.push_back(std::move(column));
  }
  return keys;
}

}  // namespace

Status EqualityDeleteIndex::Load(const std::vector<DeleteFilePtr>& files) {
  const std::unique_lock lock(mutex_);
  for (const DeleteFilePtr& deletes : files) {
    if (loaded_.contains(deletes->file.file_path)) continue;
    FIRN_RETURN_IF_ERROR(LoadFile(*deletes), "equality delete file '{}'", deletes->file.file_path);
    loaded_.insert(deletes->file.file_path);
  }
  return {};
}

Status EqualityDeleteIndex::LoadFile(const DeleteFile& deletes) {
  FIRN_ASSIGN(auto input,
              context_.io->Open(deletes.file.file_path, deletes.file.file_size_in_bytes));
  const DataFileRequest request{.file = std::move(input),
                                .format = deletes.file.file_format,
                                .wanted = key_fields_,
                                .pool = pool_};
  return VisitFileRows(
      request, context_.cancel,
      [&](int64_t, int64_t rows,
          const std::vector<std::shared_ptr<arrow::Array>>& columns) -> Status {
        FIRN_ASSIGN(const auto keys, KeyColumns(columns, key_places_, pool_.get()));
        KeyEncoder encoder(keys);
        for (int64_t row = 0; row < rows; ++row) {
          FIRN_RETURN_IF_ERROR(keys_.Insert(encoder.Encode(row), deletes.sequence_number));
        }
        return {};
      });
}

Status EqualityDeleteIndex::Apply(const std::vector<NestedField>& fields,
                                  const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                  int64_t data_sequence_number, RowMask& keep) const {
  std::vector<std::vector<int>> places;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const NestedField* leaf = &paths_[i];
    while (leaf->type->id() == TypeId::kStruct)
      leaf = &leaf->type->fields()[0];
    places.push_back(FindFieldPlaces(fields, leaf->id));
    FIRN_CHECK(!places.back().empty());
  }
  FIRN_ASSIGN(const auto key_columns, KeyColumns(columns, places, pool_.get()));
  KeyEncoder encoder(key_columns);
  const std::shared_lock lock(mutex_);
  for (size_t row = 0; row < keep.size(); ++row) {
    if (keep[row] == 0) continue;
    if (keys_.Find(encoder.Encode(static_cast<int64_t>(row))) > data_sequence_number) keep[row] = 0;
  }
  return {};
}

// Delete files with the same columns whose deletes reach the same data files, but for their age.
struct EqualityDeletes::Scope {
  std::vector<int32_t> equality_ids;
  int32_t spec_id = 0;
  StructValue partition;
  int64_t waiting_tasks = 0;
  EqualityDeleteIndexPtr index;
};

EqualityDeletes::~EqualityDeletes() = default;

EqualityDeletes::EqualityDeletes(const ReadContext& context, std::shared_ptr<BudgetPool> pool,
                                 const std::vector<FileScanTask>& tasks)
    : context_(context), pool_(std::move(pool)) {
  for (const FileScanTask& task : tasks) {
    std::set<Scope*> scopes;
    for (const DeleteFilePtr& deletes : task.deletes) {
      if (deletes->file.content == FileContent::kEqualityDeletes) {
        scopes.insert(&FindScope(deletes->file));
      }
    }
    for (Scope* scope : scopes)
      ++scope->waiting_tasks;
  }
}

EqualityDeletes::Scope& EqualityDeletes::FindScope(const DataFile& deletes) {
  const std::vector<int32_t> ids = SortedIds(deletes);
  uint64_t hash = static_cast<uint64_t>(deletes.partition_spec_id);
  for (const int32_t id : ids)
    hash = hash * 31 + static_cast<uint64_t>(id);
  for (const Value& value : deletes.partition.fields)
    hash = hash * 31 + HashValue(value);
  std::vector<std::unique_ptr<Scope>>& scopes = scopes_[hash];
  for (const std::unique_ptr<Scope>& scope : scopes) {
    if (scope->equality_ids == ids && scope->spec_id == deletes.partition_spec_id &&
        scope->partition.fields == deletes.partition.fields) {
      return *scope;
    }
  }
  scopes.push_back(std::make_unique<Scope>());
  Scope& scope = *scopes.back();
  scope.equality_ids = ids;
  scope.spec_id = deletes.partition_spec_id;
  scope.partition = deletes.partition;
  return scope;
}

Result<EqualityDeleteIndexPtr> EqualityDeletes::MakeIndex(
    const std::vector<int32_t>& equality_ids) const {
  if (equality_ids.empty()) {
    return MakeError(ErrorCode::kCorrupt, "the manifest gives no equality ids");
  }
  std::vector<NestedField> paths;
  std::vector<NestedField> merged;
  for (const int32_t id : equality_ids) {
    FIRN_ASSIGN(NestedField path, FindFieldPath(*context_.metadata, id), "equality id {}", id);
    MakeOptional(path);
    AddFieldPath(merged, path);
    paths.push_back(std::move(path));
  }
  std::vector<std::vector<int>> places;
  for (const int32_t id : equality_ids)
    places.push_back(FindFieldPlaces(merged, id));
  return std::make_shared<EqualityDeleteIndex>(context_, pool_, std::move(paths), std::move(merged),
                                               std::move(places));
}

Result<std::vector<EqualityDeleteIndexPtr>> EqualityDeletes::Load(const FileScanTask& task) {
  std::vector<std::pair<EqualityDeleteIndexPtr, std::vector<DeleteFilePtr>>> wanted;
  {
    const std::lock_guard lock(mutex_);
    std::map<Scope*, std::vector<DeleteFilePtr>> scopes;
    for (const DeleteFilePtr& deletes : task.deletes) {
      if (deletes->file.content == FileContent::kEqualityDeletes) {
        scopes[&FindScope(deletes->file)].push_back(deletes);
      }
    }
    for (auto& [scope, files] : scopes) {
      if (scope->index == nullptr) {
        FIRN_ASSIGN(scope->index, MakeIndex(scope->equality_ids), "equality delete file '{}'",
                    files[0]->file.file_path);
      }
      wanted.emplace_back(scope->index, std::move(files));
      if (--scope->waiting_tasks == 0) scope->index = nullptr;
    }
  }
  std::vector<EqualityDeleteIndexPtr> indexes;
  for (auto& [index, files] : wanted) {
    FIRN_RETURN_IF_ERROR(index->Load(files));
    indexes.push_back(std::move(index));
  }
  return indexes;
}

}  // namespace firn

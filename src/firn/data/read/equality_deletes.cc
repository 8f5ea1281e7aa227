#include <algorithm>
#include <map>
#include <utility>

#include <arrow/array.h>

#include "firn/data/arrow/arrow_types.h"
#include "firn/data/columns/column_convert_internal.h"
#include "firn/data/columns/leaf_column_internal.h"
#include "firn/data/columns/read_fields_internal.h"
#include "firn/data/read/equality_deletes_internal.h"

namespace firn {
namespace {

const Type& LeafType(const NestedField& path) {
  const Type* type = path.type.get();
  while (type->id() == TypeId::kStruct)
    type = type->fields()[0].type.get();
  return *type;
}

// A snapshot from before a promotion is read with the types of its own schema, keys with the newest
// ones.
Result<std::shared_ptr<arrow::Array>> AsKey(std::shared_ptr<arrow::Array> column, const Type& type,
                                            arrow::MemoryPool* pool) {
  FIRN_ASSIGN(const auto wanted, ToArrowType(type));
  if (column->type_id() == arrow::Type::NA || column->type()->Equals(*wanted)) return column;
  FIRN_ASSIGN(const auto converted, ConvertColumn(*column->data(), type, pool));
  return arrow::MakeArray(converted);
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
  return VisitEqualityKeys(context_, pool_, fields_, deletes.file, [&](std::string_view key) {
    return keys_.Insert(key, deletes.sequence_number);
  });
}

Status EqualityDeleteIndex::Apply(const std::vector<NestedField>& fields,
                                  const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                  int64_t data_sequence_number, RowMask& keep) const {
  std::vector<std::vector<int>> places;
  for (const NestedField& path : fields_.paths) {
    places.push_back(FindFieldPlaces(fields, LeafId(path)));
    FIRN_CHECK(!places.back().empty());
  }
  FIRN_ASSIGN(auto key_columns, LeafColumns(columns, places, pool_.get()));
  for (size_t i = 0; i < key_columns.size(); ++i) {
    FIRN_ASSIGN(key_columns[i],
                AsKey(std::move(key_columns[i]), LeafType(fields_.paths[i]), pool_.get()));
  }
  KeyEncoder encoder(key_columns);
  const std::shared_lock lock(mutex_);
  for (size_t row = 0; row < keep.size(); ++row) {
    if (keep[row] == 0) continue;
    if (keys_.Find(encoder.Encode(static_cast<int64_t>(row))) > data_sequence_number) keep[row] = 0;
  }
  return {};
}

struct EqualityDeletes::Scope {
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
  const size_t number = numbers_.Find(deletes);
  if (number == scopes_.size()) scopes_.push_back(std::make_unique<Scope>());
  return *scopes_[number];
}

Result<EqualityDeleteIndexPtr> EqualityDeletes::MakeIndex(const DataFile& deletes) const {
  FIRN_ASSIGN(EqualityFields fields,
              FindEqualityFields(*context_.metadata, SortedEqualityIds(deletes)),
              "equality delete file '{}'", deletes.file_path);
  return std::make_shared<EqualityDeleteIndex>(context_, pool_, std::move(fields));
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
        FIRN_ASSIGN(scope->index, MakeIndex(files[0]->file));
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

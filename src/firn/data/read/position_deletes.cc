#include <algorithm>
#include <cstdint>
#include <utility>

#include <arrow/array.h>

#include "firn/base/passing_reservation.h"
#include "firn/data/read/committed_file_internal.h"
#include "firn/data/read/delete_file_rows_internal.h"
#include "firn/data/read/position_deletes_internal.h"

namespace firn {
namespace {

// Between two looks at the memory that loaded positions take.
constexpr int64_t kRowsBetweenChecks = int64_t{1} << 20;

bool IsPositionDelete(const DeleteFile& deletes) {
  return deletes.file.content == FileContent::kPositionDeletes;
}

std::vector<NestedField> PathAndPosition() {
  return {{.id = kDeleteFilePathFieldId,
           .name = "file_path",
           .type = Type::Primitive(TypeId::kString),
           .required = true},
          {.id = kDeleteFilePosFieldId,
           .name = "pos",
           .type = Type::Primitive(TypeId::kLong),
           .required = true}};
}

// Adds positions of one data file; runs of neighbours, as rewrites and range deletes make them, go
// in as ranges.
class PositionAdder {
 public:
  void Add(PositionSet& positions, int64_t position) {
    if (&positions != target_ || position != end_) {
      Flush();
      target_ = &positions;
      begin_ = position;
    }
    end_ = position + 1;
  }
  void Flush() {
    if (target_ != nullptr) target_->AddRange(begin_, end_);
    target_ = nullptr;
  }

 private:
  PositionSet* target_ = nullptr;
  int64_t begin_ = 0;
  int64_t end_ = 0;
};

}  // namespace

PositionDeletes::PositionDeletes(const ReadContext& context, std::shared_ptr<BudgetPool> pool,
                                 const std::vector<FileScanTask>& tasks)
    : context_(context), pool_(std::move(pool)) {
  for (const FileScanTask& task : tasks) {
    for (const DeleteFilePtr& deletes : task.deletes) {
      if (!IsPositionDelete(*deletes) || deletes->file.is_deletion_vector()) continue;
      data_paths_.insert(task.file.file_path);
      std::unique_ptr<LoadedFile>& file = files_[deletes->file.file_path];
      if (file == nullptr) file = std::make_unique<LoadedFile>();
      ++file->waiting_tasks;
    }
  }
}

Result<std::shared_ptr<const PositionSet>> PositionDeletes::Load(const FileScanTask& task) {
  auto positions = std::make_shared<PositionSet>();
  bool has_any = false;
  for (const DeleteFilePtr& deletes : task.deletes) {
    if (!IsPositionDelete(*deletes)) continue;
    has_any = true;
    if (deletes->file.is_deletion_vector()) {
      FIRN_ASSIGN(const PositionSet vector, LoadDeletionVector(*deletes, task),
                  "deletion vector in '{}'", deletes->file.file_path);
      positions->Union(vector);
    } else {
      FIRN_RETURN_IF_ERROR(AddFrom(*deletes, task.file.file_path, *positions),
                           "position delete file '{}'", deletes->file.file_path);
    }
  }
  if (!has_any || positions->empty()) return std::shared_ptr<const PositionSet>();
  return std::shared_ptr<const PositionSet>(std::move(positions));
}

Result<PositionSet> PositionDeletes::LoadDeletionVector(const DeleteFile& deletes,
                                                        const FileScanTask& task) {
  const DataFile& file = deletes.file;
  if (file.referenced_data_file && *file.referenced_data_file != task.file.file_path) {
    return MakeError(ErrorCode::kCorrupt, "it is for '{}', but was matched with '{}'",
                     *file.referenced_data_file, task.file.file_path);
  }
  return ReadDeletionVector(context_, file);
}

Result<PositionSet> ReadDeletionVector(const ReadContext& context, const DataFile& file) {
  if (!file.content_offset || !file.content_size_in_bytes || *file.content_offset < 0 ||
      *file.content_size_in_bytes < 0) {
    return MakeError(ErrorCode::kCorrupt, "the manifest does not tell where it lies");
  }
  FIRN_ASSIGN(const auto input, context.io->Open(file.file_path, file.file_size_in_bytes));
  FIRN_RETURN_IF_ERROR(CheckCommittedSize(context, file, *input));
  FIRN_ASSIGN(const MemoryReservation memory,
              ReserveOrPass(*context.budget, *file.content_size_in_bytes));
  const ByteRange range{.offset = *file.content_offset, .length = *file.content_size_in_bytes};
  FIRN_ASSIGN(const auto blobs, input->ReadRanges(std::span(&range, 1)));
  FIRN_ASSIGN(PositionSet positions, ParseDeletionVector(blobs[0].span()));
  if (positions.cardinality() != file.record_count) {
    return MakeError(ErrorCode::kCorrupt, "it holds {} positions, the manifest says {}",
                     positions.cardinality(), file.record_count);
  }
  return positions;
}

Status PositionDeletes::AddFrom(const DeleteFile& deletes, const std::string& data_path,
                                PositionSet& positions) {
  LoadedFile& file = *files_.at(deletes.file.file_path);
  const std::lock_guard lock(file.mutex);
  if (!file.is_loaded) {
    FIRN_RETURN_IF_ERROR(LoadFile(deletes, file));
    file.is_loaded = true;
  }
  const auto found = file.positions.find(data_path);
  if (found != file.positions.end()) positions.Union(found->second);
  if (--file.waiting_tasks == 0) {
    file.positions.clear();
    file.memory = {};
  }
  return {};
}

Status PositionDeletes::LoadFile(const DeleteFile& deletes, LoadedFile& file) {
  const std::optional<std::string>& only_path = deletes.file.referenced_data_file;
  PositionAdder adder;
  int64_t rows_since_check = 0;
  const auto visit = [&](int64_t, int64_t rows,
                         const std::vector<std::shared_ptr<arrow::Array>>& columns) -> Status {
    const auto& paths = static_cast<const arrow::StringArray&>(*columns[0]);
    const int64_t* row_positions = static_cast<const arrow::Int64Array&>(*columns[1]).raw_values();
    std::string_view path;
    PositionSet* target = nullptr;
    for (int64_t i = 0; i < rows; ++i) {
      if (i == 0 || paths.GetView(i) != path) {
        path = paths.GetView(i);
        if (only_path && path != *only_path) {
          return MakeError(ErrorCode::kCorrupt,
                           "it names '{}', but its manifest tells that it is of '{}' only: it is "
                           "not the file that was committed",
                           path, *only_path);
        }
        const auto wanted = data_paths_.find(path);
        target = wanted == data_paths_.end() ? nullptr : &file.positions[*wanted];
      }
      if (target == nullptr) continue;
      if (row_positions[i] < 0) {
        return MakeError(ErrorCode::kCorrupt, "position {} is negative", row_positions[i]);
      }
      if (row_positions[i] == INT64_MAX) {
        return MakeError(ErrorCode::kCorrupt, "position {} is no row of any file", INT64_MAX);
      }
      adder.Add(*target, row_positions[i]);
    }
    adder.Flush();
    // Positions that are far apart take many times the bytes that they have in the file.
    rows_since_check += rows;
    if (rows_since_check < kRowsBetweenChecks) return {};
    rows_since_check = 0;
    return ReserveFor(file);
  };
  FIRN_RETURN_IF_ERROR(
      VisitDeleteFile(context_, deletes.file, {.wanted = PathAndPosition(), .pool = pool_}, visit));
  return ReserveFor(file);
}

Status PositionDeletes::ReserveFor(LoadedFile& file) const {
  int64_t bytes = 0;
  for (const auto& [path, positions] : file.positions)
    bytes += positions.memory_bytes();
  file.memory = {};
  FIRN_ASSIGN(file.memory, ReserveOrPass(*context_.budget, bytes),
              "holding the positions deleted in {} data files", file.positions.size());
  return {};
}

}  // namespace firn

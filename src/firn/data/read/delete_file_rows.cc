#include "firn/data/read/committed_file_internal.h"
#include "firn/data/read/delete_file_rows_internal.h"

namespace firn {

Status VisitDeleteFile(const ReadContext& context, const DataFile& deletes, DataFileRequest request,
                       const ColumnVisitor& visit) {
  FIRN_ASSIGN(request.file, context.io->Open(deletes.file_path, deletes.file_size_in_bytes));
  FIRN_RETURN_IF_ERROR(CheckCommittedSize(context, deletes, *request.file));
  request.format = deletes.file_format;
  int64_t row_count = 0;
  FIRN_RETURN_IF_ERROR(VisitFileRows(
      request, context.cancel,
      [&](int64_t first, int64_t rows, const std::vector<std::shared_ptr<arrow::Array>>& columns) {
        row_count += rows;
        return visit(first, rows, columns);
      }));
  return CheckCommittedRows(deletes, row_count);
}

}  // namespace firn

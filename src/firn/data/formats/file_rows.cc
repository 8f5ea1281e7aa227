#include <arrow/array/data.h>

#include "firn/data/formats/file_rows_internal.h"

namespace firn {

Status VisitFileRows(const DataFileRequest& request, const CancelToken& cancel,
                     const ColumnVisitor& visit) {
  FIRN_ASSIGN(const auto reader, OpenDataFile(request));
  for (size_t part = 0; part < reader->parts().size(); ++part) {
    FIRN_ASSIGN(const auto source, reader->OpenPart(part, nullptr, nullptr));
    while (true) {
      FIRN_RETURN_IF_ERROR(cancel.Check());
      FIRN_ASSIGN(const auto batch, source->Next());
      if (!batch) break;
      FIRN_ASSIGN(const auto columns,
                  MaterializeColumns(reader->plan(), *batch->rows, request.pool.get()));
      FIRN_RETURN_IF_ERROR(visit(batch->first_position, batch->rows->length, columns));
    }
  }
  return {};
}

}  // namespace firn

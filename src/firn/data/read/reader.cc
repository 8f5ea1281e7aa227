#include "firn/data/read/reader.h"

#include <utility>

#include "firn/data/arrow/batch_stream.h"
#include "firn/data/read/task_stream_internal.h"

namespace firn {

Result<RowStream> ReadTasks(const ReadContext& context, std::vector<FileScanTask> tasks,
                            const ReadOptions& options) {
  FIRN_ASSIGN(auto stream, MakeTaskStream(context, std::move(tasks), options));
  return ExportBatches(std::move(stream));
}

}  // namespace firn

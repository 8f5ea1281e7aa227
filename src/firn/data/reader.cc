#include "firn/data/reader.h"

#include <utility>

#include "firn/data/batch_stream.h"
#include "firn/data/task_stream_internal.h"

namespace firn {

Result<RowStream> ReadTasks(const ReadContext& context, std::vector<FileScanTask> tasks,
                            const ReadOptions& options) {
  FIRN_ASSIGN(auto stream, MakeTaskStream(context, std::move(tasks), options));
  return ExportBatches(std::move(stream));
}

}  // namespace firn

#include <utility>

#include "firn/procedure/ingest_context_internal.h"
#include "firn/procedure/table_change_internal.h"

namespace firn {

IngestContext MakeIngestContext(ProcedureContext& context, const TableReference& reference,
                                std::string phase, std::string unit) {
  Session& session = *context.session;
  IngestContext ingest;
  ingest.change.commit = MakeCommitContext(session, reference);
  ingest.change.budget = &session.budget();
  ingest.io = session.io();
  ingest.notice = context.notice;
  ingest.is_dry_run = context.is_dry_run;
  if (context.progress) {
    ingest.progress = [&context, phase = std::move(phase), unit = std::move(unit)](int64_t done,
                                                                                   int64_t total) {
      context.progress(phase, done, total, unit);
    };
  }
  return ingest;
}

}  // namespace firn

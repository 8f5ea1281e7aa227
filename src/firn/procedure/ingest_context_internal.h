#pragma once

#include <string>

#include "firn/ingest/ingest.h"
#include "firn/procedure/procedure.h"

namespace firn {

/// What loading or taking over files needs of the session, with progress told as `phase` and in
/// `unit` ("bytes", "files"). `context` and `reference` outlive it.
IngestContext MakeIngestContext(ProcedureContext& context, const TableReference& reference,
                                std::string phase, std::string unit);

}  // namespace firn

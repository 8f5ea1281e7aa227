#pragma once

#include <optional>
#include <string>

#include "firn/format/manifest/manifest.h"
#include "firn/ingest/ingest.h"
#include "firn/procedure/procedure.h"

/// What commands share that take over files which others wrote: `add_files`, `snapshot`, `migrate`.

namespace firn {

/// A source as Spark names it, "`parquet`.`s3://bucket/folder`", or a folder, file or glob.
struct AdoptedSource {
  std::optional<FileFormat> format;  ///< Empty: each file tells its own.
  std::string location;              ///< As `FileIO` takes it.
};

/// Errors: kInvalidInput.
Result<AdoptedSource> ParseAdoptedSource(const Session& session, const std::string& text);

/// Tell, where a source was not found, that names of tables are none.
Error ExplainMissingSource(const Error& error, const std::string& text);

/// What reading the files needs of the session. `reference` outlives it.
IngestContext MakeAdoptionContext(ProcedureContext& context, const TableReference& reference);

/// The argument `parallelism`, and a check of its value. Errors: kInvalidInput below 1.
Argument ParallelismArgument();
Status CheckParallelism(const Arguments& arguments);

}  // namespace firn

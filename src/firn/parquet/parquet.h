#pragma once

#include "firn/parquet/chunk_copy.h"
#include "firn/parquet/chunk_writer.h"
#include "firn/parquet/file_output.h"
#include "firn/parquet/footer.h"
#include "firn/parquet/new_schema.h"
#include "firn/parquet/transcode.h"

/// Parquet files below rows: footers and pages. Knows the format and nothing of Iceberg. Every
/// length and count that a file tells is checked before it is used.

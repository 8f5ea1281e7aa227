#pragma once

#include "firn/data/merge/keyed_rows.h"
#include "firn/data/read/reader.h"
#include "firn/data/read/row_positions.h"
#include "firn/data/render/render.h"
#include "firn/data/write/writer.h"

/// Rows: scan tasks to Arrow batches with deletes applied, batches to data files with metrics.
/// Parquet, ORC and Avro. The only module besides `parquet` where row bytes are touched.

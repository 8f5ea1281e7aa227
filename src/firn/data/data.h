#pragma once

#include "firn/data/keyed_rows.h"
#include "firn/data/reader.h"
#include "firn/data/render.h"
#include "firn/data/row_positions.h"
#include "firn/data/writer.h"

/// Rows: scan tasks to Arrow batches with deletes applied, batches to data files with metrics.
/// Parquet, ORC and Avro. The only module besides `parquet` where row bytes are touched.

#pragma once

#include "firn/maintain/rewrite_data_files.h"

/// Maintenance of a table: each operation plans from metadata, runs on bytes and commits one
/// validated change. No operation deletes a file that something can still reach.

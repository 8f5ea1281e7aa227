#pragma once

#include "firn/maintain/convert_equality_deletes.h"
#include "firn/maintain/expire_snapshots.h"
#include "firn/maintain/maintain_table.h"
#include "firn/maintain/purge_table.h"
#include "firn/maintain/quarantine.h"
#include "firn/maintain/remove_dangling_deletes.h"
#include "firn/maintain/remove_orphan_files.h"
#include "firn/maintain/rewrite_data_files.h"
#include "firn/maintain/rewrite_position_deletes.h"
#include "firn/maintain/table_health.h"

/// Maintenance of a table: each operation plans from metadata, runs on bytes and commits one
/// validated change. No operation deletes a file that something can still reach.

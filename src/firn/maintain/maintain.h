#pragma once

#include "firn/maintain/compaction/rewrite_data_files.h"
#include "firn/maintain/cycle/maintain_table.h"
#include "firn/maintain/cycle/table_health.h"
#include "firn/maintain/deletes/convert_equality_deletes.h"
#include "firn/maintain/deletes/remove_dangling_deletes.h"
#include "firn/maintain/deletes/rewrite_position_deletes.h"
#include "firn/maintain/expiry/expire_snapshots.h"
#include "firn/maintain/expiry/purge_table.h"
#include "firn/maintain/orphans/quarantine.h"
#include "firn/maintain/orphans/remove_orphan_files.h"

/// Maintenance of a table: each operation plans from metadata, runs on bytes and commits one
/// validated change. No operation deletes a file that something can still reach.

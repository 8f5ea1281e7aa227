#pragma once

#include "firn/change/append_rows.h"
#include "firn/change/change_context.h"
#include "firn/change/delete_keys.h"
#include "firn/change/delete_rows.h"
#include "firn/change/merge_rows.h"
#include "firn/change/overwrite_rows.h"
#include "firn/change/replace_rows.h"
#include "firn/change/update_rows.h"

/// Rows that change: written into files and committed in one snapshot.

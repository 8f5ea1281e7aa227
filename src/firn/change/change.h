#pragma once

#include "firn/change/append_rows.h"

/// Rows that change: written into files and committed in one snapshot.

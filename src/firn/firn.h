#pragma once

/// All of firn for programs that use it as a library; firn's own sources never include this header.
///
/// Start with OpenSession (session/session.h): it gives catalogs and tables by name. Procedures()
/// (procedure/procedure.h) lists the operations that the program `firn` offers.

#include "firn/base/result.h"
#include "firn/base/version.h"
#include "firn/catalog/catalog.h"
#include "firn/change/change.h"
#include "firn/cli/cli.h"
#include "firn/commit/commit.h"
#include "firn/data/data.h"
#include "firn/engine/engine.h"
#include "firn/expression/expression.h"
#include "firn/format/format.h"
#include "firn/ingest/ingest.h"
#include "firn/io/io.h"
#include "firn/maintain/maintain.h"
#include "firn/parquet/parquet.h"
#include "firn/procedure/procedure.h"
#include "firn/scan/scan.h"
#include "firn/session/session.h"

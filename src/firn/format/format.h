#pragma once

#include "firn/format/column_properties.h"
#include "firn/format/decimal_text.h"
#include "firn/format/delete_reference.h"
#include "firn/format/deletion_vector.h"
#include "firn/format/layout_text.h"
#include "firn/format/manifest.h"
#include "firn/format/name_mapping.h"
#include "firn/format/partition_change.h"
#include "firn/format/partition_spec.h"
#include "firn/format/puffin.h"
#include "firn/format/schema.h"
#include "firn/format/schema_change.h"
#include "firn/format/schema_text.h"
#include "firn/format/snapshot.h"
#include "firn/format/sort_order.h"
#include "firn/format/table_metadata.h"
#include "firn/format/transform.h"
#include "firn/format/type.h"
#include "firn/format/value.h"
#include "firn/format/value_bounds.h"
#include "firn/format/value_json.h"
#include "firn/format/value_render.h"
#include "firn/format/variant.h"
#include "firn/format/view_metadata.h"

/// The Iceberg spec's own things, v1 to v3: types and values, schemas, partition specs, table
/// metadata, view metadata, manifests, Puffin files and deletion vectors. Everything here is plain
/// data plus functions that parse and format it; bytes come from `FileIO`, and nothing decides
/// policy.

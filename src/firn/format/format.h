#pragma once

#include "firn/format/evolution/schema_change.h"
#include "firn/format/layout/layout_text.h"
#include "firn/format/layout/partition_spec.h"
#include "firn/format/layout/sort_order.h"
#include "firn/format/layout/transform.h"
#include "firn/format/manifest/manifest.h"
#include "firn/format/metadata/column_properties.h"
#include "firn/format/metadata/partition_change.h"
#include "firn/format/metadata/snapshot.h"
#include "firn/format/metadata/table_metadata.h"
#include "firn/format/metadata/view_metadata.h"
#include "firn/format/puffin/delete_reference.h"
#include "firn/format/puffin/deletion_vector.h"
#include "firn/format/puffin/puffin.h"
#include "firn/format/schema/name_mapping.h"
#include "firn/format/schema/schema.h"
#include "firn/format/schema/schema_text.h"
#include "firn/format/types/decimal_text.h"
#include "firn/format/types/type.h"
#include "firn/format/types/value.h"
#include "firn/format/types/value_bounds.h"
#include "firn/format/types/value_json.h"
#include "firn/format/types/value_render.h"
#include "firn/format/variant/variant.h"

/// The Iceberg spec's own things, v1 to v3: types and values, schemas, partition specs, table
/// metadata, view metadata, manifests, Puffin files and deletion vectors. Everything here is plain
/// data plus functions that parse and format it; bytes come from `FileIO`, and nothing decides
/// policy.

#pragma once

#include "firn/testing/counting_file_io.h"
#include "firn/testing/fake_clock.h"
#include "firn/testing/faulty_file_io.h"
#include "firn/testing/matchers.h"
#include "firn/testing/temporary_folder.h"
#include "firn/testing/testdata.h"
#include "firn/testing/turns.h"

/// For tests only: the world as a test wants it (time, faults, counts, folders) and how to say what
/// is expected. Tests may include just the parts they need; `test_table.h` stands apart, as it
/// draws in the modules up to `commit`.

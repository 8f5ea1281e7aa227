# Every library that firn uses, as a target. An installed Arrow or DuckDB comes first; else the one
# that scripts/bootstrap unpacks into .deps/.
#
#   Arrow::arrow  Arrow::parquet  Arrow::compute
#   simdjson::simdjson  nlohmann_json::nlohmann_json  fmt::fmt  CLI11::CLI11
#   tomlplusplus::tomlplusplus  roaring::roaring  xxHash::xxhash  OpenSSL::Crypto
#   brotli::brotlienc  brotli::brotlidec  zstd::zstd  snappy::snappy  lz4::lz4  libdeflate::libdeflate  ZLIB::ZLIB
#   SQLite::SQLite3
#   PostgreSQL::headers  DuckDB::headers (libpq and libduckdb are opened with dlopen on first use)
#   tests: GTest::gtest  GTest::gmock  benchmark::benchmark  rapidcheck

# Third-party files that go into the program; scripts/package finds their licences.
define_property(GLOBAL PROPERTY FIRN_THIRD_PARTY_FILES)

# Define the imported target `target` from a header and a library file; the static library is
# preferred, so that the program starts faster and its package carries fewer files. TEST_ONLY: it
# does not go into the program.
function(firn_find_library target header library)
  cmake_parse_arguments(PARSE_ARGV 3 arg "TEST_ONLY" "" "")
  string(MAKE_C_IDENTIFIER "${target}" id)
  find_path(${id}_INCLUDE_DIR "${header}")
  find_library(${id}_LIBRARY NAMES "lib${library}.a" "${library}")
  mark_as_advanced(${id}_INCLUDE_DIR ${id}_LIBRARY)
  if(NOT ${id}_INCLUDE_DIR OR NOT ${id}_LIBRARY)
    message(FATAL_ERROR "${target}: <${header}> and lib${library} not found; run scripts/bootstrap")
  endif()
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${${id}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${${id}_INCLUDE_DIR}")
  if(NOT arg_TEST_ONLY)
    set_property(GLOBAL APPEND PROPERTY FIRN_THIRD_PARTY_FILES "${${id}_LIBRARY}")
  endif()
endfunction()

# Define the imported target `target` for a library that is only headers; further arguments are
# folders below the usual ones to look in.
function(firn_find_headers target header)
  string(MAKE_C_IDENTIFIER "${target}" id)
  find_path(${id}_INCLUDE_DIR "${header}" PATH_SUFFIXES ${ARGN})
  mark_as_advanced(${id}_INCLUDE_DIR)
  if(NOT ${id}_INCLUDE_DIR)
    message(FATAL_ERROR "${target}: <${header}> not found; run scripts/bootstrap")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${${id}_INCLUDE_DIR}")
  set_property(GLOBAL APPEND PROPERTY FIRN_THIRD_PARTY_FILES "${${id}_INCLUDE_DIR}/${header}")
endfunction()

# Define Arrow::arrow, Arrow::parquet and Arrow::compute from a folder with include/ and
# versioned shared libraries side by side: the layout of the pyarrow wheel.
function(firn_add_arrow_from_wheel root)
  set(pairs "arrow=arrow" "parquet=parquet" "compute=arrow_compute")
  foreach(pair IN LISTS pairs)
    string(REPLACE "=" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 library)
    set(file "${root}/lib${library}.so.2600")
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "Arrow: '${file}' not found; run scripts/bootstrap")
    endif()
    add_library(Arrow::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(Arrow::${name} PROPERTIES IMPORTED_LOCATION "${file}"
      IMPORTED_SONAME "lib${library}.so.2600" INTERFACE_INCLUDE_DIRECTORIES "${root}/include")
  endforeach()
  set_target_properties(Arrow::parquet PROPERTIES INTERFACE_LINK_LIBRARIES Arrow::arrow)
  set_target_properties(Arrow::compute PROPERTIES INTERFACE_LINK_LIBRARIES Arrow::arrow)
endfunction()

set(FIRN_ARROW_ROOT "$ENV{FIRN_ARROW_ROOT}" CACHE PATH
  "A folder with Arrow's include/ and libarrow.so.2600; empty: an installed Arrow, else .deps/arrow")
if(NOT FIRN_ARROW_ROOT)
  find_package(Arrow 26 QUIET CONFIG)
  find_package(Parquet 26 QUIET CONFIG)
  find_package(ArrowCompute 26 QUIET CONFIG)
endif()
if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared
    AND TARGET ArrowCompute::arrow_compute_shared)
  add_library(Arrow::arrow ALIAS Arrow::arrow_shared)
  add_library(Arrow::parquet ALIAS Parquet::parquet_shared)
  add_library(Arrow::compute ALIAS ArrowCompute::arrow_compute_shared)
  set(FIRN_ARROW_SOURCE "installed ${Arrow_VERSION}")
elseif(FIRN_ARROW_ROOT)
  firn_add_arrow_from_wheel("${FIRN_ARROW_ROOT}")
  set(FIRN_ARROW_SOURCE "${FIRN_ARROW_ROOT}")
else()
  firn_add_arrow_from_wheel("${PROJECT_SOURCE_DIR}/.deps/arrow")
  set(FIRN_ARROW_SOURCE "${PROJECT_SOURCE_DIR}/.deps/arrow")
endif()
message(STATUS "Arrow: ${FIRN_ARROW_SOURCE}")

set(FIRN_DUCKDB_ROOT "$ENV{FIRN_DUCKDB_ROOT}" CACHE PATH
  "A folder with include/duckdb.h and libduckdb.so; empty: an installed DuckDB, else .deps/duckdb")
set(duckdb_roots "${PROJECT_SOURCE_DIR}/.deps/duckdb")
if(FIRN_DUCKDB_ROOT)
  set(duckdb_roots "${FIRN_DUCKDB_ROOT}" NO_DEFAULT_PATH)
endif()
# The names of the variables hold no root, so that another root is looked at when it is given.
unset(FIRN_DUCKDB_INCLUDE_DIR CACHE)
unset(FIRN_DUCKDB_LIBRARY CACHE)
find_path(FIRN_DUCKDB_INCLUDE_DIR duckdb.h PATHS ${duckdb_roots} PATH_SUFFIXES include)
find_library(FIRN_DUCKDB_LIBRARY duckdb PATHS ${duckdb_roots})
mark_as_advanced(FIRN_DUCKDB_INCLUDE_DIR FIRN_DUCKDB_LIBRARY)
if(NOT FIRN_DUCKDB_INCLUDE_DIR OR NOT FIRN_DUCKDB_LIBRARY)
  message(FATAL_ERROR "DuckDB: duckdb.h and libduckdb.so not found; run scripts/bootstrap")
endif()
add_library(DuckDB::headers INTERFACE IMPORTED GLOBAL)
set_target_properties(DuckDB::headers PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${FIRN_DUCKDB_INCLUDE_DIR}")
# Nothing links it, so its folder must be told to the programs of the build tree.
cmake_path(GET FIRN_DUCKDB_LIBRARY PARENT_PATH duckdb_folder)
list(APPEND CMAKE_BUILD_RPATH "${duckdb_folder}")
message(STATUS "DuckDB: ${FIRN_DUCKDB_LIBRARY}")

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(GTest REQUIRED)
set_property(GLOBAL APPEND PROPERTY FIRN_THIRD_PARTY_FILES
  "${nlohmann_json_CONFIG}" "${ZLIB_LIBRARIES}" "${OPENSSL_CRYPTO_LIBRARY}")

firn_find_library(fmt::fmt fmt/format.h fmt)
firn_find_library(simdjson::simdjson simdjson.h simdjson)
firn_find_library(roaring::roaring roaring/roaring.h roaring)
firn_find_library(zstd::zstd zstd.h zstd)
firn_find_library(brotli::brotlicommon brotli/types.h brotlicommon)
firn_find_library(brotli::brotlienc brotli/encode.h brotlienc)
firn_find_library(brotli::brotlidec brotli/decode.h brotlidec)
set_target_properties(brotli::brotlienc brotli::brotlidec PROPERTIES
  INTERFACE_LINK_LIBRARIES brotli::brotlicommon)
firn_find_library(snappy::snappy snappy.h snappy)
firn_find_library(lz4::lz4 lz4frame.h lz4)
firn_find_library(libdeflate::libdeflate libdeflate.h deflate)
firn_find_library(SQLite::SQLite3 sqlite3.h sqlite3)
set_target_properties(SQLite::SQLite3 PROPERTIES
  INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
firn_find_library(xxHash::xxhash xxhash.h xxhash)
firn_find_library(benchmark::benchmark benchmark/benchmark.h benchmark TEST_ONLY)
set_target_properties(benchmark::benchmark PROPERTIES INTERFACE_LINK_LIBRARIES Threads::Threads)
firn_find_library(rapidcheck rapidcheck.h rapidcheck TEST_ONLY)

firn_find_headers(CLI11::CLI11 CLI/CLI.hpp)
firn_find_headers(tomlplusplus::tomlplusplus toml++/toml.h)
set_target_properties(tomlplusplus::tomlplusplus PROPERTIES
  INTERFACE_COMPILE_DEFINITIONS "TOML_HEADER_ONLY=1")
firn_find_headers(PostgreSQL::headers libpq-fe.h postgresql)

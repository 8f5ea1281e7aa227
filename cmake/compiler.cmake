# The language, the warnings and the sanitizers of all targets of firn.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

option(FIRN_WERROR "Warnings are errors (on in CI: a user's newer compiler must not stop a build)"
  "$ENV{FIRN_WERROR}")
option(FIRN_FUZZ "Link the fuzz programs with libFuzzer instead of replaying their corpus" OFF)
set(FIRN_SANITIZE "" CACHE STRING "Sanitizers for everything: address,undefined or thread")

# Without -Wnull-dereference and -Wrestrict: docs/decisions/0004.
add_library(firn_flags INTERFACE)
target_include_directories(firn_flags INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_options(firn_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wswitch-enum -Wmissing-declarations -Wextra-semi
  -Wno-missing-field-initializers)  # Options are given by name: `{.older_than = days(7)}`.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(firn_flags INTERFACE -Wduplicated-cond -Wlogical-op -Wno-restrict)
endif()
if(FIRN_WERROR)
  target_compile_options(firn_flags INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # docs/decisions/0004: seen, but no reason to stop.
    target_compile_options(firn_flags INTERFACE -Wno-error=maybe-uninitialized)
  endif()
endif()

# A program loads only the libraries that it calls: each costs milliseconds at its start.
add_link_options(-Wl,--as-needed)

if(FIRN_SANITIZE)
  add_compile_options(-fsanitize=${FIRN_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FIRN_SANITIZE})
endif()
if(FIRN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(FIRN_CCACHE ccache)
if(FIRN_CCACHE)
  # A precompiled header changes nothing in the sources that use it, so ccache may ignore its time.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale"
    "${FIRN_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

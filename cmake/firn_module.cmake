# A module is one folder below src/firn with one line in its CMakeLists.txt:
#
#   firn_module(catalog DEPENDS base io format LIBRARIES SQLite::SQLite3)
#
# It makes the static library firn_<name> of all sources in the folder. Test and fuzz programs
# are made at the end of the build description by firn_add_test_programs(), because all of them
# link firn_testing, which itself stands on most modules.

# Declare the module `name`. DEPENDS is the only place where its allowed includes are written down;
# LIBRARIES are targets of cmake/dependencies.cmake; PRECOMPILED names heavy headers that most of the
# module's sources include anyway.
function(firn_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LIBRARIES;PRECOMPILED")
  foreach(module IN LISTS arg_DEPENDS)
    if(NOT TARGET firn_${module})
      message(FATAL_ERROR
        "module '${name}' may not depend on '${module}': it is not added above it")
    endif()
  endforeach()
  # A new file needs no edit, and no test can be forgotten.
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  file(GLOB_RECURSE fuzzers CONFIGURE_DEPENDS *_fuzz.cc)
  list(TRANSFORM arg_DEPENDS PREPEND firn_ OUTPUT_VARIABLE module_targets)
  if(sources)
    add_library(firn_${name} STATIC ${sources})
    target_link_libraries(firn_${name} PUBLIC ${module_targets} ${arg_LIBRARIES} firn_flags)
    if(arg_PRECOMPILED)
      target_precompile_headers(firn_${name} PRIVATE ${arg_PRECOMPILED})
    endif()
  else()
    add_library(firn_${name} INTERFACE)
    target_link_libraries(firn_${name} INTERFACE ${module_targets} ${arg_LIBRARIES} firn_flags)
  endif()
  set_property(GLOBAL PROPERTY FIRN_TESTS_${name} "${tests}")
  set_property(GLOBAL PROPERTY FIRN_FUZZERS_${name} "${fuzzers}")
  set_property(GLOBAL APPEND PROPERTY FIRN_MODULES "${name}")
  list(JOIN arg_DEPENDS " " depends)
  string(STRIP "${name}: ${depends}" line)
  set_property(GLOBAL APPEND PROPERTY FIRN_MODULE_GRAPH "${line}")
endfunction()

# Make the test program of each module (ctest name: the module) and its fuzz programs, and write
# build/<preset>/module_graph.txt for the tidy test.
function(firn_add_test_programs)
  # Tests that the sanitizers run: all but those of modules that stand on Arrow or DuckDB, whose
  # shared libraries are not instrumented.
  add_custom_target(quick_tests)
  set(FIRN_ARROW_MODULES data engine change maintain ingest session procedure cli)
  get_property(modules GLOBAL PROPERTY FIRN_MODULES)
  get_property(graph GLOBAL PROPERTY FIRN_MODULE_GRAPH)
  list(JOIN graph "\n" text)
  file(WRITE "${CMAKE_BINARY_DIR}/module_graph.txt.new" "${text}\n")
  file(COPY_FILE "${CMAKE_BINARY_DIR}/module_graph.txt.new" "${CMAKE_BINARY_DIR}/module_graph.txt"
    ONLY_IF_DIFFERENT)

  # main() of every test program, and the precompiled gtest, gmock and fmt for all of them.
  add_library(firn_test_main STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/test_main.cc")
  # The C++ runtime is named, so that it stands before the modules: the linker would find copies of
  # its templates in them and draw their objects into programs that do not use them.
  target_link_libraries(firn_test_main
    PUBLIC firn_flags stdc++ GTest::gmock GTest::gtest fmt::fmt)
  # On the one source that needs it: a definition of the target would spoil the precompiled header.
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/tests/test_main.cc" APPEND PROPERTY COMPILE_DEFINITIONS
    "FIRN_ALLOWED_SKIPS=\"${PROJECT_SOURCE_DIR}/tests/allowed_skips.txt\"")
  # Nobody times a test, and optimising them takes longer than running them.
  target_compile_options(firn_test_main PRIVATE -O0)
  target_precompile_headers(firn_test_main PRIVATE
    <algorithm> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
    <utility> <variant> <vector> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)

  foreach(name IN LISTS modules)
    set(labels quick)
    if(name IN_LIST FIRN_ARROW_MODULES)
      set(labels rows)
    endif()
    get_property(tests GLOBAL PROPERTY FIRN_TESTS_${name})
    if(tests)
      firn_test_program(firn_${name}_test NAME ${name} SOURCES ${tests} LIBRARIES firn_${name}
        LABELS ${labels})
    endif()
    get_property(fuzzers GLOBAL PROPERTY FIRN_FUZZERS_${name})
    foreach(fuzzer IN LISTS fuzzers)
      firn_fuzz_program("${fuzzer}" firn_${name} ${labels})
    endforeach()
  endforeach()
endfunction()

# Make the gtest program `target` from SOURCES and add it to ctest as NAME with LABELS.
function(firn_test_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "SOURCES;LIBRARIES;LABELS")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} firn_test_main rapidcheck)
  if(TARGET firn_testing)
    target_link_libraries(${target} PRIVATE firn_testing)
  endif()
  # Golden files are found here whatever the working directory is.
  target_compile_definitions(${target}
    PRIVATE "FIRN_TESTDATA=\"${PROJECT_SOURCE_DIR}/testdata\"")
  target_compile_options(${target} PRIVATE -O0)
  target_precompile_headers(${target} REUSE_FROM firn_test_main)
  if("quick" IN_LIST arg_LABELS)
    add_dependencies(quick_tests ${target})
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${target})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 900)
endfunction()

# Make a program of the fuzz target in `source`. By default its main() replays the corpus
# testdata/fuzz/<target>/ and mutations of it; with FIRN_FUZZ libFuzzer searches for new inputs.
function(firn_fuzz_program source library label)
  get_filename_component(target "${source}" NAME_WE)
  if(FIRN_FUZZ)
    add_executable(${target} "${source}")
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${target} "${source}" "${PROJECT_SOURCE_DIR}/tests/fuzz_replay_main.cc")
    add_test(NAME ${target} COMMAND ${target} "${PROJECT_SOURCE_DIR}/testdata/fuzz/${target}")
    set_tests_properties(${target} PROPERTIES LABELS "${label};fuzz" TIMEOUT 900)
    if(label STREQUAL "quick")
      add_dependencies(quick_tests ${target})
    endif()
  endif()
  target_link_libraries(${target} PRIVATE ${library})
endfunction()

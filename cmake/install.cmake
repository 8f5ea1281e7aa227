# What `cmake --install` puts together and scripts/package packs: bin/firn and, in lib/, every shared
# library that it needs but those of the C library itself.

set_target_properties(firn PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
# The old tag, DT_RPATH, also finds the libraries of libraries.
target_link_options(firn PRIVATE -Wl,--disable-new-dtags)
install(TARGETS firn RUNTIME_DEPENDENCY_SET firn_libraries RUNTIME DESTINATION bin)
install(RUNTIME_DEPENDENCY_SET firn_libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so"
  LIBRARY DESTINATION lib)
# Opened on first use, so that no dependency names it.
file(REAL_PATH "${FIRN_DUCKDB_LIBRARY}" duckdb_library)
install(FILES "${duckdb_library}" DESTINATION lib RENAME libduckdb.so)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION .)

get_property(third_party GLOBAL PROPERTY FIRN_THIRD_PARTY_FILES)
list(JOIN third_party "\n" text)
file(WRITE "${CMAKE_BINARY_DIR}/third_party_files.txt" "${text}\n")

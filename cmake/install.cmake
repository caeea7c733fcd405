# The installed library: find_package(Baton) gives Baton::client, Baton::server, Baton::peer and
# Baton::lab, pkg-config the packages baton-client, baton-server, baton-peer and baton-lab. Each is
# one archive; Baton::server needs Baton::client, and Baton::peer both. Baton::lab, the laboratory
# (docs/lab-library.md), needs none of them. Baton::client_shared (in pkg-config baton-client-shared)
# is the client as a shared library, for programs that need nothing else.
# cmake --install BUILD --component library installs this and nothing else.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Protobuf REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)

# baton_archive(NAME TARGETS…): one archive of the objects of several static libraries. Whoever
# links it may be a shared library. Hidden symbols keep calls within a file as direct as they are in
# a program: those that others could replace could not be inlined.
function(baton_archive name)
  set(objects)
  foreach(target IN LISTS ARGN)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                          CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endforeach()
  add_library(baton_archive_${name} STATIC ${objects})
  set_target_properties(baton_archive_${name} PROPERTIES OUTPUT_NAME baton-${name}
                        EXPORT_NAME ${name})
  baton_installed(baton_archive_${name})
endfunction()
function(baton_installed target)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

set(client_targets baton_client baton_io baton_lease baton_state baton_core baton_proto)
baton_archive(client ${client_targets})
target_link_libraries(baton_archive_client INTERFACE protobuf::libprotobuf SQLite::SQLite3
                                                     Threads::Threads)
# Of etcd only what needs no gRPC is ever linked: see ClusterOptions::connect.
baton_archive(server baton_embed baton_server baton_cluster baton_etcd baton_journal baton_json)
target_link_libraries(baton_archive_server INTERFACE baton_archive_client spdlog::spdlog fmt::fmt)

baton_archive(peer baton_peer baton_net baton_tls baton_any baton_mutex baton_election baton_layer)
target_link_libraries(baton_archive_peer INTERFACE baton_archive_server OpenSSL::SSL)

# The simulator, the checker and the views, without any of the algorithms.
baton_archive(lab baton_lab baton_simulator baton_checker baton_search baton_view baton_json
              baton_resource baton_layer baton_core)
target_link_libraries(baton_archive_lab INTERFACE Threads::Threads)

# Of the objects of the archive, with the symbols of baton/export.h alone: what the standard library
# marks as visible stays inside by the version script.
set(objects)
foreach(target IN LISTS client_targets)
  list(APPEND objects $<TARGET_OBJECTS:${target}>)
endforeach()
add_library(baton_client_shared SHARED ${objects})
set_target_properties(baton_client_shared PROPERTIES OUTPUT_NAME baton-client
                      EXPORT_NAME client_shared VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                      LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/baton-client.map)
baton_installed(baton_client_shared)
target_link_options(baton_client_shared PRIVATE
                    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/baton-client.map)
target_link_libraries(baton_client_shared PRIVATE protobuf::libprotobuf SQLite::SQLite3
                      INTERFACE Threads::Threads)

install(TARGETS baton_archive_client baton_archive_server baton_archive_peer baton_archive_lab
                baton_client_shared
        EXPORT Baton
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/baton DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT library FILES_MATCHING PATTERN "*.h")
# Made when they are installed, so that they are those of the archive.
set(lab_headers ${PROJECT_BINARY_DIR}/lab-headers)
install(CODE "
  file(REMOVE_RECURSE \"${lab_headers}\")
  execute_process(COMMAND \"${CMAKE_COMMAND}\" -D \"SOURCE=${PROJECT_SOURCE_DIR}/src\"
                          -D \"TO=${lab_headers}/baton/lab\"
                          -P \"${PROJECT_SOURCE_DIR}/cmake/lab_headers.cmake\"
                  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT library)
install(DIRECTORY ${lab_headers}/baton DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Baton)
install(EXPORT Baton NAMESPACE Baton:: FILE BatonTargets.cmake DESTINATION ${package_folder}
        COMPONENT library)
# In a folder that find_package does not look into: whoever has the build folder in PATH, for the sake
# of its programs, would otherwise get a package without its targets. Build folders that were made
# when the files lay elsewhere still have them there.
set(package_files ${PROJECT_BINARY_DIR}/package-files)
file(REMOVE ${PROJECT_BINARY_DIR}/BatonConfig.cmake ${PROJECT_BINARY_DIR}/BatonConfigVersion.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/BatonConfig.cmake.in
                              ${package_files}/BatonConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${package_files}/BatonConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${package_files}/BatonConfig.cmake ${package_files}/BatonConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT library)

# Relative, so that the installed files can be moved.
file(RELATIVE_PATH BATON_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name client client-shared server peer lab)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/baton-${name}.pc.in
                 ${package_files}/baton-${name}.pc @ONLY)
  install(FILES ${package_files}/baton-${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endforeach()

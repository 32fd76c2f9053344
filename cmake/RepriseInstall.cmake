# The installable package: find_package(Reprise). Components are `tools`, what is
# run; `development`, what is built against; `documentation`.
include(CMakePackageConfigHelpers)

get_property(_targets GLOBAL PROPERTY REPRISE_EXPORTED_TARGETS)
install(TARGETS ${_targets} EXPORT RepriseTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/reprise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/reprise
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.inc" PATTERN "*.h")
install(EXPORT RepriseTargets NAMESPACE Reprise::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Reprise COMPONENT development)
configure_package_config_file(cmake/RepriseConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Reprise)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Reprise COMPONENT development)

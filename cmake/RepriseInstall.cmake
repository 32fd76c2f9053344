# The installable package: find_package(Reprise). Components of what is installed
# are `tools`, what is run; `development`, what is built against; `documentation`.
# Components of find_package are Runtime, without MLIR, and Compiler.
include(CMakePackageConfigHelpers)

set(_components Runtime)
if(REPRISE_ENABLE_COMPILER)
  list(APPEND _components Compiler)
endif()
foreach(_component IN LISTS _components)
  get_property(_targets GLOBAL PROPERTY REPRISE_${_component}_TARGETS)
  install(TARGETS ${_targets} EXPORT Reprise${_component}Targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT Reprise${_component}Targets NAMESPACE Reprise::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Reprise COMPONENT development)
endforeach()
install(DIRECTORY include/reprise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/reprise
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.inc" PATTERN "*.h")
configure_package_config_file(cmake/RepriseConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Reprise)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/RepriseConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Reprise COMPONENT development)

# SPDX-License-Identifier: Apache-2.0
# Rules of `cmake --install` for the libraries, so that an outside project finds
# them by find_package(farsum) or pkg-config.  tools/farsum/CMakeLists.txt has
# the rules for the command and its manual page.  The static library is a
# separate component, because only its users need OpenMP and FFTW.
include(CMakePackageConfigHelpers)
set(farsum_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/farsum)
set_target_properties(farsum_shared PROPERTIES EXPORT_NAME farsum)

install(FILES include/farsum/farsum.h include/farsum/farsum.hpp
  include/farsum/batch.h include/farsum/device.h
  include/farsum/expert.h include/farsum/mesh.h include/farsum/model.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/farsum)
# farsum_install(NAME): the libraries NAME_shared and NAME_static.
function(farsum_install name)
  foreach(kind shared static)
    install(TARGETS ${name}_${kind} EXPORT ${name}_${kind}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT ${name}_${kind} NAMESPACE farsum::
      DESTINATION ${farsum_cmake_dir})
  endforeach()
endfunction()
farsum_install(farsum)

if(FARSUM_MPI)
  # libfarsum_mpi finds libfarsum in its own folder, and MPI where it was.  The
  # run path is the same in the build tree: tools/farsum/CMakeLists.txt says why.
  set_target_properties(farsum_mpi_shared PROPERTIES EXPORT_NAME farsum_mpi
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON)
  install(FILES include/farsum/mpi.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/farsum)
  farsum_install(farsum_mpi)
endif()

# The modules' sources.  farsum.pc lists those of libfarsum.
set(farsum_fortran_dir ${CMAKE_INSTALL_DATADIR}/farsum/fortran)
set(FARSUM_PC_FORTRAN "")
if(FARSUM_FORTRAN)
  install(FILES bindings/fortran/farsum_c.f90 bindings/fortran/farsum.f90
    DESTINATION ${farsum_fortran_dir})
  set(fortran_modules "\${prefix}/${farsum_fortran_dir}")
  set(FARSUM_PC_FORTRAN
    "fortran=${fortran_modules}/farsum_c.f90 ${fortran_modules}/farsum.f90")
  if(FARSUM_MPI)
    install(FILES bindings/fortran/farsum_mpi.f90
      DESTINATION ${farsum_fortran_dir})
    set(FARSUM_PC_FORTRAN_MPI
      "${FARSUM_PC_FORTRAN} ${fortran_modules}/farsum_mpi.f90")
  endif()
endif()

set(FARSUM_WITH_FFTW OFF)
if(FARSUM_FFTW_LIBS)
  set(FARSUM_WITH_FFTW ON)
endif()
configure_package_config_file(cmake/farsumConfig.cmake.in farsumConfig.cmake
  INSTALL_DESTINATION ${farsum_cmake_dir} PATH_VARS farsum_fortran_dir)
write_basic_package_version_file(farsumConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/farsumConfig.cmake
  ${PROJECT_BINARY_DIR}/farsumConfigVersion.cmake
  DESTINATION ${farsum_cmake_dir})

# farsum.pc computes the prefix from its own folder, so the installed tree may
# be moved.
set(farsum_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH FARSUM_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
  ${CMAKE_INSTALL_PREFIX})
set(FARSUM_PC_PRIVATE "")
if(FARSUM_WITH_FFTW)
  set(FARSUM_PC_PRIVATE "-lfftw3_omp -lfftw3f_omp -lfftw3 -lfftw3f ")
endif()
string(APPEND FARSUM_PC_PRIVATE "-lstdc++ ${OpenMP_C_FLAGS} -lm")
configure_file(cmake/farsum.pc.in farsum.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/farsum.pc DESTINATION ${farsum_pc_dir})

if(FARSUM_MPI)
  configure_file(cmake/farsum_mpi.pc.in farsum_mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/farsum_mpi.pc
    DESTINATION ${farsum_pc_dir})
endif()

install(FILES LICENSE THIRD_PARTY_NOTICES.md SECURITY.md README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(farsum_alone)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()

# tilec_add_kernel(TARGET SOURCE.tile
#   [NAME name] [ARCH sm_80] [DEFINES BLOCK=128 ...] [OPTIONS --num-warps 8 ...]
#   [DEPENDS helper.tile ...] [EMBED_SOURCE])
#
# Compiles the kernels of a source when the target is built, and puts the PTX into the target.
# The kernels are compiled again when the source, a helper that it imports, or a file of DEPENDS
# changes. NAME is that of the file unless given; `#include "tilec/NAME.h"` then declares
#   extern const char NAME_ptx[];        with a zero byte at the end
#   extern const size_t NAME_ptx_size;   without it
# and NAME_source, NAME_source_size with EMBED_SOURCE, for a run on the interpreter.

set(_tilec_embed ${CMAKE_CURRENT_LIST_DIR}/tilecEmbed.cmake)

function(tilec_add_kernel target source)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "EMBED_SOURCE" "NAME;ARCH" "DEFINES;OPTIONS;DEPENDS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tilec_add_kernel: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(file ${source} ABSOLUTE)
  if(NOT ARG_NAME)
    get_filename_component(ARG_NAME ${source} NAME_WE)
    string(MAKE_C_IDENTIFIER ${ARG_NAME} ARG_NAME)
  endif()
  if(NOT ARG_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "tilec_add_kernel: NAME '${ARG_NAME}' is no name in C: use letters, digits and _")
  endif()
  set(options ${ARG_OPTIONS})
  if(ARG_ARCH)
    list(APPEND options --arch ${ARG_ARCH})
  endif()
  foreach(define IN LISTS ARG_DEFINES)
    list(APPEND options -D ${define})
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(suffix cpp)
  if("C" IN_LIST languages)
    set(suffix c)
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/tilec-kernels/${target})
  set(ptx ${folder}/${ARG_NAME}.ptx)
  set(header ${folder}/tilec/${ARG_NAME}.h)
  set(code ${folder}/tilec/${ARG_NAME}.${suffix})
  set(embedded "ptx=${ptx}")
  if(ARG_EMBED_SOURCE)
    list(APPEND embedded "source=${file}")
  endif()
  string(REPLACE ";" "|" embedded "${embedded}")
  # Helpers that the source imports: Ninja always knew, make since CMake 3.20.
  set(depfile "")
  if(CMAKE_GENERATOR STREQUAL "Ninja" OR NOT CMAKE_VERSION VERSION_LESS 3.20)
    set(depfile DEPFILE ${ptx}.d)
  endif()
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND tilec::tilec ${file} ${options} -o ${ptx} --depfile ${ptx}.d
    DEPENDS ${file} ${ARG_DEPENDS} tilec::tilec
    ${depfile}
    COMMENT "Compiling the kernels of ${source}" VERBATIM)
  add_custom_command(OUTPUT ${code} ${header}
    COMMAND ${CMAKE_COMMAND} -DNAME=${ARG_NAME} -DFILES=${embedded} -DHEADER=${header} -DCODE=${code}
            -P ${_tilec_embed}
    DEPENDS ${ptx} ${file} ${_tilec_embed}
    COMMENT "Embedding ${ARG_NAME}.ptx" VERBATIM)
  target_sources(${target} PRIVATE ${code} ${header})
  # Programs that link a library with kernels include their headers too.
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}>)
endfunction()

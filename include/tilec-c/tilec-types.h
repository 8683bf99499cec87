/*===- tilec-types.h - what both C interfaces share --------------*- C -*-===*\
|*                                                                          *|
|* Part of the tilec project, under the Apache License v2.0 with LLVM       *|
|* Exceptions.                                                              *|
|*                                                                          *|
|* Status codes, messages, element types and what a PTX file says about its *|
|* kernels. tilec.h and tilec-runtime.h include this file.                  *|
|*                                                                          *|
|* Rules of both interfaces:                                                *|
|*  - A function that can fail returns a status and takes a sink, last,     *|
|*    which may be null: the sink receives the messages of that call, in    *|
|*    the calling thread, before the function returns. No message is kept   *|
|*    anywhere else, and there is no global state.                          *|
|*  - A handle comes from an out parameter, which is null after a failure.  *|
|*    Free each by its own function; null may be freed. Handles keep what   *|
|*    they stand on alive, so the order of freeing is free.                 *|
|*  - Different threads may use the same handles at the same time, unless   *|
|*    a function says otherwise; nobody may use a handle that is freed.     *|
|*  - Text goes in as pointer and size or ends in a zero byte; pointers     *|
|*    that come out live as long as their handle.                           *|
|*  - A null pointer where a handle or an out parameter is due gives        *|
|*    TILEC_MISUSE. No exception crosses the border, in either direction.   *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#ifndef TILEC_C_TILEC_TYPES_H
#define TILEC_C_TILEC_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the shared libraries export. */
#if defined(__GNUC__)
#define TILEC_API __attribute__((visibility("default")))
#else
#define TILEC_API
#endif

/** How a call ended. */
typedef enum tilec_status {
  TILEC_OK = 0,
  TILEC_FAILURE = 1,       /**< an error in the input, or in the run */
  TILEC_MISUSE = 2,        /**< the call itself is wrong */
  TILEC_MISMATCH = 3,      /**< arguments or a grid that the kernel refuses */
  TILEC_UNAVAILABLE = 4,   /**< no driver or no device */
  TILEC_UNSUPPORTED = 5,   /**< code or a driver that do not fit the device */
  TILEC_OUT_OF_MEMORY = 6, /**< of the host or of the device */
} tilec_status;

/** How grave a message is. */
typedef enum tilec_severity {
  TILEC_NOTE = 0,
  TILEC_WARNING = 1,
  TILEC_ERROR = 2,
  TILEC_REMARK = 3,
} tilec_severity;

/** A message. Its strings live until the sink returns. */
typedef struct tilec_diagnostic {
  tilec_severity severity;
  const char *file; /**< empty where there is no place */
  unsigned line;    /**< from 1; 0 where there is none */
  unsigned column;  /**< from 1; 0 where there is none */
  const char *message;
  size_t num_notes;
  const struct tilec_diagnostic *notes;
} tilec_diagnostic;

/** Receives the messages of one call. `report` must not throw. */
typedef struct tilec_sink {
  void (*report)(const tilec_diagnostic *diagnostic, void *user);
  void *user;
} tilec_sink;

/** The type of an element, or of a kernel's parameter: an element's type, with
 * TILEC_POINTER for the address of such elements. */
typedef uint32_t tilec_type;
enum {
  TILEC_I1 = 0,
  TILEC_I8 = 1,
  TILEC_I16 = 2,
  TILEC_I32 = 3,
  TILEC_I64 = 4,
  TILEC_U1 = 5,
  TILEC_U8 = 6,
  TILEC_U16 = 7,
  TILEC_U32 = 8,
  TILEC_U64 = 9,
  TILEC_FP16 = 10,
  TILEC_BF16 = 11,
  TILEC_FP32 = 12,
  TILEC_FP64 = 13,
  TILEC_FP8E4NV = 14,
  TILEC_FP8E5 = 15,
  TILEC_POINTER = 0x100,
};

/** A parameter of a kernel. */
typedef struct tilec_param {
  const char *name;
  tilec_type type;
  int is_const;   /**< the kernel only reads through the pointer */
  uint32_t align; /**< what the value is known to be divisible by, or 0 */
} tilec_param;

/** A name with a value that is part of the compiled code. */
typedef struct tilec_constant {
  const char *name;
  const char *json; /**< the value as JSON */
} tilec_constant;

/** One compiled entry of a kernel. Later versions may add members at the end:
 * only the library makes such structs. */
typedef struct tilec_kernel_info {
  const char *kernel; /**< the function's name in the source */
  const char *entry;  /**< the name in the PTX */
  const char *source; /**< "kernel.tile:4", or empty */
  size_t num_params;
  const tilec_param *params;
  size_t num_constants; /**< constexpr parameters */
  const tilec_constant *constants;
  size_t num_folded; /**< arguments that the code takes for granted */
  const tilec_constant *folded;
  size_t num_requirements; /**< as in "x_ptr % 16 == 0" */
  const char *const *requirements;
  size_t num_hidden; /**< parameters after the visible ones, as JSON */
  const char *const *hidden;
  uint32_t num_warps, num_stages;
  uint32_t threads;    /**< of a block, all in its first dimension */
  uint32_t cluster[3]; /**< blocks of a cluster in each dimension */
  uint64_t dynamic_shared;
} tilec_kernel_info;

#ifdef __cplusplus
}
#endif

#endif /* TILEC_C_TILEC_TYPES_H */

/*===- tilec-runtime.h - launching kernels -----------------------*- C -*-===*\
|*                                                                          *|
|* Part of the tilec project, under the Apache License v2.0 with LLVM       *|
|* Exceptions.                                                              *|
|*                                                                          *|
|* Devices, modules, kernels and memory, for programs that carry compiled   *|
|* PTX. This library has no compiler in it and finds libcuda when it is     *|
|* asked for a driver. tilec-types.h has the rules for every function.      *|
|*                                                                          *|
|*   tilecrt_driver_load(NULL, &driver, &sink);                             *|
|*   tilecrt_device_open(driver, 0, &device, &sink);                        *|
|*   tilecrt_module_load(device, ptx, size, NULL, 0, &module, &sink);       *|
|*   tilecrt_kernel_get(module, "add", &kernel, &sink);                     *|
|*   tilecrt_argument args[] = {tilecrt_buffer_arg(TILEC_FP32, x),          *|
|*                              tilecrt_i32_arg(n)};                        *|
|*   tilecrt_launch(kernel, grid, args, 2, stream, NULL, &sink);            *|
|*   tilecrt_stream_synchronize(stream, &sink);                             *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#ifndef TILEC_C_TILEC_RUNTIME_H
#define TILEC_C_TILEC_RUNTIME_H

#include "tilec-c/tilec-types.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Driver and devices
 * --------------------------------------------------===*/

typedef struct tilecrt_driver tilecrt_driver;
typedef struct tilecrt_device tilecrt_device;

/** What is known of a device without opening it. */
typedef struct tilecrt_device_info {
  const char *name;
  const char *arch; /**< to compile for: "sm_90a" */
  int major, minor; /**< compute capability */
  uint64_t memory_bytes, l2_bytes;
  uint32_t multiprocessors;
  uint32_t
      shared_per_block; /**< the most shared memory that a block may have */
} tilecrt_device_info;

/** Loads libcuda, from `library` if not null, and starts it. */
TILEC_API tilec_status tilecrt_driver_load(const char *library,
                                           tilecrt_driver **driver,
                                           const tilec_sink *sink);
TILEC_API void tilecrt_driver_free(tilecrt_driver *driver);
/** 12040 for CUDA 12.4. */
TILEC_API int tilecrt_driver_version(const tilecrt_driver *driver);
TILEC_API size_t tilecrt_driver_num_devices(const tilecrt_driver *driver);
/** Null beyond the last. */
TILEC_API const tilecrt_device_info *
tilecrt_driver_device_info(const tilecrt_driver *driver, size_t ordinal);

/** Opens a device's primary context, which other libraries share. */
TILEC_API tilec_status tilecrt_device_open(tilecrt_driver *driver, int ordinal,
                                           tilecrt_device **device,
                                           const tilec_sink *sink);
TILEC_API void tilecrt_device_free(tilecrt_device *device);
TILEC_API const tilecrt_device_info *
tilecrt_device_get_info(const tilecrt_device *device);
/** Waits for all work; reports what went wrong in it. */
TILEC_API tilec_status tilecrt_device_synchronize(tilecrt_device *device,
                                                  const tilec_sink *sink);
TILEC_API tilec_status tilecrt_device_free_memory(tilecrt_device *device,
                                                  uint64_t *bytes,
                                                  const tilec_sink *sink);

/*===-- Memory, streams, events
 * ---------------------------------------------===*/

typedef struct tilecrt_stream tilecrt_stream;
typedef struct tilecrt_buffer tilecrt_buffer;
typedef struct tilecrt_event tilecrt_event;

/** Unwritten device memory. */
TILEC_API tilec_status tilecrt_buffer_allocate(tilecrt_device *device,
                                               uint64_t bytes,
                                               tilecrt_buffer **buffer,
                                               const tilec_sink *sink);
TILEC_API void tilecrt_buffer_free(tilecrt_buffer *buffer);
TILEC_API uint64_t tilecrt_buffer_address(const tilecrt_buffer *buffer);
TILEC_API uint64_t tilecrt_buffer_size(const tilecrt_buffer *buffer);

/** Copies and fills. With a stream they are queued there, and host memory must
 * stay as it is until they have passed; with null they are done on return. */
TILEC_API tilec_status tilecrt_buffer_write(tilecrt_buffer *buffer,
                                            uint64_t offset, const void *from,
                                            uint64_t bytes,
                                            tilecrt_stream *stream,
                                            const tilec_sink *sink);
TILEC_API tilec_status tilecrt_buffer_read(const tilecrt_buffer *buffer,
                                           uint64_t offset, void *to,
                                           uint64_t bytes,
                                           tilecrt_stream *stream,
                                           const tilec_sink *sink);
TILEC_API tilec_status tilecrt_buffer_fill(tilecrt_buffer *buffer,
                                           uint8_t value,
                                           tilecrt_stream *stream,
                                           const tilec_sink *sink);

TILEC_API tilec_status tilecrt_stream_create(tilecrt_device *device,
                                             tilecrt_stream **stream,
                                             const tilec_sink *sink);
/** A CUstream (or cudaStream_t) of another library, which goes on owning it. */
TILEC_API tilec_status tilecrt_stream_wrap(tilecrt_device *device, void *cuda,
                                           tilecrt_stream **stream,
                                           const tilec_sink *sink);
TILEC_API void tilecrt_stream_free(tilecrt_stream *stream);
/** The CUstream. */
TILEC_API void *tilecrt_stream_handle(const tilecrt_stream *stream);
/** Waits for the work in it; reports what went wrong there. */
TILEC_API tilec_status tilecrt_stream_synchronize(tilecrt_stream *stream,
                                                  const tilec_sink *sink);
/** Later work in the stream waits for the event. */
TILEC_API tilec_status tilecrt_stream_wait(tilecrt_stream *stream,
                                           const tilecrt_event *event,
                                           const tilec_sink *sink);

TILEC_API tilec_status tilecrt_event_create(tilecrt_device *device,
                                            tilecrt_event **event,
                                            const tilec_sink *sink);
TILEC_API void tilecrt_event_free(tilecrt_event *event);
TILEC_API tilec_status tilecrt_event_record(tilecrt_event *event,
                                            tilecrt_stream *stream,
                                            const tilec_sink *sink);
TILEC_API tilec_status tilecrt_event_synchronize(tilecrt_event *event,
                                                 const tilec_sink *sink);
/** The time between two events that have passed. */
TILEC_API tilec_status tilecrt_event_elapsed(const tilecrt_event *start,
                                             const tilecrt_event *end,
                                             double *microseconds,
                                             const tilec_sink *sink);

/*===-- Modules and kernels
 * -------------------------------------------------===*/

typedef struct tilecrt_module tilecrt_module;
typedef struct tilecrt_kernel tilecrt_kernel;

/** Loads PTX text of tilec, or a cubin. A cubin of another assembler does not
 * hold what the PTX says about its kernels: then `metadata` is the PTX, or its
 * comment lines; else it is null. The driver's compiler has its say in the
 * message. */
TILEC_API tilec_status tilecrt_module_load(tilecrt_device *device,
                                           const void *image, size_t size,
                                           const char *metadata,
                                           size_t metadata_size,
                                           tilecrt_module **module,
                                           const tilec_sink *sink);
TILEC_API void tilecrt_module_free(tilecrt_module *module);
TILEC_API size_t tilecrt_module_num_entries(const tilecrt_module *module);
/** Null beyond the last. */
TILEC_API const tilec_kernel_info *
tilecrt_module_entry(const tilecrt_module *module, size_t index);

/** A kernel in all the versions that the module has of it; or one entry alone,
 * by its own name. `name` may be null where the module has one kernel. */
TILEC_API tilec_status tilecrt_kernel_get(tilecrt_module *module,
                                          const char *name,
                                          tilecrt_kernel **kernel,
                                          const tilec_sink *sink);
TILEC_API void tilecrt_kernel_free(tilecrt_kernel *kernel);
/** The versions in the order in which a launch tries them. The last assumes the
 * least: its parameters are the kernel's. Null beyond it. */
TILEC_API size_t tilecrt_kernel_num_entries(const tilecrt_kernel *kernel);
TILEC_API const tilec_kernel_info *
tilecrt_kernel_entry(const tilecrt_kernel *kernel, size_t index);
/** What the driver's compiler made of a version: registers and bytes of local
 * memory of a thread. */
TILEC_API tilec_status tilecrt_kernel_usage(const tilecrt_kernel *kernel,
                                            size_t index, int *registers,
                                            int *local_bytes);

/*===-- Launching
 * -----------------------------------------------------------===*/

/** The address comes from elsewhere: ask the driver whether it is the GPU's. */
#define TILECRT_CHECK_ADDRESS 1u

/** A value for a parameter. */
typedef struct tilecrt_argument {
  const char *name; /**< null: the parameter at this position */
  tilec_type type;
  uint32_t flags;
  uint64_t bits; /**< address or bit pattern */
} tilecrt_argument;

/** Queues a run of the first version that the arguments allow, after checking
 * number, types, alignment and what the code was compiled for. Arguments have
 * no name and the order of the parameters, or all have names and any order. An
 * empty grid does nothing. A note in `explain`, if not null, says which version
 * was taken and why. */
TILEC_API tilec_status tilecrt_launch(
    const tilecrt_kernel *kernel, const uint64_t grid[3],
    const tilecrt_argument *arguments, size_t num_arguments,
    tilecrt_stream *stream, const tilec_sink *explain, const tilec_sink *sink);
/** Checks the same and launches nothing; `index` receives the version, if not
 * null. */
TILEC_API tilec_status tilecrt_select(const tilecrt_kernel *kernel,
                                      const tilecrt_argument *arguments,
                                      size_t num_arguments, size_t *index,
                                      const tilec_sink *explain,
                                      const tilec_sink *sink);

/** The times of repeated runs, in microseconds; `spread` is the width of the
 * middle half over the median. */
typedef struct tilecrt_timing {
  double median, min, max, spread;
  uint64_t runs;
} tilecrt_timing;

/** Times launches between events, warmed up, for about `microseconds` of their
 * own time. Before each run, outside its time, other memory of twice the size
 * of the L2 cache is written, so that a run finds no data there. */
TILEC_API tilec_status tilecrt_time(const tilecrt_kernel *kernel,
                                    const uint64_t grid[3],
                                    const tilecrt_argument *arguments,
                                    size_t num_arguments, double microseconds,
                                    tilecrt_timing *timing,
                                    const tilec_sink *sink);

static inline tilecrt_argument tilecrt_arg(tilec_type type, uint64_t bits) {
  tilecrt_argument argument = {NULL, type, 0, bits};
  return argument;
}
/** A buffer; null is TILEC_MISUSE where it is used. */
static inline tilecrt_argument
tilecrt_buffer_arg(tilec_type element, const tilecrt_buffer *buffer) {
  return tilecrt_arg(TILEC_POINTER | element, tilecrt_buffer_address(buffer));
}
/** An address that another library allocated, or null. */
static inline tilecrt_argument tilecrt_address_arg(tilec_type element,
                                                   const void *address) {
  tilecrt_argument argument = {NULL, TILEC_POINTER | element,
                               TILECRT_CHECK_ADDRESS, (uintptr_t)address};
  return argument;
}
static inline tilecrt_argument tilecrt_i32_arg(int32_t value) {
  return tilecrt_arg(TILEC_I32, (uint32_t)value);
}
static inline tilecrt_argument tilecrt_i64_arg(int64_t value) {
  return tilecrt_arg(TILEC_I64, (uint64_t)value);
}
static inline tilecrt_argument tilecrt_f32_arg(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return tilecrt_arg(TILEC_FP32, bits);
}
static inline tilecrt_argument tilecrt_f64_arg(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return tilecrt_arg(TILEC_FP64, bits);
}

/*===-- Tensor maps
 * ---------------------------------------------------------===*/

/** An array and the box that one bulk copy moves; dimensions in the order of
 * the source, the last one contiguous. */
typedef struct tilecrt_tensor_map_spec {
  uint64_t address;
  tilec_type element;
  uint32_t rank; /**< 1 to 5 */
  uint64_t shape[5];
  uint64_t strides[5]; /**< in elements; the last is 1 */
  uint32_t box[5];
  uint32_t swizzle; /**< bytes: 0, 32, 64 or 128 */
  int fills_nan;    /**< what lies outside reads as NaN and not as 0 */
} tilecrt_tensor_map_spec;

/** Makes the 128 bytes that a kernel takes by value, or finds them: equal
 * descriptions are made once on a device. */
TILEC_API tilec_status tilecrt_tensor_map(tilecrt_device *device,
                                          const tilecrt_tensor_map_spec *spec,
                                          uint64_t map[16],
                                          const tilec_sink *sink);

#ifdef __cplusplus
}
#endif

#endif /* TILEC_C_TILEC_RUNTIME_H */

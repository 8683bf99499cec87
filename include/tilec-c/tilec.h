/*===- tilec.h - the compiler as a library -----------------------*- C -*-===*\
|*                                                                          *|
|* Part of the tilec project, under the Apache License v2.0 with LLVM       *|
|* Exceptions.                                                              *|
|*                                                                          *|
|* Kernels from text or files to the text of any phase, or to the           *|
|* interpreter. tilec-types.h has the rules that hold for every function.   *|
|*                                                                          *|
|*   tilec_module *module;                                                  *|
|*   tilec_text *ptx;                                                       *|
|*   if (tilec_module_from_file("k.tile", NULL, &module, &sink) == TILEC_OK *|
|*       && tilec_module_emit(module, NULL, TILEC_PHASE_PTX, &ptx, &sink)   *|
|*              == TILEC_OK)                                                *|
|*     fwrite(tilec_text_data(ptx), 1, tilec_text_size(ptx), stdout);       *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#ifndef TILEC_C_TILEC_H
#define TILEC_C_TILEC_H

#include "tilec-c/tilec-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** "tilec 0.1.0". */
TILEC_API const char *tilec_version(void);

/*===-- Types
 * ---------------------------------------------------------------===*/

/** Reads a type in any of its notations: `fp32`, `f32`, `*fp32`, `*kfp32`. */
TILEC_API tilec_status tilec_type_parse(const char *text, tilec_type *type,
                                        const tilec_sink *sink);
/** The size of an element in bytes, that of the pointer for a pointer; 0 for a
 * number that is no type. */
TILEC_API size_t tilec_type_size(tilec_type type);

/*===-- Options
 * -------------------------------------------------------------===*/

/** What to compile and how. Empty options mean what `tilec FILE` does: every
 * kernel whose types are known, for sm_80. One thread at a time may change
 * them. */
typedef struct tilec_options tilec_options;

TILEC_API tilec_status tilec_options_create(tilec_options **options);
TILEC_API void tilec_options_free(tilec_options *options);

/** Compiles the kernel of that name, and any other that is added. `signature`
 * may be null, or has the types that the source does not: "*fp32:16, i32,
 * 1024". */
TILEC_API tilec_status tilec_options_add_kernel(tilec_options *options,
                                                const char *name,
                                                const char *signature,
                                                const tilec_sink *sink);
/** Gives a compile-time parameter its value, a Python literal: `-D NAME=VALUE`.
 */
TILEC_API tilec_status tilec_options_define(tilec_options *options,
                                            const char *name, const char *value,
                                            const tilec_sink *sink);
/** The type of an argument that neither signature nor source types: `*fp32:16`.
 */
TILEC_API tilec_status tilec_options_set_argument_type(tilec_options *options,
                                                       const char *name,
                                                       const char *type,
                                                       const tilec_sink *sink);
/** A folder that is searched for imported helpers. */
TILEC_API tilec_status tilec_options_add_include_dir(tilec_options *options,
                                                     const char *folder,
                                                     const tilec_sink *sink);
/** The architecture: `sm_80`, `sm_90a`, ..., or `native` for the first GPU's.
 */
TILEC_API tilec_status tilec_options_set_arch(tilec_options *options,
                                              const char *arch,
                                              const tilec_sink *sink);
/** Warps in a block and stages of a software pipeline; 0 is what the kernel
 * says. */
TILEC_API tilec_status tilec_options_set_num_warps(tilec_options *options,
                                                   unsigned count,
                                                   const tilec_sink *sink);
TILEC_API tilec_status tilec_options_set_num_stages(tilec_options *options,
                                                    unsigned count,
                                                    const tilec_sink *sink);
/** What to warn of: what follows `-W` in tilec's command line, as `tf32`,
 * `no-unused-value`, `all` or `error=int-overflow`. Warnings go to the sink. */
TILEC_API tilec_status tilec_options_set_warning(tilec_options *options,
                                                 const char *text,
                                                 const tilec_sink *sink);
/** Checks the IR after each pass: for tests, it takes time. */
TILEC_API tilec_status tilec_options_set_verify_each(tilec_options *options,
                                                     int enabled);
/** Compiles one more version of each kernel that its arguments allow:
 * `--specialize` with hints such as "x_ptr:16, stride:1, *:16"; empty for the
 * usual ones. */
TILEC_API tilec_status tilec_options_add_specialization(tilec_options *options,
                                                        const char *hints,
                                                        const tilec_sink *sink);

/** The folder of the CUDA toolkit that assembles cubins and knows registers;
 * without it the usual places are searched. */
TILEC_API tilec_status tilec_options_set_toolkit(tilec_options *options,
                                                 const char *folder,
                                                 const tilec_sink *sink);

/** `nvjitlink` for the library, in this process, or `ptxas` for the program,
 * whose code takes fewer registers; empty for the first that is found, ptxas
 * before the other. */
TILEC_API tilec_status tilec_options_set_assembler(tilec_options *options,
                                                   const char *name,
                                                   const tilec_sink *sink);

/*===-- Text
 * ----------------------------------------------------------------===*/

/** Text that a function made; a zero byte follows it. */
typedef struct tilec_text tilec_text;

TILEC_API const char *tilec_text_data(const tilec_text *text);
TILEC_API size_t tilec_text_size(const tilec_text *text);
TILEC_API void tilec_text_free(tilec_text *text);

/*===-- Modules
 * -------------------------------------------------------------===*/

/** The kernels of one source. Calls on one module take turns, calls on several
 * run side by side. */
typedef struct tilec_module tilec_module;

/** What the compiler can stop at: the phases of `tilec --emit`. */
typedef int tilec_phase;
enum {
  TILEC_PHASE_TILE = 0,
  TILEC_PHASE_TILEGPU = 1,
  TILEC_PHASE_LLVM = 2,
  TILEC_PHASE_LLVMIR = 3,
  TILEC_PHASE_PTX = 4,
  TILEC_PHASE_CUBIN = 5, /**< bytes; needs the CUDA toolkit's assembler */
};

/** Reads kernels from text; `file` names it in messages and tells what it is: a
 * name in `.mlir` is IR of any phase, any other a kernel source. `options` may
 * be null; of them the kernels, definitions, types and folders count here. */
TILEC_API tilec_status tilec_module_from_text(const char *text, size_t size,
                                              const char *file,
                                              const tilec_options *options,
                                              tilec_module **module,
                                              const tilec_sink *sink);
/** The same from a file. */
TILEC_API tilec_status tilec_module_from_file(const char *file,
                                              const tilec_options *options,
                                              tilec_module **module,
                                              const tilec_sink *sink);
TILEC_API void tilec_module_free(tilec_module *module);

/** The names of the kernels, in the order of the source; null beyond the last.
 */
TILEC_API size_t tilec_module_num_kernels(const tilec_module *module);
TILEC_API const char *tilec_module_kernel(const tilec_module *module,
                                          size_t index);

/** Compiles to the text of a phase, as often as wanted. Of `options`, which may
 * be null, the architecture, counts and specialisations count here. */
TILEC_API tilec_status tilec_module_emit(tilec_module *module,
                                         const tilec_options *options,
                                         tilec_phase phase, tilec_text **text,
                                         const tilec_sink *sink);

/** How a report is written. */
typedef int tilec_report_format;
enum {
  TILEC_REPORT_TEXT = 0, /**< for people */
  TILEC_REPORT_JSON = 1, /**< one line, see docs/Report.md */
};

/** Compiles to PTX and says what became of the kernels, as `tilec --report`
 * does: resources, accesses, conversions, decisions. `gpu` is the one to
 * measure by (`h200`), or null for the usual one of the architecture. Registers
 * are known where the CUDA toolkit's assembler is found. */
TILEC_API tilec_status tilec_module_report(
    tilec_module *module, const tilec_options *options, const char *gpu,
    tilec_report_format format, tilec_text **text, const tilec_sink *sink);

/*===-- Interpreter
 * ---------------------------------------------------------===*/

/** The memory must not change: the kernel runs on a copy, and a run that has
 * changed that is a failure. */
#define TILEC_HOST_READ_ONLY 1u

/** The value of one argument in host memory. Zero the struct first: later
 * versions may give meaning to `reserved`. */
typedef struct tilec_host_argument {
  const char *name;
  tilec_type type; /**< must be that of the parameter */
  int unwritten;   /**< the memory holds nothing yet: reading it is a fault */
  void *data;      /**< of a pointer: memory that the kernel may touch */
  size_t bytes;    /**< its size; an access beyond is a fault */
  size_t rank;     /**< of the array, for messages; may be 0 */
  const int64_t *shape;
  uint64_t bits;  /**< of a scalar: its bits, in the low end */
  uint64_t flags; /**< TILEC_HOST_READ_ONLY, or 0 */
  uint64_t reserved[1];
} tilec_host_argument;

/** The order in which the programs of a grid run. */
typedef int tilec_schedule;
enum {
  TILEC_SCHEDULE_DEFAULT = 0, /**< parallel, or random when checking */
  TILEC_SCHEDULE_SEQUENTIAL = 1,
  TILEC_SCHEDULE_REVERSE = 2,
  TILEC_SCHEDULE_RANDOM = 3, /**< by the seed, changing after any access */
  TILEC_SCHEDULE_PARALLEL = 4,
};

/** What a run does besides computing. All zero is the default. */
typedef struct tilec_interpret_options {
  int meter;     /**< count accesses and operations */
  int check;     /**< look for faults beyond those that always stop a run */
  int check_nan; /**< and for where NaN and infinity first appear */
  tilec_schedule schedule;
  uint64_t seed;
  /** Where the kernel's prints go, if not null: pieces of text in order. */
  void (*print)(const char *text, size_t size, void *user);
  void *user;
  uint64_t reserved[2];
} tilec_interpret_options;

/** What the accesses of one argument came to. */
typedef struct tilec_traffic {
  const char *name;
  uint64_t elements_read, elements_written;
  uint64_t bytes_read, bytes_written;
  uint64_t distinct_bytes_read, distinct_bytes_written;
} tilec_traffic;

/** What a metered run counted. */
typedef struct tilec_report tilec_report;

/** Runs a kernel once for every program of the grid. `kernel` may be null where
 * the module has one. Arguments may be in any order, and may repeat what the
 * kernel was given at compile time; a fault is TILEC_FAILURE
 * with a message at its place in the source, and a checking run goes on after
 * it. `options` may be null, and `report` too; it holds counts when `meter` is
 * set. A grid with a 0 runs nothing. */
TILEC_API tilec_status tilec_module_interpret(
    tilec_module *module, const char *kernel,
    const tilec_host_argument *arguments, size_t num_arguments,
    const int64_t grid[3], const tilec_interpret_options *options,
    tilec_report **report, const tilec_sink *sink);

TILEC_API void tilec_report_free(tilec_report *report);
TILEC_API uint64_t tilec_report_programs(const tilec_report *report);
TILEC_API size_t tilec_report_num_arguments(const tilec_report *report);
/** Null beyond the last. */
TILEC_API const tilec_traffic *tilec_report_argument(const tilec_report *report,
                                                     size_t index);
/** Floating-point operations of a kind ("add", "fma", "dot", ...); null for
 * all. */
TILEC_API uint64_t tilec_report_flops(const tilec_report *report,
                                      const char *kind);
/** All of it as one line of JSON, as `tile-run --meter=json` prints it. */
TILEC_API const char *tilec_report_json(const tilec_report *report);

/*===-- Kernel information
 * --------------------------------------------------===*/

/** What a PTX file or a cubin says about its kernels. */
typedef struct tilec_metadata tilec_metadata;

/** Reads the comment lines at the head of PTX text, or what a cubin of tilec
 * has of them. */
TILEC_API tilec_status tilec_metadata_parse(const char *code, size_t size,
                                            tilec_metadata **metadata,
                                            const tilec_sink *sink);
TILEC_API void tilec_metadata_free(tilec_metadata *metadata);
TILEC_API const char *tilec_metadata_arch(const tilec_metadata *metadata);
TILEC_API const char *tilec_metadata_compiler(const tilec_metadata *metadata);
TILEC_API size_t tilec_metadata_num_entries(const tilec_metadata *metadata);
/** Null beyond the last. */
TILEC_API const tilec_kernel_info *
tilec_metadata_entry(const tilec_metadata *metadata, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* TILEC_C_TILEC_H */

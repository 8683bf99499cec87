/*===- compile.c - the compiler by its C interface ----------------*- C -*-===*\
|*                                                                          *|
|* Part of the tilec project, under the Apache License v2.0 with LLVM       *|
|* Exceptions.                                                              *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#include "check.h"
#include "tilec-c/tilec.h"

#include <stdlib.h>

static const char *source =
    "@kernel\n"
    "def add(x_ptr: ptr[f32], y_ptr: ptr[f32], n: i32, BLOCK: constexpr = "
    "64):\n"
    "    offs = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    mask = offs < n\n"
    "    x = load(x_ptr + offs, mask=mask)\n"
    "    store(y_ptr + offs, x + 1.0, mask=mask)\n";

static tilec_module *parse(const char *text, const tilec_options *options) {
  tilec_module *module = NULL;
  CHECK_OK(tilec_module_from_text(text, strlen(text), "add.tile", options,
                                  &module, &sink_));
  return module;
}

static void test_types(void) {
  tilec_type type = 0;
  CHECK_OK(tilec_type_parse("*fp32", &type, &sink_));
  CHECK(type == (TILEC_POINTER | TILEC_FP32) && tilec_type_size(type) == 8);
  CHECK_OK(tilec_type_parse("bf16", &type, &sink_));
  CHECK(type == TILEC_BF16 && tilec_type_size(type) == 2);
  CHECK_FAILS(tilec_type_parse("f33", &type, &sink_), TILEC_FAILURE,
              "unknown type 'f33'");
  CHECK_FAILS(tilec_type_parse(NULL, &type, &sink_), TILEC_MISUSE,
              "the parameter 'text' is null");
  CHECK(tilec_type_size(99) == 0);
}

static void test_phases(void) {
  static const char *const marks[] = {"tile.kernel", "tilegpu", "llvm.func",
                                      "define", ".visible .entry add"};
  tilec_module *module = parse(source, NULL);
  CHECK(tilec_module_num_kernels(module) == 1);
  CHECK(!strcmp(tilec_module_kernel(module, 0), "add"));
  CHECK(!tilec_module_kernel(module, 1));
  /* In any order and again: emitting leaves the module as it was. */
  for (int round = 0; round < 2; ++round)
    for (int phase = TILEC_PHASE_PTX; phase >= TILEC_PHASE_TILE; --phase) {
      tilec_text *text = NULL;
      CHECK_OK(
          tilec_module_emit(module, NULL, (tilec_phase)phase, &text, &sink_));
      CHECK(strstr(tilec_text_data(text), marks[phase]));
      CHECK(strlen(tilec_text_data(text)) == tilec_text_size(text));
      tilec_text_free(text);
    }
  tilec_text *text = (tilec_text *)&text;
  CHECK_FAILS(tilec_module_emit(module, NULL, (tilec_phase)9, &text, &sink_),
              TILEC_MISUSE, "phase");
  CHECK(!text);
  tilec_module_free(module);
}

/* A warning goes to the sink; one that is an error fails. */
static void test_warnings(void) {
  static const char text[] = "@kernel\n"
                             "def k(x: ptr[f32]):\n"
                             "    load(x) + 1.0\n";
  tilec_options *options = NULL;
  CHECK_OK(tilec_options_create(&options));
  tilec_module_free(parse(text, options));
  CHECK(strstr(messages_.text, "[-Wunused-value]"));
  CHECK_OK(tilec_options_set_warning(options, "error=unused-value", &sink_));
  tilec_module *module = NULL;
  CHECK_FAILS(tilec_module_from_text(text, strlen(text), "k.tile", options,
                                     &module, &sink_),
              TILEC_FAILURE, "[-Werror=unused-value]");
  CHECK_OK(tilec_options_set_warning(options, "no-all", &sink_));
  tilec_module_free(parse(text, options));
  CHECK(!messages_.text[0]);
  tilec_options_free(options);
}

/* Contexts serve one module after another; a module that lives has its own. */
static void test_many_modules(void) {
  tilec_module *first = parse(source, NULL);
  tilec_text *expected = NULL;
  CHECK_OK(tilec_module_emit(first, NULL, TILEC_PHASE_PTX, &expected, &sink_));
  for (int i = 0; i < 70; ++i) {
    tilec_module *module = parse(source, NULL);
    tilec_text *text = NULL;
    CHECK_OK(tilec_module_emit(module, NULL, TILEC_PHASE_PTX, &text, &sink_));
    CHECK(!strcmp(tilec_text_data(text), tilec_text_data(expected)));
    tilec_text_free(text);
    tilec_module_free(module);
  }
  tilec_text *again = NULL;
  CHECK_OK(tilec_module_emit(first, NULL, TILEC_PHASE_PTX, &again, &sink_));
  CHECK(!strcmp(tilec_text_data(again), tilec_text_data(expected)));
  tilec_text_free(again);
  tilec_text_free(expected);
  tilec_module_free(first);
}

static void test_options(void) {
  tilec_options *options = NULL;
  CHECK_OK(tilec_options_create(&options));
  CHECK_OK(tilec_options_add_kernel(options, "add", NULL, &sink_));
  CHECK_OK(tilec_options_define(options, "BLOCK", "128", &sink_));
  CHECK_OK(tilec_options_set_arch(options, "sm_90a", &sink_));
  CHECK_OK(tilec_options_set_num_warps(options, 8, &sink_));
  CHECK_OK(tilec_options_set_num_stages(options, 2, &sink_));
  CHECK_OK(tilec_options_set_verify_each(options, 1));
  CHECK_OK(tilec_options_add_include_dir(options, ".", &sink_));
  CHECK_OK(tilec_options_add_specialization(options, "*:16, n:1", &sink_));
  CHECK_FAILS(tilec_options_set_warning(options, "tf23", &sink_), TILEC_FAILURE,
              "unknown warning 'tf23', did you mean 'tf32'?");
  CHECK_FAILS(tilec_options_set_arch(options, "sm_12", &sink_), TILEC_FAILURE,
              "unknown architecture 'sm_12'");
  CHECK_FAILS(tilec_options_define(options, "3x", "1", &sink_), TILEC_FAILURE,
              "expected a name, got '3x'");
  CHECK_FAILS(tilec_options_set_num_warps(options, 99, &sink_), TILEC_FAILURE,
              "from 0 to 32");
  CHECK_FAILS(tilec_options_add_specialization(options, "n:3", &sink_),
              TILEC_FAILURE, "power of two");

  tilec_module *module = parse(source, options);
  tilec_text *ptx = NULL;
  CHECK_OK(tilec_module_emit(module, options, TILEC_PHASE_PTX, &ptx, &sink_));
  tilec_metadata *metadata = NULL;
  CHECK_OK(tilec_metadata_parse(tilec_text_data(ptx), tilec_text_size(ptx),
                                &metadata, &sink_));
  CHECK(!strcmp(tilec_metadata_arch(metadata), "sm_90a"));
  CHECK(!strncmp(tilec_metadata_compiler(metadata), "tilec ", 6));
  CHECK(!strcmp(tilec_metadata_compiler(metadata), tilec_version()));
  CHECK(tilec_metadata_num_entries(metadata) == 2);
  const tilec_kernel_info *first = tilec_metadata_entry(metadata, 0);
  const tilec_kernel_info *last = tilec_metadata_entry(metadata, 1);
  CHECK(!tilec_metadata_entry(metadata, 2));
  CHECK(!strcmp(first->kernel, "add") && !strcmp(first->entry, "add__1"));
  CHECK(first->num_params == 2 && first->params[0].align == 16);
  CHECK(first->num_folded == 1 && !strcmp(first->folded[0].name, "n"));
  CHECK(first->num_requirements == 3);
  CHECK(!strcmp(first->requirements[0], "x_ptr % 16 == 0"));
  CHECK(!strcmp(first->requirements[2], "n == 1"));
  CHECK(!strcmp(last->entry, "add") && last->num_params == 3);
  CHECK(last->num_requirements == 0 && last->num_hidden == 0);
  CHECK(last->params[2].type == TILEC_I32);
  CHECK(last->num_constants == 1 && !strcmp(last->constants[0].json, "128"));
  CHECK(last->num_warps == 8 && last->threads == 256 && last->num_stages == 2);
  CHECK(last->cluster[0] == 1 && !strcmp(last->source, "add.tile:2"));
  tilec_metadata_free(metadata);
  tilec_text_free(ptx);
  tilec_module_free(module);
  tilec_options_free(options);
  CHECK_FAILS(tilec_metadata_parse("x", 1, &metadata, &sink_), TILEC_FAILURE,
              "metadata");
  CHECK(!metadata);
}

/* A type that neither the source nor a signature gives. */
static void test_argument_types(void) {
  static const char *const untyped = "@kernel\n"
                                     "def put(x_ptr, value):\n"
                                     "    store(x_ptr, value)\n";
  tilec_options *options = NULL;
  tilec_text *ptx = NULL;
  tilec_metadata *metadata = NULL;
  CHECK_OK(tilec_options_create(&options));
  CHECK_OK(tilec_options_add_kernel(options, "put", NULL, &sink_));
  CHECK_OK(
      tilec_options_set_argument_type(options, "x_ptr", "*fp64:16", &sink_));
  CHECK_OK(tilec_options_set_argument_type(options, "value", "fp64", &sink_));
  CHECK_FAILS(tilec_options_set_argument_type(options, "a b", "fp64", &sink_),
              TILEC_FAILURE, "expected a name, got 'a b'");
  CHECK_FAILS(tilec_options_set_argument_type(options, "x", NULL, &sink_),
              TILEC_MISUSE, "the parameter 'type' is null");
  tilec_module *module = parse(untyped, options);
  CHECK_OK(tilec_module_emit(module, options, TILEC_PHASE_PTX, &ptx, &sink_));
  CHECK_OK(tilec_metadata_parse(tilec_text_data(ptx), tilec_text_size(ptx),
                                &metadata, &sink_));
  const tilec_kernel_info *info = tilec_metadata_entry(metadata, 0);
  CHECK(info && info->num_params == 2 && info->params[0].align == 16);
  CHECK(info && info->params[0].type == (TILEC_POINTER | TILEC_FP64));
  CHECK(info && info->params[1].type == TILEC_FP64);
  tilec_metadata_free(metadata);
  tilec_text_free(ptx);
  tilec_module_free(module);
  tilec_options_free(options);
}

static void test_report(void) {
  tilec_module *module = parse(source, NULL);
  tilec_text *text = NULL;
  for (int round = 0; round < 2; ++round) {
    CHECK_OK(tilec_module_report(module, NULL, NULL, TILEC_REPORT_TEXT, &text,
                                 &sink_));
    CHECK(strstr(tilec_text_data(text), "add (add.tile:2) for sm_80"));
    CHECK(strstr(tilec_text_data(text), "access to global memory"));
    tilec_text_free(text);
  }
  CHECK_OK(tilec_module_report(module, NULL, "h200", TILEC_REPORT_JSON, &text,
                               &sink_));
  CHECK(strstr(tilec_text_data(text), "\"gpu\": \"h200\""));
  CHECK(strstr(tilec_text_data(text), "\"entry\": \"add\""));
  tilec_text_free(text);
  CHECK_FAILS(tilec_module_report(module, NULL, "h300", TILEC_REPORT_JSON,
                                  &text, &sink_),
              TILEC_FAILURE, "unknown GPU 'h300'");
  CHECK(!text);
  CHECK_FAILS(tilec_module_report(module, NULL, NULL, (tilec_report_format)7,
                                  &text, &sink_),
              TILEC_MISUSE, "format");
  CHECK_FAILS(
      tilec_module_report(module, NULL, NULL, TILEC_REPORT_TEXT, NULL, &sink_),
      TILEC_MISUSE, "null");
  tilec_module_free(module);
}

/* Where an assembler is found, a cubin says what its PTX says. */
static void test_cubin(void) {
  tilec_module *module = parse(source, NULL);
  tilec_options *options = NULL;
  tilec_text *cubin = NULL;
  CHECK_OK(tilec_options_create(&options));
  if (tilec_module_emit(module, options, TILEC_PHASE_CUBIN, &cubin, NULL) ==
      TILEC_OK) {
    tilec_metadata *metadata = NULL;
    CHECK(!memcmp(tilec_text_data(cubin), "\177ELF", 4));
    CHECK_OK(tilec_metadata_parse(tilec_text_data(cubin),
                                  tilec_text_size(cubin), &metadata, &sink_));
    CHECK(tilec_metadata_num_entries(metadata) == 1);
    CHECK(!strcmp(tilec_metadata_entry(metadata, 0)->entry, "add"));
    tilec_metadata_free(metadata);
    tilec_text_free(cubin);
  }
  CHECK_OK(tilec_options_set_toolkit(options, "/nonexistent", &sink_));
  CHECK_FAILS(
      tilec_module_emit(module, options, TILEC_PHASE_CUBIN, &cubin, &sink_),
      TILEC_FAILURE, "the folder '/nonexistent' has no CUDA toolkit");
  CHECK(!cubin);
  CHECK_FAILS(tilec_options_set_toolkit(options, NULL, &sink_), TILEC_MISUSE,
              "null");
  CHECK_OK(tilec_options_set_assembler(options, "nvjitlink", &sink_));
  CHECK_FAILS(
      tilec_module_emit(module, options, TILEC_PHASE_CUBIN, &cubin, &sink_),
      TILEC_FAILURE, "the folder '/nonexistent' has no nvjitlink");
  CHECK_OK(tilec_options_set_assembler(options, "", &sink_));
  CHECK_FAILS(tilec_options_set_assembler(options, "as", &sink_), TILEC_FAILURE,
              "expected ptxas or nvjitlink, got 'as'");
  tilec_options_free(options);
  tilec_module_free(module);
  tilec_metadata *metadata = NULL;
  CHECK_FAILS(tilec_metadata_parse("\177ELF\0", 5, &metadata, &sink_),
              TILEC_FAILURE, "--emit=cubin");
}

static void test_errors(void) {
  tilec_module *module = (tilec_module *)&module;
  const char *wrong = "@kernel\n"
                      "def f(x_ptr: ptr[f32]):\n"
                      "    store(x_ptr, nothing)\n";
  CHECK_FAILS(tilec_module_from_text(wrong, strlen(wrong), "wrong.tile", NULL,
                                     &module, &sink_),
              TILEC_FAILURE, "nothing");
  CHECK(!module);
  CHECK(messages_.line == 3 && messages_.column == 18);
  CHECK_FAILS(
      tilec_module_from_file("/nonexistent.tile", NULL, &module, &sink_),
      TILEC_FAILURE, "no such file");
  CHECK_FAILS(tilec_module_from_text("x(", 2, "x.mlir", NULL, &module, &sink_),
              TILEC_FAILURE, "");
  CHECK_FAILS(tilec_module_from_text("", 0, "x.tile", NULL, &module, &sink_),
              TILEC_FAILURE, "kernel");
  CHECK_FAILS(tilec_module_from_text(NULL, 0, "x.tile", NULL, &module, &sink_),
              TILEC_MISUSE, "null");
  /* Without a sink nothing is said, and nothing else changes. */
  CHECK(tilec_module_from_text(wrong, strlen(wrong), "wrong.tile", NULL,
                               &module, NULL) == TILEC_FAILURE);
  tilec_options *options = NULL;
  CHECK_OK(tilec_options_create(&options));
  CHECK_OK(tilec_options_add_specialization(options, "q:1", &sink_));
  module = parse(source, NULL);
  tilec_text *text = NULL;
  CHECK_FAILS(
      tilec_module_emit(module, options, TILEC_PHASE_PTX, &text, &sink_),
      TILEC_FAILURE, "no kernel has an argument of that name");
  tilec_module_free(module);
  tilec_options_free(options);
}

static void test_null(void) {
  tilec_options_free(NULL);
  tilec_module_free(NULL);
  tilec_text_free(NULL);
  tilec_report_free(NULL);
  tilec_metadata_free(NULL);
  CHECK(tilec_options_create(NULL) == TILEC_MISUSE);
  CHECK(tilec_module_emit(NULL, NULL, TILEC_PHASE_PTX, NULL, NULL) ==
        TILEC_MISUSE);
  CHECK(tilec_options_set_verify_each(NULL, 1) == TILEC_MISUSE);
  CHECK(tilec_module_num_kernels(NULL) == 0 && tilec_text_size(NULL) == 0);
  CHECK(tilec_metadata_num_entries(NULL) == 0);
}

int main(int argc, char **argv) {
  test_types();
  test_phases();
  test_many_modules();
  test_warnings();
  test_options();
  test_argument_types();
  test_report();
  test_cubin();
  test_errors();
  test_null();
  if (argc > 1) { /* a file and its first kernel */
    tilec_module *module = NULL;
    CHECK_OK(tilec_module_from_file(argv[1], NULL, &module, &sink_));
    CHECK(!strcmp(tilec_module_kernel(module, 0), argv[2]));
    tilec_module_free(module);
  }
  return failures();
}

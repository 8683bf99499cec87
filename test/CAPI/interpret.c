/*===- interpret.c - the interpreter by its C interface -----------*- C -*-===*\
|*                                                                          *|
|* Part of the tilec project, under the Apache License v2.0 with LLVM       *|
|* Exceptions.                                                              *|
|*                                                                          *|
|* Runs, counts, faults; and modules in several threads.                    *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#include "check.h"
#include "tilec-c/tilec.h"

#include <pthread.h>

static const char *source =
    "@kernel\n"
    "def add(x_ptr: ptr[f32], y_ptr: ptr[f32], n: i32, BLOCK: constexpr = "
    "64):\n"
    "    offs = program_id(0) * BLOCK + arange(0, BLOCK)\n"
    "    mask = offs < n\n"
    "    x = load(x_ptr + offs, mask=mask)\n"
    "    store(y_ptr + offs, x + 1.0, mask=mask)\n";
static const char *speaking = "@kernel\n"
                              "def speak(n: i32):\n"
                              "    print(\"n\", n)\n"
                              "@kernel\n"
                              "def other(n: i32):\n"
                              "    print(\"n\", n)\n";

static float x[100], y[100];

static tilec_host_argument pointer(const char *name, float *data,
                                   size_t bytes) {
  tilec_host_argument argument = {0};
  argument.name = name;
  argument.type = TILEC_POINTER | TILEC_FP32;
  argument.data = data;
  argument.bytes = bytes;
  return argument;
}

static tilec_host_argument integer(const char *name, int value) {
  tilec_host_argument argument = {0};
  argument.name = name;
  argument.type = TILEC_I32;
  argument.bits = (unsigned)value;
  return argument;
}

static void test_run(tilec_module *module) {
  const int64_t grid[3] = {2, 1, 1}, empty[3] = {0, 1, 1};
  tilec_host_argument arguments[] = {integer("n", 100),
                                     pointer("y_ptr", y, sizeof y),
                                     pointer("x_ptr", x, sizeof x)};
  for (int i = 0; i < 100; ++i)
    x[i] = (float)i;
  tilec_interpret_options options = {0};
  options.meter = 1;
  tilec_report *report = NULL;
  arguments[1].unwritten = 1;
  CHECK_OK(tilec_module_interpret(module, "add", arguments, 3, grid, &options,
                                  &report, &sink_));
  for (int i = 0; i < 100; ++i)
    CHECK(y[i] == x[i] + 1);
  CHECK(tilec_report_programs(report) == 2);
  CHECK(tilec_report_num_arguments(report) >= 2);
  const tilec_traffic *first = tilec_report_argument(report, 0);
  CHECK(first && !strcmp(first->name, "x_ptr") && first->bytes_read == 400);
  CHECK(tilec_report_flops(report, NULL) >= 100);
  CHECK(tilec_report_flops(report, "no such kind") == 0);
  CHECK(strstr(tilec_report_json(report), "\"kernel\": \"add\""));
  tilec_report_free(report);

  y[0] = -5;
  CHECK_OK(tilec_module_interpret(module, "add", arguments, 3, empty, NULL,
                                  NULL, &sink_));
  CHECK(y[0] == -5);
}

static void test_faults(tilec_module *module) {
  const int64_t grid[3] = {2, 1, 1}, wrong[3] = {-1, 1, 1};
  tilec_host_argument arguments[] = {
      integer("n", 100), pointer("y_ptr", y, sizeof y),
      pointer("x_ptr", x, 40 * sizeof *x), integer("m", 1)};
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_FAILURE, "out of bounds");
  CHECK(messages_.line == 5 && messages_.column > 0);
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 3, wrong, NULL,
                                     NULL, &sink_),
              TILEC_FAILURE, "grid");
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 2, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISMATCH, "argument 'x_ptr' of kernel 'add' is missing");
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 4, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISMATCH, "kernel 'add' has no argument 'm'");
  CHECK_FAILS(tilec_module_interpret(module, "sub", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_FAILURE, "no kernel 'sub'");
  arguments[3] = arguments[0];
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 4, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISMATCH, "given twice");
  arguments[0].type = TILEC_FP32;
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISMATCH, "has type fp32, expected i32");
  arguments[0].type = 77;
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISMATCH, "expected i32");
  arguments[0].name = NULL;
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISUSE, "no name");
  /* Two programs write the same element: only a check sees it. */
  static const char *racing = "@kernel\n"
                              "def race(x_ptr: ptr[i32]):\n"
                              "    store(x_ptr, program_id(0))\n";
  tilec_module *race = NULL;
  int shared = 0;
  const int64_t shape[1] = {1};
  tilec_host_argument one = pointer("x_ptr", NULL, sizeof shared);
  one.type = TILEC_POINTER | TILEC_I32;
  one.data = &shared;
  one.rank = 1;
  one.shape = shape;
  tilec_interpret_options options = {0};
  CHECK_OK(tilec_module_from_text(racing, strlen(racing), "race.tile", NULL,
                                  &race, &sink_));
  CHECK_OK(tilec_module_interpret(race, NULL, &one, 1, grid, &options, NULL,
                                  &sink_));
  options.check = 1;
  CHECK_FAILS(
      tilec_module_interpret(race, NULL, &one, 1, grid, &options, NULL, &sink_),
      TILEC_FAILURE, "race");
  CHECK(messages_.line == 3 && messages_.num_notes > 0);
  options.schedule = (tilec_schedule)9;
  CHECK_FAILS(
      tilec_module_interpret(race, NULL, &one, 1, grid, &options, NULL, &sink_),
      TILEC_MISUSE, "schedule");
  tilec_module_free(race);
  CHECK_FAILS(tilec_module_interpret(NULL, "add", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISUSE, "null");
}

/* What the kernel was compiled for is true of the arguments, as in a launch. */
static void test_promises(tilec_module *module) {
  static const char *const hinted =
      "@kernel\n"
      "def put(x_ptr: ptr[f32, 16], n: i32 % 8):\n"
      "    store(x_ptr + arange(0, 8), 1.0, mask=arange(0, 8) < n)\n";
  union {
    uint64_t aligned[8];
    char bytes[64];
  } memory = {{0}};
  const int64_t grid[3] = {2, 1, 1}, one[3] = {1, 1, 1};
  tilec_host_argument arguments[] = {
      integer("n", 100), pointer("y_ptr", y, sizeof y),
      pointer("x_ptr", x, sizeof x), integer("BLOCK", 64)};
  CHECK_OK(tilec_module_interpret(module, "add", arguments, 4, grid, NULL, NULL,
                                  &sink_));
  arguments[3] = integer("BLOCK", 128);
  y[0] = -5;
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 4, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISMATCH,
              "argument 'BLOCK' is 128, kernel 'add' was compiled for BLOCK == "
              "64");
  CHECK(y[0] == -5);
  arguments[3].type = 77;
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 4, grid, NULL,
                                     NULL, &sink_),
              TILEC_MISMATCH, "has the type 77");

  tilec_module *put = NULL;
  CHECK_OK(tilec_module_from_text(hinted, strlen(hinted), "put.tile", NULL,
                                  &put, &sink_));
  tilec_interpret_options options = {0};
  options.check = 1;
  char *start = memory.bytes + (-(uintptr_t)memory.bytes & 15);
  tilec_host_argument two[] = {pointer("x_ptr", (float *)(void *)start, 32),
                               integer("n", 8)};
  CHECK_OK(tilec_module_interpret(put, NULL, two, 2, one, NULL, NULL, &sink_));
  options.schedule = TILEC_SCHEDULE_SEQUENTIAL;
  two[0].data = start + 4;
  CHECK_FAILS(
      tilec_module_interpret(put, NULL, two, 2, one, &options, NULL, &sink_),
      TILEC_FAILURE,
      "the signature says that the address of 'x_ptr' is a multiple of 16, got "
      "0x");
  CHECK(messages_.line == 2 && messages_.num_notes == 0);
  two[1] = integer("n", 9);
  CHECK_FAILS(
      tilec_module_interpret(put, NULL, two, 2, one, &options, NULL, &sink_),
      TILEC_FAILURE, "the address of 'x_ptr' is a multiple of 16");
  CHECK(messages_.num_notes == 1); /* the other promise */
  two[1] = integer("n", 8);
  two[0].data = start + 2;
  CHECK_FAILS(
      tilec_module_interpret(put, NULL, two, 2, one, NULL, NULL, &sink_),
      TILEC_MISMATCH, "'x_ptr' of kernel 'put' is misaligned");
  tilec_module_free(put);
}

/* A kernel may read what is read-only, and cannot change it. */
static void test_read_only(tilec_module *module) {
  static const float constant[2] = {3, 4};
  const int64_t grid[3] = {1, 1, 1};
  tilec_host_argument arguments[] = {integer("n", 2),
                                     pointer("y_ptr", y, sizeof y),
                                     pointer("x_ptr", NULL, sizeof constant)};
  arguments[2].data = (void *)(uintptr_t)constant;
  arguments[2].flags = TILEC_HOST_READ_ONLY;
  CHECK_OK(tilec_module_interpret(module, "add", arguments, 3, grid, NULL, NULL,
                                  &sink_));
  CHECK(y[0] == 4 && y[1] == 5);
  arguments[1] = arguments[2];
  arguments[1].name = "y_ptr";
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_FAILURE,
              "kernel 'add' wrote argument 'y_ptr', which is read-only");
  CHECK(constant[0] == 3 && constant[1] == 4);
  arguments[1].flags = 2;
  CHECK_FAILS(tilec_module_interpret(module, "add", arguments, 3, grid, NULL,
                                     NULL, &sink_),
              TILEC_UNSUPPORTED, "unknown flags");
}

static void collect(const char *text, size_t size, void *user) {
  char *to = user;
  strncat(to, text, size < 100 ? size : 100);
}

static void test_print(void) {
  const int64_t grid[3] = {1, 1, 1};
  tilec_module *module = NULL;
  CHECK_OK(tilec_module_from_text(speaking, strlen(speaking), "speak.tile",
                                  NULL, &module, &sink_));
  char printed[1000] = "";
  tilec_host_argument argument = integer("n", 42);
  tilec_interpret_options options = {0};
  options.print = collect;
  options.user = printed;
  CHECK_OK(tilec_module_interpret(module, "speak", &argument, 1, grid, &options,
                                  NULL, &sink_));
  CHECK(strstr(printed, "42"));
  CHECK_FAILS(tilec_module_interpret(module, NULL, &argument, 1, grid, NULL,
                                     NULL, &sink_),
              TILEC_FAILURE, "several kernels");
  tilec_module_free(module);
}

/** A module of its own, and one that the threads share. */
static void *compile_often(void *shared) {
  static const tilec_sink silent = {NULL, NULL};
  size_t bad = 0;
  for (int i = 0; i < 3; ++i) {
    tilec_module *own = NULL;
    tilec_text *a = NULL, *b = NULL;
    bad += tilec_module_from_text(source, strlen(source), "add.tile", NULL,
                                  &own, &silent) != TILEC_OK;
    bad +=
        tilec_module_emit(own, NULL, TILEC_PHASE_PTX, &a, &silent) != TILEC_OK;
    bad +=
        tilec_module_emit(shared, NULL, TILEC_PHASE_PTX, &b, NULL) != TILEC_OK;
    bad += strcmp(tilec_text_data(a), tilec_text_data(b)) != 0;
    tilec_text_free(a);
    tilec_text_free(b);
    tilec_module_free(own);
  }
  return (void *)bad;
}

static void test_threads(tilec_module *module) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i)
    CHECK(!pthread_create(&threads[i], NULL, compile_often, module));
  for (int i = 0; i < 8; ++i) {
    void *bad = NULL;
    pthread_join(threads[i], &bad);
    CHECK(!bad);
  }
}

int main(void) {
  tilec_options *options = NULL;
  tilec_module *module = NULL;
  CHECK_OK(tilec_options_create(&options));
  CHECK_OK(tilec_module_from_text(source, strlen(source), "add.tile", options,
                                  &module, &sink_));
  tilec_options_free(options);
  test_run(module);
  test_faults(module);
  test_promises(module);
  test_read_only(module);
  test_print();
  test_threads(module);
  tilec_module_free(module);
  return failures();
}

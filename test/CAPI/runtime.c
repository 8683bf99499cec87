/*===- runtime.c - the runtime by its C interface -----------------*- C -*-===*\
|*                                                                          *|
|* Part of the tilec project, under the Apache License v2.0 with LLVM       *|
|* Exceptions.                                                              *|
|*                                                                          *|
|* On the fake driver that the first argument names: what goes wrong has a  *|
|* clear message and leaves a usable process; nothing leaks under load.     *|
|*                                                                          *|
\*===----------------------------------------------------------------------===*/

#include "check.h"
#include "tilec-c/tilec-runtime.h"

#include <dlfcn.h>
#include <pthread.h>

/* The controls of the fake driver. */
static void (*fake_reset)(void);
static void (*fake_fail)(const char *, int);
static void (*fake_record)(int);
static int (*fake_open)(void);
static unsigned long long (*fake_launches)(void);

static const char *library;

#define HEADER                                                                 \
  "// tilec: {\"schema\": 1, \"compiler\": \"t\", \"arch\": \"sm_80\"}\n"
#define ENTRY(entry, params, folded, requires)                                 \
  "// tilec: {\"kernel\": \"add\", \"entry\": \"" entry "\", \"params\": ["    \
  "{\"name\": \"x_ptr\", \"type\": \"*fp32\"}" params "], \"constants\": "     \
  "{\"BLOCK\": 64}, \"folded\": {" folded "}, \"hidden\": [], \"num_warps\": " \
  "4, \"num_stages\": 3, \"threads\": 128, \"cluster\": [1, 1, 1], "           \
  "\"dynamic_shared\": 0, \"requires\": [" requires                            \
  "], \"source\": \"add.tile:1\"}\n"
#define INT(name) ", {\"name\": \"" name "\", \"type\": \"i32\"}"

static const char ptx[] = HEADER //
    ENTRY("add__1", INT("n"), "\"stride\": 1",
          "\"x_ptr % 16 == 0\", \"stride == 1\"") //
    ENTRY("add", INT("stride") INT("n"), "", "") ".version 7.0\n";

/** The opened fake device, its module and kernel. */
typedef struct setup {
  tilecrt_driver *driver;
  tilecrt_device *device;
  tilecrt_module *module;
  tilecrt_kernel *kernel;
  tilecrt_stream *stream;
  tilecrt_buffer *buffer;
} setup;

static setup open_all(void) {
  setup s = {0};
  CHECK_OK(tilecrt_driver_load(library, &s.driver, &sink_));
  CHECK_OK(tilecrt_device_open(s.driver, 0, &s.device, &sink_));
  CHECK_OK(tilecrt_module_load(s.device, ptx, sizeof ptx, NULL, 0, &s.module,
                               &sink_));
  CHECK_OK(tilecrt_kernel_get(s.module, "add", &s.kernel, &sink_));
  CHECK_OK(tilecrt_stream_create(s.device, &s.stream, &sink_));
  CHECK_OK(tilecrt_buffer_allocate(s.device, 4096, &s.buffer, &sink_));
  return s;
}

/** In the order that would be wrong if handles did not keep what they need. */
static void free_all(setup *s) {
  tilecrt_driver_free(s->driver);
  tilecrt_device_free(s->device);
  tilecrt_module_free(s->module);
  tilecrt_kernel_free(s->kernel);
  tilecrt_stream_free(s->stream);
  tilecrt_buffer_free(s->buffer);
  CHECK(fake_open() == 0);
}

static const uint64_t grid[3] = {4, 1, 1};

static void test_driver(void) {
  tilecrt_driver *driver = (tilecrt_driver *)&driver;
  CHECK_FAILS(tilecrt_driver_load("/nonexistent/libcuda.so", &driver, &sink_),
              TILEC_UNAVAILABLE, "no CUDA driver is installed");
  CHECK(!driver);
  fake_fail("cuInit", 100);
  CHECK_FAILS(tilecrt_driver_load(library, &driver, &sink_), TILEC_UNAVAILABLE,
              "no GPU was found");
  fake_reset();
  CHECK_OK(tilecrt_driver_load(library, &driver, &sink_));
  CHECK(tilecrt_driver_version(driver) == 12040);
  CHECK(tilecrt_driver_num_devices(driver) == 1);
  const tilecrt_device_info *info = tilecrt_driver_device_info(driver, 0);
  CHECK(!strcmp(info->name, "Fake GPU") && !strcmp(info->arch, "sm_90a"));
  CHECK(info->multiprocessors == 132 && info->memory_bytes == 1u << 30);
  CHECK(!tilecrt_driver_device_info(driver, 1));
  tilecrt_device *device = NULL;
  CHECK_FAILS(tilecrt_device_open(driver, 3, &device, &sink_),
              TILEC_UNAVAILABLE, "there is no GPU 3");
  CHECK_OK(tilecrt_device_open(driver, 0, &device, &sink_));
  CHECK(!strcmp(tilecrt_device_get_info(device)->name, "Fake GPU"));
  uint64_t bytes = 0;
  CHECK_OK(tilecrt_device_free_memory(device, &bytes, &sink_));
  CHECK(bytes == 1u << 30);
  CHECK_OK(tilecrt_device_synchronize(device, &sink_));
  fake_fail("cuCtxSynchronize", 700);
  CHECK_FAILS(tilecrt_device_synchronize(device, &sink_), TILEC_FAILURE,
              "the work on the GPU failed: CUDA_ERROR_ILLEGAL_ADDRESS");
  fake_fail("cuCtxSynchronize", 0);
  tilecrt_device_free(device);
  tilecrt_driver_free(driver);
}

static void test_memory(void) {
  setup s = open_all();
  int from[4] = {1, 2, 3, 4}, to[4] = {0};
  CHECK(tilecrt_buffer_size(s.buffer) == 4096);
  CHECK_OK(tilecrt_buffer_fill(s.buffer, 7, NULL, &sink_));
  CHECK_OK(tilecrt_buffer_write(s.buffer, 16, from, 16, NULL, &sink_));
  CHECK_OK(tilecrt_buffer_read(s.buffer, 20, to, 8, s.stream, &sink_));
  CHECK(to[0] == 2 && to[1] == 3);
  CHECK_OK(tilecrt_buffer_write(s.buffer, 0, to, 16, s.stream, &sink_));
  CHECK_OK(tilecrt_buffer_fill(s.buffer, 0, s.stream, &sink_));
  CHECK_OK(tilecrt_buffer_read(s.buffer, 0, NULL, 0, NULL, &sink_));
  CHECK_FAILS(tilecrt_buffer_read(s.buffer, 4095, to, 2, NULL, &sink_),
              TILEC_MISMATCH, "cannot copy 2 bytes at offset 4095");
  CHECK_FAILS(tilecrt_buffer_read(s.buffer, 0, NULL, 2, NULL, &sink_),
              TILEC_MISUSE, "the parameter 'to' is null");
  tilecrt_buffer *none = NULL;
  fake_fail("cuMemAlloc_v2", 2);
  CHECK_FAILS(tilecrt_buffer_allocate(s.device, 1ull << 50, &none, &sink_),
              TILEC_OUT_OF_MEMORY, "the GPU has no 1125899906842624 bytes");
  fake_fail("cuMemAlloc_v2", 0);
  CHECK(!none);
  CHECK_OK(tilecrt_buffer_allocate(s.device, 0, &none, &sink_));
  CHECK(tilecrt_buffer_address(none));
  tilecrt_buffer_free(none);
  free_all(&s);
}

static void test_events(void) {
  setup s = open_all();
  tilecrt_event *start = NULL, *end = NULL;
  tilecrt_stream *wrapped = NULL;
  CHECK_OK(tilecrt_event_create(s.device, &start, &sink_));
  CHECK_OK(tilecrt_event_create(s.device, &end, &sink_));
  CHECK_OK(tilecrt_event_record(start, s.stream, &sink_));
  tilecrt_argument arguments[] = {tilecrt_buffer_arg(TILEC_FP32, s.buffer),
                                  tilecrt_i32_arg(1), tilecrt_i32_arg(8)};
  CHECK_OK(
      tilecrt_launch(s.kernel, grid, arguments, 3, s.stream, NULL, &sink_));
  CHECK_OK(tilecrt_event_record(end, s.stream, &sink_));
  CHECK_OK(tilecrt_event_synchronize(end, &sink_));
  double time = 0;
  CHECK_OK(tilecrt_event_elapsed(start, end, &time, &sink_));
  CHECK(time > 9.9 && time < 10.1);
  CHECK_OK(tilecrt_stream_wait(s.stream, start, &sink_));
  CHECK_OK(tilecrt_stream_wrap(s.device, tilecrt_stream_handle(s.stream),
                               &wrapped, &sink_));
  CHECK_OK(tilecrt_launch(s.kernel, grid, arguments, 3, wrapped, NULL, &sink_));
  tilecrt_stream_free(wrapped);
  CHECK_OK(tilecrt_stream_synchronize(s.stream, &sink_));
  tilecrt_timing timing = {0};
  CHECK_OK(tilecrt_time(s.kernel, grid, arguments, 3, 1000, &timing, &sink_));
  CHECK(timing.runs == 100 && timing.median > 9.9 && timing.median < 10.1);
  CHECK_FAILS(tilecrt_time(s.kernel, grid, arguments, 3, -1, &timing, &sink_),
              TILEC_MISUSE, "not positive");
  tilecrt_event_free(start);
  tilecrt_event_free(end);
  free_all(&s);
}

static void test_modules(void) {
  setup s = open_all();
  CHECK(tilecrt_module_num_entries(s.module) == 2);
  CHECK(!strcmp(tilecrt_module_entry(s.module, 0)->entry, "add__1"));
  CHECK(!tilecrt_module_entry(s.module, 2));
  CHECK(tilecrt_kernel_num_entries(s.kernel) == 2);
  CHECK(tilecrt_kernel_entry(s.kernel, 1)->num_params == 3);
  int registers = 0;
  CHECK(tilecrt_kernel_usage(s.kernel, 1, &registers, NULL) == TILEC_OK);
  CHECK(registers == 40);
  CHECK(tilecrt_kernel_usage(s.kernel, 2, &registers, NULL) == TILEC_MISUSE);

  tilecrt_kernel *kernel = NULL;
  CHECK_FAILS(tilecrt_kernel_get(s.module, "sub", &kernel, &sink_),
              TILEC_MISMATCH, "no kernel 'sub', only 'add'");
  CHECK_OK(tilecrt_kernel_get(s.module, NULL, &kernel, &sink_));
  tilecrt_kernel_free(kernel);
  CHECK_OK(tilecrt_kernel_get(s.module, "add__1", &kernel, &sink_));
  CHECK(tilecrt_kernel_num_entries(kernel) == 1);
  tilecrt_kernel_free(kernel);

  tilecrt_module *module = NULL;
  CHECK_FAILS(
      tilecrt_module_load(s.device, "// x\n", 5, NULL, 0, &module, &sink_),
      TILEC_FAILURE, "metadata");
  fake_fail("cuModuleLoadDataEx", 222);
  CHECK_FAILS(
      tilecrt_module_load(s.device, ptx, sizeof ptx, NULL, 0, &module, &sink_),
      TILEC_UNSUPPORTED, "too old for this PTX version");
  fake_fail("cuModuleLoadDataEx", 0);
  CHECK(!module);
  static const char newer[] =
      "// tilec: {\"schema\": 1, \"compiler\": \"t\", \"arch\": \"sm_100a\"}\n";
  CHECK_FAILS(tilecrt_module_load(s.device, newer, sizeof newer, NULL, 0,
                                  &module, &sink_),
              TILEC_UNSUPPORTED, "does not run on this GPU");
  static const char elf[] = "\177ELF...";
  CHECK_FAILS(tilecrt_module_load(s.device, ptx, sizeof ptx, ptx, sizeof ptx,
                                  &module, &sink_),
              TILEC_FAILURE, "no cubin");
  CHECK_OK(tilecrt_module_load(s.device, elf, sizeof elf, ptx, sizeof ptx,
                               &module, &sink_));
  CHECK(tilecrt_module_num_entries(module) == 2);
  tilecrt_module_free(module);
  /* A cubin of tilec has its metadata inside. */
  CHECK_FAILS(
      tilecrt_module_load(s.device, elf, sizeof elf, NULL, 0, &module, &sink_),
      TILEC_FAILURE, "says nothing about its kernels");
  static char own[sizeof elf + sizeof ptx];
  memcpy(own, elf, sizeof elf);
  memcpy(own + sizeof elf, ptx, sizeof ptx);
  CHECK_OK(
      tilecrt_module_load(s.device, own, sizeof own, NULL, 0, &module, &sink_));
  CHECK(tilecrt_module_num_entries(module) == 2);
  tilecrt_module_free(module);
  CHECK_FAILS(
      tilecrt_module_load(s.device, own, sizeof own, ptx, 0, &module, &sink_),
      TILEC_MISUSE, "metadata is empty");
  fake_fail("cuModuleLoadDataEx", 209);
  CHECK_FAILS(
      tilecrt_module_load(s.device, own, sizeof own, NULL, 0, &module, &sink_),
      TILEC_UNSUPPORTED, "the code is not for this GPU");
  fake_fail("cuModuleLoadDataEx", 0);
  free_all(&s);
}

static void test_arguments(void) {
  setup s = open_all();
  uint64_t address = tilecrt_buffer_address(s.buffer);
  messages why = {0};
  const tilec_sink explain = {keep_message, &why};
  tilecrt_argument a[] = {tilecrt_buffer_arg(TILEC_FP32, s.buffer),
                          tilecrt_i32_arg(1), tilecrt_i32_arg(8)};
  size_t index = 9;
  CHECK_OK(tilecrt_select(s.kernel, a, 3, &index, &explain, &sink_));
  CHECK(index == 0 && strstr(why.text, "entry 'add__1' runs"));
  a[0].bits = address + 4;
  why.text[0] = 0;
  CHECK_OK(tilecrt_launch(s.kernel, grid, a, 3, s.stream, &explain, &sink_));
  CHECK(strstr(why.text,
               "entry 'add' runs, not 'add__1', which needs x_ptr % 16"));

  a[0].bits = address + 2;
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "argument 'x_ptr' is misaligned");
  a[0] = tilecrt_buffer_arg(TILEC_FP16, s.buffer);
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "has type *fp16, kernel 'add' expects *fp32");
  a[0] = tilecrt_address_arg(TILEC_FP32, &s);
  a[0].bits &= ~(uint64_t)3;
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "not a pointer to memory of this GPU");
  /* Memory that is none, unless it is said to be. */
  a[0] = tilecrt_buffer_arg(TILEC_FP32, NULL);
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_),
              TILEC_MISUSE, "argument 0 is a null buffer");
  CHECK_FAILS(tilecrt_select(s.kernel, a, 3, NULL, NULL, &sink_), TILEC_MISUSE,
              "argument 0 is a null buffer");
  a[0] = tilecrt_address_arg(TILEC_FP32, NULL);
  CHECK_OK(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_));
  a[0] = tilecrt_buffer_arg(TILEC_FP32, s.buffer);
  a[1] = tilecrt_f32_arg(1);
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "argument 'stride' has type fp32");
  a[1] = tilecrt_arg(1234, 0);
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "argument 1 has the type 1234");
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 1, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "takes 3 arguments, got 1");
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, NULL, 3, s.stream, NULL, &sink_),
              TILEC_MISUSE, "the parameter 'arguments' is null");
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, NULL, NULL, &sink_),
              TILEC_MISUSE, "the parameter 'stream' is null");

  /* By name, in any order, with a constant that must agree. */
  tilecrt_argument named[] = {tilecrt_i32_arg(8), tilecrt_i32_arg(2), a[0],
                              tilecrt_i32_arg(64)};
  named[0].name = "n";
  named[1].name = "stride";
  named[2].name = "x_ptr";
  named[3].name = "BLOCK";
  CHECK_OK(tilecrt_launch(s.kernel, grid, named, 4, s.stream, NULL, &sink_));
  named[3] = tilecrt_i64_arg(64);
  named[3].name = "BLOCK";
  CHECK_OK(tilecrt_launch(s.kernel, grid, named, 4, s.stream, NULL, &sink_));
  named[3] = tilecrt_i32_arg(128);
  named[3].name = "BLOCK";
  unsigned long long launched = fake_launches();
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, named, 4, s.stream, NULL, &sink_),
              TILEC_MISMATCH,
              "argument 'BLOCK' is 128, kernel 'add__1' was compiled for BLOCK "
              "== 64");
  named[3] = tilecrt_f64_arg(64.5);
  named[3].name = "BLOCK";
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, named, 4, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "argument 'BLOCK' is 64.5");
  named[2] = tilecrt_buffer_arg(TILEC_FP32, NULL);
  named[2].name = "x_ptr";
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, named, 3, s.stream, NULL, &sink_),
              TILEC_MISUSE, "argument 'x_ptr' is a null buffer");
  CHECK(fake_launches() == launched);
  named[2] = a[0];
  named[2].name = "x_ptr";
  named[3].name = "m";
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, named, 4, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "has no argument 'm'");
  named[3].name = "n";
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, named, 4, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "argument 'n' is given twice");
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, named, 2, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "argument 'x_ptr' is missing");
  named[1].name = NULL;
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, named, 3, s.stream, NULL, &sink_),
              TILEC_MISUSE, "all or none");

  static const uint64_t empty[3] = {0, 1, 1}, huge[3] = {1, 65536, 1};
  a[1] = tilecrt_i32_arg(1);
  unsigned long long before = fake_launches();
  CHECK_OK(tilecrt_launch(s.kernel, empty, a, 3, s.stream, NULL, &sink_));
  CHECK(fake_launches() == before);
  CHECK_FAILS(tilecrt_launch(s.kernel, huge, a, 3, s.stream, NULL, &sink_),
              TILEC_MISMATCH, "exceeds the GPU's limit 65535");
  fake_fail("cuLaunchKernel", 2);
  CHECK_FAILS(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_),
              TILEC_OUT_OF_MEMORY, "cannot launch the kernel 'add__1'");
  fake_fail("cuLaunchKernel", 0);
  CHECK_OK(tilecrt_launch(s.kernel, grid, a, 3, s.stream, NULL, &sink_));
  free_all(&s);
}

static void test_tensor_maps(void) {
  setup s = open_all();
  tilecrt_tensor_map_spec spec = {tilecrt_buffer_address(s.buffer),
                                  TILEC_FP16,
                                  2,
                                  {32, 64},
                                  {64, 1},
                                  {8, 64},
                                  128,
                                  0};
  uint64_t map[16] = {0};
  CHECK_OK(tilecrt_tensor_map(s.device, &spec, map, &sink_));
  CHECK(map[0] == spec.address && map[1] == 64 && map[2] == 32 &&
        map[3] == 128);
  spec.rank = 6;
  CHECK_FAILS(tilecrt_tensor_map(s.device, &spec, map, &sink_), TILEC_MISMATCH,
              "6 dimensions");
  spec.rank = 2;
  spec.box[1] = 128;
  CHECK_FAILS(tilecrt_tensor_map(s.device, &spec, map, &sink_), TILEC_MISMATCH,
              "a row of the box has 256 bytes");
  spec.element = TILEC_POINTER;
  CHECK_FAILS(tilecrt_tensor_map(s.device, &spec, map, &sink_), TILEC_MISUSE,
              "elements");
  free_all(&s);
}

/** Many launches on two streams from one thread. */
typedef struct worker {
  setup *shared;
  int count;
} worker;

static void *launch_often(void *user) {
  worker *w = user;
  setup *s = w->shared;
  tilecrt_stream *streams[2] = {0};
  size_t bad = 0;
  for (int i = 0; i < 2; ++i)
    bad += tilecrt_stream_create(s->device, &streams[i], NULL) != TILEC_OK;
  tilecrt_argument a[] = {tilecrt_buffer_arg(TILEC_FP32, s->buffer),
                          tilecrt_i32_arg(1), tilecrt_i32_arg(8)};
  for (int i = 0; i < w->count; ++i) {
    a[1] = tilecrt_i32_arg(i % 3);
    bad += tilecrt_launch(s->kernel, grid, a, 3, streams[i & 1], NULL, NULL) !=
           TILEC_OK;
  }
  for (int i = 0; i < 2; ++i) {
    bad += tilecrt_stream_synchronize(streams[i], NULL) != TILEC_OK;
    tilecrt_stream_free(streams[i]);
  }
  return (void *)bad;
}

static void test_load(void) {
  fake_record(0);
  setup s = open_all();
  unsigned long long before = fake_launches();
  int open = fake_open();
  worker alone = {&s, 100000};
  CHECK(!launch_often(&alone));
  pthread_t threads[8];
  worker work = {&s, 10000};
  for (int i = 0; i < 8; ++i)
    CHECK(!pthread_create(&threads[i], NULL, launch_often, &work));
  for (int i = 0; i < 8; ++i) {
    void *bad = NULL;
    pthread_join(threads[i], &bad);
    CHECK(!bad);
  }
  CHECK(fake_launches() - before == 180000);
  CHECK(fake_open() == open);
  for (int i = 0; i < 1000; ++i) {
    tilecrt_module *module = NULL;
    tilecrt_kernel *kernel = NULL;
    CHECK_OK(tilecrt_module_load(s.device, ptx, sizeof ptx, NULL, 0, &module,
                                 &sink_));
    CHECK_OK(tilecrt_kernel_get(module, NULL, &kernel, &sink_));
    tilecrt_module_free(module);
    tilecrt_kernel_free(kernel);
  }
  CHECK(fake_open() == open);
  free_all(&s);
}

static void test_null(void) {
  tilecrt_driver_free(NULL);
  tilecrt_device_free(NULL);
  tilecrt_module_free(NULL);
  tilecrt_kernel_free(NULL);
  tilecrt_stream_free(NULL);
  tilecrt_buffer_free(NULL);
  tilecrt_event_free(NULL);
  CHECK(tilecrt_device_synchronize(NULL, NULL) == TILEC_MISUSE);
  CHECK(tilecrt_driver_load(library, NULL, NULL) == TILEC_MISUSE);
  CHECK(tilecrt_buffer_fill(NULL, 0, NULL, NULL) == TILEC_MISUSE);
  CHECK(tilecrt_event_elapsed(NULL, NULL, NULL, NULL) == TILEC_MISUSE);
  CHECK(tilecrt_select(NULL, NULL, 0, NULL, NULL, NULL) == TILEC_MISUSE);
  CHECK(!tilecrt_stream_handle(NULL) && !tilecrt_buffer_address(NULL));
}

/** A function of the fake driver. */
static void find(void *handle, const char *name, void *function) {
  void *address = dlsym(handle, name);
  CHECK(address);
  memcpy(function, &address, sizeof address);
}

int main(int argc, char **argv) {
  library = argc > 1 ? argv[1] : "";
  void *handle = dlopen(library, RTLD_NOW);
  CHECK(handle);
  if (!handle)
    return failures();
  find(handle, "fakeCudaReset", &fake_reset);
  find(handle, "fakeCudaFail", &fake_fail);
  find(handle, "fakeCudaRecord", &fake_record);
  find(handle, "fakeCudaOpen", &fake_open);
  find(handle, "fakeCudaLaunches", &fake_launches);
  test_driver();
  test_memory();
  test_events();
  test_modules();
  test_arguments();
  test_tensor_maps();
  test_load();
  test_null();
  return failures();
}

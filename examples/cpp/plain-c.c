/* The runtime from C: no compiler in the program, and messages in a sink. */

#include "tilec-c/tilec-runtime.h"
#include "tilec/saxpy.h"

#include <stdio.h>

enum { n = 1000, block = 256 };

static void print(const tilec_diagnostic *diagnostic, void *user) {
  fprintf(user, "%s\n", diagnostic->message);
}

int main(void) {
  const tilec_sink sink = {print, stderr}, explain = {print, stdout};
  tilecrt_driver *driver = NULL;
  tilecrt_device *device = NULL;
  tilecrt_module *module = NULL;
  tilecrt_kernel *saxpy = NULL;
  tilecrt_stream *stream = NULL;
  tilecrt_buffer *x = NULL, *y = NULL;
  const uint64_t grid[3] = {(n + block - 1) / block, 1, 1};
  float host_x[n], host_y[n];
  int status = tilecrt_driver_load(NULL, &driver, &sink);
  if (status == TILEC_UNAVAILABLE)
    return 0; /* nothing to run on; the message has said so */
  for (int i = 0; i < n; ++i) {
    host_x[i] = (float)i;
    host_y[i] = 1;
  }
  status = status || tilecrt_device_open(driver, 0, &device, &sink) ||
           tilecrt_module_load(device, saxpy_ptx, saxpy_ptx_size, NULL, 0,
                               &module, &sink) ||
           tilecrt_kernel_get(module, "saxpy", &saxpy, &sink) ||
           tilecrt_stream_create(device, &stream, &sink) ||
           tilecrt_buffer_allocate(device, sizeof host_x, &x, &sink) ||
           tilecrt_buffer_allocate(device, sizeof host_y, &y, &sink) ||
           tilecrt_buffer_write(x, 0, host_x, sizeof host_x, stream, &sink) ||
           tilecrt_buffer_write(y, 0, host_y, sizeof host_y, stream, &sink);
  if (!status) {
    const tilecrt_argument arguments[] = {
        tilecrt_f32_arg(2.0f), tilecrt_buffer_arg(TILEC_FP32, x),
        tilecrt_buffer_arg(TILEC_FP32, y), tilecrt_i32_arg(n)};
    status =
        tilecrt_launch(saxpy, grid, arguments, 4, stream, &explain, &sink) ||
        tilecrt_buffer_read(y, 0, host_y, sizeof host_y, stream, &sink) ||
        tilecrt_stream_synchronize(stream, &sink);
  }
  for (int i = 0; i < n && !status; ++i)
    status = host_y[i] != 2.0f * (float)i + 1;
  printf(status ? "wrong\n" : "%d elements are right\n", n);
  tilecrt_buffer_free(x);
  tilecrt_buffer_free(y);
  tilecrt_stream_free(stream);
  tilecrt_kernel_free(saxpy);
  tilecrt_module_free(module);
  tilecrt_device_free(device);
  tilecrt_driver_free(driver);
  return status;
}

/* What pkg-config says is enough to compile, link and run. */
#include "tilec-c/tilec-runtime.h"
#include "tilec-c/tilec.h"
#include <stdio.h>

int main(void) {
  tilecrt_driver *driver = NULL;
  tilec_status status = tilecrt_driver_load("no such library", &driver, NULL);
  puts(tilec_version());
  return status == TILEC_UNAVAILABLE ? 0 : 1;
}

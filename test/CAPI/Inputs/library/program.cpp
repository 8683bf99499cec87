#include "tilec/twofold.h"

#include <cstdio>
#include <cstring>

int main() {
  bool whole =
      std::strstr(twofold_source, "Verdoppelt \u2013 gr\u00f6\u00dfer") &&
      std::strlen(twofold_source) == twofold_source_size &&
      std::strstr(twofold_ptx, ".entry twice");
  std::puts(whole ? "the source has its non-ASCII comment" : "wrong");
  return whole ? 0 : 1;
}

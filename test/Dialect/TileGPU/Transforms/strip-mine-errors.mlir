// RUN: tile-opt --tilegpu-strip-mine --verify-diagnostics %s

// expected-error@+1 {{expected 'tilegpu.num_warps': run tilegpu-set-target first}}
func.func @f() {
  return
}

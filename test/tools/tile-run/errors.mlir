// Wrong use of the command is status 2, a failure in the input is status 1; each
// is one sentence.

// RUN: not tile-run 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.call(['tile-run']) != 2)"
// RUN: not tile-run %s 2>&1 | FileCheck %s --check-prefix=NOGRID
// RUN: not tile-run %s --gird 4 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not tile-run %s --grid 4 --bench 2>&1 | FileCheck %s --check-prefix=BENCH
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.call(['tile-run', 'x', '--grid=4', '--arch=sm_12']) != 2)"
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.call(['tile-run', 'x', '--grid=4', '--meter', '--gpu=h300']) != 2)"
// RUN: not tile-run x --grid=4 --arch=sm_12 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tile-run x --grid=4 --meter --gpu=h300 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not tile-run x --grid=4 --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// NOFILE: tile-run: error: expected a file with a kernel, see --help
// NOGRID: tile-run: error: expected --grid with the number of programs
// OPTION: tile-run: error: unknown option '--gird', did you mean '--grid'?
// ARCH: tile-run: error: option '--arch': unknown architecture 'sm_12', use one of sm_80,
// GPU: tile-run: error: option '--gpu': unknown GPU 'h300', choose one of b300, b200,
// EXPLAIN: tile-run: error: option '--explain' is about a run on a GPU, add --device cuda
// BENCH: tile-run: error: option '--bench' times on a GPU, add --device cuda

// RUN: not tile-run %t.missing --grid 4 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tile-run %S --grid 4 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tile-run %t.ptx --grid 4 2>&1 | FileCheck %s --check-prefix=PTX
// MISSING: {{.*}}.missing{{.*}}: error: cannot read the file: no such file or directory
// FOLDER: tile-run{{.*}}: error: cannot read the file: is a directory
// PTX: tile-run: error: the interpreter does not run PTX, add --device cuda

// RUN: not tile-run %s --grid 4 --kernel c 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not tile-run %s --grid 4 2>&1 | FileCheck %s --check-prefix=SEVERAL
// KERNEL: tile-run: error: '{{.*}}errors.mlir' has no kernel 'c', only 'a', 'b'
// SEVERAL: tile-run: error: '{{.*}}errors.mlir' has several kernels, choose one with --kernel: 'a', 'b'

// RUN: not tile-run %s --grid 4 --kernel a n=3 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tile-run %s --grid 4 --kernel a n=3 m=4 x=zeros'(f32,2)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-run %s --grid 4 --kernel a n=3.5 x=zeros'(f32,2)' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tile-run %s --grid 4 --kernel a n=3 x=zeros'(f64,2)' 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not tile-run %s --grid 4 --kernel a n=3 n=4 2>&1 | FileCheck %s --check-prefix=TWICE
// VALUE: tile-run: error: argument 'x' of kernel 'a' has no value, add x=@FILE.npy
// UNKNOWN: tile-run: error: kernel 'a' has no argument 'm', it has x, n
// NUMBER: tile-run: error: argument 'n' does not fit: 3.5 is not an integer, as i32 needs
// ARRAY: tile-run: error: argument 'x' is an array of f64, the kernel expects *fp32; append ':f32' to its value to convert it
// TWICE: tile-run: error: argument 'n' is given twice

// RUN: not tile-run %s --grid 4 --kernel a n=3 --save n=%t.npy 2>&1 | FileCheck %s --check-prefix=SAVE
// RUN: not tile-run %s --grid 4 --kernel a n=3 x=zeros'(f32,2)' --save x=%t.missing/x.npy 2>&1 | FileCheck %s --check-prefix=WRITE
// SAVE: tile-run: error: cannot save 'n': it is not an argument with an array
// WRITE: tile-run: error: cannot write '{{.*}}x.npy': No such file or directory

// RUN: tile-run --help | FileCheck %s --check-prefix=HELP
// HELP: usage: tile-run FILE [OPTION...] ARG=VALUE...

func.func @a(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  return
}

func.func @b() attributes {tile.kernel} {
  return
}

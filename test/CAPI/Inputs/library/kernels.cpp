// The library is its kernels.

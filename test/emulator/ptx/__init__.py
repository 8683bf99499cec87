"""An emulator of the PTX that tilec emits: runs kernels in NumPy, all threads of some blocks at a time, and reports
what no GPU would: data races in shared memory, accesses outside buffers, barriers that not all threads reach.

PTX ISA in the docstrings is NVIDIA's "Parallel Thread Execution ISA", by the names of its sections.
"""

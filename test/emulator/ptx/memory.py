"""Memory with bounds: the buffers of a launch, the shared memory of its blocks, the local memory of its threads."""

import numpy as np

from .race import Accesses
from .types import Fault

GUARD = 64  # bytes behind an arena, so that any element type can view it

# Generic addresses of local memory begin here.
WINDOW = 1 << 60


class Memory:
    """Bytes, and who accessed them since the last barrier.

    `space` is a state space (PTX ISA, "State Spaces"), `granule` the least access in bytes that is told apart,
    `place(addresses, threads)` turns addresses into offsets in `bytes`, or fails where an access leaves its buffer.
    """

    def __init__(self, space, data, granule, watched=True):
        self.space = space
        self.bytes = data
        self.granule = granule
        self.accesses = Accesses(self, granule) if watched else None
        self.views = {}

    def view(self, dtype):
        if dtype not in self.views:
            size = self.bytes.size // dtype.itemsize * dtype.itemsize
            self.views[dtype] = self.bytes[:size].view(dtype)
        return self.views[dtype]

    def locate(self, addresses, size, threads, align=None):
        """Offsets of accesses of `size` bytes, aligned to that (PTX ISA, "Addresses as Operands")."""
        align = align or size
        wrong = np.flatnonzero(addresses % align)
        if wrong.size:
            self.fail("is not aligned", addresses, size, threads, wrong[0])
        offsets = self.place(addresses, size, threads)
        wrong = np.flatnonzero(offsets < 0)
        if wrong.size:
            self.fail("is outside of its bounds", addresses, size, threads, wrong[0])
        return offsets

    def fail(self, what, addresses, size, threads, index):
        raise Fault(f"thread {threads[index]} accesses {size} bytes of {self.space} memory at "
                    f"{self.describe(int(addresses[index]))}, which {what}")

    def load(self, batch, addresses, threads, dtype, count):
        """`count` arrays of the elements at each address."""
        size = dtype.itemsize
        offsets = self.locate(addresses, size * count, threads)
        if self.accesses:
            self.accesses.read(batch, offsets, threads, size * count)
        places, view = offsets // size, self.view(dtype)
        return [view[places + k] for k in range(count)]

    def store(self, batch, addresses, threads, values):
        """One array of unsigned integers for each element of a vector."""
        dtype, count = values[0].dtype, len(values)
        size = dtype.itemsize
        offsets = self.locate(addresses, size * count, threads)
        places, view = (offsets // size)[:, None] + np.arange(count), self.view(dtype)
        data = np.stack(values, 1)
        if self.accesses:
            changes = view[places] != data
            wide = max(1, size // self.granule)
            self.accesses.write(batch, offsets, threads, size * count, np.repeat(changes, wide, axis=1))
        view[places] = data
        if self.accesses and (view[places] != data).any():
            row = np.flatnonzero((view[places] != data).any(1))[0]
            raise Fault(f"threads store different values to {self.describe(int(addresses[row]))} of "
                        f"{self.space} memory, one of them thread {threads[row]}")


class GlobalMemory(Memory):
    """The buffers in an arena. `base` is the address of its first byte, `buffers` are pairs of address and bytes."""

    def __init__(self, arena, base, buffers, granule, watched=True):
        super().__init__("global", arena, granule, watched)
        self.base = base
        buffers = sorted((address - base, size) for address, size in buffers)
        self.starts = np.array([start for start, _ in buffers], np.int64)
        self.ends = np.array([start + size for start, size in buffers], np.int64)

    def place(self, addresses, size, threads):
        # An address beyond the arena, negative as an integer or not, lies in no buffer.
        offsets = addresses - self.base
        if not self.starts.size:
            return np.full_like(offsets, -1)
        index = np.searchsorted(self.starts, offsets, side="right") - 1
        inside = (index >= 0) & (offsets + size <= self.ends[index]) & (offsets >= self.starts[index])
        return np.where(inside, offsets, -1)

    def describe(self, address):
        offset = address - self.base
        index = int(np.searchsorted(self.starts, offset, side="right")) - 1
        if index < 0:
            return f"address {address:#x}"
        start, end = int(self.starts[index]), int(self.ends[index])
        return f"offset {offset - start} from the start of buffer {index} of {end - start} bytes"


class OwnedMemory(Memory):
    """Shared or local memory: each owner, a block or a thread, has `size` bytes from address `base` on."""

    def __init__(self, space, base, size, owners, threads_per_owner, granule, watched=True):
        self.base, self.size = base, size
        self.stride = -(-size // 16) * 16
        self.per_owner = threads_per_owner
        # What nobody wrote is not zero.
        noise = np.random.default_rng(5).integers(0, 256, self.stride, dtype=np.uint8)
        data = np.concatenate([np.tile(noise, owners), np.zeros(GUARD, np.uint8)])
        super().__init__(space, data, granule, watched)

    def place(self, addresses, size, threads):
        offsets = addresses % WINDOW - self.base
        inside = (offsets >= 0) & (offsets + size <= self.size)
        return np.where(inside, offsets + threads // self.per_owner * self.stride, -1)

    def describe(self, address):
        return f"offset {address % WINDOW - self.base} of {self.size} bytes"

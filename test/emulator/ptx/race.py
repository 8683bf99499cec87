"""Finds data races: two threads of a block access the same bytes, one writes, and no barrier lies between.

Each granule of memory remembers its last writer and its readers, each with the phase of the block (how many barriers
it had passed) and that of the warp (`bar.warp.sync`). Accesses of different blocks are not compared. A write that
leaves the bytes as they are changes nothing for anybody, so several threads may store equal values to one place.
"""

import numpy as np

from .types import Fault

# Who accessed: a thread, several threads of a warp, or several warps of a block; the number of the thread, warp or
# block times 4 plus which of these.
THREAD, WARP, BLOCK = range(3)


class Accesses:
    def __init__(self, memory, granule):
        self.memory, self.granule = memory, granule
        count = -(-memory.bytes.size // granule)
        zeros = lambda kind: np.zeros(count, kind)
        # Phases begin at 1: phase 0 is "never".
        self.writer, self.written, self.written_warp = zeros(np.int64), zeros(np.int32), zeros(np.int32)
        self.atomic = zeros(bool)
        self.reader, self.read_phase, self.read_warp = zeros(np.int64), zeros(np.int32), zeros(np.int32)
        self.pending = zeros(bool)  # an asynchronous copy will write here

    def granules(self, offsets, size):
        return (offsets // self.granule)[:, None] + np.arange(-(-size // self.granule))

    def conflicts(self, batch, who, phase, warp_phase, threads):
        """Whether these earlier accesses are by other threads of the block and not ordered before those now."""
        result = phase == batch.phase[threads]
        if not result.any():
            return result
        at = np.nonzero(result)
        kind, number = who[at] & 3, who[at] >> 2
        ids = batch.first_thread + threads[at]
        warp, block = self.owners(batch, kind, number)
        ordered = (warp == ids // batch.warp_size) & (warp_phase[at] < batch.warp_phase[threads[at]])
        result[at] = (block == ids // batch.block_size) & ~ordered & ~((kind == THREAD) & (number == ids))
        return result

    @staticmethod
    def owners(batch, kind, number):
        """Warp and block of whoever accessed; the warp is -1 for several."""
        warp = np.select([kind == THREAD, kind == WARP], [number // batch.warp_size, number], -1)
        block = np.select([kind == THREAD, kind == WARP],
                          [number // batch.block_size, number * batch.warp_size // batch.block_size], number)
        return warp, block

    def check_pending(self, places, doing):
        if self.pending.any() and self.pending[places].any():
            raise Fault(f"it {doing} {self.memory.space} memory that an asynchronous copy is still to write")

    def read(self, batch, offsets, threads, size, collective=False):
        """Notes reads of `size` bytes at each offset. A collective read is by the whole warp of the thread."""
        places = self.granules(offsets, size)
        t = np.broadcast_to(threads[:, None], places.shape)
        self.check_pending(places, "reads")
        bad = self.conflicts(batch, self.writer[places], self.written[places], self.written_warp[places], t)
        if bad.any():
            self.fail(places, t, bad, "reads", self.writer, "wrote")
        self.note_readers(batch, places, t, collective)

    def note_readers(self, batch, places, t, collective):
        ids = batch.first_thread + t
        warp_code, block_code = ids // batch.warp_size * 4 + WARP, ids // batch.block_size * 4 + BLOCK
        codes = warp_code if collective else ids * 4 + THREAD
        # With the readers before, and then with one another in this instruction, the widest last.
        current = self.read_phase[places] == batch.phase[t]
        if current.any():
            codes = np.where(current, self.join(batch, self.reader[places], codes, warp_code, block_code), codes)
        self.reader[places] = codes
        self.read_phase[places] = batch.phase[t]
        self.read_warp[places] = batch.warp_phase[t]
        kept = self.reader[places]
        if (kept != codes).any():
            codes = self.join(batch, kept, codes, warp_code, block_code)
            for kind in (WARP, BLOCK):
                chosen = codes & 3 == kind
                self.reader[places[chosen]] = codes[chosen]

    def join(self, batch, a, b, warp_code, block_code):
        """Who a and b are together; b is of the thread whose codes are given, and alone where a is of another block."""
        warp, block = self.owners(batch, a & 3, a >> 2)
        wide = np.where((warp == warp_code >> 2) & (b & 3 != BLOCK), warp_code, block_code)
        return np.where((block != block_code >> 2) | (a == b), b, wide)

    def write(self, batch, offsets, threads, size, changes, atomic=False):
        """Notes writes. `changes` tells for each granule whether its bytes change."""
        places = self.granules(offsets, size)
        t = np.broadcast_to(threads[:, None], places.shape)
        self.check_pending(places, "writes")
        bad = self.conflicts(batch, self.writer[places], self.written[places], self.written_warp[places], t) & changes
        if atomic:
            bad &= ~self.atomic[places]
        if bad.any():
            self.fail(places, t, bad, "writes", self.writer, "wrote")
        bad = self.conflicts(batch, self.reader[places], self.read_phase[places], self.read_warp[places], t) & changes
        if bad.any():
            self.fail(places, t, bad, "writes", self.reader, "read")
        self.writer[places] = (batch.first_thread + t) * 4 + THREAD
        self.written[places] = batch.phase[t]
        self.written_warp[places] = batch.warp_phase[t]
        self.atomic[places] = atomic

    def fail(self, places, threads, bad, doing, who, did):
        first = tuple(np.argwhere(bad)[0])
        code = int(who[places[first]])
        name = ("thread {}", "warp {}", "the warps of block {}")[code & 3].format(code >> 2)
        raise Fault(f"race: thread {threads[first]} {doing} byte {places[first] * self.granule} of "
                    f"{self.memory.space} memory that {name} {did} with no barrier between")

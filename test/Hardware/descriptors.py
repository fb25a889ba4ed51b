"""Matrix descriptors of wgmma: which byte of shared memory an element is at."""

from __future__ import annotations

from dataclasses import dataclass

#: Code in bits 62-63 and bytes of a row of the swizzle atom, by mode.
SWIZZLES = {"none": (0, 16), "32": (3, 32), "64": (2, 64), "128": (1, 128)}


@dataclass
class Descriptor:
    """Offsets in bytes; `start` counts from the image, whose base is a multiple of 1024."""

    start: int
    leading: int
    stride: int
    swizzle: str = "none"
    base_offset: int = 0
    transposed: bool = False

    @property
    def constant(self) -> int:
        """All but the address."""
        code = SWIZZLES[self.swizzle][0]
        return (self.leading >> 4) << 16 | (self.stride >> 4) << 32 | self.base_offset << 49 | code << 62

    def address(self, row: int, k_byte: int, k: int) -> int:
        """Byte of element (row, k), where `k_byte` is its byte in a K-major row and `row` the
        index along M or N. Transposed elements have 16 bits."""
        row_bytes = SWIZZLES[self.swizzle][1]
        if not self.transposed:
            unit, inside = divmod(k_byte, 16)
            group, lane = divmod(row, 8)
            if self.swizzle == "none":
                at = lane * 16 + group * self.stride + unit * self.leading
            else:
                at = lane * row_bytes + group * self.stride + unit * 16
        else:
            unit, inside = divmod(row * 2, 16)
            group, lane = divmod(k, 8)
            if self.swizzle == "none":
                at = lane * 16 + unit * self.stride + group * self.leading
            else:
                per = row_bytes // 16
                at = unit % per * 16 + unit // per * self.leading + lane * row_bytes + group * self.stride
        at += self.start + inside
        mask = row_bytes // 16 - 1
        return at ^ ((at >> 7 & mask) << 4)

    def end(self, rows: int, k_bytes: int, k_count: int) -> int:
        """A bound on the bytes in use."""
        last = 0
        for row in {0, rows - 1, (rows - 1) // 8 * 8}:
            for step in range(k_count):
                byte = step * k_bytes // k_count
                last = max(last, self.address(row, byte, step))
        return (last | 127) + 1

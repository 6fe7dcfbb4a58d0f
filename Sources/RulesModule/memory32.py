"""Gives a module for WebAssembly with 64-bit addresses a memory with 32-bit addresses, which every
browser has. Its integers keep their 64 bits, so that Swift's `Int` is that of the server.

Every address is cut to 32 bits where it is used, and sizes of the memory are extended. The memory,
the table and the offsets of segments become 32-bit ones. Custom sections are left out. Numbers that
the linker has written with room for larger ones are written in their shortest form, and similar
functions are put beside each other: both help to compress it.
"""

import collections

I32, I64, F32, F64 = 0x7F, 0x7E, 0x7D, 0x7C
WRAP, EXTEND_SIGNED, EXTEND_UNSIGNED = b"\xA7", b"\xAC", b"\xAD"
#: The type of the value that each store takes, from 0x36 on.
STORED = [I32, I64, F32, F64, I32, I32, I64, I64, I64]


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        """An unsigned LEB128."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if byte & 64 else value

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]


def leb(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed_leb(value):
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value & 127)
    return bytes(out)


def limits(reader):
    """The limits of a memory or a table: 64-bit ones have the flag 4."""
    flags = reader.byte()
    out = bytes([flags & ~4]) + leb(reader.number())
    return out + leb(reader.number()) if flags & 1 else out


def offset(reader):
    """The constant offset of a segment."""
    kind, number, end = reader.byte(), reader.signed(), reader.byte()
    if kind not in (0x41, 0x42) or end != 0x0B:
        raise SystemExit(f"a segment begins with the instruction {kind:#x}")
    return b"\x41" + signed_leb(number) + b"\x0B"


def data_section(body):
    reader, out = Reader(body), bytearray()
    count = reader.number()
    out += leb(count)
    for _ in range(count):
        flags = reader.number()
        out += leb(flags)
        if flags == 2:
            out += leb(reader.number())
        if flags != 1:
            out += offset(reader)
        size = reader.number()
        out += leb(size) + reader.take(size)
    return bytes(out)


def element_section(body, numbers):
    reader, out = Reader(body), bytearray()
    count = reader.number()
    out += leb(count)
    for _ in range(count):
        flags = reader.number()
        if flags not in (0, 2):
            raise SystemExit(f"a segment of a table has the flags {flags}")
        out += leb(flags)
        if flags == 2:
            out += leb(reader.number())
        out += offset(reader)
        if flags == 2:
            out += reader.take(1)
        size = reader.number()
        out += leb(size)
        for _ in range(size):
            out += leb(numbers[reader.number()])
    return bytes(out)


def import_section(body):
    """The number of imported functions. Nothing else is imported."""
    reader = Reader(body)
    count = reader.number()
    for _ in range(count):
        reader.take(reader.number())
        reader.take(reader.number())
        if reader.number() != 0:
            raise SystemExit("Something is imported that is no function.")
        reader.number()
    return count


def export_section(body, numbers):
    reader, out = Reader(body), bytearray()
    count = reader.number()
    out += leb(count)
    for _ in range(count):
        size = reader.number()
        out += leb(size) + reader.take(size)
        kind, number = reader.byte(), reader.number()
        out += bytes([kind]) + leb(numbers[number] if kind == 0 else number)
    return bytes(out)


class Function:
    """A function whose addresses are cut.

    numbers: the new numbers of the functions that it calls.
    """

    def __init__(self, body, parameters, numbers):
        self.numbers = numbers
        self.reader, self.out = Reader(body), bytearray()
        self.locals = [(self.reader.number(), self.reader.byte())
                       for _ in range(self.reader.number())]
        self.count = parameters + sum(count for count, _ in self.locals)
        #: The locals for values that lie above an address, by type and order.
        self.extra = {}
        #: Where the last instruction begins, if it only puts a value on the stack.
        self.simple = None
        while self.reader.at < len(body):
            self.instruction()

    def text(self):
        more = [(1, kind) for kind, _ in self.extra]
        declared = b"".join(leb(n) + bytes([kind]) for n, kind in self.locals + more)
        body = leb(len(self.locals) + len(more)) + declared + self.out
        return leb(len(body)) + body

    def local(self, kind, order=0):
        return leb(self.extra.setdefault((kind, order), self.count + len(self.extra)))

    def copy(self, start):
        self.out += self.reader.data[start:self.reader.at]

    def put(self, code, *numbers):
        self.out.append(code)
        for number in numbers:
            self.out += leb(number)

    def instruction(self):
        reader, start, simple = self.reader, self.reader.at, self.simple
        self.simple = None
        code = reader.byte()
        if 0x28 <= code <= 0x35:
            self.out += WRAP
            self.put(code, reader.number(), reader.number())
        elif 0x36 <= code <= 0x3E:
            if simple is not None:
                self.out[simple:simple] = WRAP
            else:
                value = self.local(STORED[code - 0x36])
                self.out += b"\x21" + value + WRAP + b"\x20" + value
            self.put(code, reader.number(), reader.number())
        elif code == 0x3F:
            self.put(code, reader.number())
            self.out += EXTEND_UNSIGNED
        elif code == 0x40:
            self.out += WRAP
            self.put(code, reader.number())
            self.out += EXTEND_SIGNED
        elif code == 0xFC:
            self.wide(start)
        elif code == 0x11:
            self.out += WRAP
            self.put(code, reader.number(), reader.number())
        elif code in (0x20, 0x23):
            self.simple = len(self.out)
            self.put(code, reader.number())
        elif code in (0x41, 0x42):
            self.simple = len(self.out)
            self.out += bytes([code]) + signed_leb(reader.signed())
        elif code in (0x43, 0x44):
            self.simple = len(self.out)
            reader.at += 4 if code == 0x43 else 8
            self.copy(start)
        elif code == 0x0E:
            count = reader.number()
            self.put(code, count, *(reader.number() for _ in range(count + 1)))
        elif code in (0x10, 0x12):
            self.put(code, self.numbers[reader.number()])
        elif code in (0x0C, 0x0D, 0x21, 0x22, 0x24):
            self.put(code, reader.number())
        else:
            if code in (0x02, 0x03, 0x04):
                reader.number()
            elif not (code in (0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B) or 0x45 <= code <= 0xC4):
                raise SystemExit(f"unknown instruction {code:#x}")
            self.copy(start)

    def wide(self, start):
        code = self.reader.number()
        if code == 10:
            self.reader.at += 2
            count, source = self.local(I64), self.local(I64, 1)
            self.out += (b"\x21" + count + b"\x21" + source + WRAP + b"\x20" + source + WRAP
                         + b"\x20" + count + WRAP)
        elif code == 11:
            self.reader.at += 1
            count, value = self.local(I64), self.local(I32)
            self.out += (b"\x21" + count + b"\x21" + value + WRAP + b"\x20" + value
                         + b"\x20" + count + WRAP)
        elif code > 7:
            raise SystemExit(f"unknown instruction 0xFC {code}")
        self.copy(start)


def functions(body):
    reader = Reader(body)
    return [reader.take(reader.number()) for _ in range(reader.number())]


def types(body):
    """The number of parameters of each type."""
    reader, counts = Reader(body), []
    for _ in range(reader.number()):
        assert reader.byte() == 0x60
        count = reader.number()
        reader.take(count)
        reader.take(reader.number())
        counts.append(count)
    return counts


def sections(module):
    reader = Reader(module, 8)
    while reader.at < len(module):
        section = reader.byte()
        yield section, reader.take(reader.number())


def by_similarity(texts):
    """The indices of texts, each before the one that has the most in common with it."""
    parts = [{text[at:at + 8] for at in range(len(text) - 7)} for text in texts]
    having = collections.defaultdict(list)
    for index, own in enumerate(parts):
        for part in own:
            having[part].append(index)
    left, order = set(range(len(texts))), []
    longest = sorted(left, key=lambda index: len(texts[index]))
    while longest:
        index = longest.pop()
        while index in left:
            left.remove(index)
            order.append(index)
            shared = collections.Counter()
            for part in parts[index]:
                # Whatever many functions have is found near each of them.
                if len(having[part]) <= 60:
                    shared.update(other for other in having[part] if other in left)
            index = max(shared, default=index,
                        key=lambda other: (shared[other] / (len(parts[other]) + 50), -other))
    return order


def with_memory32(module):
    found = dict(sections(module))
    imported = import_section(found[2]) if 2 in found else 0
    inner = Reader(found[3])
    kinds = [inner.number() for _ in range(inner.number())]
    counts, bodies = types(found[1]), functions(found[10])

    def written(numbers):
        return [Function(body, counts[kind], numbers).text() for body, kind in zip(bodies, kinds)]

    numbers = list(range(imported + len(bodies)))
    order = by_similarity(written(numbers))
    for place, index in enumerate(order):
        numbers[imported + index] = imported + place
    code = written(numbers)
    out = bytearray(module[:8])
    for section, body in sections(module):
        inner = Reader(body)
        if section == 0:
            continue
        if section == 3:
            body = leb(len(kinds)) + b"".join(leb(kinds[index]) for index in order)
        elif section == 4:
            body = leb(inner.number()) + inner.take(1) + limits(inner)
        elif section == 5:
            body = leb(inner.number()) + limits(inner)
        elif section == 7:
            body = export_section(body, numbers)
        elif section == 8:
            body = leb(numbers[inner.number()])
        elif section == 9:
            body = element_section(body, numbers)
        elif section == 10:
            body = leb(len(code)) + b"".join(code[index] for index in order)
        elif section == 11:
            body = data_section(body)
        out += bytes([section]) + leb(len(body)) + body
    return bytes(out)

extension Array where Element == UInt8 {
    /// Makes room for at least this many bytes more, growing by doubling.
    mutating func reserveRoom(for more: Int) {
        let needed = count + more
        if needed > capacity { reserveCapacity(Swift.max(needed, 2 * capacity)) }
    }

    /// Twice as fast as appending the UTF-8 view as a sequence.
    mutating func append(_ text: String) {
        let span = text.utf8.span
        append(addingCapacity: span.count) { (out: inout OutputSpan<UInt8>) in
            for index in span.indices { out.append(span[index]) }
        }
    }

    /// Text of anybody into a field's value: each byte that may not stand there becomes a space,
    /// as RFC 9110 §5.5 tells recipients to read it.
    mutating func append(cleaning text: String) {
        let span = text.utf8.span
        append(addingCapacity: span.count) { (out: inout OutputSpan<UInt8>) in
            for index in span.indices {
                out.append(ASCII.isFieldValue(span[index]) ? span[index] : ASCII.space)
            }
        }
    }

    /// A number that is not negative, without a text in between.
    mutating func append(decimal number: Int) { append(number, radix: 10) }

    mutating func append(hexadecimal number: Int) { append(number, radix: 16) }

    @inline(__always)
    private mutating func append(_ number: Int, radix: UInt) {
        precondition(number >= 0, "a length or a number of events is not negative")
        var digits = InlineArray<20, UInt8>(repeating: ASCII.zero)
        var first = 20
        var rest = UInt(number)
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            first -= 1
            digits[first] = digit < 10 ? ASCII.zero + digit : 0x61 + digit - 10
            rest /= radix
        } while rest > 0
        append(addingCapacity: 20 - first) { (out: inout OutputSpan<UInt8>) in
            for index in first..<20 { out.append(digits[index]) }
        }
    }
}

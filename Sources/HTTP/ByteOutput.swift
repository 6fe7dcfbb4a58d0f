extension Array where Element == UInt8 {
    /// Makes room for at least this many bytes more, growing by doubling.
    mutating func reserveRoom(for more: Int) {
        let needed = count + more
        if needed > capacity { reserveCapacity(Swift.max(needed, 2 * capacity)) }
    }

    /// Twice as fast as appending the UTF-8 view as a sequence.
    mutating func append(_ text: String) {
        append(addingCapacity: text.utf8.count) { (out: inout OutputSpan<UInt8>) in
            out.append(text)
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

    mutating func append(decimal number: Int) {
        append(addingCapacity: OutputSpan<UInt8>.digitsMax) { (out: inout OutputSpan<UInt8>) in
            out.append(decimal: number)
        }
    }

    mutating func append(hexadecimal number: Int) {
        append(addingCapacity: OutputSpan<UInt8>.digitsMax) { (out: inout OutputSpan<UInt8>) in
            out.append(number, radix: 16)
        }
    }
}

// What goes behind each other is appended to one span, for which room is made once.
extension OutputSpan where Element == UInt8 {
    /// Of the longest number.
    static var digitsMax: Int { 20 }

    mutating func append(_ text: String) {
        let span = text.utf8.span
        for index in span.indices { append(span[index]) }
    }

    mutating func appendLineEnd() {
        append(ASCII.carriageReturn)
        append(ASCII.lineFeed)
    }

    /// A number that is not negative, without a text in between.
    mutating func append(decimal number: Int) { append(number, radix: 10) }

    @inline(__always)
    fileprivate mutating func append(_ number: Int, radix: UInt) {
        precondition(number >= 0, "a length or a number of events is not negative")
        var left = UInt(number)
        repeat {
            append(ASCII.zero)
            left /= radix
        } while left > 0
        var bytes = mutableSpan
        var (place, rest) = (bytes.count, UInt(number))
        while rest > 0 {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            place &-= 1
            bytes[place] = digit < 10 ? ASCII.zero &+ digit : 0x61 &+ digit &- 10
            rest /= radix
        }
    }
}

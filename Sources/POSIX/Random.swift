internal import CLinux
internal import Glibc

/// Random bytes from the kernel, which are fit for secrets: getrandom(2).
package enum Random {
    /// An array of random bytes.
    package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        if let simulation { return simulation.randomBytes(count) }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let start = done
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                retryingOnInterrupt {
                    unsafe getrandom(
                        buffer.baseAddress.map { unsafe $0 + start }, count - start, 0)
                }
            }
            done += try check(result, "getrandom")
        }
        return bytes
    }

    /// A random number.
    package static func word() throws(SystemError) -> UInt64 {
        try bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

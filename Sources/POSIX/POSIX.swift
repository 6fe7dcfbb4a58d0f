// POSIX: system calls as safe Swift values.
//
// This target lets the rest of the program do without pointers. Each call that can fail throws
// `SystemError`, which has the name of the call, the error number and, where there is one, the
// path. `unsafe` is used here for system calls and in `Bytes` for memory; a review of memory safety
// reads these two targets.
//
// It is not a framework: it supports no other operating system, has no `async`, and has no policy
// but these rules.
//
//   1. EINTR is handled in one function, `retryingOnInterrupt`, which repeats the call. Only
//      `close` is not repeated: on Linux the descriptor is closed whatever the call returns.
//   2. EAGAIN is not an error: a call that would block returns nil.
//   3. Each descriptor is opened with O_CLOEXEC and belongs to one `FileDescriptor`, which closes
//      it when its last reference is released.
//   4. Memory that the kernel writes to belongs to the caller and is reused. Calls allocate memory
//      only if they return an array.
//   5. Offsets, ranges and counts are preconditions: a wrong one is a bug of the program.
//
//     let file = try FileDescriptor.open("/tmp/x", [.readWrite, .create], mode: 0o600)
//     try file.writeAll(Array("hello\n".utf8))
//     try file.syncData()

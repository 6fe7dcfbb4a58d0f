// The elementary operations on bytes that several targets need, each written once.
//
// The text functions of the standard library fold, trim and compare by the rules of Unicode: a
// Kelvin sign counts as a `k`, and full-width digits count as digits. Input is therefore handled
// as bytes, with the operations below, until it has been checked.
//
//   ASCII          constants, classes and letter case of single bytes
//   Hexadecimal    digits of base 16, read and written
//   Decimal        digits of base 10, read and written
//   PercentCoding  RFC 3986 §2.1
//   CivilDate      days since 1970 and dates of the Gregorian calendar
//   EightBytes     eight bytes in one machine word, searched at once
//   ByteSearch     memchr(3), memcmp(3) and unaligned loads, with their ranges checked
//   ByteWriter     text and numbers, appended to one growing buffer
//   EditDistance   how many changes make one word out of another
//   UTF8Sequence   which byte sequences are UTF-8
//   CRC32C         the checksum of the lines in the log
//   FNV1a          a hash that does not change between runs of the program
//   Text           strings, compared by their bytes; `ExactString` for keys
//
// Rules:
//   1. Nothing here does I/O, and nothing here knows of HTTP, JSON or navigation.
//   2. This is the only target with `unsafe` memory access. Each access checks its range first.
//   3. Declarations are `public` and `@inlinable` where they have to be inlined into callers in
//      other targets: the compiler does not do that for `package` declarations.

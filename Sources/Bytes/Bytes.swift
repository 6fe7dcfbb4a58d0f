// The elementary operations on bytes that several rooms need, each written once.
//
// Text functions of the standard library fold, trim and compare by Unicode: they take a Kelvin
// sign for a `k` and full-width digits for digits. What comes from outside is therefore handled
// here as bytes until it has been checked.
//
//   ASCII          constants, classes and letter case of single bytes
//   Hexadecimal    digits of base 16, read and written
//   Decimal        digits of base 10, read and written
//   PercentCoding  RFC 3986 §2.1
//   CivilDate      days since 1970 and dates of the Gregorian calendar
//   EightBytes     eight bytes in one machine word, searched at once
//   ByteSearch     memchr(3), memcmp(3) and unaligned loads, with their ranges checked
//   ByteWriter     text and numbers, appended to one growing buffer
//   UTF8Sequence   which byte sequences are UTF-8
//   CRC32C         the checksum of the log's lines
//   FNV1a          a hash that stays the same over restarts
//
// Rules:
//   1. Nothing here does I/O, and nothing here knows of HTTP, JSON or navigation.
//   2. This is the only room with `unsafe` on memory. Each such access checks its range first.
//   3. Declarations are `public` and `@inlinable` where callers in other rooms must be able to
//      inline them: the compiler does not do that for `package` declarations.

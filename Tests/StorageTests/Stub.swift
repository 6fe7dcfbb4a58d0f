import Testing

@Test func `nothing yet`() { #expect(Bool(true)) }

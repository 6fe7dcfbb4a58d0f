import Cluster
import NATS
import Navigation
import TestSupport
import Testing

@Suite struct StoreLayoutTests {
    let layout: StoreLayout

    init() throws {
        layout = StoreLayout(prefix: try #require(StorePrefix("NAV")), shardCount: 16)
    }

    @Test func `the names are those of the documentation`() throws {
        let id = try #require(SessionID("kiosk-1.lobby"))
        let app = try #require(AppID("shop.v2"))
        #expect(layout.shard(of: id) == 12)
        #expect(layout.subject(of: id).text == "nav.012.s.kiosk-1!lobby")
        #expect(layout.tokenSubject(of: id).text == "nav.012.t.kiosk-1!lobby")
        #expect(layout.subject(of: app).text == "nav.c.app.shop!v2")
        #expect(layout.metaSubject.text == "nav.c.meta")
        #expect(layout.stream(3).text == "NAV_003")
        #expect(layout.subjects(3).text == "nav.003.>")
        #expect(layout.controlStream.text == "NAV_C")
        #expect(layout.controlSubjects.text == "nav.c.>")
    }

    @Test(.seeded) func `a subject leads back to what it names, whatever the id`() throws {
        var dice = SplitMix64()
        let first = Array("abcXYZ019"), rest = first + Array("-._~")
        for _ in 0..<2_000 {
            let tail = (0..<dice.below(128)).map { _ in dice.one(of: rest) }
            let text = String([dice.one(of: first)] + tail)
            let id = try #require(SessionID(text))
            let subject = layout.subject(of: id)
            #expect(throws: Never.self) { try Subject(subject.text) }
            #expect(layout.item(of: subject) == .session(id))
            #expect(layout.item(of: layout.tokenSubject(of: id)) == .tokens(id))
            let bytes = Array(subject.text.utf8), shard = layout.shard(of: id)
            #expect(layout.isSubject(bytes[...], of: id, in: shard))
            #expect(layout.isSubject(([0] + bytes)[1...], of: id, in: shard))
            for other in 0..<layout.shardCount where other != shard {
                #expect(!layout.isSubject(bytes[...], of: id, in: other))
            }
            let place = dice.below(bytes.count)
            var changed = bytes
            changed[place] ^= 1
            #expect(!layout.isSubject(changed[...], of: id, in: shard))
            #expect(!layout.isSubject(bytes.dropLast(), of: id, in: shard))
            #expect(!layout.isSubject((bytes + bytes.suffix(1))[...], of: id, in: shard))
            guard let app = AppID(text) else { continue }
            #expect(layout.item(of: layout.subject(of: app)) == .app(app))
        }
        #expect(layout.item(of: layout.metaSubject) == .meta)
    }

    @Test(arguments: [
        "nav", "nav.012", "nav.012.s", "nav.013.s.kiosk-1!lobby", "nav.14.s.kiosk-1!lobby",
        "nav.012.x.kiosk-1!lobby", "nav.012.s.kiosk-1.lobby", "nav.012.s.!x", "nav.012.s.a$",
        "kiosk.012.s.kiosk-1!lobby", "NAV.012.s.kiosk-1!lobby", "nav.c", "nav.c.meta.x",
        "nav.c.app", "nav.c.app.a.b", "nav.c.apps.a", "nav.c.app.-",
    ])
    func `a subject of no item is refused`(text: String) throws {
        #expect(layout.item(of: try Subject(text)) == nil)
    }

    @Test func `sessions are spread over all shards`() throws {
        var counts = [Int](repeating: 0, count: 16)
        for number in 0..<16_000 {
            counts[layout.shard(of: try #require(SessionID("s\(number)")))] += 1
        }
        #expect(counts.allSatisfy { (800...1_200).contains($0) }, "\(counts)")
    }
}

@testable import Cluster
import Navigation
import Sessions
import TestSupport
import Testing

/// Tokens and apps as a node knows them.
@Suite struct SharedListsTests {
    private let id = SessionID(trusted: "s")
    private let layout = StoreLayout(prefix: StorePrefix(trusted: "NAV"), shardCount: 4)
    private let link = SharedLink(previous: 0, writer: WriteID(node: 7, number: 2))

    private func list(_ names: [String], born: UInt64 = 1) -> SharedTokens {
        let tokens = names.map { name in
            let words = TokenDigest.InlineWords(first: 1, second: 2, third: 3, fourth: 4)
            return SessionToken(
                id: name, scope: .read, digest: TokenDigest(words), expiresAt: nil)
        }
        return SharedTokens(id: id, born: born, at: 5, link: link, tokens: tokens)
    }

    @Test func `the newest list of tokens counts, in whichever order they come`() {
        var lists = TokenLists(layout)
        #expect(lists.lastNumber(id) == 0 && lists.tokens(of: id, born: 1).isEmpty)
        lists.apply(list(["t2"]), number: 20)
        lists.apply(list(["t1"]), number: 10)
        lists.apply(list(["t1"]), number: 20)
        #expect(lists.lastNumber(id) == 20)
        #expect(lists.tokens(of: id, born: 1).map(\.id) == ["t2"])
        lists.apply(list([]), number: 21)
        #expect(lists.tokens(of: id, born: 1).isEmpty && lists.lastNumber(id) == 21)
        lists.forget(id)
        #expect(lists.lastNumber(id) == 0)
    }

    @Test func `tokens belong to the session that was born with their number`() {
        var lists = TokenLists(layout)
        lists.apply(list(["t1"], born: 1), number: 1)
        #expect(lists.tokens(of: id, born: 2).isEmpty)
        lists.apply(list(["t2"], born: 2), number: 2)
        #expect(lists.tokens(of: id, born: 1).isEmpty)
        #expect(lists.tokens(of: id, born: 2).map(\.id) == ["t2"])
    }

    @Test func `a token leads to the session in whose last list it is, if they are kept`() {
        func list(_ secrets: [String], of name: String, born: UInt64 = 1) -> SharedTokens {
            let tokens = secrets.map { secret in
                SessionToken(
                    id: secret, scope: .read, digest: SHA256.digest(of: secret.utf8),
                    expiresAt: nil)
            }
            return SharedTokens(
                id: SessionID(trusted: name), born: born, at: 5, link: link, tokens: tokens)
        }
        for findsOwners in [false, true] {
            var lists = TokenLists(layout)
            if findsOwners { lists.findOwners() }
            func owners(_ secrets: String...) -> [String?] {
                secrets.map { lists.owner(of: SHA256.digest(of: $0.utf8))?.rawValue }
            }
            lists.apply(list(["a", "b"], of: "s"), number: 1)
            lists.apply(list(["c"], of: "t"), number: 2)
            #expect(
                owners("a", "b", "c", "d")
                    == (findsOwners ? ["s", "s", "t", nil] : [nil, nil, nil, nil]))
            lists.apply(list(["b", "d"], of: "s"), number: 3)
            lists.apply(list(["a"], of: "s"), number: 2)
            lists.forget(SessionID(trusted: "t"))
            #expect(
                owners("a", "b", "c", "d")
                    == (findsOwners ? [nil, "s", nil, "s"] : [nil, nil, nil, nil]))
        }
    }

    @Test func `apps are ordered by id, and a deleted one is remembered by its number`() {
        var apps = SharedApps()
        func apply(_ name: String, _ text: String?, _ number: Int) {
            let app = SharedApp(
                id: AppID(trusted: name), at: 5, link: link, document: text.map { Array($0.utf8) })
            apps.apply(app, number: number)
        }
        apply("b", "{1}", 1)
        apply("a", "{2}", 2)
        #expect(apps.all.map(\.id.rawValue) == ["a", "b"])
        #expect(apps.all[0].sequence == 2 && apps.all[0].at == 5)
        #expect(apps.all[0].version == StoredVersion(EntityVersion(7, 2), .none))
        let generation = apps.generation
        apply("b", "{0}", 1)
        #expect(apps.generation == generation && apps.all[1].document == Array("{1}".utf8))
        apply("b", nil, 3)
        #expect(apps.generation != generation)
        #expect(apps.all.map(\.id.rawValue) == ["a"] && apps.lastNumber(AppID(trusted: "b")) == 3)
        apply("b", "{1}", 2)
        #expect(apps.all.count == 1, "an older document comes too late")
        apply("b", "{4}", 4)
        #expect(apps.all.count == 2)
    }
}

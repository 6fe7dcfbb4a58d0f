import TestSupport
import Testing

@testable import NavstateClient

/// The steps in which a change from elsewhere is shown in SwiftUI.
@Suite struct NavigationStateTests {
    @Test(.seeded) func `steps lead to the target, one presentation at a time`() throws {
        for run in 0..<200 {
            var world = RouterWorld(stream: 5000 + UInt64(run))
            var shown = world.core.target
            for _ in 0..<20 {
                for _ in 0..<5 { world.user() }
                let target = world.core.target
                var steps = 0
                while shown != target {
                    let next = shown.step(toward: target)
                    let kept = zip(shown.sheets, next.sheets).prefix { $0.id == $1.id }.count
                    let (gone, new) = (shown.sheets.count - kept, next.sheets.count - kept)
                    #expect(new <= 1 && (gone == 0 || new == 0), "run \(run)")
                    #expect(next != shown)
                    shown = next
                    steps += 1
                    guard steps <= 10 else { break }
                }
                #expect(shown == target, "run \(run)")
            }
        }
    }

    @Test func `a sheet whose style has changed is presented again`() {
        var (shown, target) = (NavigationState(), NavigationState())
        shown.sheets = [Sheet(id: "e1", style: .sheet, route: "r", presentedBy: "a")]
        target.sheets = [Sheet(id: "e1", style: .fullScreenCover, route: "r", presentedBy: "a")]
        #expect(shown.step(toward: target).sheets.isEmpty)
        #expect(shown.step(toward: target).step(toward: target) == target)
    }

    @Test func `a change of paths and one presentation are two steps`() {
        var (shown, target) = (NavigationState(), NavigationState())
        shown.tabs = [Tab(id: "a")]
        target.tabs = [Tab(id: "a", path: [Entry(id: "e1", route: "r")])]
        target.sheets = [Sheet(id: "e2", route: "s", presentedBy: "e1")]
        let first = shown.step(toward: target)
        #expect(first.tabs == target.tabs && first.sheets.isEmpty)
        #expect(first.step(toward: target) == target)
    }
}

internal import Bytes
internal import JSON
public import Navigation

// Steps as JSON. Entries and sheets have the form that they have in a session.
//
//     {"step":"tabs","order":["people","mail"],"hidden":[]}
//     {"step":"dismiss","sheet":"e7"}
//     {"step":"select","tab":"mail"}
//     {"step":"pop","in":"mail","count":2}
//     {"step":"push","in":"e9","entry":{"id":"e10","route":"folder","params":{}}}
//     {"step":"present","sheet":{"id":"e9",…,"path":[]}}
//     {"step":"params","entry":{"id":"e3","route":"mail","params":{"id":1}}}
//                                 a root has the id of its tab; a sheet that is not dismissible has
//                                 "dismissible":false, and one with a time has "expiresAt"
//     {"step":"badge","tab":"mail","badge":3}                    without `badge` it is removed

extension SessionEncoder {
    /// Encodes steps as a JSON array.
    ///
    /// - Parameter app: the app of the session, which has the titles of screens.
    public static func encode(_ steps: [NavigationState.Step], app: App?) -> [UInt8] {
        var encoder = SessionEncoder()
        encoder.titles = TitleReading(app)
        encoder.out.append(literal: "[")
        for step in steps {
            encoder.out.element()
            encoder.step(step)
        }
        encoder.out.append(literal: "]")
        return encoder.finish()
    }

    private mutating func step(_ step: NavigationState.Step) {
        out.object("step")
        switch step {
        case .tabs(let order, let hidden):
            out.append(quoting: "tabs")
            out.member("order", names: order.map { $0.rawValue })
            out.member("hidden", names: hidden.map { $0.rawValue })
        case .dismiss(let sheet):
            out.append(quoting: "dismiss")
            out.member("sheet", id: sheet)
        case .select(let tab):
            out.append(quoting: "select")
            out.member("tab", plain: tab.rawValue)
        case .pop(let count, let container):
            out.append(quoting: "pop")
            out.member("in", id: container)
            out.member("count", count)
        case .push(let entry, let container):
            out.append(quoting: "push")
            out.member("in", id: container)
            out.member("entry")
            self.entry(entry)
        case .present(let sheet):
            out.append(quoting: "present")
            out.member("sheet")
            self.sheet(sheet)
        case .params(let screen, .tab(let tab), _):
            out.append(quoting: "params")
            out.member("entry")
            root(screen, of: tab)
        case .params(let screen, .entry(let id), let sheet):
            out.append(quoting: "params")
            out.member("entry")
            out.object("id")
            out.append(id)
            out.append(literal: ",")
            out.append(screen.text)
            if let titles, sheet?.dialog == nil { title(titles.title(of: screen)) }
            if let sheet, !sheet.dismissible { out.member("dismissible", false) }
            if let sheet { expiry(of: sheet) }
            out.append(literal: "}")
        case .badge(let badge, let tab):
            out.append(quoting: "badge")
            out.member("tab", plain: tab.rawValue)
            if let badge { self.badge(badge) }
        }
        out.append(literal: "}")
    }
}

extension ByteWriter {
    /// Appends a member that is the id of a tab or a sheet.
    fileprivate mutating func member(
        _ name: StaticString, id container: NavigationState.ContainerID
    ) {
        switch container {
        case .tab(let tab): member(name, plain: tab.rawValue)
        case .sheet(let sheet): member(name, id: sheet)
        }
    }
}

internal import Bytes
package import Navigation

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
    package static func encode(_ steps: [NavigationState.Step], app: App?) -> [UInt8] {
        var encoder = SessionEncoder()
        encoder.titles = TitleReading(app)
        encoder.out.append(literal: "[")
        for (index, step) in steps.enumerated() {
            if index > 0 { encoder.out.append(literal: ",") }
            encoder.step(step)
        }
        encoder.out.append(literal: "]")
        return encoder.finish()
    }

    private mutating func step(_ step: NavigationState.Step) {
        switch step {
        case .tabs(let order, let hidden):
            out.append(literal: #"{"step":"tabs","order":"#)
            names(order)
            out.append(literal: #","hidden":"#)
            names(hidden)
        case .dismiss(let sheet):
            out.append(literal: #"{"step":"dismiss","sheet":"#)
            name(.sheet(sheet))
        case .select(let tab):
            out.append(literal: #"{"step":"select","tab":"#)
            name(.tab(tab))
        case .pop(let count, let container):
            out.append(literal: #"{"step":"pop","in":"#)
            name(container)
            out.append(literal: #","count":"#)
            out.append(count)
        case .push(let entry, let container):
            out.append(literal: #"{"step":"push","in":"#)
            name(container)
            out.append(literal: #","entry":"#)
            self.entry(entry)
        case .present(let sheet):
            out.append(literal: #"{"step":"present","sheet":"#)
            self.sheet(sheet)
        case .params(let screen, .tab(let tab), _):
            out.append(literal: #"{"step":"params","entry":"#)
            root(screen, of: tab)
        case .params(let screen, .entry(let id), let sheet):
            out.append(literal: #"{"step":"params","entry":{"id":""#)
            self.id(id)
            out.append(literal: #"","#)
            out.append(screen.text)
            if let titles, sheet?.dialog == nil { title(titles.title(of: screen)) }
            if let sheet, !sheet.dismissible { out.append(literal: #","dismissible":false"#) }
            if let sheet { expiry(of: sheet) }
            out.append(literal: "}")
        case .badge(let badge, let tab):
            out.append(literal: #"{"step":"badge","tab":"#)
            name(.tab(tab))
            if let badge { self.badge(badge) }
        }
        out.append(literal: "}")
    }

    private mutating func names(_ tabs: [TabID]) {
        out.append(literal: "[")
        for (index, tab) in tabs.enumerated() {
            if index > 0 { out.append(literal: ",") }
            name(.tab(tab))
        }
        out.append(literal: "]")
    }

    private mutating func name(_ container: NavigationState.ContainerID) {
        out.append(literal: #"""#)
        switch container {
        case .tab(let tab): out.append(tab.rawValue)
        case .sheet(let sheet): id(sheet)
        }
        out.append(literal: #"""#)
    }
}

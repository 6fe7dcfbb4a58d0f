// Prints what a session shows whenever it changes:
//
//     swift run Mirror http://127.0.0.1:8080 kiosk-1
import Foundation
import NavstateClient

let words = CommandLine.arguments
guard words.count == 3, let url = URL(string: words[1]) else { exit(64) }
let session = Navstate(url: url).session(words[2])
for try await change in session.changes() {
    let screens = change.session.tabs.map { tab in
        (tab.id == change.session.selectedTab ? "*" : "")
            + ([tab.id] + tab.path.map(\.route)).joined(separator: "/")
    }
    print(change.revision, (screens + change.session.sheets.map(\.route)).joined(separator: " "))
}

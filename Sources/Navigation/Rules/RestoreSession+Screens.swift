internal import Bytes
internal import JSON

// Roots and sheets of a restore.

extension RestoreSession {
    /// Reads the root of a tab: `{id?, route?, params?, mark?}`. Without a route it is of the one
    /// that the app declares, or of that with the name of the tab.
    mutating func readRoot(
        of tab: TabID?, _ reader: inout ObjectReader
    ) -> RestoredRoot? {
        guard let object = reader.object("root"), let tab else { return nil }
        var inner = ObjectReader(object, at: reader.pointer + "/root", work: reader.work)
        if let id = inner.text("id"), id != tab.rawValue {
            inner.refuse("id", "must be \(tab), the id of the tab")
        }
        let route: RouteName? = inner.name("route")
        let entry = readScreen(route ?? RouteName(trusted: tab.rawValue), id: nil, &inner)
        _ = inner.value("title")
        inner.refuseUnknown()
        reader.adopt(inner)
        return RestoredRoot(entry: entry, namesRoute: route != nil)
    }

    mutating func readSheets(_ items: [JSON], _ reader: inout ObjectReader) {
        if items.count > limits.sheetsMax {
            reader.refuse(
                "sheets", "must have at most \(limits.sheetsMax) items", isLimit: true)
        }
        var left = items.count
        sheets = reader.objects("sheets", of: items) { inner in
            left -= 1
            return readSheet(&inner, isOnTop: left == 0)
        }
    }

    private mutating func readSheet(
        _ reader: inout ObjectReader, isOnTop: Bool
    ) -> RestoredSheet? {
        let root = readEntry(&reader)
        let style = reader.choice("style") ?? SheetStyle.sheet
        let tag = reader.exactText("tag", bytes: 1...Limits.tagBytesMax)
        let detents = reader.detents(leavingOutOthers: true)
        let dismissible = reader.flag("dismissible", default: true)
        let anchor: MarkName? = reader.name("anchor")
        let expiry = reader.time("expiresAt")
        let by = reader.text("presentedBy")
        let presenter = by.flatMap { ScreenID($0) }
        if by != nil, presenter == nil {
            reader.refuse("presentedBy", "must be the id of an entry or a tab")
        }
        let path = readPath(&reader)
        var sheet = root.map {
            RestoredSheet(
                root: $0, style: style, tag: tag, anchor: anchor, detents: detents ?? [],
                dismissible: dismissible, expiresAt: expiry, presentedBy: presenter, path: path)
        }
        if style.isDialog {
            let dialog = readDialog(&reader)
            sheet?.dialog = dialog
            sheet?.dismissible = dialog?.cancel != nil
            if !isOnTop { reader.refuse("style", "must be on top: nothing lies on a dialog") }
            if !path.isEmpty { reader.refuse("path", "must be empty: a dialog has no path") }
            if detents != nil { reader.refuse("detents", "must be absent: a dialog has none") }
        } else {
            // The title of a sheet follows from its route and its params.
            _ = reader.value("title")
        }
        if anchor != nil, style != .popover {
            reader.refuse("anchor", "is only for the style popover")
        }
        reader.refuseUnknown()
        return sheet
    }

    private func readDialog(_ reader: inout ObjectReader) -> Dialog? {
        let texts = DialogTexts(&reader, isSettled: true)
        guard let title = texts.title else {
            _ = reader.required("title")
            return nil
        }
        return Dialog(
            title: title.text, message: texts.message?.text, buttons: texts.buttons ?? [.ok])
    }
}

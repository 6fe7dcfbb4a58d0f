internal import Bytes
internal import JSON

// The commands that present and dismiss.

extension SessionEditor {
    mutating func present(_ command: Present) throws(RejectionError) {
        let style = try style(of: command.route, asked: command.style)
        let faults = faults(of: command, style: style)
        guard faults.isEmpty else { throw .invalidRequest(faults) }
        var path = try admitted(command)
        let params = path.removeFirst().params
        var sheet = Sheet(
            id: EntryID(number: session.nextEntry), style: style,
            screen: Screen(route: command.route, params: params, mark: command.mark),
            tag: command.tag, detents: command.detents ?? [],
            dismissible: command.dismissible ?? true, presentedBy: state.visible)
        sheet.anchor = command.anchor
        if style.isDialog, let dialog = dialog(command, params: params) {
            sheet.dialog = dialog
            sheet.dismissible = dialog.cancel != nil
        }
        if let tag = command.tag, let index = state.sheets.firstIndex(where: { $0.tag == tag }) {
            let isUp = try isShown(sheet, by: state.sheets[index])
            if !isUp { effects.replacedSheet = state.sheets[index].id }
            dismissSheets(keeping: isUp ? index + 1 : index)
            if isUp {
                setTime(of: state.sheets[index].id, by: command)
                return try update(
                    state.sheets[index].root,
                    AdmittedScreen(route: command.route, params: params, mark: command.mark))
            }
        }
        try refuseDialog(nil)
        try checkSheets(at: "/route")
        try checkDepth(path.count, at: "/path")
        try checkPresenter(of: command.route, at: "/route")
        sheet.id = newID()
        sheet.presentedBy = state.visible
        sheet.expiresAt = command.expiry(at: now)
        sheet.path = try self.path(path, over: [])
        perform(.presented(sheet))
    }

    /// The root of the sheet and the screens of its path.
    private func admitted(_ command: Present) throws(RejectionError) -> [AdmittedScreen] {
        let items = command.path ?? []
        return try admitAll(1 + items.count) { index throws(RejectionError) in
            guard index > 0 else {
                let params = try admit(command.params, of: command.route, at: "")
                return AdmittedScreen(route: command.route, params: params, mark: command.mark)
            }
            let item = items[index - 1]
            let place = "/path/\(index - 1)"
            try checkEdge(
                item.route, on: index > 1 ? items[index - 2].route : nil,
                ofSheet: command.route, at: place + "/route")
            let params = try admit(item.params, of: item.route, at: place)
            return AdmittedScreen(route: item.route, params: params, mark: item.mark)
        }
    }

    /// Whether a sheet with the same tag is the one to present.
    private func isShown(_ wanted: Sheet, by sheet: Sheet) throws(RejectionError) -> Bool {
        guard wanted.style == sheet.style, wanted.dialog == sheet.dialog else { return false }
        return try isSame(
            sheet.screen, as: AdmittedScreen(route: wanted.route, params: wanted.params))
    }

    func checkSheets(at member: String) throws(RejectionError) {
        guard state.sheets.count < rules.limits.sheetsMax else {
            throw .limitExceeded(
                "At most \(rules.limits.sheetsMax) sheets can be stacked. Dismiss one first.",
                pointer: pointer + member)
        }
    }

    mutating func dismiss(_ command: Dismiss) throws(RejectionError) {
        guard let kept = try sheetsKept(command.which) else { return }
        let isDialog = state.sheets.indices.contains(kept) && state.sheets[kept].dialog != nil
        if isDialog, command.result != nil {
            throw .invalidRequest([fault("/result", "must be absent: a dialog has buttons")])
        }
        try press(command.button, at: kept)
        if !command.force { try refuseLocked(above: kept) }
        if let result = command.result {
            try check(result, ofSheet: kept)
            if let pending, let entry = pending.entry, state.sheetIndex(entry) == kept {
                set(pending.withoutEntry(isAnswered: true))
            }
        }
        dismissSheets(keeping: kept)
    }

    /// Checks a result against the schema of the lowest sheet that is dismissed.
    private func check(_ result: JSON, ofSheet index: Int) throws(RejectionError) {
        guard state.sheets.indices.contains(index),
            let schema = rules.app?.routes[state.sheets[index].route]?.result
        else { return }
        let place = JSONPointer(trusted: pointer + "/result")
        let faults = try within { () throws(WorkBudgetError) in
            try schema.validate(result, at: place, work: work).map(InputFault.init)
        }
        guard faults.isEmpty else { throw .invalidParams(faults) }
    }

    /// The number of sheets that stay. Nil if the sheet that is named went when a pending command
    /// was resumed.
    private func sheetsKept(_ which: Dismiss.Which) throws(RejectionError) -> Int? {
        switch which {
        case .top: return max(state.sheets.count - 1, 0)
        case .all: return 0
        case .sheet(let name):
            guard let id = EntryID(name) else { throw .sheetNotFound(name) }
            if let index = state.sheetIndex(id) { return index }
            guard waiting.removed?.id == id else { throw .sheetNotFound(name) }
            return nil
        case .tag(let tag):
            if let index = state.sheets.firstIndex(where: { $0.tag == tag }) { return index }
            guard waiting.removed?.tag == tag else { throw .sheetNotFound(tag.text) }
            return nil
        }
    }
}

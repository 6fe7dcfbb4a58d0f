internal import Bytes
internal import HTTP
internal import JSON
internal import Sessions

extension StreamEvent {
    /// The same event with another id, if a stream needs one. A client that has resumed a stream
    /// here can have been told more of some logs, elsewhere, than the feed has told here. Its ids
    /// must not go back.
    package func renumbered(for subscription: Subscription) -> StreamEvent? {
        guard subscription.tellsPositions, name.isNumbered,
            !position.covers(subscription.after)
        else { return nil }
        var event = self
        event.position.formUnion(subscription.after)
        return event
    }

    /// The event as a part of a stream's body.
    package func encoded(for subscription: Subscription) -> [UInt8] {
        let data = subscription.wantsSteps ? dataWithSteps : data
        guard subscription.format == .ndjson else {
            var out: [UInt8] = []
            let hasNumber = name.isNumbered && !subscription.tellsPositions
            if name.isNumbered, !hasNumber {
                EventStreamEncoder.append(id: position.text, to: &out)
            }
            EventStreamEncoder.append(
                event: name.eventName, id: hasNumber ? sequence : nil, data: data, to: &out)
            return out
        }
        var out = ByteWriter(capacity: data.count + 64)
        out.append(UInt8(ascii: "{"))
        if name.isNumbered {
            out.append(literal: #""id":"#)
            if subscription.tellsPositions {
                out.append(quoting: position.text.span)
            } else {
                out.append(Int(sequence))
            }
            out.append(UInt8(ascii: ","))
        }
        out.append(literal: #""event":""#)
        out.append(name.rawValue)
        out.append(literal: #"","data":"#)
        out.append(data)
        out.append(literal: "}\n")
        return out.finish()
    }

    private var dataWithSteps: [UInt8] {
        guard let steps else { return data }
        var all = ByteWriter(capacity: data.count + steps.count + 16)
        all.append(data.dropLast())
        all.append(literal: #","steps":"#)
        all.append(steps)
        all.append(UInt8(ascii: "}"))
        return all.finish()
    }
}

extension StreamEvent.Name {
    fileprivate var eventName: StaticName {
        switch self {
        case .hello: "hello"
        case .snapshot: "snapshot"
        case .change: "change"
        case .deleted: "deleted"
        case .expired: "expired"
        case .watchers: "watchers"
        }
    }
}

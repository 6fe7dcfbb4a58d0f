internal import API
internal import HTTP

/// The bytes of one event in each form that was asked for, made once.
struct StreamFrames {
    /// A form in which a stream wants its events.
    private struct Form: Equatable {
        let format: ContentType
        let framing: StreamFraming
        let withSteps: Bool
        let withPosition: Bool
    }

    private let event: StreamEvent
    private var made: [(form: Form, frame: [UInt8])] = []

    init(_ event: StreamEvent) { self.event = event }

    /// The event as a stream gets it.
    mutating func frame(for subscription: Subscription, _ framing: StreamFraming) -> [UInt8] {
        if let own = event.renumbered(for: subscription) {
            return Self.frame(own, for: subscription, framing)
        }
        let form = Form(
            format: subscription.format, framing: framing, withSteps: subscription.wantsSteps,
            withPosition: subscription.tellsPositions)
        for known in made where known.form == form { return known.frame }
        let frame = Self.frame(event, for: subscription, framing)
        made.append((form, frame))
        return frame
    }

    private static func frame(
        _ event: StreamEvent, for subscription: Subscription, _ framing: StreamFraming
    ) -> [UInt8] {
        var frame: [UInt8] = []
        framing.append(event.encoded(for: subscription), to: &frame)
        return frame
    }
}

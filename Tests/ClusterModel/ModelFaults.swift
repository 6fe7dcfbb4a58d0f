import TestSupport

/// Something that goes wrong with one request.
enum ModelFault {
    /// The request never arrives.
    case loseRequest
    /// The request has its effect, and the answer is lost.
    case loseAnswer
    /// The request lies in a buffer for so many milliseconds, and then has its effect.
    case later(Int64)
    /// The request arrives twice: the second time so many milliseconds later.
    case twice(Int64)
    /// The answer takes so many milliseconds.
    case slow(Int64)
    /// The server refuses it, in the words of a JetStream error.
    case refuse(code: Int, number: Int, String)
    /// Nobody listens.
    case noResponders
    /// It is answered from a state that lacks so many of the stream's last messages.
    case behind(Int)
    /// The answer says that a copy of the stream lacks so many operations.
    case copyBehind(Int)
}

/// Faults by chance.
struct ModelFaults {
    /// One request in so many has a fault. 0 for none.
    var requestsIn = 0
    /// One delivery of a feed in so many is lost, doubled or late. 0 for none.
    var deliveriesIn = 0
    /// One turn in so many ends a connection. 0 for none.
    var linksIn = 0
    /// One publication in so many costs its stream the leader for a while. 0 for none.
    var leadersIn = 0
    /// The longest time that an answer or a delivery without a fault takes, in milliseconds.
    var latency = 0
    /// The largest gap between two numbers of a stream.
    var gap = 0

    static let none = ModelFaults()

    /// A fault for a request, or none.
    func fault(ofAPI isAPI: Bool, _ dice: inout SplitMix64) -> ModelFault? {
        guard requestsIn > 0, dice.oneIn(requestsIn) else { return nil }
        switch dice.below(isAPI ? 8 : 9) {
        case 0: return .loseRequest
        case 1: return .loseAnswer
        case 2: return .later(Int64(dice.below(6_000)))
        case 3: return .twice(Int64(dice.below(3_000)))
        case 4: return .slow(Int64(dice.below(4_000)))
        case 5: return .noResponders
        case 6 where isAPI: return .behind(1 + dice.below(4))
        case 6: return .refuse(code: 400, number: 10_164, "wrong last sequence")
        case 7:
            return .refuse(code: 503, number: 10_008, "JetStream system temporarily unavailable")
        default: return .refuse(code: 503, number: 10_077, "maximum bytes exceeded")
        }
    }
}

internal import Bytes
internal import JSON
internal import NATS

/// The requirements of a store on its servers and streams.
enum StoreRequirements {
    /// The oldest version of the servers. In older ones, `sync_interval: always` syncs each message
    /// by itself, and a crash of several servers can lose acknowledged messages.
    static let versionMin = ServerVersion(major: 2, minor: 15, patch: 0)
    /// The smallest `max_payload`: the size of the largest message that a stream accepts.
    static let payloadBytesMin = StoreLayout.messageBytesMax

    /// Why a server cannot be used. It is nil if it can.
    static func fault(of server: ServerInfo) -> StoreOpenError? {
        if server.version < versionMin { return .serverTooOld("\(server.version)") }
        guard server.payloadBytesMax >= payloadBytesMin else {
            return .payloadTooSmall(server.payloadBytesMax)
        }
        return nil
    }

    /// Why a link to a server was closed, if trying again does not help.
    static func fault(of failure: LinkFailure) -> StoreOpenError? {
        switch failure {
        // A server that is overloaded does not read what the client sends in time.
        case .unauthorized(let text) where text.lowercased().hasPrefix("authentication timeout"):
            nil
        case .unauthorized(let text): .unauthorized(text)
        case .credentialsMissing: .credentialsMissing
        case .tlsRequired: .tlsRequired
        case .disconnected, .malformed, .refused, .headersMissing, .unexpectedOperation,
            .handshakeTimeout, .pongMissing, .lameDuck, .left:
            nil
        }
    }

    /// Whether a server's warning says that an operation is not permitted.
    static func isForbidden(_ warning: String) -> Bool {
        warning.lowercased().hasPrefix("permissions violation")
    }

    /// Why a stream cannot be used. It is nil if it can.
    ///
    /// - Parameter replicasMin: how many replicas it must have.
    static func fault(
        of info: StreamInfo, as wanted: StreamConfig, replicasMin: Int
    ) -> StoreOpenError? {
        let settings = differences(of: info, from: wanted)
        guard settings.isEmpty else {
            return .streamDiffers(wanted.name.text, settings: settings)
        }
        guard info.replicas >= replicasMin else {
            return .tooFewReplicas(wanted.name.text, count: info.replicas, required: replicasMin)
        }
        return nil
    }

    /// The settings of a stream in which it differs from what the store needs.
    static func differences(of info: StreamInfo, from wanted: StreamConfig) -> [String] {
        wanted.differences(in: info).filter { setting in
            switch setting {
            // Replicas are checked by themselves.
            case "num_replicas": false
            case "max_msg_size": !accepts(info, bytes: wanted.messageBytesMax)
            default: true
            }
        }
    }

    /// Whether a stream that differs in a setting still keeps each change that it acknowledges,
    /// where nodes look for it. A setting that is not known here may do anything.
    static func keepsChanges(despite setting: String) -> Bool {
        harmless.contains(ExactString(setting))
    }

    private static let harmless: Set<ExactString> = [
        "allow_atomic", "allow_batched", "allow_direct", "allow_msg_ttl", "allow_rollup_hdrs",
        "compression", "consumer_limits", "deny_delete", "deny_purge", "duplicate_window",
        "max_consumers", "max_msg_size", "max_msgs_per_subject", "mirror_direct", "republish",
    ]

    private static func accepts(_ info: StreamInfo, bytes: Int) -> Bool {
        number("max_msg_size", info).map { $0 < 0 || $0 >= bytes } ?? false
    }

    private static func number(_ name: String, _ info: StreamInfo) -> Int? {
        guard case .integer(let number)? = info.config[name] else { return nil }
        return Int(number)
    }
}

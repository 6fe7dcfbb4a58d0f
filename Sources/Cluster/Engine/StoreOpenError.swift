internal import Bytes
public import POSIX

/// Why the store could not be opened.
public enum StoreOpenError: Error, Equatable, Sendable {
    /// No server of the store answered in time, or a stream has no leader.
    case unanswered
    /// The servers answer, but cannot do what they are asked to do at the moment. The value is what
    /// they say.
    case notReady(String)
    /// There is no store with this prefix. The value is what the server says.
    case missing(String)
    /// There is no description of a store with this prefix, but this stream of it has contents.
    case occupied(String)
    /// There is a store with this prefix already, with this number of shards.
    case exists(shardCount: Int)
    /// The servers refused to create the store; the value is their message.
    case refused(String)
    /// The items that `navstate store init` wrote are missing, or not as they should be.
    case damaged
    /// A restore has not come to its end.
    case restoring
    /// The store was made by a newer version of navstate. The value is the format of the store.
    case tooNew(format: Int)
    case system(SystemError)
    /// The server rejects the credentials, with this text.
    case unauthorized(String)
    /// The server requires credentials, but the address of the store has none.
    case credentialsMissing
    case tlsRequired
    /// The server does not permit an operation. The value is what the server says.
    case forbidden(String)
    /// The server is too old. The value is its version.
    case serverTooOld(String)
    /// The server accepts no messages that are as large as records can be. The value is its limit
    /// in bytes.
    case payloadTooSmall(Int)
    /// JetStream is not enabled, or nobody answers its requests.
    case jetStreamMissing(String)
    /// Fewer servers than replicas. The value is what the servers say.
    case tooFewServers(String)
    /// A server does not sync each change to its disk. The value says so as a sentence.
    case notSynced(String)
    case streamMissing(String)
    /// A stream does not have what it had. The values are its name and what is wrong, as the rest
    /// of a sentence.
    case incomplete(String, String)
    /// A stream is not configured as the store needs it. The values are its name and the settings
    /// that differ.
    case streamDiffers(String, settings: [String])
    /// A stream has fewer replicas than are required.
    case tooFewReplicas(String, count: Int, required: Int)
}

extension StoreOpenError {
    /// The kind of error, by its remedy.
    public enum Kind: Equatable, Sendable {
        /// The servers have to be reachable; trying again later may help.
        case unavailable
        /// The servers, the streams or the options have to be changed.
        case configuration
        case damaged
        case system
    }

    public var kind: Kind {
        switch self {
        case .unanswered, .notReady, .jetStreamMissing, .tooFewServers: .unavailable
        case .damaged: .damaged
        case .system: .system
        case .missing, .occupied, .restoring, .exists, .refused, .tooNew, .unauthorized,
            .credentialsMissing, .tlsRequired, .forbidden, .serverTooOld, .payloadTooSmall,
            .notSynced, .streamMissing, .incomplete, .streamDiffers, .tooFewReplicas:
            .configuration
        }
    }

    /// Whether changes may be acknowledged in the stream that no node will find, or that may be
    /// lost.
    var endangersChanges: Bool {
        guard case .streamDiffers(_, let settings) = self else { return false }
        return !settings.allSatisfy { StoreRequirements.keepsChanges(despite: $0) }
    }

    /// The fault and its remedy, for the operator.
    public var message: String {
        switch self {
        case .unanswered:
            "no server of the shared store answers, or a stream has no leader; check the addresses "
                + "in --store, and that a majority of the servers runs"
        case .notReady(let reason):
            "the servers of the shared store cannot answer at the moment (\(reason)); check that a "
                + "majority of them runs, and wait until they have a leader"
        case .occupied(let name):
            "the stream \(name) has contents, but nothing describes the shared store that it belongs "
                + "to: the description was removed; restore it from a backup of the servers, remove "
                + "all its streams with navstate store delete, or choose another prefix in --store"
        case .missing(let reason):
            "there is no shared store with this prefix (\(reason)); create it with navstate store "
                + "init, or correct the prefix in --store"
        case .restoring:
            "a restore into this shared store is under way or was interrupted; start it again with "
                + "the same backup to finish it, or remove its streams with navstate store delete"
        case .exists(let shardCount):
            "there is a shared store with this prefix already, with --shards \(shardCount); use it, "
                + "or choose another prefix in --store"
        case .refused(let reason):
            "the servers refuse to make the shared store (\(reason)); correct what they name and "
                + "try again"
        case .damaged:
            "the description of the shared store is damaged; restore a backup into another one"
        case .tooNew(let format):
            "the shared store has format \(format), but this version of navstate knows formats up to "
                + "\(StoreFacts.format); update this node to the version of the others"
        case .system(let error): error.description
        case .unauthorized(let text):
            "the server rejects the credentials in --store (\(text)); correct the user and the "
                + "password, or the token"
        case .credentialsMissing:
            "the server requires credentials; write nats://USER:PASSWORD@… or nats://TOKEN@… in "
                + "--store"
        case .tlsRequired:
            "the server requires TLS; run a NATS server as a leaf node on this machine, which "
                + "connects to the others with TLS, and give its address in --store"
        case .forbidden(let text):
            "the server does not permit the user in --store to do this (\(text)); use a user who "
                + "may, such as the operator for navstate store, or extend the permissions"
        case .serverTooOld(let version):
            "the server has version \(version), but \(StoreRequirements.versionMin) or newer is "
                + "needed; update all servers of the store"
        case .payloadTooSmall(let bytes):
            "the server accepts messages of at most \(bytes) bytes, but records can have "
                + "\(StoreRequirements.payloadBytesMin); set max_payload to 2MB or more on all "
                + "servers of the store"
        case .jetStreamMissing(let text):
            "the servers do not offer JetStream (\(text)); enable it in their configuration, and "
                + "check that a majority of them runs"
        case .tooFewServers(let reason):
            "the servers cannot make the shared store now (\(reason)); as many of them have to run as "
                + "--replicas says"
        case .notSynced(let sentence): sentence
        case .streamMissing(let name):
            "the stream \(name) of the shared store does not exist; restore it from a backup of the "
                + "servers, or restore a backup into another store"
        case .incomplete(let name, let fault):
            "the stream \(name) of the shared store \(fault): acknowledged changes are lost; restore "
                + "a backup into another store"
        case .streamDiffers(let name, let settings):
            "the stream \(name) is not configured as the shared store needs it; correct "
                + settings.joined(separator: ", ") + ", as navstate store init had set it"
        case .tooFewReplicas(let name, let count, let required):
            "the stream \(name) has \(count) instead of \(required) replicas; add some, or state "
                + "with --replicas \(count) that this is enough"
        }
    }
}

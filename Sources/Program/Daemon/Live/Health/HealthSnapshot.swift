import EventStream
import Positioning
import Receivers
import Time

/// Everything that decides whether the daemon is well, at one moment.
struct HealthSnapshot: Sendable {
    /// The fixes that a device has sent within a time.
    struct Counts: Hashable, Sendable {
        var read = 0
        var accepted = 0
        var rejected = Tally()
    }

    /// A device with a receiver, configured or not.
    struct Source: Sendable {
        var device: String
        /// The address of its receiver; `nil` if it has none any more.
        var address: ReceiverAddress?
        /// The state of its receiver; `nil` if it has neither delivered nor failed yet.
        var state: SourceState?
        /// Whether the state was reported since the start, and not only by an earlier run.
        var isReported = true
        /// The seconds since its receiver went online; `nil` if it is not.
        var online: Double?
        /// The seconds since its last accepted fix came; `nil` if none came since the start.
        var fixAge: Double?
        /// How far the last accepted fix was dated ahead of the system's clock when it came, in seconds.
        var ahead: Double?
        /// The fixes of the last minute.
        var minute = Counts()
        /// Whether fixes of the last minute were refused before the last seconds.
        var hasRefusedBefore = false
        /// Whether fixes came in the last seconds, accepted or not.
        var isSending = false
        /// Whether another device of the same receiver is online.
        var hasSibling = false
    }

    /// A door of the daemon.
    struct Door: Sendable {
        var part: HealthFinding.Part
        /// Where it listens: a path or a URL.
        var address: String
        var state: DoorWatch.State
    }

    /// What is known about the machine, and about programs that the daemon runs.
    struct Surroundings: Sendable {
        /// The free bytes on the disk of the store; `nil` if unknown.
        var freeBytes: Int64?
        /// Why the store cannot be written, in the system's words; `nil` if it can.
        var readOnly: String?
        /// Whether the file of the socket is gone, so that nobody can connect.
        var isSocketGone = false
        /// The path of the socket.
        var socket = ""
        /// The doors that are configured.
        var doors: [Door] = []
        /// What other parts have reported.
        var troubles: [HealthFinding] = []
    }

    /// The system's time.
    var time: Timestamp
    /// The seconds since the start.
    var uptime: Double
    /// Whether the system's clock is synchronised; `nil` if that is unknown.
    var isSynchronised: Bool?
    /// The path of the store; `nil` for a store in memory.
    var store: String?
    /// The number of configured receivers, and of devices that report by request.
    var receivers: Int
    var sources: [Source] = []
    var phones = Phones()
    /// The reason why the store cannot be written, and since when; `nil` while it can.
    var failure: (text: String, isFull: Bool, since: Timestamp)?
    /// The number of trace points that were dropped since the start.
    var droppedPoints = 0
    /// The damage that was found in the store.
    var damage: StoreHealth.State = .unchecked
    var surroundings = Surroundings()
    /// The findings of the judgement before, with the time since when each is so.
    var before: [String: Timestamp] = [:]
}

import Positioning
import Store
import TextCoding

/// Whether a receiver can be heard.
struct SourceState: Hashable, Sendable {
    /// Whether it says something.
    var isOnline: Bool
    /// Why not, as a clause, where that is known.
    var reason: String?
    /// When that began, by the system's clock.
    var since: Timestamp

    /// The name of the receiver that a device is of: NAME, also of NAME/BASENAME.
    static func receiver(of device: String) -> String { String(device.prefix { $0 != "/" }) }
}

extension [String: SourceState] {
    /// Drops a gpsd that was gone, and turned out to have several receivers: it is itself none.
    mutating func dropWholes() {
        for device in keys where device.contains("/") {
            let receiver = SourceState.receiver(of: device)
            if self[receiver]?.isOnline == false { self[receiver] = nil }
        }
    }
}

extension EventRecord {
    /// A receiver's change of state: `source.online` or `source.offline`.
    ///
    /// - Parameter isClockSynchronised: whether the system's clock can be trusted; nil where that is not known.
    init(_ state: SourceState, of device: String, isClockSynchronised: Bool?) {
        let type = state.isOnline ? Self.online : Self.offline
        var json = JSONWriter()
        json.member("type", type)
        json.member("time", state.since.description)
        json.member("device", device)
        json.member("reason", state.reason)
        if isClockSynchronised == false { json.member("clock", "unsynchronised") }
        self.init(time: state.since, type: type, device: device, subject: nil, members: json.bytes)
    }

    static let online = "source.online"
    static let offline = "source.offline"
}

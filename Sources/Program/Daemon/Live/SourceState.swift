import RPC
import Store
import TextCoding
import Time
import Tracking

/// Whether a receiver is online, and since when.
struct SourceState: Hashable, Sendable {
    /// Whether the receiver delivers data.
    var isOnline: Bool
    /// The reason why it is offline, as a clause, if known.
    var reason: String?
    /// The time of the last change, by the system clock.
    var since: Timestamp

    /// Returns the receiver of a device: NAME, also for a device NAME/BASENAME.
    static func receiver(of device: String) -> String { String(device.prefix { $0 != "/" }) }
}

extension [String: SourceState] {
    /// Removes the state of an offline gpsd that turned out to have several receivers, because it is not a device
    /// itself.
    ///
    /// - Parameter isDevice: Whether a receiver is a device itself, because it has had fixes.
    mutating func removeSupersededSources(unless isDevice: (String) -> Bool) {
        for receiver in Set(keys.filter { $0.contains("/") }.map(SourceState.receiver(of:))) {
            removeIfSuperseded(receiver, unless: isDevice)
        }
    }

    /// Removes the state of the receiver of a device, if it is superseded, or of that receiver itself, in O(*n*) only if
    /// it is offline and no device.
    ///
    /// - Parameter device: The device whose state has changed.
    mutating func removeSupersededSource(by device: String, unless isDevice: (String) -> Bool) {
        let receiver = SourceState.receiver(of: device)
        guard self[receiver]?.isOnline == false, !isDevice(receiver),
            keys.contains(where: { $0 != receiver && SourceState.receiver(of: $0) == receiver })
        else { return }
        removeIfSuperseded(receiver, unless: isDevice)
    }

    private mutating func removeIfSuperseded(_ receiver: String, unless isDevice: (String) -> Bool) {
        if self[receiver]?.isOnline == false, !isDevice(receiver) { self[receiver] = nil }
    }
}

extension EventRecord {
    /// Creates the event for a receiver's change of state: `source.online` or `source.offline`.
    ///
    /// - Parameter isClockSynchronised: Whether the system clock can be trusted; `nil` if that is unknown.
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

    /// The event of a receiver without the reason of its state.
    var withoutReason: EventRecord {
        guard case .object(let members)? = try? JSONValue(parsing: line.span), members["reason"] != nil else {
            return self
        }
        let text = JSONText { json in
            json.object { json in
                for name in members.names where name != "reason" {
                    json.key(name)
                    json.value(members[name] ?? .null)
                }
            }
        }
        return EventRecord(
            seq: seq, time: time, type: type, device: device, subject: subject, recipient: recipient, place: place,
            line: text.bytes)
    }

    static let online = "source.online"
    static let offline = "source.offline"
}

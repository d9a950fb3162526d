import GRDB
import TextCoding

/// The only trips that somebody may see: those of some devices, and some others.
public struct TravelScope: Hashable, Sendable {
    /// The names of the devices whose trips are all in the scope.
    public var devices: Set<String>
    /// The ids of the other trips in the scope.
    public var trips: Set<String>

    /// Creates a scope.
    public init(devices: Set<String>, trips: Set<String> = []) {
        self.devices = devices
        self.trips = trips
    }

    /// The condition that a row of `trip`, joined to `device`, is in the scope; it needs ``arguments``.
    static let condition = """
        (device.name IN (SELECT shown.value FROM json_each(:scope_devices) AS shown)
            OR trip.id IN (SELECT shown.value FROM json_each(:scope_trips) AS shown))
        """

    /// The arguments of ``condition``.
    var arguments: [String: (any DatabaseValueConvertible)?] {
        ["scope_devices": Self.list(devices), "scope_trips": Self.list(trips)]
    }

    private static func list(_ texts: Set<String>) -> String {
        var json = JSONWriter()
        json.array { json in for text in texts.sorted() { json.string(text) } }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

public import GRDB
import TextCoding
public import Time

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

    /// Returns the condition that what happened to a device at a moment is in the scope; it needs ``arguments``.
    ///
    /// It is so if the whole device is in the scope, or a trip of it during that moment. A row of `device` must be joined.
    ///
    /// - Parameter moment: The column of the moment, in milliseconds since 1970.
    public static func condition(at moment: String) -> String {
        """
        (device.name IN (SELECT shown.value FROM json_each(:scope_devices) AS shown)
            OR EXISTS (
                SELECT 1 FROM json_each(:scope_trips) AS shown CROSS JOIN trip AS driven ON driven.id = shown.value
                WHERE driven.device = device.number AND driven.hidden = 0 AND driven.start <= \(moment)
                    AND coalesce(driven."end", \(moment)) >= \(moment)))
        """
    }

    /// The arguments of ``condition`` and ``condition(at:)``.
    public var arguments: [String: (any DatabaseValueConvertible)?] {
        ["scope_devices": Self.list(devices), "scope_trips": Self.list(trips)]
    }

    /// Returns texts as a JSON array.
    static func list(_ texts: Set<String>) -> String {
        var json = JSONWriter()
        json.array { json in for text in texts.sorted() { json.string(text) } }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension TravelScope {
    /// The trips of a scope that are of none of its devices.
    public struct SingleTrips: Sendable {
        /// A trip.
        struct Trip: Sendable {
            var number: Int64
            var device: Int64
        }

        /// A trip, and the latest end of it and of all earlier ones of its device, in milliseconds since 1970.
        private struct Span: Sendable {
            var start: Int64
            var end: Int64
        }

        /// The trips, by device and start.
        private(set) var trips: [Trip] = []
        private var spans: [Int64: [Span]] = [:]

        /// Reads the trips of a scope; none for no scope.
        ///
        /// - Complexity: O(*k* log *n*) for *k* trips in the scope that are listed by their ids.
        public init(_ scope: TravelScope?, in db: Database) throws {
            guard let scope, !scope.trips.isEmpty else { return }
            let rows = try StoredRow.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT trip.number, trip.device, trip.start, trip."end"
                        FROM json_each(:scope_trips) AS shown CROSS JOIN trip ON trip.id = shown.value
                            JOIN device ON device.number = trip.device
                        WHERE trip.hidden = 0
                            AND device.name NOT IN (SELECT seen.value FROM json_each(:scope_devices) AS seen)
                        ORDER BY trip.device, trip.start, trip.number
                        """), arguments: StatementArguments(scope.arguments))
            for row in rows {
                let trip = Trip(number: row[0], device: row[1])
                let end: Int64? = row[3]
                trips.append(trip)
                let latest = spans[trip.device]?.last?.end ?? .min
                spans[trip.device, default: []].append(Span(start: row[2], end: max(end ?? .max, latest)))
            }
        }

        /// Whether there is none.
        public var isEmpty: Bool { trips.isEmpty }

        /// Whether a moment is during one of the trips of the device with a number.
        ///
        /// - Complexity: O(log *n*) for *n* trips of the device.
        public func cover(_ moment: Timestamp, of device: Int64) -> Bool {
            guard let spans = spans[device] else { return false }
            var (low, high) = (0, spans.count)
            while low < high {
                let middle = low + (high - low) / 2
                if spans[middle].start <= moment.milliseconds { low = middle + 1 } else { high = middle }
            }
            return low > 0 && spans[low - 1].end >= moment.milliseconds
        }

        /// The numbers of the trips as a JSON array.
        var list: String {
            var json = JSONWriter()
            json.array { json in for trip in trips { json.integer(trip.number) } }
            return String(decoding: json.bytes, as: UTF8.self)
        }
    }
}

/// What the broker retains of each device.
struct PublishedDevices {
    private struct Device {
        var conflation: PositionConflation
        var isMoving: Bool?
        var trip: String?
        var description: [UInt8]?
    }

    private let interval: Double
    private let distance: Double
    private var devices: [String: Device] = [:]

    init(interval: Double, distance: Double) {
        self.interval = interval
        self.distance = distance
    }

    /// Notes a description for Home Assistant; returns whether it is another one than before.
    mutating func note(_ description: [UInt8], of name: String) -> Bool {
        var device = devices[name] ?? new
        guard device.description != description else { return false }
        device.description = description
        devices[name] = device
        return true
    }

    /// Returns whether the place and the state of a device are to be published, and takes them as published if so.
    ///
    /// They are when a trip or a stop begins or ends, whatever the time, so that what is retained is where it happened.
    mutating func tells(_ report: DeviceReport, at moment: Double, isForced: Bool) -> Bool {
        var device = devices[report.name] ?? new
        defer { devices[report.name] = device }
        var tells = isForced || device.isMoving != report.isMoving || device.trip != report.trip
        (device.isMoving, device.trip) = (report.isMoving, report.trip)
        if let fix = report.fix {
            if tells {
                device.conflation.note(fix, at: moment)
            } else {
                tells = device.conflation.tells(fix, at: moment)
            }
        }
        return tells
    }

    /// Returns the topics that are retained now.
    func topics(_ topics: Topics, _ settings: MQTTSettings) -> Set<String> {
        Set(devices.keys.flatMap { Self.topics(of: $0, topics, settings) })
    }

    /// Forgets the devices that are not among these, and returns their topics.
    mutating func removeAll(but reports: [DeviceReport], _ topics: Topics, _ settings: MQTTSettings) -> [String] {
        let gone = Set(devices.keys).subtracting(reports.map(\.name)).sorted()
        for name in gone { devices[name] = nil }
        return gone.flatMap { Self.topics(of: $0, topics, settings) }
    }

    private var new: Device { Device(conflation: PositionConflation(interval: interval, distance: distance)) }

    private static func topics(of name: String, _ topics: Topics, _ settings: MQTTSettings) -> [String] {
        [topics.position(of: name), topics.state(of: name)]
            + (settings.homeAssistant == nil ? [] : [topics.description(of: topics.identifier(of: name))])
    }
}

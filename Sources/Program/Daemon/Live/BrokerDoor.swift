import EventStream
import Foundation
import Geodesy
import MQTT
import People
import Phones
import Service
import Store
import Synchronization
import Time
import Tracking

/// The door to an MQTT broker: what the daemon tells it, and what is known of it.
struct BrokerDoor: DeviceReports {
    let pipeline: LivePipeline
    let context: ServiceContext
    /// Whether the broker receives what an administrator sees.
    let seesEverything: Bool
    private let uncounted = UncountedTrips()

    init(pipeline: LivePipeline, context: ServiceContext, seesEverything: Bool) {
        self.pipeline = pipeline
        self.context = context
        self.seesEverything = seesEverything
    }

    func reports() async throws -> [DeviceReport] {
        let viewer = Viewer(person: nil, isAdmin: seesEverything)
        let now = context.now()
        // The trips come first: one that ends meanwhile is in the store then.
        let trips = await pipeline.openTrips()
        let asked = uncounted.trips.values.map(\.id) + trips.values.map(\.id)
        let (access, today, days, distances, resting, open) = try await context.store.read { db in
            let days = try TripSums.localDays(in: db)
            let today = days.day(of: now)
            return (
                try DeviceAccess(for: viewer, in: db), today, days, try DeviceDays.distances(on: today, in: db),
                try DeviceDays.resting(in: db), try DeviceDays.areOpen(asked, in: db)
            )
        }
        let added = uncounted.follow(trips, areOpen: open)
        let directory = DeviceDirectory(store: context.store, liveState: pipeline)
        return try await directory.devices(among: access.devices).compactMap { device in
            guard let fix = device.last else { return nil }
            let trip = trips[device.name]
            var distance = distances[device.name]?.meters ?? 0
            // An open trip over midnight counts when it has ended, and is divided between its days.
            if let trip = added[device.name], days.day(of: trip.start) == today { distance += trip.distance.meters }
            return DeviceReport(
                name: device.name, title: device.title, fix: fix,
                isMoving: trip != nil && !resting.contains(device.name), distanceToday: .meters(distance),
                day: days.begin(of: today), trip: trip?.id)
        }
    }
}

/// The trips whose way the sums of the store do not have yet.
///
/// The pipeline no longer has a trip from its end on, and the store has its way only after the next commit. In between,
/// the trip is the one that was seen last.
private final class UncountedTrips: Sendable {
    private let seen = Mutex<[String: TripSummary]>([:])

    /// The trips of the last report, by the names of their devices.
    var trips: [String: TripSummary] { seen.withLock { $0 } }

    /// Returns the trips to add to the sums of the store, by the names of their devices.
    ///
    /// - Parameters:
    ///   - current: The trips that the pipeline had before the store was read.
    ///   - areOpen: Whether the store has each trip as open; trips that it does not have are absent.
    func follow(_ current: [String: TripSummary], areOpen: [String: Bool]) -> [String: TripSummary] {
        seen.withLock { seen in
            let ending = seen.filter { current[$0.key]?.id != $0.value.id && areOpen[$0.value.id] == true }
            seen = ending.merging(current.filter { areOpen[$0.value.id] != false }) { $1 }
            return seen
        }
    }
}

/// The way of a phone's message from the broker to the pipeline.
struct BrokerPhones: PhoneMessages {
    let pipeline: LivePipeline
    let store: LocationDatabase

    func receive(_ payload: [UInt8], of device: String) async throws -> Bool {
        // A topic creates no device: the broker would decide how many there are.
        guard try await store.read({ try ReportedDevices.has(device, in: $0) }) else { return false }
        let report = PhoneReport(reading: PhoneRequest(head: PhoneRequest.Head(), body: payload))
        try await pipeline.receive(report, of: device)
        return true
    }
}

extension BrokerLink {
    /// The name of the machine, for the usual topic.
    static var machine: String { String(ProcessInfo.processInfo.hostName.prefix { $0 != "." }) }

    /// Creates the link to the configured broker; without one it does nothing.
    init(
        _ configuration: DaemonConfiguration, pipeline: LivePipeline, hub: EventHub, context: ServiceContext,
        roles: BrokerRoles, troubles: Troubles
    ) {
        self.init()
        guard var settings = configuration.mqtt else { return }
        let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
        if settings.user != nil, settings.passwordFile == nil, let file = folder.map({ "\($0)/mqtt-password" }),
            FileManager.default.fileExists(atPath: file)
        {
            settings.passwordFile = file
        }
        let door = BrokerDoor(pipeline: pipeline, context: context, seesEverything: settings.seesEverything)
        let publisher = MQTTPublisher(
            settings, hub: hub, source: door, receiver: BrokerPhones(pipeline: pipeline, store: context.store),
            centre: roles.centre, uplink: roles.uplink, machine: Self.machine, program: ProgramInfo.version,
            time: context.now
        ) { troubles.noteBroker($0) }
        run = { await publisher.run() }
        status = { BrokerStatus(publisher.state) }
    }
}

extension Troubles {
    /// Notes what is wrong with the connection to the broker; `nil` if nothing is.
    func noteBroker(_ fault: BrokerFault?) {
        guard let fault else { return clear("mqtt") }
        report(
            "mqtt", .mqtt, fault.isPassing ? .warning : .failure, text: "\(fault)", remedy: fault.remedy)
    }
}

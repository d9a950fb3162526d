import Accounts
import EventStream
import Foundation
import Geodesy
import MQTT
import Phones
import Service
import Store
import Time
import Tracking

/// The door to an MQTT broker: what the daemon tells it, and what is known of it.
struct BrokerDoor: DeviceReports {
    let pipeline: LivePipeline
    let context: ServiceContext
    /// Whether the broker receives what an administrator sees.
    let seesEverything: Bool

    func reports() async throws -> [DeviceReport] {
        let viewer = Viewer(person: nil, isAdmin: seesEverything)
        let now = context.now()
        let (access, today, days, distances, resting) = try await context.store.read { db in
            let days = try TripSums.localDays(in: db)
            let today = days.day(of: now)
            return (
                try DeviceAccess(for: viewer, in: db), today, days, try DeviceDays.distances(on: today, in: db),
                try DeviceDays.resting(in: db)
            )
        }
        let trips = await pipeline.openTrips()
        let directory = DeviceDirectory(store: context.store, liveState: pipeline)
        return try await directory.devices(among: access.devices).compactMap { device in
            guard let fix = device.last else { return nil }
            let trip = trips[device.name]
            var distance = distances[device.name]?.meters ?? 0
            // An open trip over midnight counts when it has ended, and is divided between its days.
            if let trip, days.day(of: trip.start) == today { distance += trip.distance.meters }
            return DeviceReport(
                name: device.name, title: device.title, fix: fix,
                isMoving: trip != nil && !resting.contains(device.name), distanceToday: .meters(distance),
                trip: trip?.id)
        }
    }
}

/// The way of a phone's message from the broker to the pipeline.
struct BrokerPhones: PhoneMessages {
    let pipeline: LivePipeline
    let store: LocationDatabase

    func take(_ payload: [UInt8], of device: String) async throws -> Bool {
        // A topic creates no device: the broker would decide how many there are.
        guard try await store.read({ try ReportedDevices.has(device, in: $0) }) else { return false }
        let report = PhoneReport(reading: PhoneRequest(head: PhoneRequest.Head(), body: payload))
        try await pipeline.take(report, of: device)
        return true
    }
}

extension BrokerLink {
    /// Creates the link to the configured broker; without one it does nothing.
    init(
        _ configuration: DaemonConfiguration, pipeline: LivePipeline, hub: EventHub, context: ServiceContext,
        troubles: Troubles
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
        let machine = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
        let publisher = MQTTPublisher(
            settings, hub: hub, source: door, receiver: BrokerPhones(pipeline: pipeline, store: context.store),
            machine: String(machine), program: ProgramInfo.version, time: context.now
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

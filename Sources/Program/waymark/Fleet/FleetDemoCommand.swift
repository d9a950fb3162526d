#if Fleet
import ArgumentParser
import Daemon
import FleetStore
import Foundation
import Glibc
import Phones
import Positioning
import Time
import Tracking
import UnixSignals
import WebClient

/// The command `waymark fleet demo`, which shows that every fix has its effect once while a worker is killed.
struct FleetDemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a fleet on this machine: phones, a door, two workers, and one of them killed.",
        discussion: """
            The command starts the RabbitMQ and the PostgreSQL of this machine in a temporary folder, without \
            privileges and on loopback alone, with a door and two workers. Simulated phones report 60 fixes each. \
            Halfway, one worker is killed. At the end, the events and the points of trips are counted beside those of \
            one replay of each phone. The folder is removed then, or when you press Ctrl-C. It ends with 1 if \
            anything is lost or doubled.
            """)

    @Option(help: ArgumentHelp("The number of phones.", valueName: "N"))
    var phones = 1000

    /// The longest time until all fixes have their effects, after the last was accepted.
    private static let patience = Duration.seconds(180)

    func validate() throws {
        guard (10...20_000).contains(phones) else { throw ValidationError("--phones takes a number from 10 to 20000.") }
        guard LocalServers.areInstalled else {
            throw ValidationError(
                "The servers are missing; install them with \"apt-get install postgresql rabbitmq-server\".")
        }
    }

    func run() async throws {
        try await Failure.printing { output in
            let playing = Task { try await play(output) }
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
            let listening = Task { for await _ in signals { playing.cancel() } }
            defer { listening.cancel() }
            do {
                guard try await playing.value else { throw Failure.exit }
            } catch is CancellationError {
                // A signal ends the demonstration; this is no failure.
            }
        }
    }

    private func play(_ output: StandardOutput) async throws -> Bool {
        func say(_ text: String) throws {
            try output.line(text)
            try output.flush()
        }
        try say("PostgreSQL and RabbitMQ start in a temporary folder, on this machine alone.")
        let stage = try await FleetStage()
        do {
            let isExact = try await play(on: stage, say)
            await stage.tearDown()
            return isExact
        } catch {
            await stage.tearDown()
            throw error
        }
    }

    private func play(on stage: FleetStage, _ say: (String) throws -> Void) async throws -> Bool {
        let database = try stage.database()
        var generator = SystemRandomNumberGenerator()
        let start = Timestamp.now.advanced(byMilliseconds: -7_200_000)
        let phones = (0..<self.phones).map { SimulatedPhone(number: $0, start: start, using: &generator) }
        for phone in phones { try database.setSecret(digest: FleetDoor.digest(of: phone.secret), of: phone.device) }
        var workers = [try await stage.worker(), try await stage.worker()]
        let door = try await stage.door()
        let total = phones.count * SimulatedPhone.fixesPerReport * SimulatedPhone.reports
        try say(
            "Two workers share \(stage.settings.partitions) partitions. \(phones.count) phones report \(total) fixes to "
                + "\(door.address).")
        let begin = ContinuousClock.now
        async let reporting: Void = stage.report(phones, to: door.address)
        var next = begin + .seconds(2)
        while stage.safeFixes < total / 2 {
            try await Task.sleep(for: .milliseconds(50))
            if .now >= next {
                next = .now + .seconds(2)
                try say("  \(stage.safeFixes) fixes are safe, \(try Self.events(in: database)) events")
            }
        }
        try await kill(workers.removeFirst(), in: database, say)
        try await reporting
        let (seconds, _) = (ContinuousClock.now - begin).components
        try say("All \(total) fixes were answered with 200, \(total / max(1, Int(seconds))) a second.")
        if stage.repetitions > 0 { try say("Phones sent a report again \(stage.repetitions) times.") }
        let count = try await count(phones, in: database, policy: stage.settings.policy)
        for worker in workers { await worker.kill() }
        await door.process.kill()
        try say("Beside one replay of each phone:")
        try say("  \(count.events) events: \(count.lostEvents) lost, \(count.doubledEvents) doubled")
        try say("  \(count.points) points of trips: \(count.lostPoints) lost, \(count.doubledPoints) doubled")
        if count.disordered > 0 { try say("  \(count.disordered) phones have their events in another order") }
        try say(count.isExact ? "Every fix has its effect once." : "This is a defect; please report it.")
        return count.isExact
    }

    private static func events(in database: FleetDatabase) throws -> Int64 {
        try database.status().partitions.reduce(0) { $0 + $1.events }
    }

    /// Kills a worker, and says when another one has written an event of one of its partitions.
    private func kill(
        _ worker: LocalProcess, in database: FleetDatabase, _ say: (String) throws -> Void
    ) async throws {
        let before = try database.status().partitions
        let own = before.filter { $0.worker?.hasSuffix(":\(worker.processID)") ?? false }
        await worker.kill()
        let killed = ContinuousClock.now
        try say("A worker is killed (SIGKILL), with \(own.count) of the partitions.")
        guard !own.isEmpty else { return }
        while killed + Self.patience > .now {
            try await Task.sleep(for: .milliseconds(20))
            let now = try database.status().partitions
            let isTaken = own.contains { old in
                now.contains { $0.id == old.id && $0.epoch > old.epoch && $0.events > old.events }
            }
            guard isTaken else { continue }
            let (seconds, fraction) = (ContinuousClock.now - killed).components
            let tenths = seconds * 10 + fraction / 100_000_000_000_000_000
            return try say("The next event of its partitions came after \(tenths / 10).\(tenths % 10) s.")
        }
    }

    /// Waits until each phone's last fix has its effect, and counts.
    private func count(
        _ phones: [SimulatedPhone], in database: FleetDatabase, policy: TrackingPolicy
    ) async throws -> FleetCount {
        let index = GeofenceIndex(SimulatedPhone.sights().map { ($0, 1) })
        let replays = phones.map { ($0.device, $0.replay(in: index, policy: policy)) }
        let end = ContinuousClock.now + Self.patience
        while case let last = try database.lastTimes(), end > .now,
            replays.contains(where: { last[$0.0] != $0.1.last })
        { try await Task.sleep(for: .milliseconds(100)) }
        var found: [String: [String]] = [:]
        for partition in try database.status().partitions {
            var seq: Int64 = 0
            while case let page = try database.events(of: partition.id, after: seq), let last = page.last {
                for event in page { found[event.device, default: []].append(event.body) }
                seq = last.seq
            }
        }
        var trips: [String: Set<String>] = [:]
        for trip in try database.trips() { trips[trip.device, default: []].insert(trip.id) }
        var count = FleetCount()
        for (device, replay) in replays {
            count.add(events: found[device] ?? [], expected: replay.events)
            for trip in trips[device, default: []].union(replay.points.keys) {
                let points = try database.points(of: trip).compactMap(\.fix.time)
                count.add(points: points, expected: replay.points[trip] ?? [])
            }
        }
        return count
    }
}
#endif

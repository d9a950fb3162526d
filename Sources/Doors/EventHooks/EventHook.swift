import Callers
import Deadlines
public import EventStream
import RPC
public import Store
import Tracking

/// A hook for events: it passes each event that matches to a command or a web server, in the order of the log.
///
/// Each event is passed on at least once, with its number, because its receiver may take it and still fail. The log is
/// the queue: a hook keeps its place in the store, waits and tries again after a failure, and never delays the writer.
/// It sees what an administrator of the machine sees who is not signed in; so it gets nothing that is for one person.
public struct EventHook: Sendable {
    /// What a hook reports about itself.
    public struct Report: Hashable, Sendable {
        /// Why the last attempt failed, as a clause; `nil` if it succeeded.
        public var fault: String?
        /// The number of events in the log that it has not looked at.
        public var behind: Int64
    }

    /// The settings.
    public let settings: EventHookSettings
    private let store: LocationDatabase
    private let hub: EventHub
    private let delivery: EventDelivery
    private let filter: EventFilter
    private let clock: any Clock<Duration>
    private let caller: Principal

    /// The number of events that are read at a time.
    static let page = 64
    /// The most events that are passed on before the place is stored, and so that may be passed on again after a crash.
    static let longestRepeat = 16
    /// The most events without interest that are looked at again after a restart.
    private static let longestSkip: Int64 = 4_096
    /// The first and the longest time to wait after a failure.
    private static let (firstWait, longestWait) = (Duration.seconds(1), Duration.seconds(300))

    /// Creates a hook.
    ///
    /// - Throws: `Refusal` if its filter is invalid.
    public init(_ settings: EventHookSettings, store: LocationDatabase, hub: EventHub) throws {
        try self.init(settings, store: store, hub: hub, clock: .deadlines)
    }

    /// - Parameter clock: Measures the time to wait after a failure.
    package init(
        _ settings: EventHookSettings, store: LocationDatabase, hub: EventHub, clock: any Clock<Duration>,
        longestRun: Int = EventDelivery.longestRun
    ) throws {
        self.settings = settings
        self.store = store
        self.hub = hub
        self.clock = clock
        filter = try settings.filter
        delivery = EventDelivery(settings, longestRun: longestRun)
        caller = Principal(number: 0, origin: .process, rights: [.read, .change])
    }

    private struct Place {
        let log: String
        /// The last event that was looked at.
        var seen: Int64
        /// The last event whose number is stored.
        var stored: Int64
        /// The number of events that were passed on since.
        var passed = 0
    }

    /// Passes on events until the task is cancelled.
    ///
    /// - Parameters:
    ///   - updates: A stream with an element at the beginning, and each time the log has grown.
    ///   - told: Called after each attempt.
    public func run(_ updates: AsyncStream<Void>, told: @escaping @Sendable (Report) -> Void = { _ in }) async {
        var place: Place?
        for await _ in updates {
            var wait = Self.firstWait
            while !Task.isCancelled {
                do {
                    var current = if let place { place } else { try await begin() }
                    defer { place = current }
                    guard try await step(&current, told) else { break }
                    wait = Self.firstWait
                } catch {
                    guard !Task.isCancelled else { break }
                    told(Report(fault: "cannot read or write the store (\(error))", behind: behind(place?.seen)))
                    try? await clock.sleep(for: wait)
                    wait = min(wait * 2, Self.longestWait)
                }
            }
        }
        guard let place, place.passed > 0 else { return }
        try? await keep(place.seen)
    }

    private func begin() async throws -> Place {
        let name = settings.name
        let (seq, log) = try await store.read { try EventHookPlaces.place(of: name, in: $0) }
        // A restart must not move a hook's beginning.
        if seq == nil { try await keep(log.last) }
        return Place(log: log.name, seen: seq ?? log.last, stored: seq ?? log.last)
    }

    /// Passes on the next events; returns whether there may be more.
    private func step(_ place: inout Place, _ told: @Sendable (Report) -> Void) async throws -> Bool {
        let (entries, limit) = try await hub.page(after: place.seen, limit: Self.page, of: filter, for: caller)
        let (accepts, line) = (hub.acceptance(of: filter, for: caller), hub.line(for: caller))
        for entry in entries {
            guard let seq = entry.seq else { continue }
            if accepts(entry) {
                guard await pass(line(entry), seq, place, told) else { return false }
                place.passed += 1
            }
            place.seen = seq
            if place.passed >= Self.longestRepeat { try await keep(&place) }
        }
        if place.passed > 0 || place.seen - place.stored >= Self.longestSkip { try await keep(&place) }
        return entries.count >= limit
    }

    /// Passes on an event, with as many attempts as it takes; returns `false` if the task was cancelled before.
    private func pass(
        _ line: [UInt8], _ seq: Int64, _ place: Place, _ told: @Sendable (Report) -> Void
    ) async -> Bool {
        var wait = Self.firstWait
        while !Task.isCancelled {
            let fault = await delivery.send(line, log: place.log, seq: seq)
            if fault != nil, Task.isCancelled { return false }
            told(Report(fault: fault, behind: behind(fault == nil ? seq : place.seen)))
            if fault == nil { return true }
            try? await clock.sleep(for: wait)
            wait = min(wait * 2, Self.longestWait)
        }
        return false
    }

    private func behind(_ seq: Int64?) -> Int64 { seq.map { max(0, hub.newest - $0) } ?? 0 }

    private func keep(_ place: inout Place) async throws {
        try await keep(place.seen)
        (place.stored, place.passed) = (place.seen, 0)
    }

    private func keep(_ seq: Int64) async throws {
        let name = settings.name
        try await store.write { try EventHookPlaces.set(name, to: seq, in: $0) }
    }
}

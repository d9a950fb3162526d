import Deadlines
import GPSDClient
public import Positioning
import Synchronization
public import Time

/// A supervised source of fixes: it is opened, read, and opened again after it fails.
public struct Receiver: Sendable {
    /// The name of the receiver.
    ///
    /// Its device has the same name, unless one gpsd has several.
    public let name: String
    /// The address of the receiver.
    public let address: ReceiverAddress

    private let rollover: WeekRollover
    private let timing: Timing

    /// Creates a receiver at an address.
    ///
    /// - Parameters:
    ///   - notBefore: two years before the program was built. Earlier dates from live NMEA receivers may be rollovers of
    ///     the GPS week, and are corrected as ``WeekRollover`` says. If `nil`, no dates are corrected.
    ///   - synchronisedTime: returns the system's time if its clock is synchronised, otherwise `nil`.
    public init(
        name: String, address: ReceiverAddress, notBefore: CalendarDate? = nil,
        synchronisedTime: @escaping @Sendable () -> Timestamp? = { nil }
    ) {
        self.init(
            name: name, address: address, notBefore: notBefore, synchronisedTime: synchronisedTime, timing: Timing())
    }

    init(
        name: String, address: ReceiverAddress, notBefore: CalendarDate? = nil,
        synchronisedTime: @escaping @Sendable () -> Timestamp? = { nil }, timing: Timing
    ) {
        self.name = name
        self.address = address
        rollover = WeekRollover(notBefore: notBefore, synchronisedTime: synchronisedTime)
        self.timing = timing
    }

    /// Delivers the receiver's reports until the task is cancelled.
    ///
    /// A recording ends by itself.
    ///
    /// It never fails. A source that is missing, gone or silent is reported as offline, and tried again after a wait
    /// that grows from half a second to 5 s, or to 30 s over a network. Reports are delivered one call after another,
    /// in order. Nothing more is read until `deliver` returns, so memory is bounded. After cancellation, only what has
    /// been read already may still be reported.
    ///
    /// - Parameters:
    ///   - known: the names of the devices that this receiver had before. The state of each is reported, too, even if
    ///     it never appears again, so that none stays online for ever.
    ///   - receiveAtOnce: accepts reports where they are made, possibly on an event loop, so that no thread has to wake
    ///     up. It must not block. If it returns `false`, it has not accepted them, and `deliver` receives them.
    public func run(
        known: [String] = [], receiveAtOnce: @escaping @Sendable ([ReceiverReport]) -> Bool = { _ in false },
        _ deliver: @escaping @Sendable ([ReceiverReport]) async -> Void
    ) async {
        if case .file(let path, let speed) = address.source {
            return await RecordingPlayback(device: name, path: path, speed: speed, timing: timing).run(deliver)
        }
        let supervision = Mutex(newSupervision(known: known))
        while !Task.isCancelled {
            let start = timing.now()
            supervision.withLock { $0.begin(at: start) }
            let ending = await connect(rollover) { inputs in
                let now = timing.now()
                let (reports, isSilent) = supervision.withLock { supervision in
                    (inputs.flatMap { supervision.process($0, at: now) }, supervision.isSilent)
                }
                let demand = isSilent ? Demand.silent : .goOn
                if reports.isEmpty || receiveAtOnce(reports) { return .taken(demand) }
                return .pending {
                    await deliver(reports)
                    return demand
                }
            }
            guard !Task.isCancelled else { return }
            let (end, chance) = (timing.now(), timing.random())
            let reports = supervision.withLock { $0.end(ending.reason, at: end) }
            if !reports.isEmpty { await deliver(reports) }
            let wait = supervision.withLock { $0.wait(random: chance) }
            do { try await timing.sleep(wait) } catch { return }
        }
    }

    /// Reads the receiver once, until its connection ends or it falls silent.
    ///
    /// A recording is read to its end, without pauses.
    ///
    /// No dates are corrected.
    ///
    /// - Returns: the counts of skipped input, by reason.
    /// - Throws: ``ReceiverError`` if the receiver cannot be opened or sends nothing, `RecordingError` if a recording
    ///   cannot be read or is damaged, `CancellationError`, and any error that `deliver` throws.
    public func once(
        _ deliver: @escaping @Sendable (_ fixes: [Fix], _ device: String) async throws -> Void
    ) async throws -> Tally {
        if case .file(let path, _) = address.source {
            let reader = RecordingReader(path: path)
            while let fixes = try await reader.next()?.get(), !fixes.isEmpty { try await deliver(fixes, name) }
            try Task.checkCancellation()
            return reader.malformed
        }
        let state = Mutex(Attempt(supervision: newSupervision()))
        let ending = await connect(WeekRollover(notBefore: nil)) { inputs in
            let now = timing.now()
            let fixes = state.withLock { $0.process(inputs, at: now) }
            return .pending {
                do {
                    for (fixes, device) in fixes { try await deliver(fixes, device) }
                } catch {
                    state.withLock { $0.failure = error }
                }
                return state.withLock { $0.failure == nil && !$0.supervision.isSilent } ? .goOn : .stop
            }
        }
        try Task.checkCancellation()
        let attempt = state.withLock { $0 }
        if let failure = attempt.failure { throw failure }
        guard attempt.hasValidData || (ending.wasOpened && attempt.silence == nil) else {
            throw ReceiverError(attempt.silence ?? ending.reason)
        }
        return attempt.skipped
    }

    private func newSupervision(known: [String] = []) -> Supervision {
        Supervision(
            name: name, idle: address.idle, isLocal: address.isLocal, hasSenders: address.hasSenders, known: known,
            at: timing.now())
    }

    /// Makes one connection, and reads it until it ends.
    private func connect(_ rollover: WeekRollover, _ listener: @escaping Listener) async -> ConnectionEnd {
        let connection: Result<NMEAConnection, ConnectionEnd>
        // The port must live as long as the connection, which reads from a duplicate of its descriptor.
        var port: SerialPort?
        switch address.source {
        case .gpsd(let host, let number, let device):
            let gpsd = GPSDAddress(host: host, port: number, device: device)
            return await GPSDConnection(gpsd, idle: address.idle, timing: timing).run(listener)
        case .tcp(let host, let port):
            connection = await NMEAConnection.tcp(host: host, port: port, idle: address.idle)
        case .udp(let host, let port):
            connection = await NMEAConnection.udp(host: host, port: port, from: address.sender, idle: address.idle)
        case .serial(let path, let baud):
            do throws(ReceiverError) {
                let serial = try SerialPort(path: path, baud: baud)
                connection = await NMEAConnection.serial(try serial.duplicate(), idle: address.idle)
                port = serial
            } catch {
                return .before(error.description)
            }
        case .file: return .before("it is a recording")
        }
        defer { withExtendedLifetime(port) {} }
        switch connection {
        case .success(let connection): return await connection.run(rollover, listener)
        case .failure(let ending): return ending
        }
    }
}

/// The results of one connection.
private struct Attempt: Sendable {
    var supervision: Supervision
    var skipped = Tally()
    var hasValidData = false
    /// The description of the silence that ended the connection; `nil` if it did not end that way.
    var silence: String?
    var failure: (any Error)?

    init(supervision: Supervision) { self.supervision = supervision }

    /// Processes input, and returns the fixes.
    mutating func process(_ inputs: [ReceiverInput], at now: Supervision.Instant) -> [(fixes: [Fix], device: String)] {
        var given: [(fixes: [Fix], device: String)] = []
        for input in inputs {
            // The caller needs the total of skipped input, instead of one report a minute.
            if case .skipped(let tally) = input {
                skipped.add(tally)
                continue
            }
            for report in supervision.process(input, at: now) {
                switch report {
                case .fixes(let fixes, let device): given.append((fixes, device))
                case .online: hasValidData = true
                case .offline(_, let reason): if supervision.isSilent { silence = reason }
                case .stillOffline, .skipped, .notice, .ended: break
                }
            }
        }
        return given
    }
}

/// The clock, the sleep and the randomness that a receiver uses.
struct Timing: Sendable {
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    var sleep: @Sendable (Duration) async throws -> Void = { try await DeadlineClock.shared.sleep(for: $0) }
    var random: @Sendable () -> Double = { .random(in: 0..<1) }
}

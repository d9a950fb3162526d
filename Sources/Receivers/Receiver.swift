import GPSDClient
public import Positioning
import Synchronization

/// A source of fixes that is looked after: opened, heard, and opened again when it is gone.
public struct Receiver: Sendable {
    /// What it is called; its device too, but where one gpsd has several.
    public let name: String
    /// Where it is.
    public let address: ReceiverAddress

    private let notBefore: CalendarDate?
    private let timing: Timing

    /// A receiver at an address.
    ///
    /// - Parameter notBefore: the day the program was built; earlier dates of live NMEA receivers are taken for
    ///   rollovers of the GPS week, and corrected. None are without it.
    public init(name: String, address: ReceiverAddress, notBefore: CalendarDate? = nil) {
        self.init(name: name, address: address, notBefore: notBefore, timing: Timing())
    }

    init(name: String, address: ReceiverAddress, notBefore: CalendarDate? = nil, timing: Timing) {
        self.name = name
        self.address = address
        self.notBefore = notBefore
        self.timing = timing
    }

    /// Reports what the receiver says, until the task is cancelled; a recording ends by itself.
    ///
    /// Nothing makes it fail: what is missing, gone or silent is reported as offline, and tried again after a wait
    /// that grows from half a second to 5 s, over a network to 30 s. Reports come one after another, in order, and
    /// nothing more is read until `deliver` is back, so that memory is bounded. Once cancelled,
    /// it reports at most what it has read already.
    ///
    /// - Parameters:
    ///   - known: the devices that it has given before, by name: what becomes of each is reported too, even if that is
    ///     nothing, so that none counts as online for ever.
    ///   - takeAtOnce: takes reports where they are made, which may be an event loop, so that no thread is woken; it
    ///     must not block. Where it is false, nothing was taken, and they are delivered.
    public func run(
        known: [String] = [], takeAtOnce: @escaping @Sendable ([ReceiverReport]) -> Bool = { _ in false },
        _ deliver: @escaping @Sendable ([ReceiverReport]) async -> Void
    ) async {
        if case .file(let path, let speed) = address.source {
            return await Rehearsal(device: name, path: path, speed: speed, timing: timing).run(deliver)
        }
        let supervision = Mutex(newSupervision(known: known))
        while !Task.isCancelled {
            let start = timing.now()
            supervision.withLock { $0.begin(at: start) }
            let ending = await connect(notBefore: notBefore) { hearings in
                let now = timing.now()
                let (reports, isSilent) = supervision.withLock { supervision in
                    (hearings.flatMap { supervision.take($0, at: now) }, supervision.isSilent)
                }
                let demand = isSilent ? Demand.silent : .goOn
                if reports.isEmpty || takeAtOnce(reports) { return .taken(demand) }
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

    /// Reads the receiver until its connection ends or it falls silent, once; a recording to its end, without pauses.
    ///
    /// No date is corrected.
    /// - Returns: what was skipped, by reason.
    /// - Throws: ``ReceiverError`` where it cannot be opened or says nothing, `RecordingError` where a recording
    ///   cannot be read or is damaged, `CancellationError`, and what `deliver` throws.
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
        let ending = await connect(notBefore: nil) { hearings in
            let now = timing.now()
            let fixes = state.withLock { $0.take(hearings, at: now) }
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
        guard attempt.hasSense || (ending.wasOpened && attempt.silence == nil) else {
            throw ReceiverError(attempt.silence ?? ending.reason)
        }
        return attempt.skipped
    }

    private func newSupervision(known: [String] = []) -> Supervision {
        Supervision(name: name, idle: address.idle, isLocal: address.isLocal, known: known, at: timing.now())
    }

    /// Makes one connection, and hears it to its end.
    private func connect(notBefore: CalendarDate?, _ listener: @escaping Listener) async -> Ending {
        let connection: Result<NMEAConnection, Ending>
        // Its lifetime is that of the connection, which reads from a duplicate.
        var port: SerialPort?
        switch address.source {
        case .gpsd(let host, let number, let device):
            let gpsd = GPSDAddress(host: host, port: number, device: device)
            return await GPSDConnection(gpsd, idle: address.idle, timing: timing).run(listener)
        case .tcp(let host, let port):
            connection = await NMEAConnection.tcp(host: host, port: port, idle: address.idle)
        case .udp(let host, let port):
            connection = await NMEAConnection.udp(host: host, port: port, idle: address.idle)
        case .serial(let path, let baud):
            do throws(ReceiverError) {
                let serial = try SerialPort(path: path, baud: baud)
                connection = await NMEAConnection.serial(serial.duplicate(), idle: address.idle)
                port = serial
            } catch {
                return .before(error.description)
            }
        case .file: return .before("it is a recording")
        }
        defer { withExtendedLifetime(port) {} }
        switch connection {
        case .success(let connection): return await connection.run(notBefore: notBefore, listener)
        case .failure(let ending): return ending
        }
    }
}

/// What came of one connection.
private struct Attempt: Sendable {
    var supervision: Supervision
    var skipped = Tally()
    var hasSense = false
    /// The silence, in words, where that was the end of it.
    var silence: String?
    var failure: (any Error)?

    init(supervision: Supervision) { self.supervision = supervision }

    /// Takes up what was heard, and gives the fixes.
    mutating func take(_ hearings: [Hearing], at now: Supervision.Instant) -> [(fixes: [Fix], device: String)] {
        var given: [(fixes: [Fix], device: String)] = []
        for hearing in hearings {
            // Everything skipped is wanted in the end, and not by the minute.
            if case .skipped(let tally) = hearing {
                skipped.add(tally)
                continue
            }
            for report in supervision.take(hearing, at: now) {
                switch report {
                case .fixes(let fixes, let device): given.append((fixes, device))
                case .online: hasSense = true
                case .offline(_, let reason): if supervision.isSilent { silence = reason }
                case .stillOffline, .skipped, .ended: break
                }
            }
        }
        return given
    }
}

/// What a receiver takes from the machine: the time that passes, waiting, and chance.
struct Timing: Sendable {
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    var random: @Sendable () -> Double = { .random(in: 0..<1) }
}

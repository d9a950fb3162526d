public import Logging
import Synchronization
import Time

/// The destination and level of all log messages, one for the process and shared by its loggers.
///
/// Messages are lines. Under systemd a line begins with its priority, `<6>` (sd-daemon(3)), and the journal adds the
/// time. Elsewhere it begins with the time and the level.
public final class LogOutput: Sendable {
    private let descriptor: Int32
    private let isJournal: Bool
    private let clock: @Sendable () -> Timestamp
    private let leastSevere: Atomic<Int>
    private let lost = Mutex(0)

    /// The levels, the least severe first.
    public static let levels = Logger.Level.allCases.sorted()
    /// The longest line in bytes, which a pipe accepts as a whole or not at all (`PIPE_BUF`, pipe(7)).
    static let longestLine = 4_096
    /// The longest time, in milliseconds, that a line waits for the reader of the log; then it is lost and counted.
    static let longestWait: Int32 = 100

    /// Creates the output to standard error.
    ///
    /// - Parameters:
    ///   - environment: The environment, in which `JOURNAL_STREAM` says whether that is the journal (systemd.exec(5)).
    ///   - level: The least severe level that is written.
    public convenience init(environment: [String: String], level: Logger.Level = .info) {
        self.init(environment: environment, level: level, descriptor: 2) { LogDescriptor.now }
    }

    /// Creates an output to a descriptor, which must stay open as long as the output exists.
    init(
        environment: [String: String], level: Logger.Level, descriptor: Int32,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.descriptor = descriptor
        self.clock = clock
        isJournal = environment["JOURNAL_STREAM"].map { $0 == LogDescriptor.identity(of: descriptor) } ?? false
        leastSevere = Atomic(Self.rank(of: level))
    }

    /// The least severe level that is written; a change applies at once to all loggers without a level of their own.
    public var level: Logger.Level {
        get { Self.levels[leastSevere.load(ordering: .relaxed)] }
        set { leastSevere.store(Self.rank(of: newValue), ordering: .relaxed) }
    }

    /// Makes every logger of the process write here.
    ///
    /// Call it once, at the start.
    public func install() {
        LoggingSystem.bootstrap { _ in JournalLogHandler(output: self) }
    }

    /// Writes a message as one line.
    ///
    /// It never fails, and waits at most ``longestWait``. If nobody reads the log, lines are lost; their number is
    /// logged once somebody reads again.
    func write(_ text: String, level: Logger.Level) {
        let now = clock()
        let line = line(text, level: level, at: now)
        lost.withLock { lost in
            guard LogDescriptor.isWritable(descriptor, within: lost == 0 ? Self.longestWait : 0) else {
                return lost += 1
            }
            if lost > 0 {
                let count = lost
                lost = 0
                LogDescriptor.write(
                    self.line("\(count) lines of the log were lost", level: .warning, at: now), to: descriptor)
                guard LogDescriptor.isWritable(descriptor, within: 0) else { return lost = 1 }
            }
            LogDescriptor.write(line, to: descriptor)
        }
    }

    /// Returns a message as the bytes of one line.
    private func line(_ text: String, level: Logger.Level, at time: Timestamp) -> [UInt8] {
        let start = isJournal ? "<\(Self.priority(of: level))>" : "\(time) \(level.rawValue.uppercased()) "
        let bytes = Array("\(start)\(text)".utf8)
        guard bytes.count >= Self.longestLine else { return bytes + [0x0A] }
        let ellipsis = Array("…\n".utf8)
        var end = Self.longestLine - ellipsis.count
        // Do not cut a character in two: its further bytes are 10xxxxxx.
        while bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes[..<end] + ellipsis
    }

    private static func rank(of level: Logger.Level) -> Int { levels.firstIndex(of: level) ?? 0 }

    /// Returns the priority of syslog(3).
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}

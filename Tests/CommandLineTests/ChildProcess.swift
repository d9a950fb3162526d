import Foundation
import Glibc
import Synchronization
import TestSupport

/// A process that a test starts, watches and kills.
///
/// Foundation's `Process` passes on the signals that its thread blocks. It also waits for all its children on one
/// thread, and a child that closes its descriptors blocks that thread.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum Ending: Equatable {
        case exit(Int32), signal(Int32)
    }

    let processID: Int32
    private let ending = Mutex<Ending?>(nil)

    /// Starts a program and searches `PATH` for it.
    ///
    /// The program gets an empty standard input, no other descriptors and no blocked signals.
    /// - Parameters:
    ///   - words: The program's name or path, and its arguments.
    ///   - output: The file for its standard output.
    ///   - errors: The file for its standard error.
    init(_ words: [String], environment: [String: String], output: FileHandle, errors: FileHandle) throws {
        processID = try Spawn(words, environment, output.fileDescriptor, errors.fileDescriptor).run()
    }

    deinit { kill() }

    /// Sends the process a signal, unless it has ended.
    func send(_ signal: Int32) {
        ending.withLock { if $0 == nil { _ = Glibc.kill(processID, signal) } }
    }

    /// Sends a signal to one thread of the process; a signal to the process reaches whichever thread takes it first.
    func send(_ signal: Int32, toThread thread: pid_t) throws {
        // Swift's module of the C library lacks the GNU extensions, so this looks the function up by name.
        typealias ThreadKill = @convention(c) (pid_t, pid_t, Int32) -> Int32
        let symbol = unsafe dlsym(nil, "tgkill").known
        // The C library declares it so.
        guard unsafe unsafeBitCast(symbol, to: ThreadKill.self)(processID, thread, signal) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL)
        }
    }

    /// Waits until the process has ended.
    ///
    /// This blocks the thread.
    @discardableResult
    func wait() -> Ending {
        ending.withLock { ending in
            if let ending { return ending }
            var status: Int32 = 0
            // The variable is filled during the call.
            while unsafe waitpid(processID, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            let result = signal == 0 ? Ending.exit(status >> 8 & 0xFF) : .signal(signal)
            ending = result
            return result
        }
    }

    /// Kills the process with `SIGKILL`, as a power cut would, and waits until it has ended.
    func kill() {
        send(SIGKILL)
        wait()
    }

    /// The environment without Waymark's own variables: Waymark would take `WAYMARK_TESTS` for a mistyped setting.
    static let surroundings = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WAYMARK_") }

    /// The few variables that a program gets: the paths of programs and libraries, the language, and ``sanitizer``.
    static let environment = ProcessInfo.processInfo.environment.filter {
        ["PATH", "LD_LIBRARY_PATH", "LANG"].contains($0.key)
    }.merging(sanitizer) { $1 }

    /// The settings of `.ci/sanitize`; without them a sanitizer's reports are lost.
    static let sanitizer = ProcessInfo.processInfo.environment.filter {
        ["LD_PRELOAD", "TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key)
    }

    /// Whether `.ci/sanitize` runs the tests.
    static let isSanitized = sanitizer.keys.contains { $0.hasSuffix("SAN_OPTIONS") }
}

/// Starts a program with `posix_spawn`.
///
/// Every `unsafe` passes arrays and local variables to functions of the C library, which read or fill them before they
/// return. The strings are copies and are freed with the list.
private struct Spawn {
    private let words: [String]
    private let variables: [String]
    private let output: Int32
    private let errors: Int32

    init(_ words: [String], _ environment: [String: String], _ output: Int32, _ errors: Int32) {
        self.words = words
        variables = environment.map { "\($0.key)=\($0.value)" }
        self.output = output
        self.errors = errors
    }

    func run() throws -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // Swift's module of the C library lacks the GNU extensions, so this looks the function up by name.
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        let symbol = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").known
        _ = unsafe unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        return try unsafe Self.withStrings(words) { arguments in
            try unsafe Self.withStrings(variables) { environment in
                var processID: Int32 = 0
                let result = unsafe posix_spawnp(&processID, words[0], &actions, &attributes, arguments, environment)
                guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EINVAL) }
                return processID
            }
        }
    }

    /// Calls `body` with a copy of the strings as a null-terminated list of C strings.
    private static func withStrings<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Value
    ) rethrows -> Value {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() { unsafe list[index] = unsafe strdup(string) }
        unsafe list[strings.count] = nil
        defer {
            for index in strings.indices { unsafe free(list[index]) }
            unsafe list.deallocate()
        }
        return try unsafe body(list)
    }
}

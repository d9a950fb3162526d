import Foundation
import Glibc
import Synchronization
import TestSupport

/// A process that a test starts, watches and kills.
///
/// Foundation's `Process` hands down the signals that its thread blocks, and waits for all its children on one thread,
/// which a child that closes its descriptors brings to a stand.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum Ending: Equatable {
        case exit(Int32), signal(Int32)
    }

    /// Its number.
    let processID: Int32
    private let ending = Mutex<Ending?>(nil)

    /// Starts a program, which is searched for in `PATH`.
    ///
    /// It gets nothing to read, no other descriptor and no blocked signal.
    /// - Parameters:
    ///   - words: Its name or path, and its arguments.
    ///   - output: Where its standard output leads.
    ///   - errors: Where its standard error leads.
    init(_ words: [String], environment: [String: String], output: FileHandle, errors: FileHandle) throws {
        processID = try Spawn(words, environment, output.fileDescriptor, errors.fileDescriptor).run()
    }

    deinit { kill() }

    /// Sends it a signal, unless it has ended.
    func send(_ signal: Int32) {
        ending.withLock { if $0 == nil { _ = Glibc.kill(processID, signal) } }
    }

    /// Waits until it has ended; blocks.
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

    /// Kills it as a power cut would, and waits until it has gone.
    func kill() {
        send(SIGKILL)
        wait()
    }

    /// All of the surroundings but what is meant for Waymark: it would take `WAYMARK_TESTS` for a mistyped setting.
    static let surroundings = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("WAYMARK_") }

    /// The little of the surroundings that a program gets: where programs and libraries are, the language, and what
    /// `.ci/sanitize` sets.
    static let environment = ProcessInfo.processInfo.environment.filter {
        ["PATH", "LD_LIBRARY_PATH", "LANG", "LD_PRELOAD", "TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key)
    }
}

/// The start of a program.
///
/// Every `unsafe` hands arrays and local variables to calls of the C library that read or fill them before they
/// return; the strings are copies, freed with the rest.
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
        // Swift's module of the C library leaves out what is GNU's own, so that the function is asked for by name.
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

    /// Lends strings as C has them: a list that ends with nil.
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

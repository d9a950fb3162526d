import Daemon
import Foundation
import Glibc
import Sights
import Store

/// A `waymark daemon` in its own process and its own folder, which is stopped when this object is released.
final class DaemonProcess {
    /// The path of its socket.
    let socket: String
    /// The time from its start until it was ready or, with `untilAccepting`, until its socket accepted.
    let startTime: Duration
    var processID: Int32 { process.processIdentifier }

    private let process = Process()
    private let manager: LocalSocket
    private let scratch: ScratchFolder

    /// Creates a store with sights in a folder, for a daemon that is started there.
    static func fill(_ scratch: ScratchFolder, with sights: [Sight]) throws {
        let store = try Stores.open(at: scratch.file("store"))
        _ = try store.importSights(sights)
        try store.close()
    }

    /// Starts a daemon, and waits until it is ready or, with `untilAccepting`, until its socket accepts.
    init(
        _ work: Workload, in scratch: ScratchFolder, sources: [String] = [], configuration: String = "",
        untilAccepting: Bool = false
    ) throws {
        self.scratch = scratch
        let socket = scratch.file("socket")
        self.socket = socket
        let notify = scratch.file("notify-\(UInt32.random(in: 0 ... .max))")
        manager = try LocalSocket.datagrams(at: notify)
        let settings = "store: \(scratch.file("store"))\nsocket: \(socket)\nlog-level: error\n\(configuration)"
        try Data(settings.utf8).write(to: URL(fileURLWithPath: scratch.file("waymark.yaml")))
        process.executableURL = URL(fileURLWithPath: work.waymark)
        process.arguments =
            ["daemon", "--config", scratch.file("waymark.yaml")] + sources.flatMap { ["--source", $0] }
        process.environment = ["NOTIFY_SOCKET": notify]
        process.standardInput = FileHandle.nullDevice
        let start = ContinuousClock.now
        let process = process
        try Self.withoutBlockedSignals { try process.run() }
        if untilAccepting {
            while !LocalSocket.isAccepting(at: socket), process.isRunning { usleep(200) }
        } else {
            var message = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = try manager.receive(into: &message)
                if String(decoding: message[..<count], as: UTF8.self).contains("READY=1") { break }
            }
        }
        startTime = ContinuousClock.now - start
    }

    /// Stops it as systemd does, and waits until it has ended.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    deinit { stop() }

    /// Returns a field of the process's status in kB; 0 if there is no such field.
    func kilobytes(_ field: String, in file: String = "status") -> Int {
        ProcessFigures.kilobytes(field, of: processID, in: file) ?? 0
    }

    /// Runs `body` while this thread blocks no signals.
    ///
    /// A child process inherits the signals that its parent's thread blocks, and the threads of Dispatch block nearly
    /// all. Each `unsafe` passes a local variable to a call that reads or fills it before it returns.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }
}

import Daemon
import Foundation
import Glibc
import Places
import Store

/// `waymark daemon` as a process of its own, in a folder of its own, stopped when this goes.
final class DaemonProcess {
    /// The path of its socket.
    let socket: String
    /// From its start until it said that it was ready.
    let startTime: Duration
    /// Its process.
    var processID: Int32 { process.processIdentifier }

    private let process = Process()
    private let manager: LocalSocket
    private let scratch: ScratchFolder

    /// A store with sights, for ``init(_:_:sources:configuration:)``.
    static func fill(_ scratch: ScratchFolder, with sights: [Sight]) throws {
        let store = try Storehouse.open(at: scratch.file("store"))
        _ = try store.importSights(sights)
        try store.close()
    }

    /// Starts it, and waits until it is ready or, with `untilAccepting`, until its socket accepts.
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

    /// Ends it as systemd does, and waits until it has ended.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    deinit { stop() }

    /// A field of its status in kB.
    func kilobytes(_ field: String, in file: String = "status") -> Int {
        ProcessMemory.kilobytes(field, of: processID, in: file) ?? 0
    }

    /// A child inherits the signals that its parent's thread blocks, and those of Dispatch block nearly all.
    ///
    /// Each `unsafe` hands a local variable to a call that reads or fills it before it returns.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }
}

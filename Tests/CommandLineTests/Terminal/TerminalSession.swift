import Foundation
import Glibc
import TestSupport

/// The executable at a pseudo-terminal, into which a test types and from which it reads.
///
/// It blocks, so a test uses it on a separate thread. Each `unsafe` expression passes a local variable or an array to a
/// call that reads or fills it before it returns.
final class TerminalSession {
    /// The output so far, with the codes for colours and cursor.
    private(set) var output = ""
    private let descriptor: Int32
    private let process = Process()

    // Requests of ioctl_tty(2). They are macros that Swift does not import.
    private static let unlock: UInt = 0x4004_5431
    private static let tellNumber: UInt = 0x8004_5430
    private static let setSize: UInt = 0x5414

    /// The error for output that did not come.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a command at a terminal of 24 rows.
    init(_ words: [String], columns: UInt16 = 80, environment: [String: String] = [:]) throws {
        descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (no, number): (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard descriptor >= 0, unsafe ioctl(descriptor, Self.unlock, &no) == 0,
            unsafe ioctl(descriptor, Self.tellNumber, &number) == 0, unsafe ioctl(descriptor, Self.setSize, &size) == 0
        else { throw Failure(description: "the system gives no pseudo-terminal") }
        let other = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw Failure(description: "/dev/pts/\(number) cannot be opened") }
        let terminal = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        process.currentDirectoryURL = Command.repository
        process.executableURL = Command.executable
        process.arguments = words
        process.environment = ChildProcess.surroundings
            .merging(["TZ": "UTC", "TERM": "xterm-256color", "NO_COLOR": ""]) { $1 }.merging(environment) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (terminal, terminal, terminal)
        try process.run()
        // The command's end shows when no process has the other end open. `process` would keep it open, so this closes
        // it.
        try terminal.close()
    }

    deinit {
        if process.isRunning { process.terminate() }
        close(descriptor)
    }

    /// Types a line.
    func type(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    /// Waits for a text that comes after the texts of all earlier waits.
    func wait(for text: String) throws {
        while true {
            if let found = output.range(of: text, range: seen..<output.endIndex) {
                seen = found.upperBound
                return
            }
            guard read() else { throw Failure(description: "\(text) did not come after: \(output)") }
        }
    }

    /// Waits until the command has ended and returns its status.
    func end() -> Int32 {
        while read() {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    private var seen = "".startIndex

    /// Reads what is there; returns `false` if the command has ended or nothing comes for 60 s.
    private func read() -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, 60_000) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        // Once no process has the other end open, reading fails with EIO.
        guard count > 0 else { return false }
        let place = output.utf8.distance(from: output.startIndex, to: seen)
        raw += bytes[..<count]
        output = String(decoding: raw, as: UTF8.self).replacing("\r\n", with: "\n")
        seen = output.utf8.index(output.startIndex, offsetBy: place)
        return true
    }

    private var raw: [UInt8] = []

    /// The lines of the output without codes.
    var lines: [String] {
        output.replacing(/\u{1B}\[[0-9;?]*[a-zA-Z]/, with: "").split(separator: "\n").map {
            String($0).replacing("\r", with: "")
        }
    }
}

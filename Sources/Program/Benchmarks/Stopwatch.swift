import Foundation
import Glibc

/// The duration of something.
struct Elapsed {
    /// The elapsed time of the wall clock.
    var seconds: Double
    /// The processor time of all threads; `nil` if it is unknown.
    var processorSeconds: Double?
}

/// A stopwatch for this process, which starts when it is created.
struct Stopwatch {
    private let start = ContinuousClock.now
    private let processor = Self.processorSeconds

    /// The time since its creation.
    var elapsed: Elapsed {
        Elapsed(
            seconds: (ContinuousClock.now - start) / .seconds(1), processorSeconds: Self.processorSeconds - processor)
    }

    private static var processorSeconds: Double {
        var now = timespec()
        // The call fills the variable before it returns.
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}

/// The kernel's figures about processes.
enum ProcessFigures {
    /// Returns a field of a process's status or of the roll-up of its mappings, in kB; `nil` if there is no such field.
    static func kilobytes(_ field: String, of process: Int32? = nil, in file: String = "status") -> Int? {
        let path = "/proc/\(process.map(String.init) ?? "self")/\(file)"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("\(field):") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }

    /// Returns the processor time that a process's living threads have used, in seconds.
    static func processorSeconds(of process: Int32) -> Double {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        let nanoseconds = tasks.compactMap { task -> Double? in
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/schedstat", encoding: .utf8)
            return text?.split(separator: " ").first.flatMap { Double($0) }
        }
        return nanoseconds.reduce(0, +) / 1e9
    }

    /// Returns the bytes that a process has caused to be written to disks; `nil` if they are unknown.
    static func writtenBytes(by process: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("write_bytes:") })
        else { return nil }
        return line.split(separator: " ").last.flatMap { Int($0) }
    }
}

import Foundation
import Geodesy
import Positioning
import TextCoding
import Time

/// Benchmarks of what driving costs a running daemon.
///
/// One measures the processor time at ten fixes a second with ten subscribers and 100,000 sights, the other the bytes
/// written to the disk in an hour at one fix a second, without sights.
enum LoadBenchmarks {
    static let all = [
        Benchmark(name: "drive-10hz", files: [.manySights, .nmea]) { try drive($0) },
        Benchmark(name: "drive-hour", files: [.nmea]) { try hour($0) },
    ]

    private static let subscribers = 10
    private static let perSecond = 10
    private static let seconds = 30

    private static func drive(_ work: Workload) throws {
        let scratch = try ScratchFolder()
        try DaemonProcess.fill(scratch, with: work.sights(.manySights))
        let port = try LocalSocket.freePort()
        let daemon = try DaemonProcess(work, in: scratch, sources: ["van=udp://127.0.0.1:\(port)"])
        // The lines sent in this time fit into the sockets' buffers, so nobody has to read them meanwhile.
        let listeners = try (0..<subscribers).map { _ in try SocketSubscriber(to: daemon.socket, #"{"types":["*"]}"#) }
        let receiver = try LocalSocket.datagrams(to: port)
        let cycles = interpolated(try moving(work)).map { NMEACycle($0) }
        let before = ProcessFigures.processorSeconds(of: daemon.processID)
        let start = ContinuousClock.now
        for (number, cycle) in cycles.enumerated() {
            let left = start + .milliseconds(number * 1000 / perSecond) - ContinuousClock.now
            if left > .zero { Thread.sleep(forTimeInterval: left / .seconds(1)) }
            try receiver.send(cycle.bytes)
        }
        if let last = cycles.last { for listener in listeners { try listener.wait(for: last.clock) } }
        let took = Elapsed(
            seconds: (ContinuousClock.now - start) / .seconds(1),
            processorSeconds: ProcessFigures.processorSeconds(of: daemon.processID) - before)
        Figures(workload: "drive-10hz", count: cycles.count, took: took, peak: daemon.kilobytes("VmHWM")).print {
            $0.member("cpu_percent", (took.processorSeconds ?? 0) / took.seconds * 100, decimals: 3)
        }
    }

    /// Returns the track from the first fix faster than 8 m/s.
    private static func moving(_ work: Workload) throws -> [Fix] {
        let fixes = try work.trackFixes(36_000)
        let first = fixes.firstIndex { ($0.speed?.metersPerSecond ?? 0) > 8 } ?? 0
        return Array(fixes[first...].prefix(seconds + 1))
    }

    /// Returns fixes with further ones between those of each second, on the straight line.
    private static func interpolated(_ fixes: [Fix]) -> [Fix] {
        zip(fixes, fixes.dropFirst()).flatMap { from, to in
            (0..<perSecond).compactMap { step in
                let part = Double(step) / Double(perSecond)
                func between(_ value: (Coordinate) -> Double) -> Double {
                    value(from.coordinate) * (1 - part) + value(to.coordinate) * part
                }
                guard let place = Coordinate(latitude: between(\.latitude), longitude: between(\.longitude)) else {
                    return nil
                }
                var fix = from
                fix.coordinate = place
                fix.time = from.time?.advanced(byMilliseconds: Int64(step * 1000 / perSecond))
                return fix
            }
        }
    }

    /// The factor by which the hour is driven faster than real time.
    ///
    /// Half a minute then takes a second, after which a commit is due.
    private static let haste = 30

    /// Measures an hour of driving and then standing, without sights, because the cost of events depends on their
    /// number.
    ///
    /// Commits follow the default rules, accelerated by the same factor. The bytes written include the pages copied
    /// from a full log to the store. The pages left in the log, at most the size of the store, would be copied once in many
    /// hours.
    private static func hour(_ work: Workload) throws {
        let scratch = try ScratchFolder()
        let recording = scratch.file("hour.nmea")
        let cycles = try NMEACycle.first(3600, of: work.path(.nmea))
        try Data(cycles.flatMap(\.bytes)).write(to: URL(fileURLWithPath: recording))
        let daemon = try DaemonProcess(
            work, in: scratch, sources: ["van=\(recording)?speed=\(haste)"],
            configuration: "commit:\n  interval: \(45 / Double(haste))\n")
        let subscriber = try SocketSubscriber(to: daemon.socket, #"{"types":["position"]}"#)
        func written() -> Int { ProcessFigures.writtenBytes(by: daemon.processID) ?? 0 }
        let before = written()
        let watch = Stopwatch()
        // The fix of the last cycle arrives at the end of the file; the one before it is close enough.
        if let last = cycles.dropLast().last { try subscriber.wait(for: last.clock) }
        Thread.sleep(forTimeInterval: 2)
        let took = watch.elapsed.seconds
        let driven = written() - before
        Thread.sleep(forTimeInterval: 3600 / Double(haste) / 10)
        let parked = written() - before - driven
        let (log, peak) = (try scratch.size("store-wal"), daemon.kilobytes("VmHWM"))
        daemon.stop()
        Figures(workload: "drive-hour", count: cycles.count, took: Elapsed(seconds: took), peak: peak).print { json in
            json.member("written_bytes", driven)
            json.member("parked_written_bytes", parked)
            json.member("log_bytes", log)
            json.member("store_bytes", (try? scratch.size("store")) ?? 0)
        }
    }
}

import Foundation
import Geodesy
import Positioning
import Sights
import TextCoding
import Time

/// Benchmarks of the latency from a receiver's cycle of sentences to a subscriber's line.
///
/// The cycle is a datagram to a running daemon with 100,000 sights. The line is that of the position, or of an event
/// that the cycle triggers, which is on the disk by then.
enum LatencyBenchmarks {
    static let all = [
        Benchmark(name: "cycle-to-position", files: [.manySights, .nmea]) { work in
            try measure(
                "cycle-to-position", work, work.sights(.manySights), #"{"types":["position"]}"#,
                try NMEACycle.first(learning + rounds, of: work.path(.nmea)))
        },
        Benchmark(name: "cycle-to-event", files: [.manySights]) { work in
            let road = try Road(seconds: learning + rounds)
            try measure(
                "cycle-to-event", work, try work.sights(.manySights) + road.sights,
                #"{"types":["geofence.enter","geofence.exit"]}"#, road.cycles)
        },
    ]

    /// The number of first cycles, from which the daemon learns which sentence is a cycle's last.
    private static let learning = 10
    private static let rounds = 1000

    /// A fast drive north past sights 120 m apart; each second it enters the next one or leaves the last.
    private struct Road {
        var sights: [Sight] = []
        var cycles: [NMEACycle] = []

        init(seconds: Int) throws {
            let speed = 60.0
            for second in 0..<seconds {
                let latitude = 52 + Double(second) * speed / (Sphere.radius.meters * .pi / 180)
                guard let place = Coordinate(latitude: latitude, longitude: 4.89) else {
                    throw Workload.Damage(description: "not a place on earth")
                }
                if second % 2 == 0 {
                    sights.append(
                        Sight(id: "road-\(second)", title: "Road \(second)", place: place, radius: .meters(10)))
                }
                var fix = Fix(
                    time: NMEACycle.start.advanced(byMilliseconds: Int64(second) * 1000), coordinate: place)
                fix.speed = .metersPerSecond(speed)
                fix.track = .degrees(0)
                cycles.append(NMEACycle(fix))
            }
        }
    }

    private static func measure(
        _ name: String, _ work: Workload, _ sights: [Sight], _ parameters: String, _ cycles: [NMEACycle]
    ) throws {
        let scratch = try ScratchFolder()
        try DaemonProcess.fill(scratch, with: sights)
        let port = try LocalSocket.freePort()
        let daemon = try DaemonProcess(work, in: scratch, sources: ["van=udp://127.0.0.1:\(port)"])
        let subscriber = try SocketSubscriber(to: daemon.socket, parameters)
        let receiver = try LocalSocket.datagrams(to: port)
        for cycle in cycles.prefix(learning) {
            // The daemon is ready before its receivers are, so the first datagrams may be refused.
            try? receiver.send(cycle.bytes)
            Thread.sleep(forTimeInterval: 0.05)
        }
        let before = ProcessFigures.processorSeconds(of: daemon.processID)
        var times: [Duration] = []
        let watch = Stopwatch()
        for cycle in cycles.dropFirst(learning) {
            let sent = ContinuousClock.now
            try receiver.send(cycle.bytes)
            try subscriber.wait(for: cycle.clock)
            times.append(ContinuousClock.now - sent)
            Thread.sleep(forTimeInterval: 0.002)
        }
        let took = Elapsed(seconds: watch.elapsed.seconds)
        let used = ProcessFigures.processorSeconds(of: daemon.processID) - before
        Figures(workload: name, count: times.count, took: took, peak: daemon.kilobytes("VmHWM")).print { json in
            json.percentiles(times)
            json.member("cpu_us_per_cycle", used / Double(times.count) * 1e6, decimals: 1)
        }
    }
}

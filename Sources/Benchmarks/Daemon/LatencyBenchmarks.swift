import Companion
import Foundation
import Geodesy
import Positioning
import TextCoding

/// From a receiver's cycle of sentences, sent as a datagram to a running daemon with 100,000 sights, to the line at a
/// subscriber: of its position, and of an event that it decides, which is on the disk by then.
enum LatencyBenchmarks {
    static let all = [
        Benchmark(name: "cycle-to-position", files: [.manySights, .nmea]) { work in
            try measure(
                "cycle-to-position", work, work.sights(.manySights), #"{"types":["position"]}"#,
                try NMEACycle.first(learning + rounds, of: work.path(.nmea)))
        },
        Benchmark(name: "cycle-to-event", files: [.manySights]) { work in
            let pacing = try Pacing()
            try measure(
                "cycle-to-event", work, try work.sights(.manySights) + [pacing.sight],
                #"{"types":["geofence.enter","geofence.exit"],"geofences":["sight/\#(pacing.sight.id)"]}"#,
                (0..<learning + rounds).map(pacing.cycle))
        },
    ]

    /// The first cycles, by which it is found out which sentence is a cycle's last.
    private static let learning = 10
    private static let rounds = 1000

    /// A walker who is in a sight every other second, and 130 m north of it between.
    private struct Pacing {
        let sight: Sight
        private let away: Coordinate

        init() throws {
            guard let place = Coordinate(latitude: 52.37, longitude: 4.89),
                let away = Coordinate(latitude: 52.37117, longitude: 4.89)
            else { throw Workload.Damage(description: "no place on earth") }
            sight = Sight(id: "pacing", title: "Pacing", place: place, radius: .meters(50))
            self.away = away
        }

        func cycle(_ second: Int) -> NMEACycle {
            let time = NMEACycle.start.advanced(byMilliseconds: Int64(second) * 1000)
            return NMEACycle(Fix(time: time, coordinate: second % 2 == 0 ? sight.place : away))
        }
    }

    private static func measure(
        _ name: String, _ work: Workload, _ sights: [Sight], _ parameters: String, _ cycles: [NMEACycle]
    ) throws {
        let scratch = try ScratchFolder()
        try DaemonProcess.fill(scratch, with: sights)
        let port = try LocalSocket.freePort()
        let daemon = try DaemonProcess(work, in: scratch, sources: ["van=udp://127.0.0.1:\(port)"])
        let subscriber = try Subscriber(to: daemon.socket, parameters)
        let receiver = try LocalSocket.datagrams(to: port)
        for cycle in cycles.prefix(learning) {
            // The daemon is ready before its receivers are: the first may be refused.
            try? receiver.send(cycle.bytes)
            Thread.sleep(forTimeInterval: 0.05)
        }
        let before = ProcessMemory.processorSeconds(of: daemon.processID)
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
        let used = ProcessMemory.processorSeconds(of: daemon.processID) - before
        Figures(workload: name, count: times.count, took: took, peak: daemon.kilobytes("VmHWM")).print { json in
            json.percentiles(times)
            json.member("cpu_us_per_cycle", used / Double(times.count) * 1e6, decimals: 1)
        }
    }
}

import Foundation
import TextCoding

/// A line of figures: the work, its duration, and a checksum of its result.
struct Figures {
    /// The program measured; different ways to do the same work have their own names.
    var peer = "waymark"
    /// The name of the work.
    var workload: String
    /// The number of items processed.
    var count: Int
    /// The duration.
    var took: Elapsed
    /// The sum over the results, see ``Checksum``; `nil` if there is none.
    var checksum: UInt64?
    /// The peak memory of the process, in kB; that of this process by default.
    var peak: Int?

    /// Prints the line.
    ///
    /// - Parameter more: Writes further members.
    func print(_ more: (inout JSONWriter) -> Void = { _ in }) {
        var json = JSONWriter()
        json.object { json in
            json.member("peer", peer)
            json.member("workload", workload)
            json.member("n", count)
            json.member("seconds", took.seconds, decimals: 6)
            if took.processorSeconds == nil {
                json.key("cpu_seconds")
                json.null()
            }
            json.member("cpu_seconds", took.processorSeconds, decimals: 6)
            json.member("rate_per_s", Double(count) / took.seconds, decimals: 1)
            json.member("peak_rss_kb", peak ?? ProcessFigures.kilobytes("VmHWM") ?? 0)
            if checksum == nil {
                json.key("result_checksum")
                json.null()
            }
            json.member("result_checksum", checksum.map(ResultChecksum.text))
            more(&json)
        }
        FileHandle.standardOutput.write(Data(json.bytes + [0x0A]))
    }
}

extension JSONWriter {
    /// Writes the median and the 99th percentile of durations, in microseconds.
    mutating func percentiles(_ times: [Duration]) {
        let sorted = times.sorted()
        func time(_ part: Double) -> Double {
            sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))] / .microseconds(1)
        }
        member("p50_us", time(0.5), decimals: 1)
        member("p99_us", time(0.99), decimals: 1)
    }
}

import Foundation
import TextCoding

/// A line of figures: what was done, how long it took, and by what its result is known.
struct Figures {
    /// Who did it; several ways of doing the same have names of their own.
    var peer = "waymark"
    /// What was done.
    var workload: String
    /// Of how many things.
    var count: Int
    /// How long that took.
    var took: Elapsed
    /// The sum over the results, see ``Checksum``; nil where there is none.
    var checksum: UInt64?
    /// The greatest memory the process had, in kB; this one's own unless said.
    var peak: Int?

    /// Prints the line.
    ///
    /// - Parameter more: writes further members.
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
            json.member("peak_rss_kb", peak ?? ProcessMemory.kilobytes("VmHWM") ?? 0)
            if checksum == nil {
                json.key("result_checksum")
                json.null()
            }
            json.member("result_checksum", checksum.map(Checksum.text))
            more(&json)
        }
        FileHandle.standardOutput.write(Data(json.bytes + [0x0A]))
    }
}

extension JSONWriter {
    /// Writes the median and the 99th percentile of some times, in microseconds.
    mutating func percentiles(_ times: [Duration]) {
        let sorted = times.sorted()
        func time(_ part: Double) -> Double {
            sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))] / .microseconds(1)
        }
        member("p50_us", time(0.5), decimals: 1)
        member("p99_us", time(0.99), decimals: 1)
    }
}

import Foundation
import GPX
import Geodesy
import NMEA
import Positioning
import Receivers
import TextCoding

/// Benchmarks of decoding a track of 100,000 seconds, from its file to fixes.
enum DecodingBenchmarks {
    static let all = [
        Benchmark(name: "nmea", files: [.nmea]) { work in
            var decoder = NMEADecoder()
            let watch = Stopwatch()
            let result = try read(work.path(.nmea), by: &decoder)
            result.print("nmea", count: decoder.sentences, took: watch.elapsed)
        },
        Benchmark(name: "gpx", files: [.gpx]) { work in
            var decoder = GPXDecoder()
            let watch = Stopwatch()
            let result = try read(work.path(.gpx), by: &decoder)
            result.print("gpx", count: result.fixes, took: watch.elapsed)
        },
    ]

    private struct Result {
        var bytes = 0
        var fixes = 0
        var sum: UInt64 = 0
        /// The sum of the heights in decimetres, which makes sure that heights are read, too.
        var heights: Int64 = 0

        mutating func add(_ batch: inout [Fix]) {
            for fix in batch {
                fixes += 1
                sum &+= ResultChecksum.point(fix)
                heights += fix.altitude.map { Int64(($0.meters * 10).rounded()) } ?? 0
            }
            batch.removeAll(keepingCapacity: true)
        }

        func print(_ workload: String, count: Int, took: Elapsed) {
            Figures(workload: workload, count: count, took: took, checksum: sum).print { json in
                json.member("mb_per_s", Double(bytes) / took.seconds / 1e6, decimals: 2)
                json.member("fixes", fixes)
                json.member("other_sum", heights)
            }
        }
    }

    private static func read(_ path: String, by decoder: inout some FixDecoder) throws -> Result {
        let file = try FileBytes(path: path)
        var result = Result()
        var fixes: [Fix] = []
        while let piece = try file.next() {
            result.bytes += piece.count
            try decoder.feed(piece.span, into: &fixes)
            result.add(&fixes)
        }
        try decoder.finish(into: &fixes)
        result.add(&fixes)
        return result
    }
}

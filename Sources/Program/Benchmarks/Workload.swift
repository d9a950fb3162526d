import Daemon
import Foundation
import Geodesy
import Positioning
import Receivers
import Sights
import Time

/// A folder of defined work.
struct Workload: Sendable {
    /// The folder's path.
    let folder: String
    /// The path of the `waymark` to start if a benchmark needs a daemon.
    let waymark: String
    /// How long the phones of a benchmark send, in seconds.
    var phoneSeconds = 60

    /// A file of the folder.
    enum File: String, CaseIterable, Sendable {
        /// 1,000 sights, circles around places: `id,title,lat,lon,radius_m,category`.
        case fewestSights = "sights-1000.csv"
        /// 10,000 such sights.
        case fewSights = "sights-10000.csv"
        /// 100,000 such sights.
        case manySights = "sights-100000.csv"
        /// 1,000,000 such sights.
        case maximumSights = "sights-1000000.csv"
        /// 10,001 polygons: `id,wkt`.
        case shapes = "shapes-10001.csv"
        /// The fixes of a thousand devices, each for a thousand seconds:
        /// `device,unix_ms,lat,lon,speed_mps,track_deg,hacc_m`.
        case fixes = "fixes-1000x1000.csv"
        /// A million fixes of one device.
        case fixesOfOne = "fixes-1x1000000.csv"
        /// A million fixes of ten devices.
        case fixesOfTen = "fixes-10x100000.csv"
        /// A million fixes of ten thousand devices.
        case fixesOfMost = "fixes-10000x100.csv"
        /// 10,000 places whose nearest sights are queried: `lat,lon`.
        case queries = "knn-10000.csv"
        /// The track of one device, 100,000 seconds long, with six sentences each.
        case nmea = "track-1x100000.nmea"
        /// The same track as a GPX document.
        case gpx = "track-1x100000.gpx"
    }

    /// A fix and the number of its device.
    struct DeviceFix: Sendable {
        var device: Int
        var fix: Fix
    }

    /// The error that work cannot be read.
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the path of a file of the folder.
    func path(_ file: File) -> String { "\(folder)/\(file.rawValue)" }

    /// Whether a file exists.
    func has(_ file: File) -> Bool { FileManager.default.fileExists(atPath: path(file)) }

    /// Reads the sights of a file, in its order.
    func sights(_ file: File) throws -> [Sight] { try SightFile.read(path: path(file)) }

    /// Reads the first fixes, in the order of time.
    func fixes(_ limit: Int = .max, of file: File = .fixes) throws -> [DeviceFix] {
        try rows(file, limit) { row in
            guard row.count == 7, let place = Coordinate(latitude: row[2], longitude: row[3]) else { return nil }
            var fix = Fix(time: Timestamp(milliseconds: Int64(row[1])), coordinate: place)
            fix.speed = .metersPerSecond(row[4])
            fix.track = .degrees(row[5])
            fix.accuracy = .meters(row[6])
            return DeviceFix(device: Int(row[0]), fix: fix)
        }
    }

    /// Reads the places to query.
    func queries() throws -> [Coordinate] {
        try rows(.queries, .max) { row in
            row.count == 2 ? Coordinate(latitude: row[0], longitude: row[1]) : nil
        }
    }

    /// Reads the first fixes of the NMEA track.
    func trackFixes(_ limit: Int) throws -> [Fix] {
        let recording = try Recording(path: path(.nmea))
        var fixes: [Fix] = []
        while fixes.count < limit, let more = try recording.next() { fixes += more }
        return Array(fixes.prefix(limit))
    }

    /// Reads the lines after the heading as numbers.
    private func rows<Row>(_ file: File, _ limit: Int, _ make: ([Double]) -> Row?) throws -> [Row] {
        let bytes = try FileBytes(path: path(file))
        var rows: [Row] = []
        var rest: [UInt8] = []
        var isHeading = true
        while rows.count < limit, let piece = try bytes.next() {
            rest += piece
            var start = 0
            while rows.count < limit, let end = rest[start...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                if isHeading {
                    isHeading = false
                    continue
                }
                let numbers = rest[start..<end].split(separator: UInt8(ascii: ",")).compactMap {
                    Double(Substring(decoding: $0, as: UTF8.self))
                }
                guard let row = make(numbers) else {
                    throw Damage(description: "\(path(file)): row \(rows.count + 1) is not in the format of this file")
                }
                rows.append(row)
            }
            rest.removeFirst(start)
        }
        return rows
    }
}

extension Sight {
    /// The number of the sight in the work.
    var number: UInt64 { UInt64(id) ?? 0 }
}

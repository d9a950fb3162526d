import Foundation
import Geodesy
import Positioning
import TextCoding
import Time

/// A maker of the files of a workload, which are the same bytes each time.
enum WorkloadMaker {
    private static let categories = ["viewpoint", "museum", "castle", "church", "park", "bridge", "market", "bakery"]
    private static let trackSeconds = 100_000

    /// Writes those of the files that are missing.
    static func makeMissing(_ files: Set<Workload.File>, in work: Workload) throws {
        try FileManager.default.createDirectory(atPath: work.folder, withIntermediateDirectories: true)
        let country = Country(seed: 1)
        for file in Workload.File.allCases where files.contains(file) && !work.has(file) {
            var bytes: [UInt8] = []
            switch file {
            case .fewestSights: sights(1000, country, into: &bytes)
            case .fewSights: sights(10_000, country, into: &bytes)
            case .manySights: sights(100_000, country, into: &bytes)
            case .maximumSights: sights(1_000_000, country, into: &bytes)
            case .shapes: bytes = ShapeMaker.lines(country)
            case .queries: queries(10_000, country, into: &bytes)
            case .fixes: fixes(devices: 1000, seconds: 1000, country, into: &bytes)
            case .fixesOfOne: fixes(devices: 1, seconds: 1_000_000, country, into: &bytes)
            case .fixesOfTen: fixes(devices: 10, seconds: 100_000, country, into: &bytes)
            case .fixesOfMost: fixes(devices: 10_000, seconds: 100, country, into: &bytes)
            case .nmea: nmea(country, into: &bytes)
            case .gpx: gpx(country, into: &bytes)
            }
            // A file is written completely or not at all, because an existing one is not written again.
            try Data(bytes).write(to: URL(fileURLWithPath: work.path(file)), options: .atomic)
        }
    }

    private static func sights(_ count: Int, _ country: Country, into bytes: inout [UInt8]) {
        var random = WorkloadGenerator(seed: 2 + UInt64(count))
        bytes += "id,title,lat,lon,radius_m,category\n".utf8
        for number in 1...count {
            let isInTown = random.uniform(0...1) < 0.8
            let place =
                isInTown ? Country.place(in: country.town(&random), &random) : Country.anywhere(&random)
            let category = categories.randomElement(using: &random) ?? ""
            let radius = exp(random.uniform(log(25)...log(1000)))
            bytes += "\(number),\(category.capitalized) \(number),".utf8
            append(place, to: &bytes)
            bytes += ",\(NMEACycle.decimal(radius, 1)),\(category)\n".utf8
        }
    }

    private static func queries(_ count: Int, _ country: Country, into bytes: inout [UInt8]) {
        var random = WorkloadGenerator(seed: 3)
        bytes += "lat,lon\n".utf8
        for _ in 0..<count {
            let isInTown = random.uniform(0...1) < 0.7
            let place =
                isInTown ? Country.place(in: country.town(&random), spread: 2, &random) : Country.anywhere(&random)
            append(place, to: &bytes)
            bytes.append(0x0A)
        }
    }

    private static func fixes(devices: Int, seconds: Int, _ country: Country, into bytes: inout [UInt8]) {
        var drivers = (1...devices).map { Driver(device: $0, in: country) }
        bytes += "device,unix_ms,lat,lon,speed_mps,track_deg,hacc_m\n".utf8
        for _ in 0..<seconds {
            for device in drivers.indices {
                guard let fix = drivers[device].next(), let time = fix.time else { continue }
                bytes += "\(device + 1),\(time.milliseconds),".utf8
                append((fix.coordinate.latitude, fix.coordinate.longitude), to: &bytes)
                for (value, decimals) in [
                    (fix.speed?.metersPerSecond, 2), (fix.track?.degrees, 1), (fix.accuracy?.meters, 1),
                ] {
                    bytes += ",\(NMEACycle.decimal(value ?? 0, decimals))".utf8
                }
                bytes.append(0x0A)
            }
        }
    }

    private static func nmea(_ country: Country, into bytes: inout [UInt8]) {
        var driver = Driver(device: 1, in: country)
        for _ in 0..<trackSeconds { if let fix = driver.next() { bytes += NMEACycle(fix).bytes } }
    }

    private static func gpx(_ country: Country, into bytes: inout [UInt8]) {
        var driver = Driver(device: 1, in: country)
        bytes +=
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="workload" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
              <trk>
                <name>device 1</name>
                <trkseg>

            """.utf8
        for second in 0..<trackSeconds {
            guard let fix = driver.next(), let time = fix.time else { continue }
            if second > 0, second % 3600 == 0 { bytes += "    </trkseg>\n    <trkseg>\n".utf8 }
            bytes += "      <trkpt lat=\"".utf8
            DecimalText.append(fix.coordinate.latitude, decimals: 7, to: &bytes)
            bytes += "\" lon=\"".utf8
            DecimalText.append(fix.coordinate.longitude, decimals: 7, to: &bytes)
            bytes +=
                """
                ">
                        <ele>\(NMEACycle.decimal(fix.altitude?.meters ?? 0, 1))</ele>
                        <time>\(time.description.prefix(19))Z</time>
                        <hdop>\(NMEACycle.decimal(fix.hdop ?? 0, 2))</hdop>
                        <extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>\
                \(NMEACycle.decimal(fix.speed?.metersPerSecond ?? 0, 2))</gpxtpx:speed><gpxtpx:course>\
                \(NMEACycle.decimal(fix.track?.degrees ?? 0, 1))</gpxtpx:course></gpxtpx:TrackPointExtension></extensions>
                      </trkpt>

                """.utf8
        }
        bytes += "    </trkseg>\n  </trk>\n</gpx>\n".utf8
    }

    private static func append(_ place: (Double, Double), to bytes: inout [UInt8]) {
        DecimalText.append(place.0, decimals: 7, to: &bytes)
        bytes.append(UInt8(ascii: ","))
        DecimalText.append(place.1, decimals: 7, to: &bytes)
    }
}

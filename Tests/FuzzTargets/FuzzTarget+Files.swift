import Foundation
import Geodesy
import OSM
import Positioning
import Receivers
import Service
import TextCoding
import Time

@testable import GPSDClient
@testable import GPX
@testable import Gazetteer
@testable import Interchange
@testable import NMEA

extension FuzzTarget {
    /// An NMEA recording, which must give the same fixes whole and in pieces.
    static let nmea = FuzzTarget(
        "nmea",
        seeds: [
            "$GPVTG,,,,,.00000000000000007,,,\n", "$GPZDA,235960,31,12,9999,00,00*40\r\n",
            "$GPRMC,100000,A,5222.3834,N,00453.5333,E,5.0,90.0,010526,1.5,E\n",
            "$GNGNS,100000,5222.3834,N,00453.5333,E,AA,13,0.8,12.5,46.9,,\n$GPGST,100000,1.0,,,,3.0,4.0,5.0\n",
            "$GPGLL,5222.3834,N,00453.5333,E,100001,A,A\n$GPGSA,A,3,01,02,03,04,,,,,,,,,1.7,1.0,1.4\n",
        ], endings: ["nmea"]
    ) { bytes in
        let length = Int(bytes.first ?? 0) + 1
        let whole = fixes(of: bytes, in: bytes.count, NMEADecoder())
        demand(whole == fixes(of: bytes, in: length, NMEADecoder()), "pieces give other fixes")
        for fix in whole { check(fix) }
    }

    /// A GPX document: its fixes, which must be the same whole and in pieces, and all that it contains.
    static let gpx = FuzzTarget(
        "gpx",
        seeds: [
            """
            <?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="1" lon="-2.5">\
            <ele>-3e2</ele><time>2026-05-01T10:00:00Z</time><name>a&amp;b</name><sat>7</sat><fix>3d</fix></wpt><trk>\
            <name><![CDATA[x]]></name><trkseg><trkpt lat="89.9999999" lon="180"><speed>1</speed><extensions><course>4\
            </course></extensions></trkpt></trkseg></trk><rte><rtept lat="0" lon="0"/></rte></gpx>
            """
        ], endings: ["gpx"]
    ) { bytes in
        let length = Int(bytes.first ?? 0) + 1
        let whole = fixes(of: bytes, in: max(1, bytes.count), GPXDecoder())
        demand(whole == fixes(of: bytes, in: length, GPXDecoder()), "pieces give other fixes")
        for fix in whole { check(fix) }
        let reader = GPXReader()
        var items: [GPXItem] = []
        guard (try? reader.feed(bytes.span, into: &items)) != nil else { return }
        try? reader.finish(into: &items)
    }

    /// A GPX document, which the scanner must read as libxml2 does; the first byte is the size of the blocks.
    static let scanner = FuzzTarget(
        "scanner",
        seeds: [
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="é" xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="urn:g"><trk><trkseg>
            <trkpt lat="1.5" lon="-2.5"><ele>-3.25</ele><time>2026-05-01T10:00:00Z</time><name>a&amp;b&#228;\r\n\
            <![CDATA[é]]></name><extensions><g:x><g:speed>1</g:speed></g:x></extensions></trkpt><!-- é -->\n\
            <trkpt lat='2,5' lon='3'/></trkseg></trk></gpx>
            """,
            "<gpx><trk><trkseg><trkpt lat='1' lon='2'/><x xmlns:a='http://a.b/c' a:b='c'>]</x></trkseg></trk></gpx>\n<!---->",
        ], endings: ["gpx"]
    ) { bytes in
        let blockSize = 40 + 4 * Int(bytes.first ?? 0)
        for product in [GPXBuilder.Product.items, .fixes] {
            let scanned = GPXReading(bytes, product, scans: true, blockSize: blockSize)
            let parsed = GPXReading(bytes, product, scans: false, blockSize: blockSize)
            demand(scanned == parsed, "the scanner gives \(scanned), libxml2 gives \(parsed)")
        }
    }

    /// All that a reader of GPX tells about a document.
    private struct GPXReading: Equatable {
        var items: [GPXItem] = []
        var fixes: [Fix] = []
        var lines: [Int] = []
        var malformed = Tally()
        var badPosition: GPXBadPosition?
        var failure: RecordingError?

        init(_ bytes: [UInt8], _ product: GPXBuilder.Product, scans: Bool, blockSize: Int) {
            let reader = GPXDocumentReader(product, keepsLines: product == .fixes, scans: scans, blockSize: blockSize)
            do throws(RecordingError) {
                try reader.feed(bytes.span)
                try reader.finish()
            } catch {
                failure = error
            }
            reader.moveItems(to: &items)
            reader.moveFixes(to: &fixes)
            lines = reader.drainLines()
            malformed = reader.malformed
            badPosition = reader.badPosition
        }
    }

    /// A GeoJSON text, whose points must stay the same when they are written and read again.
    static let geoJSON = FuzzTarget(
        "geojson",
        seeds: [
            #"{"type":"FeatureCollection","features":[{"type":"Feature","id":1,"geometry":{"type":"Point","# + "\n"
                + #""coordinates":[13.4,52.5,34.1]},"properties":{"title":"a","radius_m":2e2,"x":[{}],"b":true}}]}"#,
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"name":"\u00e9"}}"#,
        ]
    ) { bytes in
        guard let (points, _) = try? GeoJSONReader.points(from: bytes) else { return }
        var writer = GeoJSONWriter()
        var text: [UInt8] = []
        writer.begin(to: &text)
        for point in points { writer.append(point: point.coordinate, id: point.id, properties: [], to: &text) }
        writer.end(to: &text)
        let again = try? GeoJSONReader.points(from: text)
        demand(again?.points.map(\.coordinate) == points.map(\.coordinate), "what was written is not read again")
    }

    /// A KML document, whose points must stay the same when they are written and read again.
    static let kml = FuzzTarget(
        "kml",
        seeds: [
            """
            <?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><!-- x --><Placemark><name>a&amp;b\
            </name><address>c</address><description><![CDATA[<p>d<br/>e]]></description><Point><coordinates>-4.9,52.3,0\
            </coordinates></Point></Placemark><Placemark><LineString/></Placemark></Document></kml>
            """,
            "<k:kml><k:Placemark id='1'><k:Point><k:coordinates>180,-90</k:coordinates></k:Point></k:Placemark></k:kml>",
            "\u{FEFF}<kml><Placemark><name>&#x1F600;&#10;&lt;</name></Placemark></kml>",
        ], endings: ["kml"]
    ) { bytes in
        guard let (points, others) = try? KMLReader.points(from: bytes) else { return }
        // Each placemark takes more bytes than its name, `Placemark`.
        demand((points.count + others) * 9 <= bytes.count, "more points than there are in the document")
        var writer = KMLWriter()
        var text: [UInt8] = []
        writer.begin(to: &text)
        for point in points {
            writer.append(point: point.coordinate, name: point.name, description: point.description, to: &text)
        }
        writer.end(to: &text)
        let again = try? KMLReader.points(from: text)
        demand(again?.points.map(\.coordinate) == points.map(\.coordinate), "what was written is not read again")
        demand(again?.others == 0, "a point is written as something else")
    }

    /// An extract of OpenStreetMap: as a whole file, and as what its block of data holds.
    static let extracts = FuzzTarget(
        "extracts",
        seeds: [
            "\u{A}(\u{A}\u{0}\u{A}\u{4}name\u{A}\u{2}Ab\u{A}\u{5}place\u{A}\u{4}town\u{A}\u{7}highway"
                + "\u{A}\u{4}path\u{12}\u{16}\u{12}\u{14}\u{A}\u{2}\u{2}\u{2}B\u{2}\u{0}\u{2}J\u{2}\u{0}\u{2}"
                + "R\u{6}\u{1}\u{2}\u{3}\u{4}\u{0}\u{0}\u{12}\u{10}\u{A}\u{E}\u{8}\u{6}\u{12}\u{2}\u{1}\u{3}"
                + "\u{1A}\u{2}\u{2}\u{4}@\u{0}H\u{0}\u{12}\u{10}\u{1A}\u{E}\u{8}\u{1}\u{12}\u{2}\u{1}\u{5}"
                + "\u{1A}\u{2}\u{2}\u{6}B\u{2}\u{2}\u{2}"
        ]
    ) { bytes in
        func length(_ count: Int) -> [UInt8] {
            count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80] + length(count >> 7)
        }
        func block(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let blob = [10] + length(content.count) + content
            let header = [10, UInt8(type.utf8.count)] + Array(type.utf8) + [24] + length(blob.count)
            return [0, 0, 0, UInt8(header.count)] + header + blob
        }
        for file in [bytes, block("OSMHeader", []) + block("OSMData", bytes)] {
            var reader = OSMNameReader(size: file.count) { offset, count in
                Array(file.dropFirst(offset).prefix(count))
            }
            var count = 0
            while let names = try? reader.next() {
                for name in names {
                    demand((1...OSMName.longestName).contains(name.name.utf8.count), "a name without bounds")
                    demand(name.others.count <= OSMName.mostOthers, "more names than something may have")
                    demand((0...OSMName.greatestPopulation).contains(name.population), "a number without bounds")
                }
                count += names.count
            }
            demand(count <= reader.count, "more names than there are things")
        }
    }

    /// Lines of GeoNames tables, and names to search for.
    static let gazetteer = FuzzTarget(
        "gazetteer",
        seeds: [
            "2759794\tAmsterdam\tAmsterdam\tMokum,I Amsterdam,\u{410}\u{43C}\t52.37403\t4.88969\tP\tPPLC\tNL\t\t07\t0363\t\t\t"
                + "741636\t\t13\tEurope/Amsterdam\t2022-05-05\n",
            "1\t\u{141}\u{F3}d\u{17A}\t\t\t-90\t180\tP\tPPL\tpl\t\t\t\t\t\t\t\t\tX\t\r\n2\tb\t\t\t0\t0\tP\tPPLH\t\t\t\t\t\t\t\t\t\t\t",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        var folding = NameFolding()
        let folded = folding.folded(text)
        demand(folding.folded(text) == folded, "a name is folded in two ways")
        demand(NameKey.range(folded).contains(NameKey.key(folded)), "a name is not among those that begin like it")
        for line in Substring(text).utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard let row = try? GazetteerRow(line, &folding) else { continue }
            demand(row.id > 0 && row.population >= 0, "a negative number")
            demand(!row.name.isEmpty && row.name.utf8.count <= GazetteerRow.longestName, "a name without bounds")
            let spellings = row.spellings.utf8.split(separator: 0x0A)
            demand(spellings.count <= GazetteerRow.maximumSpellings, "more spellings than a place may have")
            // A name without a letter has no spelling to search for.
            let own = folding.folded(row.name)
            demand(own.isEmpty || spellings.first.map { $0.elementsEqual(own) } ?? false, "it is not found by its name")
        }
    }

    /// A table, which must stay the same when it is written and read again.
    static let csv = FuzzTarget(
        "csv", seeds: ["id,title,lat,lon\na,\"b,\"\"c\",52.3,4.9\r\n'=x,-5,\t1,\u{FEFF}\n"], endings: ["csv"]
    ) { bytes in
        guard let rows = rows(of: bytes) else { return }
        if let header = rows.first { _ = try? CSVHeader(header, required: ["id"], optional: ["title", "lat"]) }
        var text: [UInt8] = []
        for row in rows { CSVWriter.append(row.fields, to: &text) }
        // Control characters are replaced when written, and a field with an added apostrophe may be too long.
        let kept = rows.map { $0.fields.map { Array(ControlCharacters.replaced($0).utf8) } }
        guard let again = FuzzTarget.rows(of: text) else {
            return demand(text.count >= CSVReader.maximumFieldLength, "what was written is not read again")
        }
        demand(again.map { $0.fields.map { Array($0.utf8) } } == kept, "what was written is read as something else")
    }

    /// The output of a gpsd after its banner.
    static let gpsd = FuzzTarget(
        "gpsd",
        seeds: [
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-05-01T10:00:00.000Z","lat":52.1,"lon":-4.9,"#
                + "\n"
                + #""altMSL":3.5,"speed":1.5,"track":359.9,"eph":4.2}"#,
            #"{"class":"SKY","device":"/dev/a","hdop":0.9,"satellites":[{"PRN":1,"used":true}]}"# + "\n"
                + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2026-05-01T10:00:00Z"}]}"#,
            #"{"class":"ERROR","message":"x"}"# + "\n" + #"{"class":"DEVICE","path":"/dev/a","activated":0}"#,
        ]
    ) { bytes in
        guard var reader = try? GPSDReader(device: nil) else { return }
        var reports: [GPSDReport] = []
        let banner = Array(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#.utf8) + [0x0A]
        try? reader.feed((banner + bytes + [0x0A]).span, into: &reports)
        for case .fix(let fix, _) in reports { check(fix) }
    }

    /// Numbers, times and addresses as people write them.
    static let numbers = FuzzTarget(
        "numbers",
        seeds: [
            "-0.00000000000000000000012e-3", "2026-05-01T10:00:03.9999+14:00", "9999-12-31T23:59:60Z", "-179.9999999",
            "gpsd://[::1]:2947/dev/a?idle=5", "nmea:/dev/a?baud=9600", "a.nmea?speed=1e3", "udp://:1",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let number = DecimalText.parse(text)
        demand(
            String(validating: bytes, as: UTF8.self) == nil || number == DecimalText.parse(bytes.span), "two readers")
        if let number {
            demand(number.isFinite, "an infinite number")
            _ = Coordinate(latitude: number, longitude: number)
            for decimals in 0...9 { _ = DecimalText.string(number, decimals: decimals) }
        }
        _ = DecimalText.parseE7(bytes.span)
        if let time = Timestamp(rfc3339: bytes.span) {
            demand(Timestamp(rfc3339: time.description) == time, "a time that is not read again")
        }
        _ = try? ReceiverAddress(text)
        var transcoder = UnicodeTranscoder()
        var output: [UInt8] = []
        transcoder.feed(bytes.span, into: &output)
        transcoder.finish(into: &output)
    }

    private static func fixes(of bytes: [UInt8], in length: Int, _ decoder: some FixDecoder) -> [Fix] {
        var decoder = decoder
        var fixes: [Fix] = []
        var start = 0
        do {
            while start < bytes.count {
                let end = min(bytes.count, start + max(1, length))
                try decoder.feed(bytes.span.extracting(start..<end), into: &fixes)
                start = end
            }
            try decoder.finish(into: &fixes)
        } catch {}
        return fixes
    }

    private static func rows(of bytes: [UInt8]) -> [CSVRow]? {
        var reader = CSVReader()
        var rows: [CSVRow] = []
        do {
            try reader.feed(bytes.span, into: &rows)
            try reader.finish(into: &rows)
            return rows
        } catch {
            return nil
        }
    }

    private static func check(_ fix: Fix) {
        demand(fix.altitude.map { Fix.altitudes.contains($0.meters) } ?? true, "an altitude beyond belief")
        demand(fix.track.map { Fix.tracks.contains($0.degrees) } ?? true, "a course beyond belief")
        demand(fix.satellites.map { $0 >= 0 } ?? true, "a negative number of satellites")
    }
}

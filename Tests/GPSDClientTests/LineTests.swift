import Positioning
import TestSupport
import Testing

@testable import GPSDClient

@Suite(.timeLimit(.minutes(1))) struct LineTests {
    @Test(arguments: [
        (
            #"{"class":"DEVICE","path":"/dev/a","activated":"2026-05-01T10:00:00.000Z","bps":9600}"#,
            GPSDReport.activated(device: "/dev/a")
        ),
        (#"{"class":"DEVICE","path":"/dev/a","activated":0}"#, .deactivated(device: "/dev/a")),
        (#"{"class":"DEVICE","path":"/dev/a"}"#, .deactivated(device: "/dev/a")),
        (#"{"class":"DEVICES","devices":[]}"#, .devices([])),
        (#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0}]}"#, .devices(["/dev/a"])),
        (#"{"class":"ERROR","message":"Unrecognized request '\"x'"}"#, .complaint("Unrecognized request '\"x'")),
        (
            #"{"class":"VERSION","release":"3.27","rev":"x","proto_major":0,"proto_minor":16}"#,
            .version(release: "3.27", major: 0, minor: 16)
        ),
    ])
    func linesAreParsed(_ line: String, _ report: GPSDReport) throws {
        #expect(try reports([line]) == [report])
    }

    /// libgps holds four devices and loops forever over a list of five.
    @Test func aDeviceListMayBeLongerThanLibgpsAllows() throws {
        let paths = (0..<9).map { "/dev/gps\($0)" }
        let devices = paths.map { #"{"class":"DEVICE","path":"\#($0)"}"# }.joined(separator: ",")
        #expect(try reports([#"{"class":"DEVICES","devices":[\#(devices)]}"#]) == [.devices(paths)])
    }

    @Test(arguments: [
        "", " ", #"{"class":"WATCH","enable":true,"json":true}"#, #"{"class":"AIS","device":"/dev/a","type":1}"#,
        #"{"class":"TOMORROW","x":[{"y":{"class":"TPV"}}]}"#, #"{"class":"POLL","tpv":[{"class":"TPV","mode":3}]}"#,
    ])
    func otherLinesGiveNoReports(_ line: String) throws {
        #expect(try reports([line, position()]) == [.fix(fix(), device: "/dev/gps0")])
    }

    /// Lines that libgps misreads or loops over forever, and others that gpsd does not send.
    @Test(arguments: [
        #"{"class":"TPV","mode":3},{"class":"TPV"}"#,
        #"{x"class":"TPV"}"#,
        #"{"class":"TPV"x"class":"TPV"}"#,
        #"{"class":"TPV"x}"#,
        #"{"class":"TPV","mode":3,x"class":"TPV"}"#,
        #"{"class":"TPV","mode":3,"y\"class":"TPV"}"#,
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/a"},"#,
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/a"x"class":"DEVICE"}]}"#,
        #"{"class":"DEVICES","devices":[{"path":"/a","class":"DEVICE"}]}"#,
        #"{"class":"DEVICES","devices":[{"class":"DEVICES",::1,"x""class":"ERROR":"x"}]}"#,
        #"{"class":"TPV","mode":3,"lat":52.1,"lon":4.2"#,
        #"{"class":"TPV","mode":3,"lat":52.1,"lon":4."#,
        #"{"class":"TPV","mode":3,"lat":52.1,"lon":4.2{"class":"TPV","mode":3}"#,
        #"{"class":"TPV","mode":3,"lat":52.1,"lon":4.2e}"#.replacing("4.2e", with: "4.2x"),
        #"{"class":"TPV","mode":3,"lat":-,"lon":4.2}"#,
        #"{"class":"TPV","device":"/dev"#, #"{"class":"TPV","device":"\"}"#,
        #"{"class":"TPV","mode":3]"#, #"{"class":"TPV","mode":3}}"#, #"{"class":"TPV","mode":3} {}"#,
        "{\"class\":\"TPV\",\"mode\":3,\0\"lat\":1}", "{\"class\":\"TPV\",\"device\":\"\u{1}\"}",
        #"{"class":"TPV","x":[[[[[[[[[[[[1]]]]]]]]]]]]}"#,
        #"{"class":""#, #"{"class":"TPV""#, #"{"class":"TPV"#, "{", "}", #""class":"TPV""#, "\0", "\u{FF}\u{FE}",
        "$GPGLL,5206.0,N,00412.0,E,100000,A*28",
    ])
    func aDamagedLineIsCountedAndTheNextIsRead(_ line: String) throws {
        let found = try reports([line, position()])
        #expect(found == [.skipped(reason: "garbled", device: ""), .fix(fix(), device: "/dev/gps0")])
    }

    @Test func aLineBeyondTheLimitIsCountedAndTheNextIsRead() throws {
        let long = #"{"class":"TPV","x":""# + String(repeating: "x", count: 200_000) + #""}"#
        #expect(
            try reports([long, position()]) == [
                .skipped(reason: "too-long", device: ""), .fix(fix(), device: "/dev/gps0"),
            ])
    }

    /// The report has more satellites than libgps holds; the receiver still counts as alive.
    @Test func aSkyReportThatLibgpsCannotHoldIsCounted() throws {
        let satellites = (1...300).map { #"{"PRN":\#($0),"used":true}"# }.joined(separator: ",")
        let found = try reports([#"{"class":"SKY","device":"/dev/a","satellites":[\#(satellites)]}"#])
        #expect(found == [.skipped(reason: "garbled", device: "/dev/a")])
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n", "it is not gpsd: it began with \"HTTP/1.1 400 Bad Request?\""),
        ("$GPRMC,,V,,,,,,,,,,N*53\r\n", "it is not gpsd: it sends plain NMEA sentences; use tcp:// in its address"),
        ("\n", "it is not gpsd: it began with \"\""),
        (#"{"class":"TPV","mode":3}"# + "\n", #"it is not gpsd: it began with "{"class":"TPV","mode":3}""#),
        (
            "\u{1}" + String(repeating: "x", count: 99_999),
            "it is not gpsd: it began with \"?\(String(repeating: "x", count: 39))\"…"
        ),
    ])
    func aServerThatIsNotGPSDIsReportedAsSuch(_ text: String, _ reason: String) throws {
        var reader = try GPSDReader(device: nil)
        var reports: [GPSDReport] = []
        let bytes = Array(text.utf8)
        #expect(throws: GPSDError(reason)) { try reader.feed(bytes.span, into: &reports) }
        #expect(reports.isEmpty)
    }

    @Test func reportsDoNotDependOnHowTheBytesAreSplit() throws {
        let lines = [
            position(), #"{"class":"SKY","device":"/dev/gps0","hdop":1.2}"#, "", position(second: 1), "{",
            position(second: 2),
        ]
        let bytes = Array((FakeGPSD.banner + lines.map { $0 + "\r\n" }.joined()).utf8)
        let whole = try reports(lines)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            var reader = try GPSDReader(device: nil)
            var found: [GPSDReport] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Int.random(in: 1...60, using: &generator))
                try reader.feed(bytes.span.extracting(start..<end), into: &found)
                start = end
            }
            #expect(Array(found.dropFirst()) == whole)
        }
    }

    /// For any input, reading ends and gives at most one report per line.
    @Test func anyDamageGivesAtMostOneReportPerLine() throws {
        let seeds = [
            position(#","altMSL":3,"eph":4"#), #"{"class":"SKY","device":"/d","satellites":[{"PRN":1,"used":true}]}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/a"},{"class":"DEVICE","path":"/b"}]}"#,
            #"{"class":"ERROR","message":"\u0041\\ \""}"#, #"{"class":"DEVICE","path":"/a","activated":0}"#,
        ]
        let pieces = [
            #""class":"#, #""TPV""#, "{", "}", "[", "]", ",", ":", "\"", "\\", "\0", "-nan", "1e9", " ", "\u{80}",
        ]
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<4000 {
            var bytes = Array(seeds.randomElement(using: &generator).known.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0...bytes.count, using: &generator)
                let end = min(bytes.count, place + Int.random(in: 0...12, using: &generator))
                bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &generator).known.utf8)
            }
            #expect(try reports(bytes + [0x0A]).count <= 1)
        }
    }
}

import Geodesy
import Positioning
import TestSupport
import Testing

@testable import GPSDClient

@Suite struct EpochTests {
    private static let device = "/dev/gps0"
    private static func skipped(_ reason: String) -> GPSDReport { .skipped(reason: reason, device: device) }

    /// The first TPV of a time with a mode of at least 2 and a position is the fix; later ones of that time are
    /// `duplicate`.
    @Test func theFirstPositionOfATimeIsTheFix() throws {
        let noFix = #"{"class":"TPV","device":"/dev/gps0","mode":1,"time":"2026-05-01T10:00:00.000Z"}"#
        let noPosition = #"{"class":"TPV","device":"/dev/gps0","mode":2,"time":"2026-05-01T10:00:00.000Z"}"#
        let lines = [noFix, noPosition, position(), position(#","speed":3"#), position(second: 1), position(second: 1)]
        #expect(
            try reports(lines) == [
                .alive(device: Self.device), Self.skipped("no-position"), .fix(fix(), device: Self.device),
                Self.skipped("duplicate"), .fix(fix(second: 1), device: Self.device), Self.skipped("duplicate"),
            ])
    }

    @Test func anotherPlaceOrAltitudeAtTheSameTimeIsAnotherFix() throws {
        let lines = [
            position(), position(latitude: "52.2"), position(latitude: "52.2", #","altMSL":5"#),
            position(second: 1, #","altMSL":5"#), position(second: 1, #","altMSL":6"#), position(second: 1),
        ]
        let found = try reports(lines)
        #expect(found.map { $0.fix?.coordinate.latitude } == [52.1, 52.2, nil, 52.1, 52.1, nil])
        #expect(found.map { $0.fix?.altitude?.meters } == [nil, nil, nil, 5, 6, nil])
        #expect(found[2] == Self.skipped("duplicate"))
    }

    @Test func reportsWithoutATimeAreSeparateFixes() throws {
        let line = #"{"class":"TPV","mode":3,"lat":52.1,"lon":4.2}"#
        #expect(try reports([line, line]).count { $0.fix?.time == nil && $0.fix != nil } == 2)
    }

    @Test func theTimeMayJumpBack() throws {
        let seconds = try reports([position(second: 9), position(second: 8), position(second: 9)]).map(\.fix?.time)
        #expect(seconds == [9, 8, 9].map { fix(second: $0).time })
    }

    @Test func receiversAreDistinguished() throws {
        let lines = ["/dev/a", "/dev/b", "/dev/a"].map { position(device: $0) }
        #expect(
            try reports(lines) == [
                .fix(fix(), device: "/dev/a"), .fix(fix(), device: "/dev/b"),
                .skipped(reason: "duplicate", device: "/dev/a"),
            ])
    }

    @Test func onlyTheWantedReceiverIsReported() throws {
        let lines = [
            position(device: "/dev/a"), position(device: "/dev/b"), #"{"class":"SKY","device":"/dev/b"}"#,
            #"{"class":"DEVICE","path":"/dev/b","activated":0}"#, #"{"class":"ERROR","message":"no"}"#,
        ]
        #expect(
            try reports(lines, device: "/dev/a") == [.fix(fix(), device: "/dev/a"), .complaint("no")])
    }

    @Test func aThousandReceiversStillGiveTheirFixes() throws {
        let lines = (0..<1000).map { position(device: "/dev/gps\($0)") }
        #expect(try reports(lines).count { $0.fix != nil } == 1000)
    }

    private static func sky(_ fields: String) -> String {
        #"{"class":"SKY","device":"/dev/gps0",\#(fields),"satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#
    }

    @Test func aSkyReportGivesDilutionSatellitesAndMissingAccuracy() throws {
        let found = try reports([Self.sky(#""hdop":1.5"#), position(), position(second: 1, #","eph":8"#)])
        #expect(found[0] == .alive(device: Self.device))
        #expect(found.map { $0.fix?.hdop } == [nil, 1.5, 1.5])
        #expect(found.map { $0.fix?.satellites } == [nil, 1, 1])
        #expect(found.map { $0.fix?.accuracy?.meters } == [nil, 28.5, 8])
    }

    @Test func aSkyReportWithATimeAppliesToThatTime() throws {
        let sky = Self.sky(#""time":"2026-05-01T10:00:01.000Z","hdop":1.5"#)
        let found = try reports([sky, position(), position(second: 1), position(second: 2)])
        #expect(found.map { $0.fix?.hdop } == [nil, nil, 1.5, nil])
    }

    @Test func aSkyReportInTwoPartsIsCombined() throws {
        let dilutions = #"{"class":"SKY","device":"/dev/gps0","hdop":1.5}"#
        let fix = try reports([Self.sky(#""hdop":nan"#), dilutions, position()]).last?.fix
        #expect(fix?.hdop == 1.5)
        #expect(fix?.satellites == 1)
    }

    @Test(arguments: ["0", "99.99", "-1", "inf"])
    func dilutionsThatMeanUnknownAreNil(_ hdop: String) throws {
        let fix = try #require(try reports([Self.sky(#""hdop":\#(hdop)"#), position()]).last?.fix)
        #expect(fix.hdop == nil)
        #expect(fix.accuracy == nil)
    }
}

import Geodesy
import NMEA
import Positioning
import Testing
import Time

/// A sentence, the number of its fixes, and the reason if it is rejected.
struct SentenceCase: CustomTestStringConvertible, Sendable {
    let sentence: String
    let fixes: Int
    let reason: String?

    init(_ sentence: String, fixes: Int = 0, reason: String? = nil) {
        self.sentence = sentence
        self.fixes = fixes
        self.reason = reason
    }

    var testDescription: String { sentence }
}

@Suite struct SentenceTests {
    static let rmc: [SentenceCase] = [
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,5.0,90.0,010526,1.5,E", fixes: 1),
        .init("GNRMC,100000.00,A,5222.3834,N,00453.5333,E,,,010526,,,D", fixes: 1),
        .init("BDRMC,100000.00,D,5222.3834,S,00453.5333,W,0.0,360.0,010526,,,A,V", fixes: 1),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,,,", fixes: 1),
        .init("GPRMC,235960,A,5222.3834,N,00453.5333,E,,,311216,,", fixes: 1),
        .init("GPRMC,100000,A,5222,N,00453,E,,,010526,,", fixes: 1),
        .init("GPRMC,100000,A,222.5,N,453.5,E,,,010526,,", fixes: 1),
        .init("GPRMC,100000,A,9000.0000,N,18000.0000,W,,,010526,,", fixes: 1),
        .init("GPRMC,100000.0 ,A,5222.3834,N,00453.5333,E,,,010526,,", fixes: 1),
        .init("GPRMC,100000,V,5222.3834,N,00453.5333,E,5.0,90.0,010526,,"),
        .init("GPRMC,,V,,,,,,,,,,N"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,5.0,90.0,010526,,,N"),
        .init("GPRMC,100000,,5222.3834,N,00453.5333,E,5.0,90.0,010526,,"),
        .init("GPRMC,100000,A,5222.3834", reason: "fields"),
        .init("GPRMC", reason: "fields"),
        .init("GPRMC,250000,A,5222.3834,N,00453.5333,E,,,010526,,", reason: "time"),
        .init("GPRMC,106000,A,5222.3834,N,00453.5333,E,,,010526,,", reason: "time"),
        .init("GPRMC,100061,A,5222.3834,N,00453.5333,E,,,010526,,", reason: "time"),
        .init("GPRMC,100000.,A,5222.3834,N,00453.5333,E,,,010526,,", reason: "time"),
        .init("GPRMC,1000,A,5222.3834,N,00453.5333,E,,,010526,,", reason: "time"),
        .init("GPRMC,1000x0,A,5222.3834,N,00453.5333,E,,,010526,,", reason: "time"),
        .init("GPRMC,-10000,A,5222.3834,N,00453.5333,E,,,010526,,", reason: "time"),
        .init("GPRMC,250000,V,,,,,,,,,,N", reason: "time"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,,,000000,,", reason: "date"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,,,310226,,", reason: "date"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,,,290226,,", reason: "date"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,,,2208-1,,", reason: "date"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,,,10526,,", reason: "date"),
        .init("GPRMC,100000,A,,,,,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,5222.3834,,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,X,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,5222.3834,NN,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,9000.0001,N,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,5222.3834,N,18000.0001,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,5260.0000,N,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,nan,N,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,-522.3834,N,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,52222.3834,N,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,22.3834,N,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,5222.38.4,N,00453.5333,E,,,010526,,", reason: "position"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,1e3,,010526,,", reason: "number"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,,nan,010526,,", reason: "number"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,.,,010526,,", reason: "number"),
        .init("GPRMC,100000,A,5222.3834,N,00453.5333,E,1.2.3,,010526,,", reason: "number"),
    ]

    static let otherPositions: [SentenceCase] = [
        .init("GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,,", fixes: 1),
        .init("QZGGA,100000,5222.3834,N,00453.5333,E,6,,,,,,,,", fixes: 1),
        .init("GPGGA,100000,5222.3834,N,00453.5333,E,8,08,0.9,12.5,M,46.9,M,,", fixes: 1),
        .init("GNGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,,0000,4.9", fixes: 1),
        .init("GPGGA,100000,5222.3834,N,00453.5333,E,0,08,0.9,12.5,M,46.9,M,,"),
        .init("GPGGA,100000,5222.3834,N,00453.5333,E,,08,0.9,12.5,M,46.9,M,,"),
        .init("GPGGA,,,,,,0,00,99.99,,,,,,"),
        .init("GPGGA,100000,5222.3834,N,00453.5333,E,x,08,0.9,12.5,M,46.9,M,,", reason: "number"),
        .init("GPGGA,100000,5222.3834,N,00453.5333,E,1,-8,0.9,12.5,M,46.9,M,,", reason: "number"),
        .init("GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,high,M,46.9,M,,", reason: "number"),
        .init("GPGGA,100000", reason: "fields"),
        .init("GPGGA,100000,,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,,", reason: "position"),
        .init("GNGNS,100000,5222.3834,N,00453.5333,E,NA,08,0.9,12.5,46.9,,", fixes: 1),
        .init("GNGNS,100000,5222.3834,N,00453.5333,E,RRF,08,0.9,12.5,46.9,,,V", fixes: 1),
        .init("GNGNS,100000,5222.3834,N,00453.5333,E,NN,08,0.9,12.5,46.9,,"),
        .init("GNGNS,100000,,,,,NNN,00,,,,,"),
        .init("GNGNS,100000,,,,,,00,,,,,"),
        .init("GNGNS,100000,,,,,AN,00,,,,,", reason: "position"),
        .init("GPGLL,5222.3834,N,00453.5333,E,100000,A,A", fixes: 1),
        .init("GPGLL,5222.3834,N,00453.5333,E,100000,A", fixes: 1),
        .init("GPGLL,5222.3834,N,00453.5333,E", fixes: 1),
        .init("GPGLL,5222.3834,N,00453.5333,E,100000,V,N"),
        .init("GPGLL,5222.3834,N,00453.5333,E,100000,A,N"),
        .init("GPGLL,5222.3834,N,00453.5333,E,100000,"),
        .init("GPGLL,,,,,,V,N"),
        .init("GPGLL,5222.3834,N,00453.5333", reason: "fields"),
        .init("GPGLL,5222.3834,X,00453.5333,E,100000,A,A", reason: "position"),
    ]

    static let others: [SentenceCase] = [
        .init("GPVTG,45.0,T,,M,5.0,N,9.3,K,A"),
        .init("GPVTG,,,,,,,,,N"),
        .init("GPVTG,45.0", reason: "fields"),
        .init("GPVTG,east,T,,M,5.0,N,9.3,K,A", reason: "number"),
        .init("GPGSA,A,3,01,02,03,04,,,,,,,,,1.7,1.0,1.4"),
        .init("GNGSA,A,1,,,,,,,,,,,,,,,,1"),
        .init("GPGSA,A,3,01", reason: "fields"),
        .init("GPGSA,A,3,01,02,03,04,,,,,,,,,1.7,wide,1.4", reason: "number"),
        .init("GPGST,100000,1.0,,,,3.0,4.0,5.0"),
        .init("GPGST,100000,1.0,,,,,,"),
        .init("GPGST,996000,1.0,,,,3.0,4.0,5.0", reason: "time"),
        .init("GPGST,100000,1.0", reason: "fields"),
        .init("GPZDA,100000,01,05,2026,00,00"),
        .init("GPZDA,100000,01,05,26,-01,00"),
        .init("GPZDA,100000,,,,00,"),
        .init("GPZDA,100000,01,05,,00,00", reason: "date"),
        .init("GPZDA,100000,31,02,2026,00,00", reason: "date"),
        .init("GPZDA,100000,1st,05,2026,00,00", reason: "date"),
        .init("GPZDA,100000,01", reason: "fields"),
        .init("GPGSV,99,1,99,01,99,999,99,02,-5,-9,-1"),
        .init("PGRME,15.0,M,22.5,M,27.0,M"),
        .init("PGRMC,A,,,,,,,,,,"),
        .init("PUBX,00,100000,5222.3834,N,00453.5333,E,1.0"),
        .init("XX,1,2"),
    ]

    @Test(arguments: rmc + otherPositions + others)
    func eachSentenceIsReadSkippedOrCounted(_ sample: SentenceCase) {
        let decoded = Decoded(Recording([sample.sentence]))
        #expect(decoded.fixes.count == sample.fixes)
        #expect(decoded.reasons == (sample.reason.map { ["\($0) 1"] } ?? []))
    }

    @Test func rmcGivesTimePositionSpeedAndTrack() throws {
        let decoded = Decoded(Recording(["GPRMC,100000.125,A,5222.3834,N,00453.5333,W,10.0,45.5,010526,,,A"]))
        let fix = try #require(decoded.fixes.first)
        #expect(fix.time?.description == "2026-05-01T10:00:00.125Z")
        #expect(fix.coordinate == Coordinate(latitude: 52.3730567, longitude: -4.8922217))
        #expect(abs((fix.speed?.metersPerSecond ?? 0) - 5.144444) < 1e-5)
        #expect(fix.track == .degrees(45.5))
        #expect(fix.altitude == nil)
        #expect(fix.accuracy == nil)
        #expect(fix.hdop == nil)
        #expect(fix.mode == nil)
        #expect(fix.satellites == nil)
        #expect(!fix.beginsSegment)
    }

    @Test func ggaGivesAltitudeDilutionAndSatellites() throws {
        let decoded = Decoded(Recording(["GPGGA,100000,5222.3834,N,00453.5333,E,1,08,1.5,-12.5,M,46.9,M,,"]))
        let fix = try #require(decoded.fixes.first)
        #expect(fix.altitude == .meters(-12.5))
        #expect(fix.hdop == 1.5)
        #expect(fix.accuracy == .meters(28.5))
        #expect(fix.satellites == 8)
        #expect(fix.mode == .threeDimensional)
        #expect(fix.speed == nil)
        #expect(fix.time == nil)
    }

    @Test(arguments: [
        ("1,08,0.9,12.5,M", FixMode.threeDimensional), ("1,03,0.9,12.5,M", .twoDimensional),
        ("1,08,0.9,,M", .twoDimensional), ("4,,0.9,12.5,M", .threeDimensional), ("1,,0.9,12.5,M", .twoDimensional),
    ])
    func theModeIsDerivedFromAltitudeAndSatellitesIfNotGiven(_ middle: String, _ mode: FixMode) {
        let decoded = Decoded(Recording(["GPGGA,100000,5222.3834,N,00453.5333,E,\(middle),46.9,M,,"]))
        #expect(decoded.fixes.map(\.mode) == [mode])
    }

    @Test(arguments: [(2, FixMode.twoDimensional), (3, .threeDimensional)])
    func gsaGivesTheMode(_ digit: Int, _ mode: FixMode) {
        let decoded = Decoded(
            Recording([
                "GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,,",
                "GPGSA,A,\(digit),01,02,03,04,,,,,,,,,1.7,1.0,1.4", "GNGSA,A,1,,,,,,,,,,,,,1.7,1.0,1.4",
            ]))
        #expect(decoded.fixes.map(\.mode) == [mode])
        #expect(decoded.fixes.map(\.hdop) == [0.9])
    }

    @Test(arguments: ["99.0", "99.99", "0.00", "-1.0", ""])
    func unknownDilutionIsNil(_ hdop: String) {
        let decoded = Decoded(Recording(["GPGGA,100000,5222.3834,N,00453.5333,E,1,08,\(hdop),12.5,M,46.9,M,,"]))
        #expect(decoded.fixes.map(\.hdop) == [nil])
        #expect(decoded.fixes.map(\.accuracy) == [nil])
    }

    @Test(arguments: ["99999999999999999999.0", "20000.1", "-3.0"])
    func anAbsurdSpeedIsDroppedAndThePositionIsKept(_ speed: String) {
        let decoded = Decoded(Recording(["GPRMC,100000,A,5222.3834,N,00453.5333,E,\(speed),400,010526,,"]))
        #expect(decoded.fixes.count == 1)
        #expect(decoded.fixes.first?.speed == nil)
        #expect(decoded.fixes.first?.track == nil)
    }

    @Test(arguments: [("M", Distance.meters(12.5)), ("", .meters(12.5)), ("f", nil)])
    func altitudeIsInMetresOrNil(_ unit: String, _ altitude: Distance?) {
        let decoded = Decoded(Recording(["GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,12.5,\(unit),46.9,M,,"]))
        #expect(decoded.fixes.map(\.altitude) == [altitude])
    }

    @Test func aTrackOf360DegreesIsNorth() {
        let decoded = Decoded(Recording(["GPRMC,100000,A,5222.3834,N,00453.5333,E,1.0,360.0,010526,,"]))
        #expect(decoded.fixes.map(\.track) == [.degrees(0)])
    }

    @Test func standardDeviationsOverrideDilution() throws {
        let decoded = Decoded(
            Recording([
                "GPGST,100000,1.0,,,,3.0,4.0,5.0", "GPGGA,100000,5222.3834,N,00453.5333,E,1,08,1.0,12.5,M,46.9,M,,",
            ]))
        let accuracy = try #require(decoded.fixes.first?.accuracy)
        #expect(abs(accuracy.meters - 8.65) < 1e-9)
    }

    @Test(
        arguments: [
            ("5.0,N,9.3,K,A", 2.572222), (",N,36.0,K,A", 10), (",,,,A", nil), ("5.0,N,9.3,K,N", nil),
        ] as [(String, Double?)])
    func speedIsReadInKnotsOrElseInKilometresPerHour(_ fields: String, _ expected: Double?) {
        let decoded = Decoded(
            Recording([
                "GPGGA,100000,5222.3834,N,00453.5333,E,1,08,0.9,12.5,M,46.9,M,,", "GPVTG,45.0,T,,M,\(fields)",
            ]))
        let speed = decoded.fixes.first?.speed?.metersPerSecond
        #expect((speed == nil) == (expected == nil))
        #expect(abs((speed ?? 0) - (expected ?? 0)) < 1e-5)
    }
}

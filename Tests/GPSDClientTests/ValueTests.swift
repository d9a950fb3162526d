import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import GPSDClient

@Suite struct ValueTests {
    enum Field {
        case altitude, speed, track, accuracy, hdop

        func of(_ fix: Fix) -> Double? {
            switch self {
            case .altitude: fix.altitude?.meters
            case .speed: fix.speed?.metersPerSecond
            case .track: fix.track?.degrees
            case .accuracy: fix.accuracy?.meters
            case .hdop: fix.hdop
            }
        }
    }

    /// The fields of a position and the values that they give.
    @Test(
        arguments: [
            (#","altHAE":90.1,"altMSL":43.2,"alt":43.2"#, .altitude, 43.2),
            (#","alt":43.2"#, .altitude, 43.2),
            (#","altHAE":90.1,"alt":90.1"#, .altitude, nil),
            (#","altMSL":-430.5"#, .altitude, -430.5),
            (#","altMSL":1e9"#, .altitude, nil),
            (#","altMSL":nan"#, .altitude, nil),
            (#","speed":0.000"#, .speed, 0),
            (#","speed":13.25"#, .speed, 13.25),
            (#","speed":-1"#, .speed, nil),
            (#","speed":-nan"#, .speed, nil),
            (#","speed":1e300"#, .speed, nil),
            (#","speed":50"#, .speed, 50),
            (#","speed":50.1"#, .speed, nil),
            (#","speed":250,"track":nan"#, .speed, nil),
            (#","speed":250,"track":0"#, .speed, 250),
            (#","track":359.9"#, .track, 359.9),
            (#","track":-999"#, .track, nil),
            (#","track":361"#, .track, nil),
            (#","eph":7.5,"epx":3,"epy":4"#, .accuracy, 7.5),
            (#","epx":3,"epy":4"#, .accuracy, 5),
            (#","epx":3"#, .accuracy, nil),
            (#","eph":0,"epx":0,"epy":0"#, .accuracy, nil),
            (#","eph":inf,"epx":3,"epy":4"#, .accuracy, 5),
            (#","eph":1e12"#, .accuracy, nil),
            ("", .hdop, nil),
        ] as [(String, Field, Double?)])
    func aFieldIsUsedIfItIsPlausible(
        _ field: String, _ value: Field, _ expected: Double?
    ) throws {
        let fix = try reports([position(field)]).first?.fix
        #expect(fix.flatMap(value.of) == expected)
        #expect(fix?.coordinate.latitude == 52.1)
    }

    @Test(arguments: [
        ("2026-05-01T10:00:03.000Z", "2026-05-01T10:00:03.000Z"),
        ("2026-05-01T10:00:03.9994Z", "2026-05-01T10:00:03.999Z"),
        ("2026-05-01T10:00:03.9996Z", "2026-05-01T10:00:04.000Z"),
        ("2005-06-09T14:34:55.28Z", "2005-06-09T14:34:55.280Z"),
        ("yesterday", nil),
        ("", nil),
        ("0000-00-00T00:00:00.000Z", nil),
    ])
    func timeIsRoundedToMilliseconds(_ time: String, _ expected: String?) throws {
        let line = #"{"class":"TPV","mode":3,"time":"\#(time)","lat":52.1,"lon":4.2}"#
        let fix = try #require(try reports([line]).first?.fix)
        #expect(fix.time?.description == expected)
    }

    @Test func positionIsRoundedAndModeKept() throws {
        let line = #"{"class":"TPV","tag":"RMC","mode":2,"lat":-45.457633333,"lon":167.152750049}"#
        let fix = try #require(try reports([line]).first?.fix)
        #expect(fix.coordinate.latitudeE7 == -454_576_333)
        #expect(fix.coordinate.longitudeE7 == 1_671_527_500)
        #expect(fix.mode == .twoDimensional)
        #expect(fix.time == nil)
    }

    /// Reports that are not a fix, although they may claim to be.
    @Test(arguments: [
        (#""mode":3"#, "no-position"),
        (#""mode":3,"lat":52.1"#, "no-position"),
        (#""mode":3,"lat":nan,"lon":4.2"#, "no-position"),
        (#""mode":3,"lat":-nan,"lon":4.2"#, "no-position"),
        (#""mode":3,"lat":-inf,"lon":4.2"#, "no-position"),
        (#""mode":3,"lat":null,"lon":4.2"#, "no-position"),
        (#""mode":3,"lat":"52.1","lon":4.2"#, "no-position"),
        (#""mode":3,"lat":1e400,"lon":4.2"#, "position"),
        (#""mode":3,"lat":-999,"lon":4.2"#, "position"),
        (#""mode":3,"lat":52.1,"lon":180.1"#, "position"),
        (#""mode":4,"lat":52.1,"lon":4.2"#, "mode"),
        (#""mode":-1,"lat":52.1,"lon":4.2"#, "mode"),
    ])
    func aReportWithoutAValidPositionIsCountedByReason(_ fields: String, _ reason: String) throws {
        let line = #"{"class":"TPV","device":"/dev/gps0",\#(fields)}"#
        #expect(try reports([line]) == [.skipped(reason: reason, device: "/dev/gps0")])
    }

    @Test(arguments: [
        #"{"class":"TPV"}"#, #"{"class":"TPV","mode":0}"#, #"{"class":"TPV","mode":1,"lat":52.1,"lon":4}"#,
    ])
    func aReceiverWithoutAFixIsAlive(_ line: String) throws {
        #expect(try reports([line]) == [.alive(device: "")])
    }
}

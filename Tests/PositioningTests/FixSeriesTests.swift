import Foundation
import Geodesy
import TestSupport
import Testing
import Time

@testable import Positioning

@Suite struct FixSeriesTests {
    private static func kept(_ fixes: [Fix]) throws -> Data { try JSONEncoder().encode(FixSeries(fixes)) }

    private static func read(_ text: String) throws -> [Fix] {
        try JSONDecoder().decode(FixSeries.self, from: Data(text.utf8)).fixes
    }

    @Test func onlyChangesAreEncoded() throws {
        var first = Fix(
            time: Timestamp(milliseconds: 1_000_000),
            coordinate: Coordinate(latitudeE7: 520_000_000, longitudeE7: -5).known)
        (first.altitude, first.speed, first.accuracy) = (.meters(3.5), .metersPerSecond(2), .meters(5))
        var second = first
        second.time = Timestamp(milliseconds: 1_001_000)
        second.coordinate = Coordinate(latitudeE7: 520_000_010, longitudeE7: 7).known
        var third = second
        (third.time, third.speed, third.beginsSegment) = (nil, nil, true)
        let text = String(decoding: try Self.kept([first, second, third, second]), as: UTF8.self)
        #expect(
            text == "[[1000000,520000000,-5,3.5,2,null,5],[1000,10,12],[null,0,0,3.5,null,null,5,null,null,null,1],"
                + "[0,0,0,3.5,2,null,5,null,null,null,null]]")
        #expect(try Self.read(text) == [first, second, third, second])
    }

    @Test func fixesSurviveEncodingAndDecoding() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            var fixes: [Fix] = []
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                func some<Value>(_ value: Value) -> Value? { Int.random(in: 0..<4, using: &random) == 0 ? nil : value }
                let latitude = Int32.random(in: -900_000_000...900_000_000, using: &random)
                let longitude = Int32.random(in: -1_800_000_000...1_800_000_000, using: &random)
                let time = Int64.random(in: -9_000_000_000...9_000_000_000_000, using: &random)
                var fix = Fix(
                    time: some(Timestamp(milliseconds: time)),
                    coordinate: try #require(Coordinate(latitudeE7: latitude, longitudeE7: longitude)))
                fix.altitude = some(.meters(Double.random(in: -400...9000, using: &random)))
                fix.speed = some(.metersPerSecond([0, 1, 13.992888888888888].randomElement(using: &random) ?? 0))
                fix.track = some(.degrees([-0.0, 0, 90].randomElement(using: &random) ?? 0))
                (fix.accuracy, fix.hdop, fix.mode, fix.satellites) = (
                    some(.meters(5)), some(0.9), some(.threeDimensional), some(9)
                )
                fix.beginsSegment = Bool.random(using: &random)
                fixes.append(fix)
            }
            let again = try JSONDecoder().decode(FixSeries.self, from: Self.kept(fixes)).fixes
            #expect(again == fixes)
            #expect(again.map { $0.track?.degrees.sign } == fixes.map { $0.track?.degrees.sign })
        }
    }

    @Test(arguments: [
        "[[0,900000001,0]]", "[[0,900000000,0],[0,1,0]]", "[[0,9223372036854775807,0]]",
        "[[0,1,1],[0,0,9223372036854775807]]", "[[0,0]]", "[7]", "{}", "[[0.5,0,0]]",
    ]) func invalidSeriesAreRefused(_ text: String) {
        #expect(throws: DecodingError.self) { try Self.read(text) }
    }

    @Test func aTimeBeyondTheRangeIsTheLatest() throws {
        let fixes = try Self.read("[[1000,0,0],[9223372036854775807,0,0]]")
        #expect(fixes.last?.time == .latest)
    }
}

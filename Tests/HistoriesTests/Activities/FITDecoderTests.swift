import Geodesy
import Positioning
import TestSupport
import Testing
import Time

@testable import Histories

@Suite struct FITDecoderTests {
    private static func read(_ bytes: [UInt8]) -> ActivityReading { ActivityReading(FITDecoder(), bytes) }

    @Test func theChecksumIsThatOfTheProtocol() {
        var sum = FITChecksum()
        sum.add(Array("123456789".utf8)[...])
        #expect(sum.value == 0xBB3D)
    }

    @Test(arguments: [false, true]) func aRecordIsReadInEitherByteOrder(isBigEndian: Bool) throws {
        var fit = FITBytes()
        fit.define(3, 20, FITBytes.record, isBigEndian: isBigEndian)
        fit.addRecord(
            3, time: 1_000_000_000, 1 << 29, -(1 << 30), altitude: 2750, speed: 3210, isBigEndian: isBigEndian)
        let reading = Self.read(fit.file)
        let fix = try #require(reading.fixes.first)
        #expect((reading.items.count, reading.failure, reading.damage) == (1, nil, nil))
        // 1,000,000,000 s after 1989-12-31.
        #expect(fix.time?.description == "2021-09-08T01:46:40.000Z")
        #expect(fix.coordinate == Coordinate(latitude: 45, longitude: -90))
        #expect(fix.altitude == .meters(50))
        #expect(fix.speed == .metersPerSecond(3.21))
        #expect(fix.beginsSegment)
    }

    @Test func theFinerValuesCountMore() throws {
        var fit = FITBytes()
        fit.define(0, 20, FITBytes.record + [(73, 4, 0x86), (78, 4, 0x86)])
        fit.add(0, [(1_000_000_000, 4), (0, 4), (0, 4), (9, 2), (9, 2), (70_500, 4), (5000, 4)])
        fit.add(0, [(1_000_000_001, 4), (0, 4), (0, 4), (2550, 2), (1500, 2), (0xFFFF_FFFF, 4), (0xFFFF_FFFF, 4)])
        let fixes = Self.read(fit.file).fixes
        #expect(fixes.map(\.speed) == [.metersPerSecond(70.5), .metersPerSecond(1.5)])
        #expect(fixes.map(\.altitude) == [.meters(500), .meters(10)])
    }

    @Test func unknownValuesAreAbsentAndRecordsWithoutATimeOrPlaceAreDropped() throws {
        var fit = FITBytes.ride(0)
        fit.addRecord(time: 1_000_000_000, 0, 0)
        fit.addRecord(time: 1_000_000_001, 0x7FFF_FFFF, 0)
        fit.addRecord(time: 1_000_000_001, 0, 0x7FFF_FFFF)
        fit.addRecord(time: 0xFFFF_FFFF, 0, 0)
        // Seconds since the device was switched on.
        fit.addRecord(time: 77, 0, 0)
        fit.addRecord(time: 1_000_000_002, (1 << 30) + 1000, 0)
        let reading = Self.read(fit.file)
        #expect(reading.dropped == [.noPosition: 2, .noTime: 2, .outOfRange: 1])
        let fix = try #require(reading.fixes.first)
        #expect((reading.items.count, fix.altitude, fix.speed) == (1, nil, nil))
    }

    @Test func compressedTimesFollowTheLastOne() {
        var fit = FITBytes()
        fit.define(0, 20, FITBytes.record)
        fit.define(1, 20, [(0, 4, 0x85), (1, 4, 0x85)])
        // Before any time.
        fit.add(0x80 | 1 << 5 | 3, [(5, 4), (5, 4)])
        // 1,000,000,000 has 0 in its low five bits.
        fit.addRecord(time: 1_000_000_030, 0, 0)
        fit.add(0x80 | 1 << 5 | 30, [(5, 4), (5, 4)])
        fit.add(0x80 | 1 << 5 | 31, [(5, 4), (5, 4)])
        fit.add(0x80 | 1 << 5 | 2, [(5, 4), (5, 4)])
        fit.add(0x80 | 1 << 5 | 1, [(5, 4), (5, 4)])
        let reading = Self.read(fit.file)
        let seconds = reading.fixes.map { ($0.time?.milliseconds ?? 0) / 1000 - 1_631_065_600 }
        #expect(seconds == [30, 30, 31, 34, 65])
        #expect(reading.dropped == [.noTime: 1])
    }

    @Test func startsOfTheTimerBeginSegments() {
        var fit = FITBytes.ride(2)
        fit.define(1, 21, [(253, 4, 0x86), (0, 1, 0), (1, 1, 0)])
        fit.add(1, [(1_000_000_002, 4), (0, 1), (4, 1)])
        fit.add(1, [(1_000_000_102, 4), (0, 1), (0, 1)])
        fit.addRecord(time: 1_000_000_102, 0, 0)
        // A lap, or another event's start.
        fit.add(1, [(1_000_000_103, 4), (3, 1), (0, 1)])
        fit.addRecord(time: 1_000_000_103, 0, 0)
        #expect(Self.read(fit.file).fixes.map(\.beginsSegment) == [true, false, true, false])
    }

    @Test func developerFieldsAndOtherMessagesArePassedOver() {
        var fit = FITBytes()
        fit.define(0, 20, FITBytes.record, developer: [3, 200])
        fit.define(5, 0xFF00, [(1, 255, 0x07), (2, 8, 0x89)])
        fit.addRecord(time: 1_000_000_000, 7, 7)
        fit.messages += [UInt8](repeating: 0x40, count: 203)
        fit.messages += [5] + [UInt8](repeating: 0x41, count: 263)
        fit.addRecord(time: 1_000_000_001, 7, 7)
        fit.messages += [UInt8](repeating: 0, count: 203)
        // A place of another type is none.
        fit.define(0, 20, [(253, 4, 0x86), (0, 4, 0x88), (1, 2, 0x83)])
        fit.add(0, [(1_000_000_002, 4), (7, 4), (7, 2)])
        let reading = Self.read(fit.file)
        #expect((reading.fixes.count, reading.damage, reading.failure) == (2, nil, nil))
        #expect(reading.dropped == [.noPosition: 1])
    }

    @Test func filesMayFollowOneAnother() {
        let ride = FITBytes.ride(3).file
        let reading = Self.read(ride + ride)
        #expect(reading.fixes.map(\.beginsSegment) == [true, false, false, true, false, false])
        #expect(reading.damage == nil)
        // Definitions do not go over to the next file.
        var orphan = FITBytes()
        orphan.addRecord(time: 1_000_000_000, 0, 0)
        #expect(Self.read(ride + orphan.file).damage != nil)
        #expect(Self.read(ride + orphan.file).fixes.count == 3)
        #expect(Self.read(ride + [0, 0, 0]).fixes.count == 3)
        #expect(Self.read(ride + [0, 0, 0]).damage != nil)
    }

    @Test func aDamagedFileIsReadUpToItsDamage() {
        let whole = FITBytes.ride(10).file
        var wrongSum = whole
        wrongSum[whole.count - 1] ^= 1
        let lying = FITBytes.ride(10).file(size: 0xFFFF_FFF0)
        let open = FITBytes.ride(10).file(size: 0)
        for (bytes, count) in [
            (wrongSum, 10), (lying, 10), (open, 10), (Array(whole.dropLast(2)), 10), (Array(whole.dropLast(3)), 9),
            (FITBytes.ride(10).file(size: whole.count - 20), 9),
        ] {
            let reading = Self.read(bytes)
            #expect((reading.fixes.count, reading.failure) == (count, nil))
            #expect(reading.damage != nil)
        }
        #expect(Self.read(whole).damage == nil)
    }

    @Test func whatIsNoFITIsRefused() {
        let ride = FITBytes.ride(1).file
        var other = ride
        other[9] = UInt8(ascii: "G")
        var undefined = FITBytes()
        undefined.addRecord(4, time: 1_000_000_000, 0, 0)
        let inputs: [[UInt8]] = [
            [], [14], Array(ride[..<12]), other, Array("{}".utf8), undefined.file, Array(ride[..<40]),
        ]
        for bytes in inputs {
            let reading = Self.read(bytes)
            #expect(reading.failure != nil)
            #expect(reading.items.isEmpty)
        }
        // A file of settings has messages and no record.
        var settings = FITBytes()
        settings.define(0, 3, [(1, 1, 0)])
        settings.add(0, [(1, 1)])
        #expect(Self.read(settings.file) == ActivityReading(FITDecoder(), settings.file))
        #expect(Self.read(settings.file).failure == nil)
    }
}

import Foundation
import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

@testable import Store

extension TemporaryFolder {
    /// The path of the test's store.
    var store: String { file("waymark.db") }

    func mode(_ suffix: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: store + suffix)[.posixPermissions] as? Int)
    }
}

/// Returns the time that many seconds after 2026-05-01 10:00:00 UTC.
func time(_ seconds: Double) -> Timestamp {
    Timestamp(milliseconds: 1_777_629_600_000 + Int64((seconds * 1000).rounded()))
}

/// Returns a place near 52.37 N 4.89 E, moved by that many units of 1e-7 degrees north and east.
func place(_ north: Int32 = 0, _ east: Int32 = 0) -> Coordinate {
    Coordinate(latitudeE7: 523_700_000 + north, longitudeE7: 48_900_000 + east).known
}

func fix(_ seconds: Double, _ north: Int32 = 0, _ east: Int32 = 0) -> Fix {
    Fix(time: time(seconds), coordinate: place(north, east))
}

extension EventRecord {
    /// Makes an event whose only member is its type.
    static func plain(_ type: String, at seconds: Double = 0) -> EventRecord {
        EventRecord(
            time: fix(seconds).time.known, type: type, device: "gps0", subject: nil,
            members: Array("\"type\":\"\(type)\"".utf8))
    }
}

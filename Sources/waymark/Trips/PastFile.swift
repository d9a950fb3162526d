import Daemon
import Geodesy
import Positioning
import RPC
import Receivers

/// A recording on a disk whose trips are to be imported.
///
/// It is read twice: once to its end, before anything is written, and once to send it.
struct PastFile {
    let path: String
    /// The device that it stands for.
    let device: String
    private let date: CalendarDate?

    /// Reads a recording to its end.
    ///
    /// - Throws: ``FileFailure`` where it is damaged, holds no time, or cannot be read twice.
    init(path: String, device: String?, date: CalendarDate?) throws(FileFailure) {
        self.path = path
        self.date = date
        do throws(RecordingError) {
            let recording = try Recording(path: path, date: date)
            guard !recording.isLive else {
                throw RecordingError("it is no file on a disk, and an import reads it twice; put it in one")
            }
            self.device = device ?? recording.device
            var (hasFixes, hasTime) = (false, false)
            while let fixes = try recording.next() {
                hasFixes = true
                hasTime = hasTime || fixes.contains { $0.time != nil }
            }
            guard hasFixes else { throw RecordingError("it holds no position") }
            guard hasTime else {
                throw RecordingError(
                    recording.format == .gpx
                        ? "none of its points has a time, so that there is no trip in it"
                        : "none of its sentences carries a date; say with --date on which day it begins")
            }
        } catch {
            throw FileFailure(file: path, error: error)
        }
    }

    /// Gives its points in parts of at most so many, as trips.trace gives them; the last part may be empty.
    ///
    /// - Throws: ``FileFailure`` where it cannot be read any more, and what `body` throws.
    nonisolated(nonsending) func forEachPart(
        of most: Int, _ body: (_ points: [JSONValue], _ isLast: Bool) async throws -> Void
    ) async throws {
        do {
            let recording = try Recording(path: path, date: date)
            var points: [JSONValue] = []
            var isApart = false
            while let fixes = try recording.next() {
                for fix in fixes {
                    isApart = isApart || fix.beginsSegment
                    guard let point = Self.point(fix, gap: isApart) else { continue }
                    isApart = false
                    points.append(point)
                    guard points.count == most else { continue }
                    try await body(points, false)
                    points.removeAll(keepingCapacity: true)
                }
            }
            try await body(points, true)
        } catch let error as RecordingError {
            throw FileFailure(file: path, error: error)
        }
    }

    /// A fix as a point; nil where it has no time.
    private static func point(_ fix: Fix, gap: Bool) -> JSONValue? {
        guard let time = fix.time else { return nil }
        return .object(
            JSONObject(present: [
                "time": .string(time.description), "lat": .number(fix.coordinate.latitude),
                "lon": .number(fix.coordinate.longitude), "alt": number(fix.altitude?.meters),
                "speed": number(fix.speed?.metersPerSecond), "track": number(fix.track?.degrees),
                "accuracy": number(fix.accuracy?.meters), "gap": gap ? true : nil,
            ]))
    }

    private static func number(_ value: Double?) -> JSONValue? {
        value.flatMap { $0.isFinite ? .number($0) : nil }
    }
}

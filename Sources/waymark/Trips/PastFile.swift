import Daemon
import Positioning
import Receivers

/// A recording on a disk whose trips are to be imported.
///
/// It is read twice: first to its end, before anything is written, and then to send it.
struct PastFile {
    let path: String
    /// The device to use if the recording names none.
    private let device: String
    /// Whether the command line names the device, which then holds for everything in the recording.
    private let isDeviceGiven: Bool
    private let date: CalendarDate?
    private let isGPX: Bool

    /// Reads a recording to its end.
    ///
    /// - Throws: ``FileFailure`` if it is damaged, has no position or no time, or cannot be read twice.
    init(path: String, device: String?, date: CalendarDate?) throws(FileFailure) {
        self.path = path
        self.date = date
        do throws(RecordingError) {
            let recording = try Recording(path: path, date: date)
            guard !recording.isLive else {
                throw RecordingError(
                    "it is not a file on a disk, and an import reads it twice; save it to a file first")
            }
            self.device = device ?? recording.device
            isDeviceGiven = device != nil
            isGPX = recording.format == .gpx
            var (hasFixes, hasTime) = (false, false)
            while let fixes = try recording.next() {
                hasFixes = true
                hasTime = hasTime || fixes.contains { $0.time != nil }
            }
            guard hasFixes else { throw RecordingError("it contains no positions") }
            guard hasTime else {
                throw RecordingError(
                    recording.format == .gpx
                        ? "none of its points has a time, so it contains no trip"
                        : "none of its sentences contains a date; give the day on which it begins with --date")
            }
        } catch {
            throw FileFailure(file: path, error: error)
        }
    }

    /// Passes its points to `body` in parts of at most `most` points; the last part of a recording may be empty.
    ///
    /// In a document of exported trips, each trip is a recording of the device that made it.
    ///
    /// - Throws: ``FileFailure`` if the file can no longer be read, and the errors of `body`.
    nonisolated(nonsending) func forEachPart(
        of most: Int, _ body: (_ part: PastPart, _ device: String) async throws -> Void
    ) async throws {
        do {
            if isGPX, var trips = try ExportedTrips(path: path) {
                while let trip = try trips.nextTrip() {
                    let device = isDeviceGiven ? device : trip.device ?? device
                    var part = PastPart(stops: trip.stops)
                    while let fix = try trips.nextFix() {
                        if let full = part.add(fix, most: most) { try await body(full, device) }
                    }
                    try await body(part.last, device)
                }
                return
            }
            let recording = try Recording(path: path, date: date)
            var part = PastPart()
            while let fixes = try recording.next() {
                for fix in fixes {
                    if let full = part.add(fix, most: most) { try await body(full, device) }
                }
            }
            try await body(part.last, device)
        } catch let error as RecordingError {
            throw FileFailure(file: path, error: error)
        }
    }
}

import Histories
import Positioning
import Receivers
import Time

/// A recording in GPX or NMEA whose trips are to be imported.
struct PastFile: PastSource {
    let path: String
    let name: String
    private(set) var notices: [String] = []
    private(set) var leftOut = LeftOut()
    private(set) var contents = PastContents()
    let hasPlaces = true
    let mustTellOfJourney = true

    /// The device to use if the recording names none.
    private let device: String
    /// Whether the command line names the device, which then holds for everything in the recording.
    private let isDeviceGiven: Bool
    private let date: CalendarDate?
    private let isGPX: Bool
    private let isExport: Bool
    private let sorts: Bool
    /// Whether most of its points are minutes apart.
    private let isSparse: Bool

    /// The time between two points, in milliseconds, from which they are minutes apart.
    private static let sparse: Int64 = 180_000
    /// What is said of a recording whose points are minutes apart.
    static let sparseNotice =
        "most of its points are minutes apart, so its trips are found by the places alone, and their lengths are those of "
        + "straight lines"

    /// The error of an import that was cancelled while it read a file.
    static var cancelled: RecordingError { RecordingError("reading was cancelled") }

    /// Reads a recording to its end.
    ///
    /// - Throws: ``FileFailure`` if it is damaged, has no position or no time, or cannot be read twice.
    init(path: String, name: String, device: String?, date: CalendarDate?) throws(FileFailure) {
        self.path = path
        self.name = name
        self.date = date
        do throws(RecordingError) {
            let recording = try TidyRecording(path: path, date: date)
            guard !recording.isLive else {
                throw RecordingError(
                    "it is not a file on a disk, and an import reads it twice; save it to a file first")
            }
            self.device = device ?? Recording.device(of: name)
            isDeviceGiven = device != nil
            isGPX = recording.format == .gpx
            isExport = isGPX ? try ExportedTrips(path: path) != nil : false
            var hasTime = false
            var last: Timestamp?
            var (near, far) = (0, 0)
            while let fixes = try recording.next() {
                guard !Task.isCancelled else { throw Self.cancelled }
                for fix in fixes {
                    guard let time = fix.time else {
                        leftOut.reasons.count(FixGate.Rejection.noTime.rawValue)
                        continue
                    }
                    hasTime = true
                    contents.survey.add(.fix(fix))
                    if let last, time != last {
                        if abs(time.milliseconds(since: last)) < Self.sparse { near += 1 } else { far += 1 }
                    }
                    last = time
                }
            }
            guard recording.read > 0 else { throw recording.noPositions }
            guard hasTime else {
                throw RecordingError(
                    recording.format == .gpx
                        ? "none of its points has a time, so it contains no trip"
                        : "none of its sentences contains a date; give the day on which it begins with --date")
            }
            sorts = !isExport && recording.needsSorting
            isSparse = !isExport && far > near
            leftOut.read = recording.read
            let withoutTime = leftOut.reasons[FixGate.Rejection.noTime.rawValue]
            if withoutTime > 0 { contents.dropped[DroppedPoint.noTime.rawValue] = withoutTime }
            contents.files = [
                PastContents.File(name: name, format: recording.format.rawValue, points: contents.survey.points)
            ]
            guard !isExport else { return }
            notices = recording.notices
            if isSparse {
                notices.append(Self.sparseNotice)
            }
            leftOut.reasons.add(recording.dropped)
            leftOut.first = recording.firstDropped.map { LeftOut.First(TidyRecording.future, at: $0) }
        } catch {
            throw FileFailure(file: name, error: error)
        }
    }

    /// Passes its points to `body` in parts.
    ///
    /// In a document of exported trips, each trip is a recording of the device that made it. A file with tracks of
    /// several devices has a recording of each.
    nonisolated(nonsending) mutating func forEachPart(
        of most: Int, _ body: nonisolated(nonsending) (_ part: PastPart, _ device: String) async throws -> Void
    ) async throws {
        do {
            if isExport, var trips = try ExportedTrips(path: path) {
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
            let recording = try TidyRecording(path: path, date: date, sorts: sorts)
            var number = 0
            repeat {
                let deviceName = number == 0 ? device : "\(device)-\(number + 1)"
                var part = PastPart(isSparse: isSparse)
                while let fixes = try recording.next() {
                    for fix in fixes {
                        if let full = part.add(fix, most: most) { try await body(full, deviceName) }
                    }
                }
                try await body(part.last, deviceName)
                number += 1
                recording.restart(device: number)
            } while number < recording.devices
            guard sorts else { return }
            notices.removeAll { $0.hasPrefix("it is not in order of time") }
            notices.append("it is not in order of time; its points were sorted")
            notices += recording.notices.filter { !notices.contains($0) }
            if recording.devices > 1 {
                let names = (0..<recording.devices).dropFirst().map { "\(device)-\($0 + 1)" }.joined(separator: ", ")
                notices.append("the other devices are called \(names)")
            }
            let repeated = recording.dropped[TidyRecording.duplicate]
            guard repeated > 0 else { return }
            leftOut.reasons.count(TidyRecording.duplicate, times: repeated)
            leftOut.first =
                leftOut.first ?? recording.firstDropped.map { LeftOut.First(TidyRecording.duplicate, at: $0) }
        } catch let error as RecordingError {
            throw FileFailure(file: name, error: error)
        }
    }
}

import Foundation
import Geodesy
import Histories
import Positioning
import Receivers
import Time
import Trips

/// Location histories whose trips are to be imported: a file, a folder or an archive.
struct PastHistory: PastSource {
    let path: String
    let name: String
    private(set) var notices: [String] = []
    private(set) var leftOut = LeftOut()
    private(set) var contents = PastContents()
    let hasPlaces = false
    let mustTellOfJourney = false

    private let device: String
    private let source: HistorySource
    private var histories: [History] = []
    private var visits: [HistoryVisit] = []
    private var activities = ActivityTimes()

    private struct History {
        let member: HistorySource.Member
        var survey: HistorySurvey
        let format: HistoryFormat?
    }

    /// The most visits of one source: several a day over a long life.
    private static let maximumVisits = 1_000_000
    /// The time between two points, in milliseconds, from which they are minutes apart.
    private static let sparse: Int64 = 180_000

    /// Reads the histories to their ends.
    ///
    /// One damaged file is refused. Of a folder or an archive, what can be read is taken, and the rest is listed.
    ///
    /// - Throws: ``FileFailure`` if nothing can be read.
    init(path: String, name: String, device: String?) throws(FileFailure) {
        self.path = path
        self.name = name
        self.device = device ?? Recording.device(of: name)
        do throws(RecordingError) {
            source = try HistorySource(path: path)
            for skipped in source.skipped { skip(skipped) }
            for member in source.members { try read(member) }
            guard !histories.isEmpty else { throw nothing }
        } catch {
            throw FileFailure(file: name, error: error)
        }
        preferRecords()
        for history in histories {
            contents.survey.add(history.survey)
            contents.files.append(
                PastContents.File(
                    name: source.isCollection ? history.member.name : name, format: history.format?.rawValue,
                    points: history.survey.points))
        }
        leftOut.read = contents.survey.points
    }

    private mutating func read(_ member: HistorySource.Member) throws(RecordingError) {
        var survey = HistorySurvey()
        var found: [HistoryVisit] = []
        var travelled = ActivityTimes()
        let room = Self.maximumVisits - visits.count
        do throws(HistorySource.Failure) {
            let reading = try source.read(member) { items throws(RecordingError) in
                guard !Task.isCancelled else { throw PastFile.cancelled }
                for item in items {
                    survey.add(item)
                    if case .activity(let activity) = item { travelled.add(activity) }
                    guard case .visit(let visit) = item, visit.start < visit.end else { continue }
                    found.append(visit)
                    guard found.count <= room else {
                        throw RecordingError("it has more than \(Self.maximumVisits) visits; import it in pieces")
                    }
                }
            }
            for (reason, count) in reading.dropped { contents.dropped[reason.rawValue, default: 0] += count }
            if let damage = reading.damage {
                notices.append("\(source.isCollection ? "\(member.name): " : "")\(damage); it was read up to there")
            }
            visits += found
            activities.add(travelled)
            histories.append(History(member: member, survey: survey, format: reading.format))
        } catch {
            guard source.isCollection else { throw error.error }
            skip(
                HistorySource.Skipped(
                    name: member.name, reason: error.holdsNoHistory ? "no history" : "\(error.error)",
                    isDamaged: !error.holdsNoHistory))
        }
    }

    private mutating func skip(_ file: HistorySource.Skipped) {
        contents.skipped.append((file.name, file.reason, file.isDamaged))
    }

    /// The error of a folder or an archive in which nothing could be read.
    private var nothing: RecordingError {
        guard let damaged = contents.skipped.first(where: \.isDamaged) else {
            return RecordingError("no file in it is a location history; known are GPX, NMEA and those of the guide")
        }
        return RecordingError("nothing in it can be read; \(damaged.name): \(damaged.reason)")
    }

    /// Takes the points from Google's records and only the visits from its months, if there are both.
    ///
    /// An export has the same days in both forms.
    private mutating func preferRecords() {
        guard histories.contains(where: { $0.format == .googleRecords }) else { return }
        for index in histories.indices where histories[index].format == .googleSemantic {
            var survey = HistorySurvey()
            survey.addVisits(of: histories[index].survey)
            histories[index].survey = survey
        }
    }

    nonisolated(nonsending) mutating func forEachPart(
        of most: Int, _ body: nonisolated(nonsending) (_ part: PastPart, _ device: String) async throws -> Void
    ) async throws {
        let merged: MergedHistories
        let isSparse: Bool
        do throws(RecordingError) {
            merged = try merge()
            isSparse = try Self.isSparse(merged)
        } catch {
            throw FileFailure(file: name, error: error)
        }
        if isSparse { notices.append(PastFile.sparseNotice) }
        for number in 0..<merged.devices {
            let deviceName = number == 0 ? device : "\(device)-\(number + 1)"
            merged.restart(device: number)
            var part = PastPart(isSparse: isSparse)
            while var fix = try Self.next(merged, name) {
                activities.complete(&fix)
                if let full = part.add(fix, most: most) { try await body(full, deviceName) }
            }
            if number == 0 {
                for rest in part.addVisits(visits) { try await body(rest, deviceName) }
            }
            try await body(part.last, deviceName)
            for reason in merged.dropped.sorted { leftOut.reasons.count(reason.reason, times: reason.count) }
        }
        if merged.devices > 1 {
            let names = (1..<merged.devices).map { "\(device)-\($0 + 1)" }.joined(separator: ", ")
            notices.append("histories of the same hours are at different places; the other devices are called \(names)")
        }
    }

    private static func next(_ merged: MergedHistories, _ name: String) throws(FileFailure) -> Fix? {
        do throws(RecordingError) { return try merged.next() } catch { throw FileFailure(file: name, error: error) }
    }

    private mutating func merge() throws(RecordingError) -> MergedHistories {
        let merged = MergedHistories()
        let used = histories.filter { $0.survey.points > 0 }
        for history in used {
            do throws(HistorySource.Failure) {
                try merged.add(history.member, of: source)
            } catch {
                throw error.error
            }
        }
        try merged.finish()
        for (first, second) in merged.same.prefix(10) where max(first, second) <= used.count {
            notices.append(
                "\(used[first - 1].member.name) and \(used[second - 1].member.name) are the same journey; the one with more "
                    + "points is used")
        }
        return merged
    }

    /// Returns whether most points are minutes apart.
    private static func isSparse(_ merged: MergedHistories) throws(RecordingError) -> Bool {
        var (near, far) = (0, 0)
        var last: Timestamp?
        merged.restart(device: 0)
        // Half of the points decide, whatever the others are.
        while max(near, far) <= merged.count / 2, let time = try merged.next()?.time {
            guard !Task.isCancelled else { throw PastFile.cancelled }
            if let last, time.milliseconds(since: last) < sparse { near += 1 } else { far += 1 }
            last = time
        }
        return far > near
    }
}

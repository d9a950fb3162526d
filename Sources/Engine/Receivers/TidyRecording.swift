import GPX
import NMEA
public import Positioning
public import Time

/// A recording as it was meant: without what its receiver or its program certainly got wrong.
///
/// - Fixes dated ahead of those that follow are left out, and counted as `future`.
/// - Accuracies that a program wrote as `<hdop>` are read as accuracies.
/// - On request, tracks, segments and fixes are sorted by time. Tracks of the same hours are then the same journey,
///   whose repeated fixes are left out as `duplicate`, or those of other devices.
///
/// What was assumed is told in ``notices``. Memory does not grow with the length of the recording: what does not fit is
/// sorted in a temporary file.
public final class TidyRecording {
    /// The reason for a fix that is dated ahead of those that follow it.
    public static let future = "future"
    /// The reason for a fix that repeats another one of the same journey.
    public static let duplicate = "duplicate"
    /// The reason for a fix of another device.
    public static let otherDevice = "other-device"

    private let recording: Recording
    private let path: String
    private let date: CalendarDate?
    private let sorts: Bool
    private var filter: AheadFilter
    private var damage: RecordingError?
    private var isFinished = false
    private var sorted: SortedFixes?

    private enum Unit { case unknown, dilution, metres(String) }
    private var unit = Unit.unknown

    /// The counts of fixes left out, by reason.
    public private(set) var dropped = Tally()
    /// The time of the first fix left out.
    public private(set) var firstDropped: Timestamp?
    /// The number of fixes read, including those left out.
    public private(set) var read = 0
    /// The number of fixes that are earlier than one before them, unless they are sorted.
    public private(set) var backward = 0
    /// The time of the first of these.
    public private(set) var firstBackward: Timestamp?
    private var latest: Timestamp?
    private let filters: Bool
    private var track = 0
    private var beginnings: [Int] = []

    /// Opens a recording; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - date: the day on which the recording begins, for NMEA sentences without a date.
    ///   - sorts: whether to sort it by time.
    ///   - filters: whether to leave out fixes that are dated ahead.
    /// - Throws: ``RecordingError`` if it cannot be opened or is empty.
    public init(
        path: String, date: CalendarDate? = nil, sorts: Bool = false, filters: Bool = true
    ) throws(RecordingError) {
        recording = try Recording(path: path, date: date)
        self.path = path
        self.date = date
        self.sorts = sorts
        self.filters = filters
        filter = AheadFilter(isLive: recording.isLive, wantsTracks: sorts)
    }

    /// The format of the recording.
    public var format: Recording.Format { recording.format }
    /// The name of the recorded device; see ``Recording/device``.
    public var device: String { recording.device }
    /// Whether the bytes may arrive slowly; see ``FileBytes/isLive``.
    public var isLive: Bool { recording.isLive }
    /// The counts of input skipped so far, by reason.
    public var malformed: Tally { recording.malformed }
    /// The number of fixes that took their date from a later sentence.
    public var datedLater: Int { recording.datedLater }
    /// The number of devices, known once a sorted recording has been read to its end.
    public var devices: Int { sorted?.overlaps.devices ?? 1 }

    /// The number of fixes of the other devices of a sorted recording.
    public var ofOtherDevices: Int { sorted?.overlaps.ofOtherDevices ?? 0 }

    /// The error for a recording without any position.
    public var noPositions: RecordingError {
        recording.badPosition?.error ?? RecordingError("it contains no positions")
    }

    /// What was assumed so far, each as a clause.
    public var notices: [String] {
        var notices: [String] = []
        if case .metres(let words) = unit { notices.append(words) }
        if let line = recording.sharedLine, line.changes > 0 {
            let talkers = line.talkers.joined(separator: ", ")
            notices.append(
                "several receivers share its line (talkers \(talkers)); another one was followed "
                    + "\(line.changes == 1 ? "once" : "\(line.changes) times"), at last \(line.followed)")
        }
        if let overlaps = sorted?.overlaps {
            for (first, second) in overlaps.same.prefix(Self.mostPairs) {
                notices.append("its tracks \(first) and \(second) are the same journey; it is read once")
            }
            for (first, second) in overlaps.apart.prefix(Self.mostPairs) {
                notices.append(
                    "its tracks \(first) and \(second) are of the same hours at different places, so they are two devices"
                )
            }
        } else if needsSorting, let firstBackward {
            notices.append(
                "it is not in order of time: \(backward) of \(read) points are earlier than one before them, the first of "
                    + "\(firstBackward)")
        }
        return notices
    }

    private static let mostPairs = 10

    /// Whether the recording has to be sorted to be used as a whole, as far as it was read.
    public var needsSorting: Bool { sorted == nil && backward > 0 && (backward >= 10 || 100 * backward > read) }

    /// Returns the next fixes, at least `count` unless the recording ends first, or `nil` at the end.
    ///
    /// - Throws: ``RecordingError``, after all fixes before the damage were returned; see ``Recording/next(atLeast:)``.
    public func next(atLeast count: Int = 1) throws(RecordingError) -> [Fix]? {
        guard !sorts else { return try nextSorted(atLeast: count) }
        let fixes = try nextInFile(atLeast: count)
        for case let time? in (fixes ?? []).lazy.map(\.time) {
            if let latest, time < latest {
                backward += 1
                firstBackward = firstBackward ?? time
            } else {
                latest = time
            }
        }
        return fixes
    }

    private func nextInFile(atLeast count: Int) throws(RecordingError) -> [Fix]? {
        if let damage { throw damage }
        var passed: [Fix] = []
        while passed.count < count, !isFinished {
            do throws(RecordingError) {
                // What is held back at the end of a pipe's bytes must not make it wait for more than one piece.
                if var fixes = try recording.next(atLeast: recording.isLive ? 1 : count - passed.count) {
                    try apply(&fixes)
                    pass(fixes, into: &passed)
                } else {
                    isFinished = true
                    filter.finish(into: &passed)
                }
            } catch {
                isFinished = true
                damage = error
                filter.finish(into: &passed)
                guard !passed.isEmpty else { throw error }
            }
        }
        noteFuture()
        return passed.isEmpty ? nil : passed
    }

    private func pass(_ fixes: [Fix], into passed: inout [Fix]) {
        guard sorts else {
            read += fixes.count
            guard filters else { return passed.append(contentsOf: fixes) }
            for fix in fixes { filter.filter(fix, into: &passed) }
            return
        }
        beginnings += recording.drainTrackBeginnings()
        var next = beginnings.startIndex
        for fix in fixes {
            while next < beginnings.endIndex, beginnings[next] <= read {
                if read > 0 { track = min(track + 1, TrackOverlaps.maximumTracks - 1) }
                next += 1
            }
            filter.filter(fix, track: track, into: &passed)
            read += 1
        }
        beginnings = Array(beginnings.dropFirst(next))
    }

    private func noteFuture() {
        let new = filter.count - dropped[Self.future]
        guard new > 0 else { return }
        dropped.count(Self.future, times: new)
        firstDropped = firstDropped ?? filter.first
    }

    // MARK: The unit of <hdop>

    private func apply(_ fixes: inout [Fix]) throws(RecordingError) {
        if case .unknown = unit, recording.format == .gpx { try decideUnit(fixes) }
        guard case .metres = unit else { return }
        for index in fixes.indices { fixes[index].readDilutionAsMetres() }
    }

    private func decideUnit(_ fixes: [Fix]) throws(RecordingError) {
        var survey = DilutionSurvey()
        survey.add(fixes)
        guard survey.count > 0 else { return }
        unit = .dilution
        guard !survey.hasSmall else { return }
        if let creator = recording.creator, DilutionSurvey.isOfMetres(creator: creator) {
            unit = .metres(DilutionSurvey.words(creator: creator))
            return
        }
        if !recording.isLive {
            // The whole file decides. What damages it is reported where it is read.
            survey = DilutionSurvey()
            let whole = try Recording(path: path, date: date)
            while !survey.hasSmall, let fixes = (try? whole.next(atLeast: 2048)) ?? nil { survey.add(fixes) }
        }
        if survey.showsMetres { unit = .metres(survey.words) }
    }

    // MARK: Sorting

    private func nextSorted(atLeast count: Int) throws(RecordingError) -> [Fix]? {
        var sorted: SortedFixes
        if let known = self.sorted { sorted = known } else { sorted = try sort() }
        self.sorted = nil
        defer { self.sorted = sorted }
        var fixes: [Fix] = []
        while fixes.count < count, let fix = try sorted.next() { fixes.append(fix) }
        for (reason, time) in sorted.drainDropped() {
            dropped.count(reason)
            firstDropped = firstDropped ?? time
        }
        if fixes.isEmpty, let damage = sorted.damage { throw damage }
        return fixes.isEmpty ? nil : fixes
    }

    private func sort() throws(RecordingError) -> SortedFixes {
        var sorted = SortedFixes(isLog: recording.format == .nmea)
        do throws(RecordingError) {
            while let fixes = try nextInFile(atLeast: 2048) {
                for (fix, track) in zip(fixes, filter.drainTracks()) {
                    if try !sorted.add(fix, track) { dropped.count(FixGate.Rejection.noTime.rawValue) }
                }
            }
        } catch {
            sorted.damage = error
        }
        try sorted.finish()
        return sorted
    }

    /// Reads a sorted recording from its beginning again, this time another of its devices; they count from 0.
    public func restart(device: Int) {
        sorted?.restart(device: device)
    }
}

/// The fixes of recordings in order of time, device by device.
struct SortedFixes {
    private let sorter = FixSorter()
    private let isLog: Bool
    private var reader: FixSorter.Reader?
    private(set) var overlaps = TrackOverlaps()
    var damage: RecordingError?
    private var device = 0
    private var lasts: [Int: Timestamp] = [:]
    private var previous: (time: Timestamp, segment: Int32)?
    private var dropped: [(String, Timestamp)] = []

    // What is being added
    private(set) var count = 0
    private var number = 0
    private var logTrack = 0
    private var segment: Int32 = 0
    private var last: Timestamp?

    init(isLog: Bool) { self.isLog = isLog }

    /// Adds a fix, in the order of the file.
    ///
    /// Returns `false` if it has no time.
    mutating func add(_ fix: Fix, _ track: Int) throws(RecordingError) -> Bool {
        defer { number += 1 }
        guard let time = fix.time else { return false }
        // A log has no tracks. Where it goes back by a minute, it was put together from several.
        let isNewLog = isLog && (last.map { $0.milliseconds(since: time) > 60_000 } ?? false)
        if isNewLog { logTrack = min(logTrack + 1, TrackOverlaps.maximumTracks - 1) }
        let track = isLog ? logTrack : track
        last = time
        if fix.beginsSegment || isNewLog, number > 0, segment < .max { segment += 1 }
        overlaps.note(track: track, at: time)
        count += 1
        try sorter.add(PlacedInFile(fix: fix, time: time, track: track, segment: segment))
        return true
    }

    mutating func finish() throws(RecordingError) {
        try sorter.finish()
        if overlaps.exist { try overlaps.compare(sorter.reader()) }
        reader = sorter.reader()
    }

    mutating func restart(device: Int) {
        self.device = device
        reader = sorter.reader()
        lasts = [:]
        previous = nil
    }

    mutating func next() throws(RecordingError) -> Fix? {
        while let next = try reader?.read() {
            guard overlaps.device(of: next.track) == device else { continue }
            if next.time == previous?.time || overlaps.isRepeated(next, after: lasts) {
                dropped.append((TidyRecording.duplicate, next.time))
                continue
            }
            if overlaps.haveCopies { lasts[next.track] = next.time }
            var fix = next.fix
            fix.beginsSegment = next.segment != previous?.segment
            previous = (next.time, next.segment)
            return fix
        }
        return nil
    }

    var hasDropped: Bool { !dropped.isEmpty }

    mutating func drainDropped() -> [(String, Timestamp)] {
        defer { dropped.removeAll(keepingCapacity: true) }
        return dropped
    }
}

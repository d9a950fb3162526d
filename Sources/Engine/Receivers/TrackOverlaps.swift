import Geodesy
import Positioning
import Time

/// Tracks of one file that were recorded in the same hours, and what they are to each other.
///
/// Two tracks that agree about the place are the same journey, recorded twice. Two that disagree are two devices.
struct TrackOverlaps {
    /// The greatest number of tracks that are told apart; further ones count as one.
    static let maximumTracks = 4096
    /// The greatest number of devices.
    static let maximumDevices = 8
    /// The greatest time between two fixes, in milliseconds, between which a place is interpolated.
    private static let longestLeg: Int64 = 120_000
    /// The distance, in metres, up to which two places may be that of one device.
    private static let near = 100.0
    /// The least number of comparisons that decide, and the share of near ones among them that shows one journey.
    private static let (leastCount, share) = (3, 0.7)
    /// The time after a fix, in milliseconds, in which another track of the journey adds nothing.
    private static let covered: Int64 = 60_000

    private struct Track {
        var count = 0
        var first = Timestamp.latest
        var last = Timestamp.earliest
        var device = 0
        /// The tracks of the same journey that have more fixes.
        var originals: [Int] = []
    }

    private struct Pair: Hashable {
        let first: Int
        let second: Int
    }

    private var tracks: [Track] = []
    /// The number of devices that the tracks are.
    private(set) var devices = 1
    /// The pairs of tracks that are one journey, and those that are two devices; numbers count from 1.
    private(set) var same: [(Int, Int)] = []
    private(set) var apart: [(Int, Int)] = []
    /// Whether the fixes of any track repeat those of another.
    var haveCopies: Bool { !same.isEmpty }

    /// Notes a fix of a track.
    mutating func note(track: Int, at time: Timestamp) {
        while tracks.count <= track { tracks.append(Track()) }
        tracks[track].count += 1
        tracks[track].first = min(tracks[track].first, time)
        tracks[track].last = max(tracks[track].last, time)
    }

    /// Whether any two tracks were recorded in the same hours.
    var exist: Bool {
        let spans = tracks.filter { $0.count > 0 }.sorted { $0.first < $1.first }
        var end = Timestamp.earliest
        for span in spans {
            if span.first < end { return true }
            end = max(end, span.last)
        }
        return false
    }

    /// Compares the tracks, whose fixes come in order of time.
    mutating func compare(_ reader: FixSorter.Reader) throws(RecordingError) {
        var reader = reader
        var lasts: [Int: PlacedInFile] = [:]
        var counts: [Pair: (near: Int, far: Int)] = [:]
        while let next = try reader.read() {
            let own = next.track
            for (other, seen) in lasts where other != own {
                if tracks[other].last < next.time {
                    lasts[other] = nil
                    continue
                }
                guard let before = lasts[own], before.time <= seen.time,
                    next.time.milliseconds(since: before.time) <= Self.longestLeg
                else { continue }
                let place = Self.place(between: before, next, at: seen.time)
                let isNear = Sphere.distance(from: place, to: seen.fix.coordinate).meters <= Self.near
                let pair = Pair(first: min(own, other), second: max(own, other))
                counts[pair, default: (0, 0)].near += isNear ? 1 : 0
                counts[pair, default: (0, 0)].far += isNear ? 0 : 1
            }
            lasts[own] = next
        }
        decide(counts)
    }

    private mutating func decide(_ counts: [Pair: (near: Int, far: Int)]) {
        var conflicts: [Int: [Int]] = [:]
        for (pair, (near, far)) in counts.sorted(by: { ($0.key.first, $0.key.second) < ($1.key.first, $1.key.second) })
        where near + far >= Self.leastCount {
            if Double(near) >= Self.share * Double(near + far) {
                same.append((pair.first + 1, pair.second + 1))
                let isFirst = tracks[pair.first].count >= tracks[pair.second].count
                let (original, copy) = isFirst ? (pair.first, pair.second) : (pair.second, pair.first)
                tracks[copy].originals.append(original)
            } else {
                apart.append((pair.first + 1, pair.second + 1))
                conflicts[pair.second, default: []].append(pair.first)
            }
        }
        for (track, others) in conflicts.sorted(by: { $0.key < $1.key }) {
            let taken = Set(others.map { tracks[$0].device })
            let free = (0..<Self.maximumDevices).first { !taken.contains($0) } ?? 0
            tracks[track].device = free
            devices = max(devices, free + 1)
        }
    }

    /// The number of fixes of all devices but the first.
    var ofOtherDevices: Int { tracks.reduce(0) { $0 + ($1.device == 0 ? 0 : $1.count) } }

    /// The device of a track, from 0.
    func device(of track: Int) -> Int { tracks.indices.contains(track) ? tracks[track].device : 0 }

    /// Whether a fix of a track repeats what another track of the same journey tells.
    func isRepeated(_ fix: PlacedInFile, after lasts: [Int: Timestamp]) -> Bool {
        guard tracks.indices.contains(fix.track) else { return false }
        return tracks[fix.track].originals.contains { original in
            lasts[original].map { fix.time.milliseconds(since: $0) <= Self.covered } ?? false
        }
    }

    /// The place of a device at a time between two of its fixes.
    private static func place(between start: PlacedInFile, _ end: PlacedInFile, at time: Timestamp) -> Coordinate {
        let whole = end.time.seconds(since: start.time)
        guard whole > 0 else { return start.fix.coordinate }
        let share = min(1, max(0, time.seconds(since: start.time) / whole))
        let (from, to) = (start.fix.coordinate, end.fix.coordinate)
        var turn = to.longitude - from.longitude
        if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
        var longitude = from.longitude + share * turn
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        return Coordinate(latitude: from.latitude + share * (to.latitude - from.latitude), longitude: longitude) ?? from
    }
}

import Geodesy
import Positioning
import Time

/// The trip detection of the most used free tracking server, with the default numbers of its report settings.
///
/// A trip begins once a fix lies 200 m from the place of the last event. Its start is dated back along the legs faster
/// than 200 m in 180 s. It ends once no fix of the last 180 s lies 200 m from the newest.
struct TraccarBaseline {
    private static let distance = 200.0
    private static let duration = 180.0

    /// Returns the trips with the length of each trace in metres.
    static func trips(of fixes: [Fix]) -> [(start: Timestamp, end: Timestamp, meters: Double)] {
        var trips: [(start: Timestamp, end: Timestamp, meters: Double)] = []
        let timed = fixes.compactMap { fix in fix.time.map { ($0, UnitVector(fix.coordinate)) } }
        guard var event = timed.first?.1 else { return [] }
        var start: Int?
        var oldest = 0
        let way = { (a: Int, b: Int) in timed[a].1.distance(to: timed[b].1).meters }
        for now in timed.indices {
            guard let begin = start else {
                guard timed[now].1.distance(to: event).meters >= distance else { continue }
                var first = now
                while first > 0,
                    way(first - 1, first) > distance / duration * timed[first].0.seconds(since: timed[first - 1].0)
                { first -= 1 }
                (start, oldest) = (first, now)
                continue
            }
            while oldest + 1 < now, timed[now].0.seconds(since: timed[oldest + 1].0) >= duration { oldest += 1 }
            guard timed[now].0.seconds(since: timed[oldest].0) >= duration,
                (oldest..<now).allSatisfy({ way($0, now) < distance })
            else { continue }
            let meters = (begin..<now).reduce(0) { $0 + way($1, $1 + 1) }
            trips.append((timed[begin].0, timed[now].0, meters))
            (start, event) = (nil, timed[now].1)
        }
        return trips
    }
}

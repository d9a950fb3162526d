import Geodesy
import Positioning
import TestSupport
import Testing
import Time
import Tracking

/// Why events were emitted, and why not.
@Suite(.slow) struct ExplainerTests {
    private let journey = Journey()

    private func geofence(_ id: String = "s", east: Double = 0, north: Double = 0, radius: Double = 50) -> Geofence {
        Geofence(
            identity: .init(kind: .sight, id: id), title: "Sight",
            center: journey.place(east: east, north: north), radius: .meters(radius))
    }

    private func fix(
        _ seconds: Double, east: Double, north: Double = 0, accuracy: Double? = nil, segment: Bool = false
    ) -> Fix {
        var fix = Fix(time: Journey.at(seconds), coordinate: journey.place(east: east, north: north))
        fix.accuracy = accuracy.map(Distance.meters)
        fix.beginsSegment = segment
        return fix
    }

    /// Returns the explanations of fixes, as a replay makes them.
    private func explain(
        _ fixes: [Fix], _ geofence: Geofence, policy: TrackingPolicy = TrackingPolicy()
    ) -> [ExplainedFix] {
        var tracker = Tracker(device: "van", policy: policy)
        var explainer = Explainer(geofence, device: "van", policy: policy)
        var output = Tracker.Output()
        return fixes.map { explainer.explain($0, tracker.ingest($0, in: GeofenceIndex(), into: &output)) }
    }

    /// A policy with the gate off, so that no fix is held or rejected.
    private var trusting: TrackingPolicy {
        var policy = TrackingPolicy()
        policy.gate.isOff = true
        return policy
    }

    @Test func aDriveThroughAGeofenceIsExplainedStepByStep() {
        let fixes = [
            fix(0, east: -200), fix(10, east: -80), fix(20, east: -20), fix(30, east: 20), fix(40, east: 55),
            fix(85, east: 0), fix(90, east: 70), fix(100, east: 150),
        ]
        let rows = explain(fixes, geofence(), policy: trusting)
        let reasons = rows.map(\.reason)
        #expect(reasons[0].hasPrefix("outside: 200"))
        #expect(reasons[0].hasSuffix(" > 50 m, and nothing was known before"))
        #expect(reasons[1].hasPrefix("outside: 80"))
        #expect(reasons[2].hasPrefix("enters: 20"))
        #expect(reasons[3].hasPrefix("already inside: 20"))
        #expect(reasons[4].hasPrefix("within the margin: 55"))
        #expect(reasons[4].hasSuffix(" <= 60 m, no exit"))
        #expect(reasons[5] == "dwells: inside for 65 s")
        #expect(reasons[6].hasPrefix("leaves: 70"))
        #expect(reasons[6].hasSuffix(" > 60 m"))
        #expect(
            rows.map(\.before.rawValue) == ["unknown", "outside", "outside"] + Array(repeating: "inside", count: 4) + [
                "outside"
            ])
        #expect(
            rows.map(\.after.rawValue) == ["outside", "outside"] + Array(repeating: "inside", count: 4) + [
                "outside", "outside",
            ])
        #expect(rows.flatMap(\.events).map(\.type) == ["geofence.enter", "geofence.dwell", "geofence.exit"])
    }

    @Test func anInitialEnterIsExplainedAsSuch() {
        let reason = explain([fix(0, east: 10)], geofence()).first?.reason
        #expect(reason?.hasPrefix("enters: 10") == true)
        #expect(reason?.hasSuffix(" <= 50 m, and nothing was known before") == true)
    }

    @Test func legsAreExplained() {
        let near = geofence(north: 61)
        let crossed = explain([fix(0, east: -200), fix(10, east: 200)], geofence(north: 30), policy: trusting)
        #expect(crossed.last?.reason.hasPrefix("crosses: the leg passed at 30") == true)
        func last(_ fixes: [Fix], _ policy: TrackingPolicy) -> String? {
            // The device arrives with a speed, so it is not held.
            let way = ((-4...0).map { fix(Double($0) * 10, east: -200 + Double($0) * 200) } + fixes).map { fix in
                var fix = fix
                fix.speed = .metersPerSecond(20)
                return fix
            }
            return explain(way, near, policy: policy).last?.reason
        }
        let usual = TrackingPolicy()
        #expect(last([fix(10, east: 200)], usual)?.contains("; the leg passed at 61") == true)
        #expect(last([fix(10, east: -150)], usual)?.hasSuffix(" > 50 m") == true)
        #expect(
            last([fix(700, east: 200)], usual)?
                .hasSuffix("; whether it passed by is not judged: 700 s without a fix") == true)
        #expect(last([fix(10, east: 200, segment: true)], usual)?.hasSuffix("; no leg: a segment begins here") == true)
        #expect(last([fix(10, east: 9800)], trusting)?.contains("; whether it passed by is not judged: 10") == true)
    }

    @Test func anInaccurateFixDoesNotEnter() {
        let rows = explain([fix(0, east: 10, accuracy: 80)], geofence())
        #expect(rows.first?.reason == "too inaccurate: 80 m > 50 m, no enter")
        #expect(rows.first?.after == .unknown)
    }

    @Test func rejectionsGiveTheirReason() {
        var timeless = fix(0, east: 0)
        timeless.time = nil
        var nowhere = fix(3, east: 0)
        nowhere.coordinate = Coordinate(latitudeE7: 0, longitudeE7: 0).known
        let rows = explain(
            [
                fix(0, east: 0), timeless, fix(0, east: 0), nowhere, fix(4, east: 0, accuracy: 250),
                fix(5, east: 5000),
            ], geofence())
        #expect(rows.map(\.rejection) == [nil, "no-time", "late", "null-island", "accuracy", "speed"])
        let reasons = rows.map(\.reason)
        #expect(reasons[1] == "rejected as no-time: it has no time")
        #expect(reasons[2] == "rejected as late: it is not later than the fix of 2026-05-01T10:00:00.000Z")
        #expect(reasons[3] == "rejected as null-island: receivers without a fix report 0 N 0 E")
        #expect(reasons[4] == "rejected as accuracy: its accuracy is 250 m > 200 m")
        #expect(reasons[5].hasPrefix("rejected as speed: "))
        #expect(reasons[5].hasSuffix(" m from the last fix, 5 s after it"))
        #expect(rows.dropFirst().allSatisfy { $0.before == .inside && $0.after == .inside && $0.events.isEmpty })
    }

    @Test func aDeviceAtRestIsHeldAtItsPlace() {
        // The noise of a device at rest would enter and leave a small geofence beside it.
        let fixes = (0..<400).map { fix(Double($0), east: $0 % 50 == 49 ? 40 : 0) }
        let rows = explain(fixes, geofence(east: 50, radius: 20))
        #expect(rows.allSatisfy { $0.events.isEmpty })
        let held = rows[399]
        #expect(held.reason.hasPrefix("outside: 5"))
        #expect(held.reason.contains("; held: the device is at rest, anchored 40"))
        #expect(abs((held.held?.meters ?? 0) - 40) < 0.5)
    }

    @Test func anAlarmThatWaitsForASecondFixIsExplained() {
        var anchor = geofence("anchor", radius: 40)
        anchor.isAlarm = true
        let index = GeofenceIndex([(anchor, 1)])
        let fixes = (0..<53).map { fix(Double($0) * 5, east: [50, 52].contains($0) ? 60 : 0, accuracy: 8) }
        var tracker = Tracker(device: "boat")
        var explainer = Explainer(anchor, device: "boat", policy: TrackingPolicy())
        var history = FixHistory()
        var output = Tracker.Output()
        let rows = fixes.map { fix in
            history.prepare(for: tracker)
            let outcome = tracker.ingest(fix, in: index, into: &output)
            history.add(fix, outcome, revision: 1)
            return explainer.explain(fix, outcome)
        }
        #expect(rows.indices.filter { rows[$0].isDoubted } == [50, 52])
        #expect(!output.types.contains("geofence.exit"))
        let reason = rows[50].reason
        #expect(reason.contains("the alarm waits for a second one"))
        #expect(reason.contains("it counts as their average, 60"))
        #expect(!reason.contains("at rest"))
        #expect(rows[51].reason.hasPrefix("already inside: 0"))
        #expect(!rows[51].reason.contains("alarm"))
        let known = history.explain(
            .init(time: Journey.at(250)), anchor.identity, device: "boat", in: index, policy: TrackingPolicy())
        #expect(known?.explanation.fixes.first { $0.time == Journey.at(250) }?.reason == reason)
    }

    /// Returns a drive with stops, jumps, gaps, and fixes that the gate rejects.
    private func drive(_ random: inout SeededGenerator) -> [Fix] {
        var (seconds, east, north) = (0.0, 0.0, 0.0)
        var fixes: [Fix] = []
        for _ in 0..<40 {
            let (vx, vy) =
                Bool.random(using: &random)
                ? (0, 0) : (Double.random(in: -20...20, using: &random), Double.random(in: -20...20, using: &random))
            if Int.random(in: 0..<8, using: &random) == 0 { seconds += .random(in: 1...900, using: &random) }
            for _ in 0..<Int.random(in: 1...120, using: &random) {
                seconds += 1
                (east, north) = (east + vx, north + vy)
                let isWild = Int.random(in: 0..<60, using: &random) == 0
                var next = fix(
                    isWild && Bool.random(using: &random) ? seconds - 5 : seconds,
                    east: east + .random(in: -15...15, using: &random) + (isWild ? 4000 : 0),
                    north: north + .random(in: -15...15, using: &random),
                    accuracy: [nil, 5, 30, 90, 260].randomElement(using: &random) ?? nil,
                    segment: Int.random(in: 0..<200, using: &random) == 0)
                if Int.random(in: 0..<100, using: &random) == 0 { next.time = nil }
                if vx != 0 { next.speed = .metersPerSecond((vx * vx + vy * vy).squareRoot()) }
                fixes.append(next)
            }
        }
        return fixes
    }

    private func sights(_ count: Int, _ random: inout SeededGenerator) -> [Geofence] {
        (0..<count).map {
            geofence(
                "s\($0)", east: .random(in: -2500...2500, using: &random),
                north: .random(in: -2500...2500, using: &random), radius: .random(in: 20...900, using: &random))
        }
            + [geofence("home", radius: 60)]
    }

    private static let explained: Set<String> = ["geofence.enter", "geofence.exit", "geofence.dwell", "geofence.cross"]

    private func lines(_ events: [Event], of identity: Geofence.Identity? = nil) -> [String] {
        let subject = identity.map { "sight/\($0.id)" }
        return events.filter { Self.explained.contains($0.type) && (subject == nil || $0.subject == subject) }
            .map { String(decoding: $0.json(), as: UTF8.self) }
    }

    /// The explained events are those of a replay with all sights.
    @Test(arguments: UInt64(1)...4)
    func theExplainedEventsAreThoseOfAReplay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (fixes, sights) = (drive(&random), sights(30, &random))
        var policy = TrackingPolicy()
        policy.exitMargin = seed % 3 == 0 ? .meters(25) : nil
        let events = Tracker.output(of: fixes, in: GeofenceIndex(sights.map { ($0, 1) }), policy: policy).events
        #expect(lines(events).count > 5)
        for sight in sights {
            let rows = explain(fixes, sight, policy: policy)
            #expect(lines(rows.flatMap(\.events)) == lines(events, of: sight.identity), "seed \(seed) \(sight)")
            #expect(rows.allSatisfy { !$0.reason.isEmpty })
        }
    }

    /// The history in memory explains the last fixes as they were decided, also if geofences were added meanwhile.
    @Test(arguments: UInt64(11)...13)
    func aHistoryExplainsTheEventsAsTheyWereDecided(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sights = sights(8, &random)
        var fixes: [Fix] = []
        while fixes.count < 2 * FixHistory.length {
            let (next, offset) = (drive(&random), fixes.compactMap(\.time).max() ?? Journey.begin)
            fixes += next.map { fix in
                var fix = fix
                fix.time = fix.time.map { offset.advanced(byMilliseconds: $0.milliseconds(since: Journey.begin)) }
                return fix
            }
        }
        var index = GeofenceIndex(sights.dropLast(5).map { ($0, 1) })
        let late = fixes.count - 1500
        var tracker = Tracker(device: "van")
        var history = FixHistory()
        var decided: [(time: Timestamp, event: Event)] = []
        for (number, fix) in fixes.enumerated() {
            var output = Tracker.Output()
            if number == late { for sight in sights.suffix(5) { index.update(sight, revision: index.revision + 1) } }
            history.prepare(for: tracker)
            history.add(fix, tracker.ingest(fix, in: index, into: &output), revision: index.revision)
            decided += output.events.map { (fix.time.known, $0) }
        }
        let begin = try #require(history.begin)
        let kept = fixes.suffix(FixHistory.length).compactMap(\.time).min().known
        #expect(begin <= kept)
        var checked = 0
        let end = tracker.position.known.time
        for sight in sights {
            // Each window has fewer fixes than an explanation may have.
            var told: [Event] = []
            var moment = begin.advanced(byMilliseconds: 400_000)
            while moment < end {
                let question = Explanation.Question(time: moment, window: 300)
                let found = try #require(
                    history.explain(
                        question, sight.identity, device: "van", in: index, policy: TrackingPolicy()))
                #expect(!found.explanation.isCut)
                told += found.explanation.fixes.flatMap(\.events)
                moment = moment.advanced(byMilliseconds: 600_001)
            }
            let range = begin.advanced(byMilliseconds: 100_000)...moment.advanced(byMilliseconds: -300_001)
            let expected = decided.filter { range.contains($0.time) }.map(\.event)
            #expect(lines(expected, of: sight.identity) == lines(told), "seed \(seed), \(sight.identity.id)")
            checked += told.count
        }
        #expect(checked > 0)
        #expect(
            history.explain(
                .init(time: begin.advanced(byMilliseconds: -1)), sights[0].identity, device: "van", in: index,
                policy: TrackingPolicy()) == nil)
    }

    @Test func anExplanationKeepsTheFixesClosestToItsMoment() {
        var explanation = Explanation(.init(time: Journey.at(2000), window: 1500))
        for row in explain((0..<4000).map { fix(Double($0), east: 0) }, geofence()) { explanation.add(row) }
        #expect(explanation.fixes.count == Explanation.maximumFixes)
        #expect(explanation.isCut)
        let seconds = explanation.fixes.compactMap { $0.time?.seconds(since: Journey.begin) }
        #expect(seconds == (0..<1000).map { Double($0) + 1501 } || seconds == (0..<1000).map { Double($0) + 1500 })
        #expect(explanation.before?.time == Journey.at(499))
        #expect(explanation.after?.time == Journey.at(3501))
    }
}

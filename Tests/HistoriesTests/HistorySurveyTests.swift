import Geodesy
import Histories
import Positioning
import TestSupport
import Testing
import Time

/// The bounds of points, compared with a search of all gaps.
@Suite struct HistorySurveyTests {
    private static func fix(
        _ latitude: Double, _ longitude: Double, at second: Int, begins: Bool = false
    )
        -> HistoryItem
    {
        let place = Coordinate(latitude: latitude, longitude: longitude).known
        return .fix(
            Fix(time: Timestamp(milliseconds: Int64(second) * 1000), coordinate: place, beginsSegment: begins))
    }

    @Test func countsTimesAndAreaAreThoseOfTheItems() throws {
        var survey = HistorySurvey()
        #expect(survey.bounds == nil)
        survey.add(Self.fix(46.6, 7.9, at: 20, begins: true))
        survey.add(Self.fix(46.5, 7.95, at: 10))
        survey.add(Self.fix(46.7, 7.8, at: 40, begins: true))
        let place = Coordinate(latitude: 0, longitude: 0).known
        survey.add(.fix(Fix(time: nil, coordinate: place)))
        let start = Timestamp(milliseconds: 0)
        survey.add(.visit(HistoryVisit(start: start, end: start, coordinate: place)))
        #expect((survey.points, survey.tracks, survey.visits) == (3, 2, 1))
        #expect((survey.first, survey.last) == (Timestamp(milliseconds: 10_000), Timestamp(milliseconds: 40_000)))
        let bounds = try #require(survey.bounds)
        #expect((bounds.south, bounds.west, bounds.north, bounds.east) == (46.5, 7.8, 46.7, 7.95))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func theBoundsLeaveOutTheGreatestGapAlsoWhenMerged(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let center = Double.random(in: -180...180, using: &random)
        let width = Double.random(in: 0...170, using: &random)
        var surveys = [HistorySurvey(), HistorySurvey()]
        var longitudes: [Double] = []
        for second in 0..<Int.random(in: 1...40, using: &random) {
            var longitude = center + Double.random(in: -width...width, using: &random)
            if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
            let place = Coordinate(latitude: 1, longitude: longitude).known
            longitudes.append(place.longitude)
            surveys[second % 2].add(Self.fix(1, place.longitude, at: second))
        }
        surveys[0].add(surveys[1])
        let sorted = longitudes.sorted()
        var (gap, west, east) = (sorted[0] + 360 - sorted[sorted.count - 1], sorted[0], sorted[sorted.count - 1])
        // Gaps within a tenth of a degree are not looked for.
        for (one, next) in zip(sorted, sorted.dropFirst()) where next - one > max(gap, 0.1) {
            (gap, west, east) = (next - one, next, one)
        }
        guard gap > 0.2 else { return }
        #expect(surveys[0].bounds?.west == west)
        #expect(surveys[0].bounds?.east == east)
        #expect(surveys[0].points == longitudes.count)
    }
}

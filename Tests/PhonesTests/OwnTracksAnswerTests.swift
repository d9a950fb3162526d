import Geodesy
import Phones
import Positioning
import RPC
import TestSupport
import Testing
import Time

@Suite struct OwnTracksAnswerTests {
    private static func region(_ index: Int, latitude: Double) throws -> OwnTracksAnswer.Region {
        OwnTracksAnswer.Region(
            id: "sight\(index)", created: Timestamp(milliseconds: Int64(index) * 1000), name: "No. \(index): \"x\"",
            center: try #require(Coordinate(latitude: latitude, longitude: 2)), radius: .meters(120.4))
    }

    private static func parsed(_ answer: OwnTracksAnswer) throws -> [JSONValue] {
        guard case .array(let messages) = try JSONValue(parsing: answer.body.span) else { return [] }
        return messages
    }

    @Test func answerWithoutMessagesIsAnEmptyArray() {
        #expect(OwnTracksAnswer().body == PhoneAnswer.array.body)
    }

    @Test func friendsHaveACardAndALocationInWholeNumbers() throws {
        var fix = Fix(
            time: moment("2023-11-14T22:13:20.750Z"),
            coordinate: try #require(Coordinate(latitude: 41.5, longitude: 2.25)))
        fix.accuracy = .meters(16.2)
        fix.speed = .metersPerSecond(10.1)
        fix.track = .degrees(90.6)
        var answer = OwnTracksAnswer()
        answer.friends = [OwnTracksAnswer.Friend(tracker: "RO", name: "Rosa", fix: fix, battery: 55.5)]
        #expect(
            try Self.parsed(answer) == [
                ["_type": "card", "tid": "RO", "name": "Rosa"],
                [
                    "_type": "location", "tid": "RO", "lat": 41.5, "lon": 2.25, "tst": 1_700_000_000, "acc": 16,
                    "vel": 36, "cog": 91, "batt": 56,
                ],
            ])
        fix.time = nil
        answer.friends = [OwnTracksAnswer.Friend(tracker: "RO", name: "Rosa", fix: fix)]
        #expect(try Self.parsed(answer).isEmpty)
    }

    @Test func friendsAreBounded() throws {
        let fix = Fix(time: moment("2023-11-14T22:13:20Z"), coordinate: .origin)
        var answer = OwnTracksAnswer()
        answer.friends = (0..<200).map { OwnTracksAnswer.Friend(tracker: "\($0)", name: "x", fix: fix) }
        #expect(try Self.parsed(answer).count == 2 * OwnTracksAnswer.maximumFriends)
    }

    @Test func regionsAreSetAndForgottenInOneCommand() throws {
        var answer = OwnTracksAnswer()
        answer.regions = [try Self.region(1, latitude: 41)]
        answer.removedRegions = [try Self.region(2, latitude: 42)]
        let command = try #require(try Self.parsed(answer).first)
        #expect(command["_type"] == "cmd")
        #expect(command["action"] == "setWaypoints")
        #expect(
            command["waypoints"] == [
                "_type": "waypoints",
                "waypoints": [
                    [
                        "_type": "waypoint", "desc": "No. 2  \"x\"", "lat": 1000, "lon": 1000, "rad": 120, "tst": 2,
                        "rid": "sight2",
                    ],
                    [
                        "_type": "waypoint", "desc": "No. 1  \"x\"", "lat": 41, "lon": 2, "rad": 120, "tst": 1,
                        "rid": "sight1",
                    ],
                ],
            ])
    }

    @Test func nearestRegionsAreSelectedAndTheirChangesSent() throws {
        var candidates = try (0..<40).map { try Self.region($0, latitude: Double($0)) }
        var selection = RegionSelection()
        let place = try #require(Coordinate(latitude: 20.1, longitude: 2))
        #expect(selection.isDue(at: place, revision: 1))
        var first = OwnTracksAnswer()
        selection.select(from: candidates, at: place, revision: 1, into: &first)
        #expect(
            first.regions.map(\.id)
                == [20, 21, 19, 22, 18, 23, 17, 24, 16, 25, 15, 26, 14, 27, 13].map { "sight\($0)" })
        #expect(first.removedRegions.isEmpty)

        let near = try #require(Coordinate(latitude: 20.14, longitude: 2))
        let far = try #require(Coordinate(latitude: 21.1, longitude: 2))
        #expect(!selection.isDue(at: near, revision: 1))
        #expect(selection.isDue(at: near, revision: 2))
        #expect(selection.isDue(at: far, revision: 1))
        var second = OwnTracksAnswer()
        selection.select(from: candidates, at: far, revision: 1, into: &second)
        #expect(second.regions.map(\.id) == ["sight28"])
        #expect(second.removedRegions.map(\.id) == ["sight13"])

        // A region that has changed is set again, and one that is gone is forgotten.
        candidates[20].radius = .meters(300)
        candidates.remove(at: 22)
        var third = OwnTracksAnswer()
        selection.select(from: candidates, at: far, revision: 2, into: &third)
        #expect(Set(third.regions.map(\.id)) == ["sight20", "sight29"])
        #expect(third.removedRegions.map(\.id) == ["sight22"])
        #expect(selection.regions.count == RegionSelection.maximumRegions)
    }
}

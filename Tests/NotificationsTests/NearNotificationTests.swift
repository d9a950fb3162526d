import FeatureSupport
import GRDB
import RPC
import Store
import TestSupport
import Testing
import Tracking

@testable import Notifications
@testable import Service
@testable import Sights

/// Notifications about devices near sights, and who receives them.
@Suite(.slow) struct NearNotificationTests {
    /// Makes a world with ada, bob and cai, the device gps0 with ada on board, and the sights mill (category wind)
    /// and fort.
    private static func world() async throws -> CoreFixture {
        let core = try CoreFixture()
        try core.people("ada", "bob", "cai")
        try await core.have(sight: "mill", category: "wind", information: "An old mill.")
        try await core.have(sight: "fort")
        try await core.board("ada")
        return core
    }

    private static let near = "<b>Mill</b> is near, 48 m away."

    @Test func everyoneOnBoardIsNotifiedOfANearSight() async throws {
        let core = try await Self.world()
        try await core.board("bob")
        let event = try await core.log(.enter, "mill")
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada") == [Self.near])
        #expect(try await core.texts(of: "bob") == [Self.near])
        #expect(try await core.texts(of: "cai") == [])
        let told = core.liveState.told
        let seq = try #require(event.seq)
        #expect(told.map(\.recipient) == ["ada", "bob"])
        #expect(
            told.first.map { String(decoding: $0.line, as: UTF8.self) } == """
                {"seq":\(seq + 1),"type":"notification","time":"2026-05-01T10:00:00.000Z","device":"gps0",\
                "lat":52.37,"lon":4.89,"to":"ada","notification":{"id":"1","kind":"sight",\
                "text":"<b>Mill</b> is near, 48 m away.","destination":"waymark://sight/mill"}}
                """)
    }

    @Test func addingASightDoesNotNotifyItsOwnerOfIt() async throws {
        let core = try await Self.world()
        try await core.board("bob")
        try await core.have(sight: "tree", of: "ada")
        try await core.log(.enter, "tree", at: 0, initial: true)
        try await core.log(.dwell, "tree", at: 60)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada") == [])
        #expect(try await core.texts(of: "bob") == ["<b>Tree</b> is near, 48 m away."])
        // After the visit, ada is notified as of any other sight.
        try await core.log(.exit, "tree", at: 100)
        try await core.log(.enter, "tree", at: 900)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada") == ["<b>Tree</b> is near, 48 m away."])
    }

    @Test func anAlarmIsNotifiedEachTimeWhateverTheRulesAre() async throws {
        let core = try await Self.world()
        try await core.call(as: "ada", "notifications.setRules", ["events": ["enter"], "categories": ["water"]])
        try await core.log(.exit, "mill", at: 0)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada") == [])
        try await core.log(.exit, "mill", at: 10, isAlarm: true)
        try await core.log(.exit, "mill", at: 70, isAlarm: true)
        try await core.followers.catchUp()
        let alarm = "Alarm: <b>Mill</b> has been left."
        #expect(try await core.texts(of: "ada") == [alarm, alarm])
    }

    @Test func eachKindOfEventHasItsOwnText() async throws {
        let core = try await Self.world()
        try await core.call(
            as: "ada", "notifications.setRules",
            ["once": false, "events": ["approach", "enter", "cross", "dwell", "exit"]])
        for (index, trigger) in NotificationRules.Trigger.allCases.enumerated() {
            try await core.log(trigger, "mill", at: Double(index))
        }
        try await core.followers.catchUp()
        #expect(
            try await core.texts(of: "ada") == [
                "<b>Mill</b> is ahead on the left, in about 60 s.", Self.near, "You have passed <b>Mill</b>.",
                "You are staying at <b>Mill</b>.", "You have left <b>Mill</b>.",
            ])
    }

    @Test func aVisitIsNotifiedOnceUntilItsExit() async throws {
        let core = try await Self.world()
        try await core.log(.approach, "mill", at: 0)
        try await core.log(.enter, "mill", at: 60)
        try await core.log(.dwell, "mill", at: 120)
        // The sight moved a little, so the device enters it again without an exit.
        try await core.log(.enter, "mill", at: 130)
        try await core.log(.enter, "fort", at: 131)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").count == 2)
        try await core.log(.exit, "mill", at: 200)
        try await core.log(.enter, "mill", at: 260)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").count == 3)
    }

    @Test func anApproachWithoutAVisitIsNotifiedAgainLater() async throws {
        let core = try await Self.world()
        for seconds in [0.0, 899, 900, 5000] { try await core.log(.approach, "mill", at: seconds) }
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").count == 3)
    }

    @Test func aSecondDeviceOfOnePersonCausesNoSecondNotification() async throws {
        let core = try await Self.world()
        try await core.board("ada", on: "phone")
        try await core.log(.enter, "mill", at: 0)
        try await core.log(.enter, "mill", at: 2, by: "phone")
        try await core.log(.exit, "mill", at: 90, by: "phone")
        try await core.log(.enter, "mill", at: 100, by: "phone")
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").count == 1)
    }

    @Test func aVisitOfAMissingDeviceEndsAfterADay() async throws {
        let core = try await Self.world()
        try await core.board("ada", on: "phone")
        try await core.log(.enter, "mill", at: 0)
        try await core.log(.enter, "mill", at: 86_400, by: "phone")
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").count == 2)
    }

    @Test func aPersonWhoLeftTheDeviceIsNotifiedOnTheNextVisit() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill", at: 0)
        try await core.followers.catchUp()
        try await core.alight("ada", from: "gps0")
        try await core.log(.exit, "mill", at: 60)
        try await core.log(.enter, "mill", at: 120)
        try await core.log(.exit, "mill", at: 180)
        try await core.followers.catchUp()
        try await core.board("ada")
        try await core.log(.enter, "mill", at: 240)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").count == 2)
    }

    @Test func leavingTheDeviceInsideEndsTheVisitAlsoWhenReadInOneRun() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill", at: 0)
        try await core.alight("ada", from: "gps0")
        try await core.log(.exit, "mill", at: 60)
        try await core.board("ada")
        try await core.log(.enter, "mill", at: 120)
        try await core.followers.catchUp()
        // Ada boarded again after the visit began, and the device no longer knows that she was on board before.
        #expect(try await core.texts(of: "ada") == [Self.near])
    }

    @Test func eventsFromBeforeAPersonBoardedAreNotNotified() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill", at: 0, by: "phone")
        let before = core.followers
        try await before.catchUp()
        try await core.board("ada", on: "phone")
        // New consumers look at the same events again.
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").isEmpty)
        try await core.log(.dwell, "mill", at: 60, by: "phone")
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada") == ["You are staying at <b>Mill</b>."])
    }

    @Test func eventsWhileOnBoardAreNotifiedEvenAfterLeaving() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill")
        try await core.alight("ada", from: "gps0")
        try await core.log(.enter, "fort", at: 1)
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada") == [Self.near])
    }

    @Test func leavingAndBoardingAtOnceMissesNoEvent() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill")
        try await core.store.write { db in
            try db.execute(sql: "DELETE FROM carried")
            try db.execute(
                sql: "INSERT OR IGNORE INTO carried (device, person) SELECT 'gps0', number FROM person WHERE id = 'ada'"
            )
        }
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada") == [Self.near])
    }

    @Test func rulesFilterByCategoryEventAndKind() async throws {
        for (rules, expected) in [
            (["categories": ["wind"]], ["Mill"]), (["excluded_categories": ["wind"]], ["Fort"]),
            (["categories": ["wind"], "excluded_categories": ["wind"]], []), (["categories": ["water"]], []),
            (["events": ["exit"]], []), (["kinds": ["friend"]], []), ([:], ["Mill", "Fort"]),
        ] as [(JSONObject, [String])] {
            let core = try await Self.world()
            try await core.call(as: "ada", "notifications.setRules", rules)
            try await core.log(.enter, "mill")
            try await core.log(.enter, "fort")
            try await core.followers.catchUp()
            let texts = try await core.texts(of: "ada")
            #expect(texts == expected.map { "<b>\($0)</b> is near, 48 m away." }, "\(rules)")
        }
    }

    @Test func aSightIsNotNotifiedAgainDuringItsCoolDown() async throws {
        let core = try await Self.world()
        try await core.call(as: "ada", "notifications.setRules", ["cool_down": 600])
        for start in [0.0, 300, 599, 600, 1199] {
            try await core.log(.enter, "mill", at: start)
            try await core.log(.exit, "mill", at: start + 0.5)
        }
        try await core.log(.enter, "fort", at: 1)
        try await core.followers.catchUp()
        let texts = try await core.texts(of: "ada")
        #expect(texts.count { $0 == Self.near } == 2)
        #expect(texts.count == 3)
    }

    @Test func duringQuietHoursANotificationIsStoredSilently() async throws {
        let core = try await Self.world()
        try await core.call(as: "ada", "notifications.setRules", ["quiet": "12:00-13:00", "zone": "+02:00"])
        try await core.log(.enter, "mill", at: 3599)
        try await core.log(.enter, "fort", at: 3600)
        try await core.followers.catchUp()
        #expect(core.liveState.told.map { String(decoding: $0.line, as: UTF8.self) }.count { $0.contains("Fort") } == 1)
        #expect(core.liveState.told.count == 1)
        #expect(try await core.badge(of: "ada") == 2)
        let list = try await core.call(as: "ada", "notifications.list")["notifications"].elements
        #expect(list.map { $0["silent"] } == [nil, true])
    }

    @Test func anAlarmIsAnnouncedInQuietHoursAndAgainUntilItIsAcknowledged() async throws {
        let core = try await Self.world()
        try await core.call(
            as: "ada", "notifications.setRules",
            ["quiet": "00:00-23:59", "zone": "UTC", "kinds": ["friend"], "cool_down": 3600])
        try await core.log(.exit, "fort", at: 0)
        for minute in 0..<3 { try await core.log(.exit, "mill", at: Double(60 * minute), isAlarm: true) }
        try await core.followers.catchUp()
        let told = core.liveState.told.map { String(decoding: $0.line, as: UTF8.self) }
        #expect(told.count == 3)
        #expect(told.allSatisfy { $0.contains("Alarm: <b>Mill</b> has been left.") })
        let list = try await core.call(as: "ada", "notifications.list")["notifications"].elements
        #expect(list.map { $0["silent"] } == [nil, nil, nil])
    }

    @Test func whatAPhoneToldMuchLaterIsStoredSilently() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill", at: 0, received: 900)
        try await core.log(.enter, "fort", at: 3600, received: 3600 + 901)
        try await core.followers.catchUp()
        #expect(core.liveState.told.map { String(decoding: $0.line, as: UTF8.self) }.count { $0.contains("Mill") } == 1)
        #expect(core.liveState.told.count == 1)
        #expect(try await core.badge(of: "ada") == 2)
        let list = try await core.call(as: "ada", "notifications.list")["notifications"].elements
        #expect(list.map { $0["silent"] } == [true, nil])
    }

    @Test func aRemovedSightIsNotNotified() async throws {
        let core = try await Self.world()
        try await core.log(.enter, "mill")
        _ = try await core.store.write { try SightStore.remove("mill", in: $0) }
        try await core.followers.catchUp()
        #expect(try await core.texts(of: "ada").isEmpty)
    }

    @Test func oneRunAndManyRunsGiveTheSameNotifications() async throws {
        var runs: [[[String]]] = []
        for step in [1000, 1, 7] {
            let core = try await Self.world()
            try await core.board("bob")
            try await core.board("bob", "cai", on: "phone")
            try await core.call(as: "bob", "notifications.setRules", ["once": false, "cool_down": 40])
            try await core.call(as: "cai", "notifications.setRules", ["events": ["cross", "exit", "dwell"]])
            let triggers = NotificationRules.Trigger.allCases
            var generator = SeededGenerator(seed: 8)
            for number in 0..<300 {
                try await core.log(
                    triggers.randomElement(using: &generator) ?? .enter,
                    ["mill", "fort"].randomElement(using: &generator) ?? "mill", at: Double(number) * 10,
                    by: ["gps0", "phone", "nobody's"].randomElement(using: &generator) ?? "gps0")
                // The consumers run after each event, after every seventh, or once.
                if number % step == 0 { try await core.followers.catchUp() }
            }
            try await core.followers.catchUp()
            try await core.followers.catchUp()
            var run: [[String]] = []
            for person in ["ada", "bob", "cai"] { run.append(try await core.texts(of: person)) }
            run.append(
                core.liveState.told.map { event in
                    // The sequence numbers differ between runs because the same events are in another order.
                    String(decoding: event.line, as: UTF8.self).split(separator: ",").dropFirst().joined(separator: ",")
                }.map { $0.replacing(/"id":"\d+"/, with: "") }.sorted())
            runs.append(run)
        }
        #expect(runs[0].allSatisfy { $0.count > 5 })
        #expect(runs[1] == runs[0])
        #expect(runs[2] == runs[0])
    }
}

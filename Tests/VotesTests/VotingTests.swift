import FeatureSupport
import Foundation
import GRDB
import Geodesy
import Positioning
import RPC
import TestSupport
import Testing

@testable import Service
@testable import Votes

/// Ballots, the end of votes, and names that several people share.
@Suite struct VotingTests {
    @Test func aBallotCountsOnceFinishedAndCannotBeChanged() throws {
        let votes = try VotesFixture("ada", "bob", "cai")
        let lunch = try votes.open()
        try votes.choose(1, 2, lunch)
        try votes.choose(3, 2, lunch)
        #expect(try votes.vote(lunch).voted == 0)
        refuses(.notAllowed) { try votes.finish(3, lunch) }
        try votes.finish(2, lunch)
        #expect(try votes.vote(lunch).voted == 1)
        refuses(.conflict) { try votes.finish(2, lunch) }
        refuses(.conflict) { try votes.choose(1, 2, lunch) }
        // The initiator needs no passcode, but must choose like everybody else.
        refuses(.conflict) { try votes.finish(1, lunch) }
        let error = #expect(throws: Refusal.self) { try votes.choose(4, 1, lunch) }
        #expect(error?.fault?.field == "option")
    }

    @Test func namesThatLookAlikeAreOneName() {
        let key = VoteText.key(ofName: "Ada Test")
        for name in ["ada  test", "ADA\u{2003}TEST", "\u{1D400}da Test", "\u{FF21}da Test"] {
            #expect(VoteText.key(ofName: name) == key, "\(name)")
        }
        #expect(VoteText.key(ofName: "Ida Test") != key)
    }

    @Test func `nothing is added up before the end`() throws {
        let votes = try VotesFixture("ada", "bob")
        let lunch = try votes.open()
        try votes.choose(1, 2, lunch)
        try votes.finish(2, lunch)
        #expect(try votes.result(lunch) == nil)
        let counts = try votes.queue.read {
            try Row.fetchAll($0, sql: "SELECT 1 FROM vote_option WHERE count NOT NULL")
        }
        #expect(counts.isEmpty)
    }

    @Test func theLastBallotEndsTheVoteAndNotifiesEveryVoterOnce() throws {
        let votes = try VotesFixture("ada", "bob", "cai", "dan")
        let lunch = try votes.open(participants: 2)
        #expect(votes.watched == [lunch.id])
        try votes.choose(1, 4, lunch)
        for (person, option) in [(2, 2), (3, 2)] as [(Int64, Int)] {
            try votes.choose(option, person, lunch)
            try votes.finish(person, lunch)
        }
        #expect(try votes.vote(lunch).ended == votes.now)
        #expect(votes.watched == [])
        let result = try votes.result(lunch).known
        #expect(result.counts == [0, 2, 0])
        #expect(result.winners == [2])
        #expect(votes.told.map(\.person) == ["ada", "bob", "cai"])
        #expect(votes.told.allSatisfy { $0.text.markup == "The vote <b>Lunch</b> has ended. <b>Soup</b> has won." })
        // Who has not finished is too late, and unfinished choices are deleted.
        refuses(.conflict) { try votes.finish(4, lunch) }
        #expect(
            try votes.queue.read { try Int.fetchOne($0, sql: "SELECT count(choice) FROM vote_ballot") } == 2)
        votes.now = moment(100_000)
        try votes.catchUp()
        #expect(votes.told.count == 3)
    }

    @Test func theTimeLimitEndsTheVoteEvenAfterADowntime() throws {
        let votes = try VotesFixture("ada", "bob")
        let lunch = try votes.open()
        try votes.choose(1, 2, lunch)
        try votes.finish(2, lunch)
        votes.now = moment(3599)
        try votes.catchUp()
        #expect(try votes.vote(lunch).ended == nil)
        #expect(try votes.queue.read { try VoteEnds().due(at: votes.now, in: $0) } == moment(3600))
        votes.now = moment(1_000_000)
        refuses(.conflict) { try votes.choose(1, 1, lunch) }
        try votes.catchUp()
        #expect(try votes.vote(lunch).ended == moment(3600))
        #expect(try votes.result(lunch)?.counts == [1, 0, 0])
        #expect(try votes.queue.read { try VoteEnds().due(at: votes.now, in: $0) } == nil)
    }

    @Test func aClockSetBackLeavesAtMostTheWholeLimit() throws {
        let votes = try VotesFixture("ada")
        votes.now = moment(1_000_000)
        let lunch = try votes.open(limit: .tenMinutes)
        votes.now = moment(0)
        try votes.catchUp()
        #expect(try votes.vote(lunch).ended == nil)
        #expect(try votes.vote(lunch).ends == moment(600))
        votes.now = moment(600)
        try votes.catchUp()
        #expect(try votes.vote(lunch).ended == moment(600))
    }

    @Test func tiesAreReportedAndPercentagesAreOfTheCountedBallots() throws {
        let votes = try VotesFixture("ada", "bob", "cai", "dan")
        let lunch = try votes.open(participants: 3)
        for (person, option) in [(2, 1), (3, 3), (4, 2)] as [(Int64, Int)] {
            try votes.choose(option, person, lunch)
            try votes.finish(person, lunch)
        }
        let result = try votes.result(lunch).known
        #expect(result.winners == [1, 2, 3])
        #expect((result.percentage(of: 1) * 10).rounded() == 333)
        #expect(votes.told.first?.text.markup.hasSuffix("It is a tie of Pizza and Soup and Salad.") == true)
        let none = VoteResult(counts: [0, 0])
        #expect(none.winners == [] && none.percentage(of: 1) == 0)
    }

    @Test func aDuplicateNameKeepsTheVoteOpenUntilSettled() throws {
        let votes = try VotesFixture("ada", "bob", "cai", "dan")
        try votes.queue.write { try $0.execute(sql: "UPDATE person SET first_name = 'BOB ' WHERE id = 'cai'") }
        let lunch = try votes.open(participants: 2)
        for (person, option) in [(2, 1), (3, 2)] as [(Int64, Int)] { try votes.choose(option, person, lunch) }
        #expect(try !votes.finish(2, lunch))
        #expect(try votes.finish(3, lunch))
        #expect(try votes.vote(lunch).hasConflict)
        #expect(try votes.vote(lunch).ended == nil)
        #expect(try votes.conflicts(lunch).map(\.claims.count) == [2])

        try votes.look(lunch) { try Conflict.setRemoved(true, email: "bob@example.org", in: $0, in: $1) }
        #expect(try votes.vote(lunch).voted == 1)
        try votes.look(lunch) { try Conflict.setRemoved(false, email: "Bob@example.org", in: $0, in: $1) }
        #expect(try votes.vote(lunch).voted == 2)
        try votes.look(lunch) { try Conflict.setRemoved(true, email: "bob@example.org", in: $0, in: $1) }
        try votes.look(lunch) { try Conflict.settle(nil, in: $0, in: $1) }
        #expect(try !votes.vote(lunch).hasConflict)
        refuses(.notFound) {
            try votes.look(lunch) { try Conflict.setRemoved(false, email: "bob@example.org", in: $0, in: $1) }
        }
        refuses(.notFound) { try votes.look(lunch) { try Conflict.settle("Bob Test", in: $0, in: $1) } }

        // Another person of that name is a new conflict.
        try votes.queue.write { try VotesFixture.add("eve", name: "bob", in: $0) }
        try votes.choose(3, 5, lunch)
        #expect(try votes.finish(5, lunch))
        try votes.look(lunch) { try Conflict.settle("bob  TEST", in: $0, in: $1) }
        // Both ballots may count; with two ballots the vote ends.
        #expect(try votes.result(lunch)?.counts == [0, 1, 1])
        #expect(try votes.names(lunch) == ["BOB  Test", "bob Test"])
    }

    @Test func theTimeLimitEndsAVoteDespiteNameConflicts() throws {
        let votes = try VotesFixture("ada", "bob", "cai")
        try votes.queue.write { try $0.execute(sql: "UPDATE person SET first_name = 'Bob' WHERE id = 'cai'") }
        let lunch = try votes.open(participants: 2)
        for person in [2, 3] as [Int64] {
            try votes.choose(1, person, lunch)
            try votes.finish(person, lunch)
        }
        votes.now = moment(3600)
        try votes.catchUp()
        #expect(try votes.result(lunch)?.counts == [2, 0, 0])
        #expect(try votes.conflicts(lunch) == [])
    }

    @Test func removingAParticipantRemovesOpenBallotsAndTheirNames() throws {
        let votes = try VotesFixture("ada", "bob", "cai", "dan")
        let (lunch, dinner) = (try votes.open(participants: 2), try votes.open(participants: 2))
        for vote in [lunch, dinner] {
            try votes.choose(1, 2, vote)
            try votes.finish(2, vote)
        }
        try votes.choose(2, 3, dinner)
        try votes.finish(3, dinner)
        try votes.remove(2)
        #expect(try votes.vote(lunch).voted == 0)
        #expect(try votes.vote(dinner).voted == 2)
        #expect(try votes.result(dinner)?.counts == [1, 1, 0])
        #expect(try votes.names(dinner) == ["Cai Test"])
        try votes.checkKeys()
    }

    @Test func removingAnAccountResolvesItsNameConflictAndMayEndTheVote() throws {
        let votes = try VotesFixture("ada", "bob", "cai", "dan")
        try votes.queue.write { try $0.execute(sql: "UPDATE person SET first_name = 'Bob' WHERE id = 'cai'") }
        let lunch = try votes.open(participants: 2)
        for person in [2, 3, 4] as [Int64] {
            try votes.choose(1, person, lunch)
            try votes.finish(person, lunch)
        }
        #expect(try votes.vote(lunch).ended == nil)
        try votes.remove(2)
        #expect(try !votes.vote(lunch).hasConflict)
        try votes.catchUp()
        #expect(try votes.result(lunch)?.counts == [2, 0, 0])
    }

    @Test func removingTheInitiatorRemovesOpenVotesAndKeepsEndedOnes() throws {
        let votes = try VotesFixture("ada", "bob", "cai")
        let (lunch, dinner, alone) = (
            try votes.open(participants: 2), try votes.open(participants: 2), try votes.open(limit: .tenMinutes)
        )
        for person in [2, 3] as [Int64] {
            try votes.choose(1, person, dinner)
            try votes.finish(person, dinner)
        }
        try votes.choose(1, 2, lunch)
        try votes.finish(2, lunch)
        try votes.choose(1, 3, lunch)
        votes.now = moment(600)
        try votes.catchUp()
        let before = votes.told.count
        try votes.remove(1)
        try votes.catchUp()
        #expect(try votes.queue.read { try Vote.find(lunch.id, in: $0) } == nil)
        #expect(try votes.queue.read { try Vote.find(alone.id, in: $0) } == nil)
        #expect(votes.watched == [])
        let told = votes.told.dropFirst(before)
        #expect(told.map(\.person) == ["bob"])
        #expect(told.first?.text.markup.contains(lunch.id) == true)
        #expect(try votes.vote(dinner).initiator == nil)
        #expect(try votes.result(dinner)?.counts == [2, 0, 0])
        try votes.checkKeys()
    }

    @Test func aSealedChoiceOpensOnlyOnItsOwnBallot() throws {
        let seal = BallotSeal(BallotSeal.makeKey())
        let sealed = try seal.seal(2, vote: 1, person: 2)
        #expect(seal.open(sealed, vote: 1, person: 2) == 2)
        #expect(seal.open(sealed, vote: 1, person: 3) == nil)
        #expect(seal.open(sealed, vote: 2, person: 2) == nil)
        #expect(BallotSeal(BallotSeal.makeKey()).open(sealed, vote: 1, person: 2) == nil)
        #expect(seal.open(Data("2".utf8), vote: 1, person: 2) == nil)
        // Equal choices look different, and different choices have the same length.
        #expect(try seal.seal(2, vote: 1, person: 2) != sealed)
        #expect(try seal.seal(20, vote: 1, person: 2).count == sealed.count)
    }

    @Test func aChoiceCopiedIntoAnotherBallotDoesNotCount() throws {
        let votes = try VotesFixture("ada", "bob", "cai")
        let lunch = try votes.open(participants: 3)
        for (person, option) in [(2, 1), (3, 2)] as [(Int64, Int)] {
            try votes.choose(option, person, lunch)
            try votes.finish(person, lunch)
        }
        try votes.queue.write {
            try $0.execute(
                sql: """
                    UPDATE vote_ballot SET choice = (SELECT choice FROM vote_ballot WHERE person = 3) WHERE person = 2
                    """)
        }
        votes.now = moment(3600)
        try votes.catchUp()
        #expect(try votes.result(lunch)?.counts == [0, 1, 0])
        #expect(try votes.vote(lunch).voted == 1)
    }

    @Test func invalidVotesAreRefused() {
        func field(_ subject: String, _ options: [String], _ participants: Int = 2) -> String? {
            do {
                _ = try Vote.Draft(
                    given: subject, options: options, participants: participants, limit: .day, colour: .blue)
                return nil
            } catch {
                return error.fault?.field
            }
        }
        #expect(field("Lunch", ["A", "B"]) == nil)
        #expect(field(" ", ["A", "B"]) == "subject")
        #expect(field("A\nB", ["A", "B"]) == "subject")
        #expect(field("Lunch", ["A"]) == "options")
        #expect(field("Lunch", ["A", " "]) == "options")
        #expect(field("Lunch", ["Crème", "creme"]) == "options")
        #expect(field("Lunch", (0...20).map { "\($0)" }) == "options")
        #expect(field("Lunch", ["A", "B"], 1) == "participants")
        #expect(field("Lunch", ["A", "B"], 1001) == "participants")
    }

    @Test func theOldestEndedVotesAreDeleted() throws {
        let votes = try VotesFixture("ada", "bob")
        let (first, others) = (try votes.open(), try votes.open(by: 2))
        try votes.queue.write { db in
            // Keeps the ids of these votes apart from those that follow.
            try db.execute(sql: "UPDATE vote SET id = 9000000 + number")
            try db.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i <= ?)
                    INSERT INTO vote (id, initiator, colour, subject, folded, participants, passcode, seal, span, opened,
                        ends, ended, lat_e7, lon_e7, watched)
                    SELECT 1000000 + i, 1, 'red', 'S', 's', 2, 'x', zeroblob(32), 1, 1, 2, 2,
                        0, 0, 0 FROM n
                    """, arguments: [Vote.maximumKept])
        }
        let last = try votes.open()
        let (kept, oldest) = try votes.queue.read { db in
            (
                try Int.fetchOne(db, sql: "SELECT count(*) FROM vote WHERE initiator = 1 AND ended NOT NULL"),
                try Vote.find("1000001", in: db)
            )
        }
        #expect(kept == Vote.maximumKept)
        #expect(oldest == nil)
        for vote in [first, others, last] { #expect(try votes.vote(vote).ended == nil) }
    }

    @Test func idsAreSevenRandomDigits() throws {
        let votes = try VotesFixture("ada")
        try votes.queue.write { db in
            let ids = try (0..<200).map { _ in
                let vote = try Vote.open(
                    Vote.Draft(given: "A", options: ["A", "B"], participants: 2, limit: .day, colour: .red),
                    passcode: "x", by: 1, at: .init(latitude: 0, longitude: 0).known, now: moment(0), in: db)
                try db.execute(sql: "UPDATE vote SET ended = 1")
                return vote.id
            }
            #expect(Set(ids).count == 200)
            #expect(ids.allSatisfy { $0.count == 7 && Int($0) != nil })
            #expect(ids != ids.sorted())
        }
    }
}

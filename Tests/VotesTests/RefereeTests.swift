import Foundation
import GRDB
import RPC
import TestSupport
import Testing
import Time

@testable import Service
@testable import Votes

/// Many votes at once, with random actions of people, clocks and restarts, compared with a referee who counts by
/// hand.
@Suite struct RefereeTests {
    private static let isLong = TestTier.isSoak

    @Test(.slow) func randomVotesAreCountedLikeTheRefereeCounts() throws {
        let folder = try TemporaryFolder()
        var play = try Play(
            folder: folder, seed: 20_260_501, votes: Self.isLong ? 1000 : 10, people: Self.isLong ? 200 : 30)
        try play.run()
    }
}

/// The referee's unencrypted record of a vote.
private struct Sheet {
    var vote: Vote
    var ends: Int64
    var ballots: [Int64: Paper] = [:]
    /// The names to review, in the order in which they were found.
    var names: [String] = []
    var ended: Int64?
    var counts: [Int] = []
    var voted = 0
    /// The people who are to be notified of the end.
    var audience: Set<String> = []

    struct Paper {
        var option: Int?
        /// `nil` until the person has finished.
        var name: String?
        var isRemoved = false
        var counts: Bool { name != nil && !isRemoved }
    }

    var counted: [Paper] { ballots.values.filter(\.counts) }

    mutating func endIfDue(at now: Int64, people: [Int64: (id: String, name: String)], isTimed: Bool) {
        guard ended == nil else { return }
        let span = vote.limit.milliseconds
        if isTimed, ends - span > now { ends = now + span }
        guard isTimed && ends <= now || counted.count >= vote.participants && names.isEmpty else { return }
        ended = min(now, ends)
        counts = (1...3).map { option in counted.count { $0.option == option } }
        voted = counted.count
        names = []
        audience = Set(ballots.filter { $0.value.name != nil }.compactMap { people[$0.key]?.id } + ["p1"])
    }
}

private struct Play {
    private let votes: VotesFixture
    private var random: SeededGenerator
    private var sheets: [Sheet] = []
    /// The people with accounts, by number.
    private var people: [Int64: (id: String, name: String)] = [:]
    private var numbers: [Int64] = []
    private var next: Int64 = 1
    /// The number of steps between comparisons of a vote.
    ///
    /// Every vote is compared at the end.
    private let interval: Int
    private let count: Int
    private let crowd: Int
    private let file: String

    init(folder: TemporaryFolder, seed: UInt64, votes count: Int, people crowd: Int) throws {
        file = folder.file("store")
        votes = try VotesFixture(path: file)
        random = SeededGenerator(seed: seed)
        self.count = count
        interval = count > 100 ? 50 : 1
        self.crowd = crowd
        for _ in 0...crowd { try join() }
    }

    /// Adds a person, whose name may not be unique.
    private mutating func join() throws {
        let (number, name) = (next, "Name\(Int.random(in: 0..<(crowd * 3), using: &random))")
        next += 1
        try votes.queue.write { try VotesFixture.add("p\(number)", name: name, in: $0) }
        people[number] = ("p\(number)", "\(name) Test")
        numbers.append(number)
    }

    mutating func run() throws {
        var (open, steps): ([Int], Int) = ([], 0)
        while sheets.count < count || !open.isEmpty {
            if open.count < 8, sheets.count < count {
                let limit = try #require(Vote.Limit.allCases.randomElement(using: &random))
                let vote = try votes.open(participants: crowd * 9 / 10, limit: limit)
                sheets.append(Sheet(vote: vote, ends: votes.now.milliseconds + limit.milliseconds))
                open.append(sheets.endIndex - 1)
            }
            let index = try #require(open.randomElement(using: &random))
            try step(index)
            steps += 1
            if steps % interval == 0 { try check(index) }
            open.removeAll { sheets[$0].ended != nil }
        }
        votes.now = votes.now.advanced(byMilliseconds: Vote.Limit.week.milliseconds * 2)
        try catchUp()
        for index in sheets.indices { try check(index) }
        // Each person was notified once of each end, and no result was computed twice.
        let audiences = Dictionary(grouping: votes.told, by: \.key).mapValues { $0.map(\.person) }
        for sheet in sheets {
            let told = audiences["vote/\(sheet.vote.id)/\(sheet.vote.number)/end"] ?? []
            #expect(told.count == Set(told).count)
            #expect(Set(told) == sheet.audience)
        }
        try votes.checkKeys()
    }

    /// Makes a random person do something.
    private mutating func step(_ index: Int) throws {
        let person = try #require(numbers.randomElement(using: &random))
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<500: try choose(index, person)
        case 500..<900: try finish(index, person)
        case 900..<970: try look(index)
        case 970..<975: try leave(person)
        case 975..<980: try votes.restart()
        case 980..<985:
            // Sets the clock forward or back.
            votes.now = votes.now.advanced(byMilliseconds: Int64.random(in: -7_200_000...3_600_000, using: &random))
            try catchUp()
        default:
            let wait = Int64.random(in: 0...120_000, using: &random)
            votes.now = votes.now.advanced(byMilliseconds: try timeToEnd(of: index) ?? wait)
            try catchUp()
        }
    }

    /// Returns the time in ms until around the end of a vote in which most people have finished; `nil` for other
    /// votes.
    private mutating func timeToEnd(of index: Int) throws -> Int64? {
        let sheet = sheets[index]
        let left = sheet.ends - votes.now.milliseconds
        guard sheet.ballots.values.count(where: { $0.name != nil }) * 4 >= crowd * 3, left > 0 else { return nil }
        return max(0, left + Int64.random(in: -2000...2000, using: &random))
    }

    /// Makes a call, which must be refused if the referee does not allow it.
    private func attempt(_ isAllowed: Bool, _ body: () throws -> Void) throws {
        if isAllowed {
            try body()
        } else {
            #expect(throws: Refusal.self) { try body() }
        }
    }

    private mutating func choose(_ index: Int, _ person: Int64) throws {
        let (option, sheet) = (Int.random(in: 1...3, using: &random), sheets[index])
        let paper = sheet.ballots[person] ?? Sheet.Paper()
        let isAllowed = paper.name == nil && votes.now.milliseconds < sheet.ends
        // The vote as stored, with its current limit.
        let vote = try votes.vote(sheet.vote)
        try attempt(isAllowed) { try votes.choose(option, person, vote) }
        guard isAllowed else { return }
        sheets[index].ballots[person] = paper
        sheets[index].ballots[person]?.option = option
    }

    private mutating func finish(_ index: Int, _ person: Int64) throws {
        let sheet = sheets[index]
        let paper = sheet.ballots[person]
        let isAllowed = paper?.option != nil && paper?.name == nil && votes.now.milliseconds < sheet.ends
        var isNew = false
        try attempt(isAllowed) { isNew = try votes.finish(person, sheet.vote) }
        guard isAllowed else { return }
        let name = try #require(people[person]?.name)
        let isTwice = sheet.ballots.contains { $0.value.counts && $0.value.name == name }
        let isFound = isTwice && !sheet.names.contains(name)
        #expect(isNew == isFound)
        sheets[index].ballots[person]?.name = name
        if isFound { sheets[index].names.append(name) }
        sheets[index].endIfDue(at: votes.now.milliseconds, people: people, isTimed: false)
    }

    /// Lets the initiator remove or restore a ballot, or settle a name.
    private mutating func look(_ index: Int) throws {
        let sheet = sheets[index]
        guard votes.now.milliseconds < sheet.ends, let name = sheet.names.randomElement(using: &random) else { return }
        let claims = sheet.ballots.filter { $0.value.name == name }.keys.sorted()
        if Bool.random(using: &random) {
            let person = try #require(claims.randomElement(using: &random))
            let isRemoved = Bool.random(using: &random)
            let email = "\(try #require(people[person]).id)@example.org"
            try votes.look(sheet.vote) { try Conflict.setRemoved(isRemoved, email: email, in: $0, in: $1) }
            sheets[index].ballots[person]?.isRemoved = isRemoved
        } else {
            let named = Bool.random(using: &random) ? name : nil
            try votes.look(sheet.vote) { try Conflict.settle(named, in: $0, in: $1) }
            sheets[index].names.removeAll { $0 == named ?? sheet.names[0] }
        }
        sheets[index].endIfDue(at: votes.now.milliseconds, people: people, isTimed: false)
    }

    /// Removes an account and adds another person.
    private mutating func leave(_ person: Int64) throws {
        guard person != 1 else { return }
        try votes.remove(person)
        people[person] = nil
        numbers.removeAll { $0 == person }
        for index in sheets.indices where sheets[index].ended == nil {
            guard let paper = sheets[index].ballots.removeValue(forKey: person), let name = paper.name else { continue }
            if sheets[index].ballots.values.count(where: { $0.name == name }) < 2 {
                sheets[index].names.removeAll { $0 == name }
            }
        }
        for index in sheets.indices where sheets[index].ended != nil { sheets[index].ballots[person] = nil }
        try join()
        try catchUp()
    }

    private mutating func catchUp() throws {
        try votes.catchUp()
        for index in sheets.indices {
            sheets[index].endIfDue(at: votes.now.milliseconds, people: people, isTimed: true)
        }
    }

    /// Compares the store with the referee's record.
    private func check(_ index: Int) throws {
        let sheet = sheets[index]
        let vote = try votes.vote(sheet.vote)
        #expect(vote.ended?.milliseconds == sheet.ended)
        #expect(vote.voted == (sheet.ended == nil ? sheet.counted.count : sheet.voted))
        #expect(try votes.conflicts(vote).map(\.name) == sheet.names)
        #expect(try votes.result(vote)?.counts ?? [] == sheet.counts)
        guard sheet.ended != nil else { return }
        #expect(try votes.names(vote).sorted() == sheet.counted.compactMap(\.name).sorted())
    }
}

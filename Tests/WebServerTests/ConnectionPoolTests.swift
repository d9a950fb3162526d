import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import WebServer

/// Who gets a place for a connection, and who makes room.
@Suite struct ConnectionPoolTests {
    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    /// The limits of the server.
    private let limits = WebServer.Limits()

    /// A pool that numbers its connections, and knows which of them are open.
    private struct Door {
        var pool: ConnectionPool<Int>
        var open: [Int: IPAddress] = [:]
        var count = 0
        var second = 0
        /// The seconds between two connections.
        var pause = 1
        /// Whether connections that make room for others end at once, as they do on a server that keeps up.
        var isQuick = true

        init(_ limits: WebServer.Limits) { pool = ConnectionPool(limits) }

        private mutating func end(_ number: Int) {
            open[number] = nil
            if isQuick { pool.leave(number) }
        }

        /// Connects, and returns the number of the connection, or `nil` if it was refused.
        mutating func connect(_ address: IPAddress) -> Int? {
            count += 1
            second += pause
            guard case .accepted(let ending) = pool.admit(count, from: address, at: second) else { return nil }
            if let ending { end(ending) }
            open[count] = address
            return count
        }

        /// Connects, and makes a request with the session of a person.
        mutating func signIn(_ address: IPAddress, as person: String) -> Int? {
            guard let number = connect(address) else { return nil }
            request(number, as: person)
            return number
        }

        /// Makes a request, and receives its answer.
        mutating func request(_ number: Int, as person: String? = nil) {
            pool.beginAnswer(number)
            if let ending = pool.identify(number, as: person) { end(ending) }
            pool.endAnswer(number)
        }

        mutating func leave(_ number: Int) {
            pool.leave(number)
            open[number] = nil
        }
    }

    /// Opens as many connections as each of several addresses can, some of which wait for an answer.
    private static func flood(_ door: inout Door, _ addresses: [IPAddress], answering: Bool) {
        for _ in 0..<64 {
            for address in addresses {
                guard let number = door.connect(address) else { continue }
                if answering { door.pool.beginAnswer(number) }
            }
        }
    }

    @Test(arguments: [false, true])
    func aMachineWithManyAddressesLocksNobodyOut(answering: Bool) throws {
        var door = Door(limits)
        let crowd = try (1...40).map { try Self.address("10.0.0.\($0)") }
        let (ada, own) = (try Self.address("10.0.1.1"), try Self.address("127.0.0.1"))
        let early = door.signIn(ada, as: "ada")
        Self.flood(&door, crowd, answering: answering)
        #expect(door.open.count < limits.connections)
        let newcomer = try Self.address("10.0.1.2")
        // A browser opens six connections, and so does one that is not signed in yet.
        let browser = (0..<6).map { _ in door.signIn(ada, as: "ada") }
        let stranger = (0..<6).map { _ in door.connect(newcomer) }
        let machine = (0..<6).map { _ in door.connect(own) }
        #expect(!(browser + stranger + machine).contains(nil))
        Self.flood(&door, crowd, answering: answering)
        for number in browser + stranger + machine + [early] {
            #expect(number.map { door.open[$0] != nil } ?? false)
        }
        #expect(door.open.count == door.pool.count)
    }

    /// Nothing that was cut has ended yet, because the server is busy with it.
    @Test(arguments: [1, 40, 200]) func whoeverConnectsTooFastWaitsAloneForWhatIsEnding(crowd: Int) throws {
        var door = Door(limits)
        door.isQuick = false
        let ada = door.signIn(try Self.address("10.0.1.1"), as: "ada")
        let crowd = try (1...crowd).map { try Self.address("10.2.0.\($0)") }
        for _ in 0..<2 { Self.flood(&door, crowd, answering: true) }
        #expect(door.pool.endingCount <= limits.ending)
        #expect(door.pool.isOverrun(by: crowd[0], at: door.second))
        #expect(door.connect(crowd[0]) == nil)
        // Others find a place as before, and a signed-in person keeps theirs.
        let newcomers = try (1...6).map { number in
            let newcomer = door.connect(try Self.address("10.0.2.\(number)"))
            if let newcomer { door.pool.beginAnswer(newcomer) }
            return newcomer
        }
        let people = try (1...6).map { door.signIn(try Self.address("10.0.3.\($0)"), as: "person \($0)") }
        let machine = door.connect(try Self.address("127.0.0.1"))
        for number in newcomers + people + [machine, ada] {
            #expect(number.map { door.open[$0] != nil } ?? false)
        }
        // Once they have ended, the crowd may connect again.
        for number in 1...door.count where door.open[number] == nil { door.pool.leave(number) }
        #expect(door.pool.endingCount == 0)
        #expect(door.connect(crowd[0]) != nil)
    }

    /// What was cut ends at once, but setting up connections keeps the server busy.
    @Test func aNetworkMakesRoomItselfOnceASecond() throws {
        var door = Door(limits)
        door.pause = 0
        let (crowd, other) = (try Self.address("10.2.0.1"), try Self.address("10.2.0.2"))
        let accepted = (0..<500).compactMap { _ in door.connect(crowd) }
        #expect(accepted.count == limits.connectionsOfAddress + limits.turns)
        #expect(door.pool.isOverrun(by: crowd, at: door.second))
        #expect(door.connect(other) != nil)
        door.second += 3
        #expect((0..<10).compactMap { _ in door.connect(crowd) }.count == 3)
        door.second += 1_000
        #expect((0..<500).compactMap { _ in door.connect(crowd) }.count == limits.turns)
    }

    @Test func aHouseholdWithinItsLimitsIsNeverOverrun() throws {
        var door = Door(limits)
        door.isQuick = false
        // One address takes all that it can get, and ends its own connections for that.
        for _ in 0..<200 { _ = door.connect(try Self.address("10.2.0.1")) }
        #expect(door.pool.endingCount == limits.endingOfNetwork)
        let phones = try (0..<limits.connectionsOfAddress).map { _ in door.connect(try Self.address("10.3.0.1")) }
        #expect(!phones.contains(nil))
        #expect(door.pool.endingCount == limits.endingOfNetwork)
    }

    @Test func theDoorkeeperClosesWhatIsHopelessAndPassesOnTheRest() throws {
        let server = EmbeddedChannel()
        let (hopeless, welcome) = (EmbeddedChannel(), EmbeddedChannel())
        let hopelessOne = ObjectIdentifier(hopeless)
        try server.pipeline.syncOperations.addHandler(Doorkeeper { ObjectIdentifier($0) == hopelessOne })
        for channel in [hopeless, welcome] {
            try channel.connect(to: SocketAddress(ipAddress: "10.0.0.1", port: 1)).wait()
            try server.writeInbound(channel as any Channel)
        }
        let passed = try #require(try server.readInbound(as: (any Channel).self))
        #expect(ObjectIdentifier(passed) == ObjectIdentifier(welcome))
        #expect(try server.readInbound(as: (any Channel).self) == nil)
        #expect(!hopeless.isActive)
        #expect(welcome.isActive)
        _ = try welcome.finish()
        _ = try server.finish()
    }

    @Test func aNetworkOfIPv6IsOneOrigin() throws {
        var door = Door(limits)
        for number in 1...2_000 { _ = door.connect(try Self.address("2001:db8::\(String(number, radix: 16))")) }
        #expect(door.open.count == limits.connectionsOfNetwork)
        let other = door.connect(try Self.address("2001:db8:0:1::1"))
        #expect(other != nil)
        // The newest address of the crowded network is let in, too, and the oldest connection ends.
        let last = door.connect(try Self.address("2001:db8::ffff"))
        #expect(last.map { door.open[$0] != nil } ?? false)
        #expect(door.open.count == limits.connectionsOfNetwork + 1)
    }

    @Test func theOldestThatWaitsForARequestGoesFirst() throws {
        var door = Door(limits)
        let address = try Self.address("10.0.0.1")
        let numbers = (0..<limits.connectionsOfAddress).compactMap { _ in door.connect(address) }
        #expect(numbers.count == limits.connectionsOfAddress)
        door.pool.beginAnswer(numbers[0])
        door.request(numbers[1])
        let next = door.connect(address)
        #expect(next != nil)
        #expect(door.open[numbers[0]] != nil)
        #expect(door.open[numbers[1]] != nil)
        #expect(door.open[numbers[2]] == nil)
        for number in door.open.keys.sorted() { door.pool.beginAnswer(number) }
        // Behind one address may be a router with many phones, so a newcomer is let in even then.
        let last = door.connect(address)
        #expect(last.map { door.open[$0] != nil } ?? false)
        #expect(door.open.count == limits.connectionsOfAddress)
        #expect(door.open[numbers[0]] == nil)
    }

    @Test(.slow) func sessionsKeepPlacesForNewcomers() throws {
        var door = Door(limits)
        for person in 0..<100 {
            for _ in 0..<limits.connectionsOfPerson {
                _ = door.signIn(try Self.address("10.1.\(person).1"), as: "person \(person)")
            }
        }
        #expect(door.open.count <= limits.connections)
        let own = door.connect(try Self.address("::1"))
        let newcomer = door.signIn(try Self.address("10.2.0.1"), as: "ada")
        #expect(own.map { door.open[$0] != nil } ?? false)
        #expect(newcomer.map { door.open[$0] != nil } ?? false)
        // Ada has fewer than the others, so one of theirs ends rather than hers.
        for _ in 0..<200 { _ = door.connect(try Self.address("10.3.0.1")) }
        #expect(newcomer.map { door.open[$0] != nil } ?? false)
    }

    @Test func onePersonCannotTakeThePlacesOfOthers() throws {
        var door = Door(limits)
        let address = try Self.address("10.0.0.1")
        let numbers = (0..<200).compactMap { _ in door.signIn(address, as: "ada") }
        #expect(numbers.filter { door.open[$0] != nil }.count == limits.connectionsOfPerson)
        for number in numbers where door.open[number] != nil { door.leave(number) }
        #expect(door.pool.count == 0)
    }

    @Test func aServerInFrontThatForwardsEverybodyLeavesPlacesForOthers() throws {
        var door = Door(limits)
        let own = try Self.address("127.0.0.1")
        for _ in 0..<3_000 { if let number = door.connect(own) { door.pool.beginAnswer(number) } }
        let person = door.signIn(own, as: "ada")
        #expect(person.map { door.open[$0] != nil } ?? false)
        for _ in 0..<3_000 { if let number = door.connect(own) { door.pool.beginAnswer(number) } }
        #expect(person.map { door.open[$0] != nil } ?? false)
        let newcomer = door.connect(try Self.address("10.0.0.1"))
        #expect(newcomer != nil)
    }

    @Test func aServerWithFewPlacesServesToo() throws {
        for places in 1...20 {
            var few = limits
            few.connections = places
            var door = Door(few)
            for address in ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.1"] {
                let number = door.signIn(try Self.address(address), as: address)
                #expect(number != nil, "\(places)")
            }
            #expect(door.open.count <= places)
        }
    }

    /// Random connections, requests and ends: the limits hold, and the pool knows exactly what is open.
    @Test(arguments: 1...10 as ClosedRange<UInt64>) func noLimitIsExceeded(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var limits = limits
        limits.connections = Int.random(in: 1...60, using: &random)
        limits.connectionsOfAddress = 10
        limits.connectionsOfNetwork = 20
        limits.connectionsOfPerson = 8
        let addresses =
            try (0..<8).map { try Self.address("10.0.0.\($0)") }
            + (0..<8).map { try Self.address("fd00::\($0 + 1)") } + [Self.address("127.0.0.1")]
        var door = Door(limits)
        for _ in 0..<3_000 {
            let number = door.open.keys.sorted().randomElement(using: &random)
            switch (Int.random(in: 0..<8, using: &random), number) {
            case (0, let number?): door.leave(number)
            case (1, let number?): door.pool.beginAnswer(number)
            case (2, let number?): door.pool.endAnswer(number)
            case (3, let number?): door.request(number, as: ["ada", "bob", nil].randomElement(using: &random) ?? nil)
            default: if let address = addresses.randomElement(using: &random) { _ = door.connect(address) }
            }
            #expect(door.open.count == door.pool.count)
            #expect(door.open.count <= limits.connections)
        }
        for number in door.open.keys { door.leave(number) }
        #expect(door.pool.count == 0)
    }
}

/// The open connections, and who makes room for whom when there are too many.
///
/// A connection belongs to this machine, to a person who is signed in, or to a stranger. Each of the three has places
/// that the others cannot take, and may use free ones beyond them. A new connection is a stranger's until one of its
/// requests shows a session, so it must always find a place: if there is none, another stranger's connection ends. The
/// one to end belongs to whoever has more than a fair share, waits for a request rather than for an answer, and has
/// waited longest.
///
/// Ending a connection takes time, so a network that connects again and again would keep the server busy with that, and
/// others would wait in the system's line of connections. While some of a network's connections are ending, further
/// ones for which it would have to make room itself are therefore refused, which costs next to nothing. The same is true
/// once it has made room itself several times in a row, until it has waited for a turn.
struct ConnectionPool<ID: Hashable & Sendable> {
    /// The answer to a new connection.
    enum Admission: Equatable {
        /// The connection is accepted; the connection to end, if any, has left the pool.
        case accepted(ending: ID?)
        /// The connection must end.
        case refused
    }

    /// Whose places a connection takes.
    private enum Owner: Hashable, CaseIterable {
        case machine, people, strangers
    }

    private struct Connection {
        let id: ID
        let address: IPAddress
        let network: Int64
        let isOfMachine: Bool
        /// The person whose session the last request showed.
        var person: String?
        /// Whether a whole request has arrived whose answer is not sent yet.
        var isAnswering = false
        /// The order in which connections began to wait for a request or an answer.
        var since: Int

        var owner: Owner { person != nil ? .people : isOfMachine ? .machine : .strangers }
    }

    private let limits: WebServer.Limits
    private var connections: [ID: Connection] = [:]
    private var counts: [Owner: Int] = [:]
    private var ofAddress: [IPAddress: Int] = [:]
    private var ofNetwork: [Int64: Int] = [:]
    private var ofPerson: [String: Int] = [:]
    /// The connections that have left for another one and have not ended yet, with their networks.
    private var ending: [ID: Int64] = [:]
    private var endingOfNetwork: [Int64: Int] = [:]
    /// How often each network could make room itself after it last did so; absent for those that have all turns.
    private var turns: [Int64: (left: Int, second: Int)] = [:]
    private var events = 0

    /// Creates a pool without connections.
    init(_ limits: WebServer.Limits) { self.limits = limits }

    /// The number of connections.
    var count: Int { connections.count }

    /// The number of connections that have left for another one and have not ended yet.
    var endingCount: Int { ending.count }

    // MARK: Changes

    /// Takes a place for a new connection from an address.
    ///
    /// - Parameter second: The present second of a clock that nobody sets.
    mutating func admit(_ id: ID, from address: IPAddress, at second: Int) -> Admission {
        let new = Connection(
            id: id, address: address, network: address.key, isOfMachine: address.isLoopback, since: nextEvent())
        guard !isOverrun(by: address, at: second) else { return .refused }
        switch room(for: new) {
        case .free:
            add(new)
            return .accepted(ending: nil)
        case .taken(let other?):
            if other.network == new.network, !new.isOfMachine {
                turns =
                    turns.count < Self.mostTurns ? turns : turns.filter { turnsLeft($0.key, at: second) < limits.turns }
                turns[new.network] = (turnsLeft(new.network, at: second) - 1, second)
            }
            end(other)
            add(new)
            return .accepted(ending: other.id)
        case .taken(nil): return .refused
        }
    }

    /// Returns whether a new connection from an address is refused because its network connects too fast.
    ///
    /// - Complexity: O(1).
    func isOverrun(by address: IPAddress, at second: Int) -> Bool {
        guard !address.isLoopback else { return false }
        let (key, count) = (address.key, ofNetwork[address.key] ?? 0)
        // If even those who have little keep the server busy, whoever has anything waits.
        let share = ending.count >= limits.ending ? 1 : limits.fairShare
        let makesRoomItself =
            count >= limits.connectionsOfNetwork || ofAddress[address] ?? 0 >= limits.connectionsOfAddress
            || count >= share && !hasRoom(.strangers)
        return makesRoomItself
            && (turnsLeft(key, at: second) < 1 || endingOfNetwork[key] ?? 0 >= limits.endingOfNetwork
                || ending.count >= limits.ending / 2)
    }

    /// How often a network may make room itself now: once a second, and several times after a rest.
    private func turnsLeft(_ network: Int64, at second: Int) -> Int {
        turns[network].map { min(limits.turns, $0.left + (second - $0.second)) } ?? limits.turns
    }

    /// The number of networks from which on those that have all turns are forgotten.
    private static var mostTurns: Int { 4_096 }

    /// Notes that a whole request has arrived.
    mutating func beginAnswer(_ id: ID) { change(id, isAnswering: true) }

    /// Notes that an answer is sent.
    mutating func endAnswer(_ id: ID) { change(id, isAnswering: false) }

    /// Notes whose session the present request shows; `nil` if it shows none.
    ///
    /// - Returns: A connection to end, which has left the pool.
    mutating func identify(_ id: ID, as person: String?) -> ID? {
        guard var connection = connections[id], connection.person != person else { return nil }
        remove(connection)
        connection.person = person
        var ending: Connection?
        if let person {
            let isFull = ofPerson[person] ?? 0 >= limits.connectionsOfPerson
            if isFull || !hasRoom(.people) {
                let others =
                    isFull
                    ? all { $0.person == person }
                    : Self.greediest(all(.people), ofPerson, \.person, above: ofPerson[person] ?? 0)
                ending = Self.first(others.filter { !$0.isAnswering })
                // Without a place among the people it stays where it was.
                if ending == nil { connection.person = nil }
            }
        } else if case .taken(let other) = room(for: connection) {
            ending = other
        }
        if let ending { end(ending) }
        add(connection)
        return ending?.id
    }

    /// Notes that a connection has ended, and gives its place back.
    mutating func leave(_ id: ID) {
        if let connection = connections[id] { remove(connection) }
        if let network = ending.removeValue(forKey: id) { Self.change(&endingOfNetwork, network, -1) }
    }

    /// Removes a connection that must end for another one.
    private mutating func end(_ connection: Connection) {
        remove(connection)
        ending[connection.id] = connection.network
        Self.change(&endingOfNetwork, connection.network, 1)
    }

    private mutating func change(_ id: ID, isAnswering: Bool) {
        let event = nextEvent()
        connections[id]?.isAnswering = isAnswering
        connections[id]?.since = event
    }

    private mutating func nextEvent() -> Int {
        events &+= 1
        return events
    }

    private mutating func add(_ connection: Connection) {
        connections[connection.id] = connection
        count(connection, 1)
    }

    private mutating func remove(_ connection: Connection) {
        connections[connection.id] = nil
        count(connection, -1)
    }

    private mutating func count(_ connection: Connection, _ step: Int) {
        Self.change(&counts, connection.owner, step)
        if let person = connection.person {
            Self.change(&ofPerson, person, step)
        } else if !connection.isOfMachine {
            Self.change(&ofAddress, connection.address, step)
            Self.change(&ofNetwork, connection.network, step)
        }
    }

    private static func change<Key>(_ counts: inout [Key: Int], _ key: Key, _ step: Int) {
        let new = (counts[key] ?? 0) + step
        counts[key] = new > 0 ? new : nil
    }

    // MARK: Room

    private enum Room {
        case free
        /// There is a place only if this connection ends; `nil` if there is none at all.
        case taken(Connection?)
    }

    /// The places that nobody else can take from an owner.
    private func kept(_ owner: Owner) -> Int {
        switch owner {
        case .machine: limits.connections / 16
        case .people: limits.connections / 4
        case .strangers: max(1, limits.connections / 8)
        }
    }

    /// Whether an owner may have one connection more, besides what is kept for the others.
    private func hasRoom(_ owner: Owner) -> Bool {
        let others = Owner.allCases.filter { $0 != owner }.map { max(counts[$0] ?? 0, kept($0)) }
        return others.reduce(counts[owner] ?? 0, +) < limits.connections
    }

    private func room(for new: Connection) -> Room {
        guard !new.isOfMachine else {
            if hasRoom(.machine) { return .free }
            if counts[.strangers] ?? 0 > kept(.strangers) { return .taken(strangerToEnd()) }
            return .taken(Self.first(all(.machine)))
        }
        if ofAddress[new.address] ?? 0 >= limits.connectionsOfAddress {
            // Phones behind one router may share the address, so a newcomer is let in here, too.
            return .taken(Self.first(all { $0.owner == .strangers && $0.address == new.address }))
        }
        if ofNetwork[new.network] ?? 0 >= limits.connectionsOfNetwork { return .taken(first(of: new.network)) }
        if hasRoom(.strangers) { return .free }
        // Whoever has a fair share already makes room for themselves.
        if ofNetwork[new.network] ?? 0 >= limits.fairShare { return .taken(first(of: new.network)) }
        return .taken(strangerToEnd())
    }

    /// The first connection of strangers to end.
    private func strangerToEnd() -> Connection? {
        let strangers = all(.strangers)
        let greediest = Self.greediest(strangers, ofNetwork, \.network, above: limits.fairShare)
        return greediest.first.map { first(of: $0.network) } ?? Self.first(strangers)
    }

    /// The first connection of a network's strangers to end.
    private func first(of network: Int64) -> Connection? {
        let mine = all { $0.owner == .strangers && $0.network == network }
        let greediest = Self.greediest(mine, ofAddress, \.address, above: limits.fairShare)
        return Self.first(greediest.isEmpty ? mine : greediest)
    }

    /// The connections of the one who has most, if that is more than a share; otherwise none.
    private static func greediest<Key: Hashable>(
        _ connections: [Connection], _ counts: [Key: Int], _ key: (Connection) -> Key?, above share: Int
    ) -> [Connection] {
        func count(_ connection: Connection) -> Int { key(connection).flatMap { counts[$0] } ?? 0 }
        guard let most = connections.max(by: { count($0) < count($1) }), count(most) > share else { return [] }
        return connections.filter { key($0) == key(most) }
    }

    /// The connection that has waited longest for a request; if all wait for answers, the one that has waited longest
    /// for that.
    private static func first(_ connections: [Connection]) -> Connection? {
        connections.min { ($0.isAnswering ? 1 : 0, $0.since) < ($1.isAnswering ? 1 : 0, $1.since) }
    }

    private func all(_ owner: Owner) -> [Connection] { all { $0.owner == owner } }

    private func all(_ isWanted: (Connection) -> Bool) -> [Connection] { connections.values.filter(isWanted) }
}

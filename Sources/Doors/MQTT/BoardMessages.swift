/// Takes what boards publish to the broker for this machine, their centre.
public protocol BoardMessages: Sendable {
    /// The longest message, in bytes; of a longer one, one byte more comes.
    var longestMessage: Int { get }

    /// Takes a message, and returns once it is on the disk, or refused.
    ///
    /// - Parameter board: The name of the board that the message's topic tells.
    func receive(_ payload: [UInt8], from lane: BoardLane, of board: String) async -> BoardReply
}

/// What becomes of a board's message.
public struct BoardReply: Hashable, Sendable {
    /// The answer to the board; `nil` for none.
    public var payload: [UInt8]?
    /// Whether the broker keeps the answer for the board's next connection.
    public var isRetained: Bool
    /// Whether the message was taken, and not refused.
    public var isTaken: Bool

    /// Creates a reply from its parts.
    public init(_ payload: [UInt8]?, isRetained: Bool = false, isTaken: Bool = false) {
        self.payload = payload
        self.isRetained = isRetained
        self.isTaken = isTaken
    }
}

/// The uplink of this machine, a board, as far as the broker is concerned.
public protocol UplinkMessages: Sendable {
    /// Publishes a message at QoS 1, and returns its number; `nil` if the connection has ended.
    typealias Publish = @Sendable (_ payload: [UInt8], _ lane: BoardLane) -> Int32?

    /// Notes that there is a connection, with which the centre's answers come.
    func open(_ publish: @escaping Publish) async

    /// Takes an answer of the centre.
    func receive(_ answer: [UInt8]) async

    /// Notes what the broker says of a message, which may be one of somebody else.
    ///
    /// - Parameter reason: The reason code of MQTT 5; negative if the broker takes no message that long.
    func note(_ number: Int32, reason: Int32) async

    /// Notes that there is no connection.
    ///
    /// - Parameter reason: Why, as a clause.
    func close(_ reason: String) async
}

extension MQTTPublisher {
    /// Subscribes to what boards publish, and to what the centre answers.
    func subscribeForUplink(_ link: BrokerConnection) async {
        for filter in boards?.filters ?? [] { link.subscribe(to: filter, onlyRetained: false, qos: 1) }
        guard let uplink else { return }
        link.subscribe(to: topics.answers, onlyRetained: false, qos: 1)
        await uplink.open { [topics] payload, lane in
            link.publish(payload, to: topics.uplink(lane), qos: 1, isRetained: false)
        }
    }

    /// Takes a message of the uplink, of a board or of the centre; returns `false` if it is neither.
    func receiveForUplink(_ payload: [UInt8], from topic: String, _ link: BrokerConnection) async -> Bool {
        if let uplink, topic == topics.answers {
            await uplink.receive(payload)
            return true
        }
        guard let boards, let centre, let (name, lane) = boards.board(of: topic) else { return false }
        // What this machine hands to a centre of its own is not for itself.
        guard topic != topics.uplink(lane) else { return true }
        let reply = await centre.receive(payload, from: lane, of: name)
        noteBoard(isTaken: reply.isTaken)
        if let answer = reply.payload {
            _ = link.publish(answer, to: boards.answers(to: name), qos: 1, isRetained: reply.isRetained)
        }
        return true
    }
}

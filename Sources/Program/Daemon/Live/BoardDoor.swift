import MQTT

#if Companion
import Uplink
import WebServer
#endif

/// What goes over the broker besides what the daemon tells there.
struct BrokerRoles: Sendable {
    /// Takes what boards publish; `nil` if nobody does.
    var centre: (any BoardMessages)?
    /// Hands the events of this machine to a centre; `nil` if nobody does.
    var uplink: (any UplinkMessages)?
}

#if Companion
/// The way of a board's events from the web server to the store.
struct BoardDoor: BoardReports {
    let centre: BoardCentre

    var longestBody: Int { UplinkBatch.longestBody }

    func board(secret: String) async throws -> Int64? { try await centre.board(secret: secret) }

    func receive(_ body: [UInt8], of board: Int64) async throws -> (status: Int, body: [UInt8]) {
        let answer = try await centre.receive(body, of: board)
        return (answer.status, answer.body)
    }
}

/// The way of a board's events from the broker to the store.
struct BrokerBoards: BoardMessages {
    let centre: BoardCentre
    let troubles: Troubles

    var longestMessage: Int { BoardCentre.longestMessage }

    func receive(_ payload: [UInt8], from lane: BoardLane, of board: String) async -> BoardReply {
        let (reply, refusal) = await centre.receive(payload, from: lane, of: board)
        troubles.noteBoard(board, refusal)
        return reply
    }
}
#endif

#if Companion
import Uplink
import WebServer

/// The way of a board's events from the web server to the store.
struct BoardDoor: BoardReports {
    let centre: BoardCentre

    var longestBody: Int { UplinkBatch.longestBody }

    func board(secret: String) async throws -> Int64? { try await centre.board(secret: secret) }

    func take(_ body: [UInt8], of board: Int64) async throws -> (status: Int, body: [UInt8]) {
        let answer = try await centre.take(body, of: board)
        return (answer.status, answer.body)
    }
}
#endif

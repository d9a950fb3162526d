import GRDB
import Service
import Store
import Time
import Tracking
import WebClient

extension BoardCentre {
    /// Takes a part of the trace of a trip, and returns once it is on the disk, with what is here then.
    ///
    /// A part that is here already changes nothing, nor does one that does not follow what is here.
    ///
    /// - Throws: `StoreError` if the store cannot be written now.
    func receiveTrace(_ body: [UInt8], of board: Int64) async throws -> Answer {
        let batch: TraceBatch
        do throws(WebFailure) {
            batch = try TraceBatch(body)
        } catch {
            return Answer(status: 400, body: Array("The body \(error).".utf8))
        }
        let now = context.now()
        let answer = try await context.editor.change { db, consequences in
            try Boards.note(board, at: now, in: db)
            return try Self.store(batch, of: board, now: now, in: db, &consequences)
        }
        return Answer(status: 200, body: answer.bytes)
    }

    private static func store(
        _ batch: TraceBatch, of board: Int64, now: Timestamp, in db: Database, _ consequences: inout Consequences
    ) throws -> UplinkAnswer {
        guard let state = try Boards.Telling(of: batch.log, ofBoard: board, in: db) else {
            return UplinkAnswer(chain: EventChain(log: batch.log), traces: TracePlace(done: 0))
        }
        let place = try Boards.traces(of: state.log, in: db)
        let chain = try Boards.chain(of: state.log, in: db) ?? EventChain(log: batch.log)
        // The event comes first, which has added the trip.
        guard batch.seq <= state.told, place.takes(batch) else { return UplinkAnswer(chain: chain, traces: place) }
        let trip = batch.trip.named(by: state.board)
        let isWanted = try HandedTravels.writeTrace(
            ofTrip: trip.summary.id, after: batch.after, batch.points, isLast: !batch.isFollowed, in: db)
        if isWanted, !batch.isFollowed {
            let event = try HandedTravels.endTrace(of: trip.summary, revision: trip.revision, now: now, in: db)
            if let event { consequences.events.append(event) }
        }
        let next = place.following(batch)
        try Boards.setTraces(next, of: state.log, in: db)
        return UplinkAnswer(chain: chain, traces: next)
    }
}

import Compression
import FeatureSupport
import Foundation
import GRDB
import MQTT
import RPC
import TestSupport
import Testing
import WebClient

@testable import Store
@testable import Uplink

/// What a broker carries between a board and its centre, and what the centre refuses.
@Suite struct UplinkMessageTests {
    private let pair: BoardAndCentre
    private let key: UplinkSeal
    private var centre: BoardCentre { BoardCentre(pair.centre.context) }
    /// A batch of one event.
    private let batch: UplinkBatch

    init() async throws {
        pair = try await BoardAndCentre { _ in true }
        key = UplinkSeal(secret: Array(pair.secret.utf8))
        var batch = UplinkBatch(after: EventChain(log: String(repeating: "0f", count: 16)))
        let line = #"{"seq":1,"type":"note","text":"\#(String(repeating: "a", count: 500))"}"#
        let isAdded = batch.add(.event(Array(line.utf8)))
        #expect(isAdded)
        self.batch = batch
    }

    private func logs() async throws -> Int {
        try await pair.centre.store.read { try Boards.logs(in: $0).count }
    }

    @Test func aMessageIsReadAsItWasWrittenAndIsCompressed() throws {
        let message = UplinkMessage(batch.bytes, on: .events, sealedBy: key)
        let read = try #require(UplinkMessage(message.payload))
        #expect(read == message)
        #expect(message.payload.count < batch.bytes.count)
        #expect(try read.body() == batch.bytes)
        #expect(read.isSealed(by: key, on: .events) && !read.isSealed(by: key, on: .trace))
        #expect(!read.isSealed(by: UplinkSeal(secret: Array("other".utf8)), on: .events))
        // What gzip makes no shorter goes as it is.
        let short = UplinkMessage(Array("{}".utf8), on: .trace, sealedBy: key)
        #expect(short.payload.suffix(3) == Array("\n{}".utf8))
        for cut in 0..<message.payload.count {
            let part = UplinkMessage(Array(message.payload.prefix(cut)))
            #expect(part?.isSealed(by: key, on: .events) ?? false == false)
        }
    }

    @Test func theGreatestBatchFitsInAMessage() throws {
        var batch = UplinkBatch(after: EventChain(log: String(repeating: "f", count: 32), seq: 1 << 50, digest: []))
        var seq: Int64 = (1 << 50) + 1
        while true {
            let line = Array(#"{"seq":\#(seq),"text":"\#(String(repeating: "x", count: 290))"}"#.utf8)
            guard batch.add(.event(line)) else { break }
            seq += 1
        }
        #expect(batch.bytes.count > 65_000 && batch.bytes.count <= UplinkMessage.longestBody)
        var digests = UplinkBatch(after: batch.chain)
        while digests.add(.digest(EventChain.digest(of: []))) {}
        #expect(digests.items.count == 200 && digests.bytes.count <= UplinkMessage.longestBody)
    }

    @Test func anAnswerIsReadAsItWasWritten() throws {
        let body = UplinkAnswer(chain: batch.chain, traces: TracePlace(done: 1)).bytes
        let request = Array(String(repeating: "0a", count: 32).utf8)
        let payload = UplinkReply(status: 200, body: body, to: request).payload(sealedBy: key)
        let reply = try #require(UplinkReply(payload, key: key))
        #expect(reply.isSealed && reply.status == 200 && reply.request == request)
        #expect(try UplinkAnswer(reply.body) == UplinkAnswer(body))
        let json = try JSONValue(parsing: payload.span)
        #expect(json["log"] == .string(batch.chain.log) && json["seq"] == 1)
        let other = UplinkSeal(secret: Array("other".utf8))
        #expect(UplinkReply(payload, key: other)?.isSealed == false)
        for cut in 0..<payload.count { #expect(UplinkReply(Array(payload.prefix(cut)), key: key) == nil) }
        for index in payload.indices {
            var changed = payload
            changed[index] ^= 1
            #expect(UplinkReply(changed, key: key)?.isSealed ?? false == false)
        }
        let refusal = UplinkReply(status: 409, body: Array("Because \"so\".".utf8), to: request)
        let read = try #require(UplinkReply(refusal.payload(sealedBy: key), key: key))
        #expect(read.isSealed && read.status == 409 && read.body == refusal.body && read.request == request)
        #expect(UplinkReply(refusal.payload(sealedBy: nil), key: key)?.isSealed == false)
    }

    @Test func theCentreTakesWhatHasTheSealOfTheTopicsBoardAndNothingElse() async throws {
        let payload = UplinkMessage(batch.bytes, on: .events, sealedBy: key).payload
        _ = try await pair.centre.call("uplink.board", ["name": "bus"])
        for (bytes, lane, name, refusal) in [
            (payload, BoardLane.events, "tram", BoardCentre.Refusal.stranger), (payload, .events, "bus", .seal),
            (payload, .trace, "van", .seal), (Array(payload.dropLast()), .events, "van", .seal),
            ([], .events, "van", .seal), (batch.bytes, .events, "van", .seal),
            (payload + [UInt8](repeating: 0, count: UplinkMessage.longest), .events, "van", .length),
        ] {
            let (reply, found) = await centre.receive(bytes, from: lane, of: name)
            #expect(found == refusal && !reply.isTaken && !reply.isRetained)
            // Without the right secret no answer has a seal.
            if let answer = reply.payload { #expect(UplinkReply(answer, key: key)?.isSealed == false) }
        }
        #expect(try await logs() == 0)
        for _ in 1...2 {
            let (reply, refusal) = await centre.receive(payload, from: .events, of: "van")
            #expect(refusal == nil && reply.isTaken && reply.isRetained)
            let answer = try #require(reply.payload.flatMap { UplinkReply($0, key: key) })
            #expect(answer.isSealed && answer.request == Array(payload.prefix(64)))
            #expect(try UplinkAnswer(answer.body).chain == batch.chain)
        }
        #expect(try await logs() == 1)
    }

    @Test func whatIsSealedAndNoBatchIsRefusedInWords() async throws {
        let contradiction = String(decoding: batch.bytes, as: UTF8.self).replacing("note", with: "nope")
        // It travels as a kilobyte.
        let bomb = [UInt8](repeating: 0x20, count: 1 << 20)
        for (body, status, text) in [
            (Array("nonsense".utf8), 400, "The body is no batch of events."),
            (bomb, 400, "The body is damaged, or longer than 69632 bytes."),
            (Array(contradiction.utf8), 409, "The events contradict those that are here up to 0."),
        ] {
            let message = UplinkMessage(body, on: .events, sealedBy: key)
            let (reply, refusal) = await centre.receive(message.payload, from: .events, of: "van")
            #expect(refusal == .content(text) && !reply.isTaken && !reply.isRetained)
            let answer = try #require(reply.payload.flatMap { UplinkReply($0, key: key) })
            #expect(answer.isSealed && answer.status == status && String(decoding: answer.body, as: UTF8.self) == text)
        }
        #expect(try await logs() == 0)
    }
}

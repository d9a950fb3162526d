import Foundation
import RPC
import SocketServer
import TestSupport
import Testing

@Suite(.slow) struct ReplaySocketTests {
    @Test func aSubscriberReceivesTheEventsThatArePrinted() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("waymark.sock")
        let replay = try RunningCommand(
            "replay", "fixtures/pass-by.gpx", "-", "--sights", "fixtures/pass-by.sights.csv", "--sights",
            Fixture.sights, "--json", "--socket", path)
        // When its first event is printed, the first recording has been replayed, and the second has not been read yet.
        let first = try #require(replay.line())
        let walk = try Fixture.data("canal-walk.gpx")
        let (served, printed) = try await SocketClient.connect(to: path) { client in
            let answer = try await client.call("events.subscribe", ["after": 0])
            #expect(answer["subscription"] == "s1")
            try replay.send(walk)
            let (lines, status) = try replay.finish()
            #expect(status == 0)
            var served: [JSONValue] = []
            while let (method, parameters) = try await client.notification() {
                #expect(method == "event")
                served.append(try #require(parameters["event"]))
            }
            return (served, try ([first] + lines).map { try JSONValue(parsing: Array($0.utf8).span) })
        }
        #expect(printed.count > 30)
        #expect(served == printed)
        #expect(try folder.names.isEmpty)
    }

    @Test func aSocketThatCannotBeCreatedIsReportedWithItsPath() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("nowhere/waymark.sock")
        let replay = try await Command.run("replay", "fixtures/pass-by.gpx", "--json", "--socket", path)
        #expect(replay.status == 1)
        #expect(replay.errors.contains(path))
        #expect(replay.output.isEmpty)
    }
}

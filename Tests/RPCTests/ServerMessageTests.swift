import RPC
import Testing

@Suite struct ServerMessageTests {
    private func parse(_ text: String) throws -> ServerMessage { try ServerMessage(parsing: Array(text.utf8).span) }

    @Test func aClientParsesTheServersMessages() async throws {
        let request = Request(id: .string("q"), method: "sums.add", parameters: .positional([1, 2]))
        var line = await sampleTable().answer(to: request.line, from: Visitor()) ?? []
        #expect(try ServerMessage(parsing: line.span) == .answer(.string("q"), .success(["sum": 3])))
        let wrong = Request(id: .string("q"), method: "sums.add", parameters: .named(JSONObject([("left", 1)])))
        line = await sampleTable().answer(to: wrong.line, from: Visitor()) ?? []
        #expect(
            try ServerMessage(parsing: line.span)
                == .answer(.string("q"), .failure(RPCError(.invalid("right", "is missing")))))
        #expect(
            try parse(#"{"jsonrpc":"2.0","method":"event","params":{"seq":1}}"#)
                == .notification(method: "event", parameters: ["seq": 1]))
        #expect(
            try ServerMessage(parsing: LineFraming.LineTooLong().answer.line.span)
                == .answer(.null, .failure(LineFraming.LineTooLong().answer)))
    }

    @Test(arguments: [
        "1", "{}", #"{"id":1}"#, #"{"id":[],"result":1}"#, #"{"id":1,"error":{"code":"1","message":""}}"#, "x",
    ])
    func invalidMessagesAreRefused(text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }
}

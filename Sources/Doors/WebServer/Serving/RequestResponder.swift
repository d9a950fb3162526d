import Deadlines
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Answers the requests of all connections.
struct RequestResponder: Sendable {
    let router: Router
    let connections: OpenConnections
    let limits: WebServer.Limits

    /// An error that ends a connection whose remaining input is unwanted.
    private struct Unwanted: Error {}

    // MARK: On the task of a connection

    /// Writes the answer to a request.
    ///
    /// - Throws: If the connection must end.
    func respond(to request: WebRequest, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        guard let (client, isStopping) = connections.client(of: channel) else { throw Unwanted() }
        defer { connections.endAnswer(channel) }
        var answer = await router.answer(to: request, from: client)
        if isStopping || answer.endsConnection { answer.fields[.connection] = "close" }
        let head = HTTPResponse(status: answer.status, headerFields: router.headers.added(to: answer.sized))
        let cut =
            answer.isStream ? nil : DeadlineClock.shared.after(limits.answerTime) { channel.close(promise: nil) }
        defer { cut?.end() }
        if request.method == .head {
            try await writer.writeResponse(head)
        } else {
            try await writer.write(response: head, body: answer.body)
        }
        guard answer.endsConnection || isStopping else { return }
        if answer.endsConnection, !answer.hasReadBody { await throwAway(request.body) }
        throw Unwanted()
    }

    /// Reads and discards the rest of a body, up to the limits of lingering.
    private func throwAway(_ body: RequestBody) async {
        let most = limits.lingeringBytes
        _ = try? await within(limits.lingering) {
            var count = 0
            for try await piece in body {
                count += piece.readableBytes
                if count > most { return }
            }
        }
    }

    // MARK: On the event loop

    /// The answer to a request for a page.
    struct Page {
        let head: HTTPResponseHead
        /// The content; `nil` if only the head was asked for.
        let body: ByteBuffer?
    }

    /// Returns the answer to a request for a page, the same as ``respond(to:_:_:)`` writes, and notes that the
    /// connection waits for it.
    ///
    /// It is `nil` if the request is for something else, or if its answer takes more than a look at the memory.
    func page(for request: HTTPRequestHead, on channel: any Channel) -> Page? {
        guard let file = router.page(for: request), connections.beginAnswer(channel) else { return nil }
        let head = HTTPResponse(status: file.status, headerFields: router.headers.added(to: Answer(file).sized))
        return Page(head: HTTPResponseHead(head), body: request.method == .HEAD ? nil : file.content)
    }
}

import Glibc
import Synchronization
import Testing
import Time

@testable import GPSDClient

@Suite(.timeLimit(.minutes(1))) struct SessionTests {
    /// Returns all reports of a session, and the error that ends it.
    private func session(
        _ port: UInt16, host: String = "127.0.0.1", _ limits: GPSDSession.Limits = .init(),
        onBatch: ([GPSDReport]) -> Void = { _ in }
    ) async -> (reports: [GPSDReport], error: GPSDError?) {
        var reports: [GPSDReport] = []
        do throws(GPSDError) {
            try await GPSDSession.run(GPSDAddress(host: host, port: port), limits: limits) {
                reports += $0
                onBatch($0)
            }
            return (reports, nil)
        } catch {
            return (reports, error)
        }
    }

    private static let version = GPSDReport.version(release: "3.22", major: 3, minor: 14)
    private static let device = "/dev/gps0"

    @Test func reportsAreDeliveredInOrderUntilTheEnd() async {
        let server = FakeGPSD { client in
            client.send(FakeGPSD.banner)
            #expect(client.line() == #"?WATCH={"enable":true,"json":true};"#)
            for second in 0..<60 { client.send(position(second: second) + "\r\n") }
        }
        let (reports, error) = await session(server.port)
        #expect(reports == [Self.version] + (0..<60).map { .fix(fix(second: $0), device: Self.device) })
        #expect(error == .ended)
    }

    @Test func theWantedReceiverIsRequestedAndQuoted() {
        let request = GPSDSession.request(for: #"/dev/"a"#)
        #expect(
            String(decoding: request, as: UTF8.self) == #"?WATCH={"enable":true,"json":true,"device":"/dev/\"a"};"#
                + "\n")
    }

    @Test func gpsdMayWaitForTheRequest() async {
        let server = FakeGPSD { client in
            _ = client.line()
            client.send(FakeGPSD.banner + position() + "\r\n")
        }
        #expect(await session(server.port).reports == [Self.version, .fix(fix(), device: Self.device)])
    }

    @Test func theSecondHalfOfALineIsWaitedFor() async {
        let isHeard = DispatchedSignal()
        let server = FakeGPSD { client in
            let line = position(second: 1) + "\r\n"
            _ = client.line()
            client.send(FakeGPSD.banner + position() + "\r\n" + line.prefix(40))
            isHeard.wait()
            client.send(String(line.dropFirst(40)))
        }
        let (reports, _) = await session(server.port) { if $0.contains(where: { $0.fix != nil }) { isHeard.send() } }
        #expect(reports.compactMap(\.fix) == [fix(), fix(second: 1)])
    }

    @Test func aLineWithoutItsEndIsIgnored() async {
        let server = FakeGPSD { client in
            _ = client.line()
            client.send(FakeGPSD.banner + position())
        }
        #expect(await session(server.port).reports == [Self.version])
    }

    @Test(arguments: ["", #"{"class":"VERS"#])
    func anEndBeforeTheBannerIsReported(_ text: String) async {
        let server = FakeGPSD { client in
            client.send(text)
            _ = client.line()
        }
        #expect(await session(server.port).error == .endedEarly)
    }

    /// A killed process resets its connections, and writing to one must not end this process by SIGPIPE.
    @Test func aResetConnectionEndsOnlyTheSession() async {
        let server = FakeGPSD { $0.reset() }
        let error = await session(server.port).error
        #expect(error == .ended || error == .endedEarly)
    }

    @Test func silenceInsteadOfABannerEndsTheSession() async {
        let server = FakeGPSD { client in
            client.send(#"{"class":"VERS"#)
            client.waitForEnd()
        }
        let limit = Duration.milliseconds(20)
        #expect(await session(server.port, .init(banner: limit)).error == .noBanner(within: limit))
    }

    /// The kernel accepts connections for a stopped gpsd.
    @Test func aServerThatHangsEndsTheSession() async {
        let server = FakeGPSD(backlog: 8)
        let limit = Duration.milliseconds(20)
        #expect(await session(server.port, .init(banner: limit)).error == .noBanner(within: limit))
    }

    @Test func otherServersAreReportedAsSuch() async {
        let server = FakeGPSD { client in
            _ = client.line()
            client.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let error = await session(server.port).error
        #expect(error?.description == "it is not gpsd: it began with \"HTTP/1.1 400 Bad Request?\"")
    }

    @Test func aRefusedConnectionIsReported() async {
        let port = FakeGPSD(backlog: 1).port
        #expect(await session(port).error == GPSDError("it refused the connection"))
    }

    @Test func anUnknownHostIsReported() async {
        #expect(await session(2947, host: "").error == GPSDError("there is no host called "))
    }

    @Test func aHostThatDoesNotAnswerTimesOut() async {
        let server = FakeGPSD(backlog: 0)
        let waiting = server.fill()
        defer { for client in waiting { close(client) } }
        let limit = Duration.milliseconds(20)
        #expect(await session(server.port, .init(connecting: limit)).error == .noConnection(within: limit))
    }

    @Test func cancellationEndsConnecting() async {
        let server = FakeGPSD(backlog: 0)
        let waiting = server.fill()
        defer { for client in waiting { close(client) } }
        let task = Task { await session(server.port, .init(connecting: .seconds(3600))) }
        task.cancel()
        #expect(await task.value.error == nil)
    }

    @Test func cancellationEndsWaitingForTheBanner() async {
        await isEndedByCancellation(after: "")
    }

    @Test func cancellationEndsWaitingForReports() async {
        await isEndedByCancellation(after: FakeGPSD.banner)
    }

    @Test func cancellationEndsWaitingForHalfALine() async {
        await isEndedByCancellation(after: FakeGPSD.banner + position().prefix(30))
    }

    /// Checks that a cancelled session whose gpsd is silent ends without an error and closes its connection.
    private func isEndedByCancellation(after text: String) async {
        let (watching, watched) = AsyncStream<Void>.makeStream()
        let (closing, closed) = AsyncStream<Void>.makeStream()
        let server = FakeGPSD { client in
            client.send(text)
            _ = client.line()
            watched.finish()
            client.waitForEnd()
            closed.finish()
        }
        let task = Task { await session(server.port, .init(banner: .seconds(3600))) }
        for await _ in watching {}
        task.cancel()
        #expect(await task.value.error == nil)
        for await _ in closing {}
    }

    @Test func nothingIsReadWhileABatchIsDelivered() async {
        let count = 20_000
        let server = FakeGPSD { client in
            client.send(FakeGPSD.banner)
            _ = client.line()
            for index in 0..<count { client.send(#"{"class":"ERROR","message":"\#(index)"}"# + "\n") }
        }
        let isDelivering = Mutex(false)
        var next = 0
        let ending = await Result {
            try await GPSDSession.run(GPSDAddress(host: "127.0.0.1", port: server.port)) { reports in
                #expect(isDelivering.withLock { $0 } == false)
                isDelivering.withLock { $0 = true }
                await Task.yield()
                #expect(!reports.isEmpty && reports.count < 1000)
                for case .complaint(let text) in reports {
                    #expect(text == String(next))
                    next += 1
                }
                isDelivering.withLock { $0 = false }
            }
        }
        #expect(throws: GPSDError.ended) { try ending.get() }
        #expect(next == count)
    }
}

extension Result where Failure == any Error, Success == Void {
    fileprivate nonisolated(nonsending) init(_ body: nonisolated(nonsending) () async throws -> Void) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

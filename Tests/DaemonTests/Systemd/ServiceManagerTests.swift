import Foundation
import TestSupport
import Testing

@testable import Daemon

@Suite struct ServiceManagerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func manager(
        _ environment: [String: String], processID: Int32 = 77, descriptor: Int32 = -1
    ) throws -> ServiceManager {
        try ServiceManager(environment: environment, processID: processID, firstDescriptor: descriptor)
    }

    @Test func withoutAServiceManagerNotifyingDoesNothing() throws {
        let manager = try ServiceManager(environment: [:])
        #expect(!manager.isPresent)
        #expect(manager.notify(.ready))
        #expect(manager.watchdogInterval == nil)
        #expect(manager.listenDescriptor == nil)
    }

    @Test(arguments: [true, false])
    func messagesArriveAtAPathAndAtAnAbstractName(isAbstract: Bool) throws {
        let name = isAbstract ? "@waymark-test-\(UUID().uuidString)" : folder.file("notify")
        let socket = try #require(FakeNotifySocket(name))
        let manager = try manager(["NOTIFY_SOCKET": name])
        #expect(manager.isPresent)
        #expect(manager.notify(.ready, .status("it listens\nto 2 receivers")))
        #expect(manager.notify(.watchdog))
        #expect(manager.notify(.stopping, .extendTimeout(.milliseconds(1_500))))
        #expect(socket.next() == "READY=1\nSTATUS=it listens⏎to 2 receivers")
        #expect(socket.next() == "WATCHDOG=1")
        #expect(socket.next() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=1500000")
        #expect(socket.next() == nil)
    }

    @Test func aLongOperationExtendsTheTimeoutRepeatedly() async throws {
        let name = folder.file("notify")
        let socket = try #require(FakeNotifySocket(name))
        let manager = try manager(["NOTIFY_SOCKET": name])
        let told = try await manager.extendingTimeout(each: .milliseconds(1)) {
            [socket.wait(), socket.wait()]
        }
        #expect(told == ["EXTEND_TIMEOUT_USEC=3000", "EXTEND_TIMEOUT_USEC=3000"])
    }

    @Test func reloadingCarriesTheMonotonicTimeOfItsMoment() throws {
        let socket = try #require(FakeNotifySocket(folder.file("notify")))
        let before = ServiceCalls.monotonicTime.microseconds
        try manager(["NOTIFY_SOCKET": socket.name]).notify(.reloading)
        let after = ServiceCalls.monotonicTime.microseconds
        let message = try #require(socket.next())
        let time = try #require(message.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=(\d+)/)?.1)
        #expect(try (before...after).contains(#require(Int64(time))))
        #expect(
            ServiceManager.Message.reloading.line(monotonicTime: .seconds(2) + .nanoseconds(1_999))
                == "RELOADING=1\nMONOTONIC_USEC=2000001")
    }

    @Test func notifyingAMissingServiceManagerReturnsFalse() throws {
        #expect(try !manager(["NOTIFY_SOCKET": folder.file("gone")]).notify(.ready))
        #expect(try !manager(["NOTIFY_SOCKET": "/" + String(repeating: "n", count: 108)]).notify(.ready))
        #expect(try !manager(["NOTIFY_SOCKET": "@"]).notify(.ready))
        #expect(try !manager(["NOTIFY_SOCKET": "vsock:2:1"]).isPresent)
    }

    @Test(arguments: [
        (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
        (["WATCHDOG_USEC": "1500", "WATCHDOG_PID": "77"], .microseconds(1_500)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "78"], nil), (["WATCHDOG_USEC": "0"], nil),
        (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "soon"], nil), (["WATCHDOG_PID": "77"], nil),
    ])
    func theWatchdogAppliesOnlyIfItNamesThisProcess(environment: [String: String], interval: Duration?) throws {
        #expect(try manager(environment).watchdogInterval == interval)
    }

    @Test func aListeningStreamSocketIsTakenWithCloseOnExec() throws {
        let descriptor = GivenSocket.stream.open()
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let environment = ["LISTEN_FDS": "1", "LISTEN_PID": "77", "LISTEN_FDNAMES": "waymark.socket"]
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0)
        #expect(try manager(environment, descriptor: descriptor).listenDescriptor == descriptor)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test(arguments: [GivenSocket.datagram, .internet, .connected, .file])
    func otherDescriptorsAreRefused(given: GivenSocket) throws {
        let descriptor = given.open()
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let error = #expect(throws: ServiceManagerError.self) {
            try manager(["LISTEN_FDS": "1", "LISTEN_PID": "77"], descriptor: descriptor)
        }
        #expect(error?.description.contains("not a listening Unix stream socket") == true)
    }

    @Test(arguments: [
        ["LISTEN_FDS": "1"], ["LISTEN_FDS": "1", "LISTEN_PID": "78"], ["LISTEN_PID": "77"],
        ["LISTEN_FDS": "0", "LISTEN_PID": "77"],
    ])
    func socketsForOtherProcessesAreIgnored(environment: [String: String]) throws {
        #expect(try manager(environment).listenDescriptor == nil)
    }

    @Test(arguments: ["2", "-1", "x", "99999999999"])
    func moreThanOneSocketIsRefused(count: String) {
        let environment = ["LISTEN_FDS": count, "LISTEN_PID": "77", "LISTEN_FDNAMES": "a:b"]
        let error = #expect(throws: ServiceManagerError.self) { try manager(environment) }
        #expect(error?.description.contains("passed \(count) sockets (a:b)") == true)
    }
}

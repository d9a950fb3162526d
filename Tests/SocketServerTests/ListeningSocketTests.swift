import Foundation
import RPC
import TestSupport
import Testing

@testable import EventStream
@testable import SocketServer

@Suite struct ListeningSocketTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func code(_ body: () throws -> Void) -> SocketError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SocketError)?.code
        }
    }

    @Test func theSocketFileHasItsModeAndIsRemoved() throws {
        let path = folder.path + "/a.sock"
        let socket = try ListeningSocket(path: path, mode: 0o660)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o660)
        socket.removeFile()
        #expect(!FileManager.default.fileExists(atPath: path))
        close(socket.descriptor)
    }

    @Test func aSocketInUseIsRefusedAndAStaleOneIsReplaced() throws {
        let path = folder.path + "/a.sock"
        let first = try ListeningSocket(path: path, mode: 0o660)
        #expect(code { _ = try ListeningSocket(path: path, mode: 0o660) } == .inUse)
        close(first.descriptor)
        let second = try ListeningSocket(path: path, mode: 0o660)
        #expect(code { _ = try ListeningSocket(path: path, mode: 0o660) } == .inUse)
        close(second.descriptor)
    }

    @Test func aReplacedSocketFileIsNotRemoved() throws {
        let path = folder.path + "/a.sock"
        let first = try ListeningSocket(path: path, mode: 0o660)
        try FileManager.default.removeItem(atPath: path)
        let second = try ListeningSocket(path: path, mode: 0o660)
        first.removeFile()
        #expect(FileManager.default.fileExists(atPath: path))
        second.removeFile()
        #expect(!FileManager.default.fileExists(atPath: path))
        close(first.descriptor)
        close(second.descriptor)
    }

    @Test func otherFilesAreRefusedAndLeftUnchanged() throws {
        let path = folder.path + "/a.txt"
        #expect(FileManager.default.createFile(atPath: path, contents: Data("kept".utf8)))
        #expect(code { _ = try ListeningSocket(path: path, mode: 0o660) } == .notASocket)
        #expect(code { _ = try ListeningSocket(path: folder.path, mode: 0o660) } == .notASocket)
        #expect(FileManager.default.contents(atPath: path) == Data("kept".utf8))
    }

    @Test func aServerKnowsThatItsListenerIsGone() async throws {
        let path = folder.path + "/a.sock"
        let server = try await SocketServer(
            path: path, methods: MethodTable(title: "Test", version: "1"),
            hub: try await EventHub(journal: MemoryJournal())
        ) { _ in [] }
        #expect(server.doorState == .open)
        await server.close()
        #expect(server.doorState == .closed)
    }

    @Test func aPathThatIsTooLongIsRefused() throws {
        let room = UnixAddress.maximumPathLength - folder.path.utf8.count - 1
        let longest = folder.path + "/" + String(repeating: "a", count: room)
        let socket = try ListeningSocket(path: longest, mode: 0o660)
        close(socket.descriptor)
        #expect(code { _ = try ListeningSocket(path: longest + "a", mode: 0o660) } == .pathTooLong)
        #expect(code { _ = try ListeningSocket(path: "", mode: 0o660) } == .system(EINVAL))
        #expect(code { _ = try ListeningSocket(path: folder.path + "/no/a.sock", mode: 0o660) } == .system(ENOENT))
    }

    @Test func connectingWithoutAServerFails() async throws {
        let path = folder.path + "/a.sock"
        func failure(_ path: String) async -> SocketError.Code? {
            do {
                try await SocketClient.connect(to: path) { _ in }
                return nil
            } catch {
                return (error as? SocketError)?.code
            }
        }
        #expect(await failure(path) == .noServer)
        let socket = try ListeningSocket(path: path, mode: 0o660)
        close(socket.descriptor)
        #expect(await failure(path) == .noServer)
        #expect(await failure(path + String(repeating: "a", count: 108)) == .pathTooLong)
    }

    @Test func thePeersRightsDependOnItsUserAndGroups() {
        let own = geteuid()
        #expect(PeerCredentials(process: 1, user: 0, groups: []).mayChange(group: nil))
        #expect(PeerCredentials(process: 1, user: own, groups: []).mayChange(group: nil))
        let other = PeerCredentials(process: 1, user: own + 1, groups: [7, 8])
        #expect(other.mayChange(group: 8))
        #expect(!other.mayChange(group: 9))
        #expect(!other.mayChange(group: nil))
        #expect(PeerCredentials.groupNumber(named: "root") == 0)
        #expect(PeerCredentials.groupNumber(named: "no such group") == nil)
    }
}

#if Companion
import Foundation
import TestSupport
import Testing

/// The guide page *Architecture* against the repository's files and rooms.
@Suite(.slow) struct ArchitecturePageTests {
    @Test func everyFileOnThePageExistsAndEveryRoomIsOnThePage() throws {
        let repository = Command.repository
        let page = try String(
            contentsOf: repository.appending(path: "Sources/Program/Daemon/Daemon.docc/Architecture.md"),
            encoding: .utf8)
        let files = Set(page.matches(of: /`(Sources\/[^`]+)`/).map { String($0.1) })
        #expect(files.count > 20)
        for file in files {
            #expect(FileManager.default.fileExists(atPath: repository.appending(path: file).path), "\(file)")
        }
        let package = try String(contentsOf: repository.appending(path: "Package.swift"), encoding: .utf8)
        let rooms = Set(package.matches(of: /room\(\s*"(\w+)"/).map { String($0.1) })
        #expect(rooms.count > 15)
        for room in rooms { #expect(page.contains("`\(room)`"), "\(room)") }
    }
}
#endif

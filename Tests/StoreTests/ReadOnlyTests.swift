import Foundation
import Glibc
import TestSupport
import Testing

@testable import Store

/// Why a store cannot be written or read.
@Suite struct ReadOnlyTests {
    /// A file system that the kernel has made read-only after an error counts as writable until somebody writes.
    @Test func aFailedWriteIsTriedToFindAReadOnlyFileSystem() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("store", "x")
        let readOnly = FileCalls { $0 == .open ? EROFS : nil }
        #expect(ReadOnlyStore.writingFailure(path, hasFailed: true, readOnly) == "Read-only file system")
        #expect(ReadOnlyStore.writingFailure(path, hasFailed: false, readOnly) == nil)
        // A full disk is another matter.
        #expect(ReadOnlyStore.writingFailure(path, hasFailed: true, FileCalls { $0 == .open ? ENOSPC : nil }) == nil)
        #expect(ReadOnlyStore.writingFailure(path, hasFailed: true) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
    }

    /// Root may read everything, so this is shown for others only.
    @Test(.enabled(if: geteuid() != 0, "root may read every file")) func aStoreThatCannotBeReadIsNotCalledMissing()
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("closed/store")
        try FileManager.default.createDirectory(atPath: folder.file("closed"), withIntermediateDirectories: true)
        try LocationDatabase.open(at: path).close()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.file("closed"))
        defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.file("closed")) }
        for open in [{ try LocationDatabase.openForReading(at: path) }, { try LocationDatabase.open(at: path) }] {
            let error = #expect(throws: StoreError.self) { _ = try open() }
            #expect("\(error.map { "\($0)" } ?? "")".contains("it cannot be read (Permission denied)"))
        }
    }
}

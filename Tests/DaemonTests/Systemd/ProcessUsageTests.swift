import TestSupport
import Testing

@testable import Daemon

@Suite struct ProcessUsageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func theUsageIsReadFromProcFiles() throws {
        _ = try folder.file("status", "Name:\twaymark\nVmRSS:\t   20480 kB\nRssAnon:\t    2100 kB\nThreads:\t4\n")
        _ = try folder.file("io", "rchar: 1\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4096\ncancelled_write_bytes: 5\n")
        let usage = ProcessUsage(folder: folder.path)
        #expect(usage.residentBytes == 20_971_520)
        #expect(usage.privateBytes == 2_150_400)
        #expect(usage.writtenBytes == 4_096)
    }

    @Test(arguments: ["", "VmRSS\n", "VmRSS:\nRssAnon: x kB\n", "VmRSS: 3 MB\nRssAnon: 99999999999999999 kB\n"])
    func missingOrInvalidValuesAreNil(status: String) throws {
        _ = try folder.file("status", status)
        let usage = ProcessUsage(folder: folder.path)
        #expect(usage.residentBytes == nil)
        #expect(usage.privateBytes == nil)
        #expect(usage.writtenBytes == nil)
    }

    @Test func theUsageOfThisProcessIsPlausible() throws {
        let first = ProcessUsage()
        let time = try #require(first.processorSeconds)
        #expect(try #require(ProcessUsage().processorSeconds) >= time && time > 0)
        if let resident = first.residentBytes { #expect(resident > 1 << 20) }
    }

    @Test func theClocksSynchronisationStateIsStable() {
        // The state depends on the machine, but it does not change within a moment.
        #expect(ClockState.isSynchronised() == ClockState.isSynchronised())
    }
}

import Foundation
import Logging
import TestSupport
import Testing
import Time

@testable import Daemon

@Suite struct LogOutputTests {
    private static let time = Timestamp(milliseconds: 1_778_000_000_000)

    /// A log that writes to a pipe.
    private final class PipedLog {
        let pipe = Pipe()
        let output: LogOutput

        init(level: Logger.Level = .info, isJournal: Bool = false) {
            let descriptor = pipe.fileHandleForWriting.fileDescriptor
            let stream = isJournal ? LogDescriptor.identity(of: descriptor) : "1:1"
            output = LogOutput(
                environment: stream.map { ["JOURNAL_STREAM": $0] } ?? [:], level: level, descriptor: descriptor,
                clock: { LogOutputTests.time })
        }

        func logger() -> Logger { Logger(label: "test") { [output] _ in JournalLogHandler(output: output) } }

        /// Closes the log and returns the lines that were written.
        func lines() throws -> [String] {
            try pipe.fileHandleForWriting.close()
            let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
            return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast().map(String.init)
        }
    }

    @Test func aLineHasTimeLevelMessageAndMetadataInOrder() throws {
        let log = PipedLog()
        var logger = log.logger()
        logger[metadataKey: "source"] = "gps0"
        logger[metadataKey: "z"] = "logger"
        logger.notice("it is back", metadata: ["z": "own", "after": "1 min", "list": ["a", "b"], "nothing": ""])
        #expect(
            try log.lines() == [
                "2026-05-05T16:53:20.000Z NOTICE it is back after=\"1 min\" list=\"[\\\"a\\\", \\\"b\\\"]\" nothing=\"\" "
                    + "source=gps0 z=own"
            ])
    }

    @Test func theJournalGetsPrioritiesInsteadOfTimes() throws {
        let log = PipedLog(level: .trace, isJournal: true)
        let logger = log.logger()
        for level in LogOutput.levels { logger.log(level: level, "m") }
        #expect(try log.lines() == ["<7>m", "<7>m", "<6>m", "<5>m", "<4>m", "<3>m", "<2>m"])
    }

    @Test(arguments: [
        ("plain – ø 漢 🚲", "plain – ø 漢 🚲"), ("two\nlines\r\nthree\rfour", "two⏎lines⏎three⏎four"),
        ("\u{1B}[31mred\u{7}", "\\u{1B}[31mred\\u{7}"), ("a\u{202E}b\u{85}c\u{2028}d", "a\\u{202E}b\\u{85}c\\u{2028}d"),
        ("nul\0tab\t", "nul\\u{0}tab\\u{9}"), ("\n<0>forged", "⏎<0>forged"),
    ])
    func aMessageStaysOnOneHarmlessLine(message: String, shown: String) throws {
        let log = PipedLog(isJournal: true)
        log.logger().info("\(message)", metadata: ["k": "\(message)"])
        let lines = try log.lines()
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("<6>\(shown) k=") == true)
        #expect(lines.first?.unicodeScalars.contains { $0.value < 0x20 } == false)
    }

    @Test func theOutputsLevelAppliesToAllLoggersWithoutTheirOwn() throws {
        let log = PipedLog(level: .warning, isJournal: true)
        let first = log.logger()
        var own = log.logger()
        own.logLevel = .error
        first.info("no")
        log.output.level = .debug
        first.debug("yes")
        log.logger().debug("yes, too")
        own.debug("no")
        #expect(first.logLevel == .debug)
        log.output.level = .critical
        first.error("no")
        own.error("own")
        #expect(try log.lines() == ["<7>yes", "<7>yes, too", "<3>own"])
    }

    @Test func aLongMessageIsTruncatedBetweenCharacters() throws {
        let log = PipedLog(isJournal: true)
        let logger = log.logger()
        for start in ["", "a", "ab", "abc"] { logger.info("\(start)\(String(repeating: "🚲", count: 2_000))") }
        let lines = try log.lines()
        #expect(lines.count == 4)
        for line in lines {
            #expect(((LogOutput.longestLine - 4)...LogOutput.longestLine).contains(line.utf8.count + 1))
            #expect(line.hasSuffix("🚲…"))
        }
    }

    @Test func linesThatNobodyReadsAreLostAndCounted() throws {
        let log = PipedLog(isJournal: true)
        let logger = log.logger()
        // A pipe holds 64 KiB by default, and at most 1 MiB for users.
        let line = String(repeating: "x", count: 4_000)
        for _ in 0..<300 { logger.info("\(line)") }
        let handle = log.pipe.fileHandleForReading
        var read = 0
        // Reads the whole lines that surely fit into the pipe.
        while read < 8 { read += handle.readData(ofLength: 4_004).count / 4_004 }
        logger.info("again")
        let lines = try log.lines()
        let told = try #require(lines.suffix(2).first)
        let lost = try #require(told.wholeMatch(of: /<4>(\d+) lines of the log were lost/)?.1).description
        #expect(lines.last == "<6>again")
        #expect(Int(lost) == 300 - 8 - (lines.count - 2))
    }

    @Test func writingToAClosedDescriptorIsHarmless() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let output = LogOutput(environment: [:], level: .info, descriptor: descriptor) { Self.time }
        try pipe.fileHandleForReading.close()
        output.write("nobody reads", level: .info)
        #expect(LogDescriptor.identity(of: -1) == nil)
        let nowhere = LogOutput(environment: ["JOURNAL_STREAM": "x"], level: .info, descriptor: -1) { Self.time }
        nowhere.write("nowhere", level: .info)
    }
}

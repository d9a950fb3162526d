import TestSupport
import Testing

@testable import Service

@Suite struct CommandTests {
    private func failure(
        _ words: String..., input: String = "", seconds: Int = 60, most: Int? = nil
    ) async -> Command.Failure? {
        do throws(Command.Failure) {
            try await Command(words: words).run(given: Array(input.utf8), within: seconds, maximumOutput: most)
            return nil
        } catch {
            return error
        }
    }

    @Test func inputAndOutputOfACommandArePassedThrough() async throws {
        let bytes = [UInt8](repeating: 7, count: 300_000)
        #expect(try await Command(words: ["cat"]).run(given: bytes, within: 30, maximumOutput: bytes.count) == bytes)
        #expect(try await Command(words: ["cat"]).run(given: bytes, within: 30) == [])
        // A command that does not read its input works, too.
        #expect(
            try await Command("echo $HOME;").run(given: bytes, within: 30, maximumOutput: 10) == Array("$HOME;\n".utf8))
    }

    @Test(.slow) func aFailureHasItsReasonAndTheLastLinesOfStandardError() async {
        let failed = await failure("sh", "-c", "echo one >&2; echo two: no such thing >&2; exit 3")
        #expect(failed?.lastLines == "one; two: no such thing")
        #expect(failed?.description.contains("has failed") == true)
        #expect(
            await failure("sleep", "60", input: String(repeating: "x", count: 500_000), seconds: 1)?.reason
                == .tooLong(seconds: 1))
        #expect(
            await failure("sh", "-c", "trap '' TERM; while :; do sleep 1; done", seconds: 1)?.reason
                == .tooLong(seconds: 1))
        #expect(await failure("no-such-command-of-waymark")?.reason == .missing("no-such-command-of-waymark"))
        #expect(await failure("/etc/passwd")?.description.contains("cannot be run") == true)
        #expect(await failure("head", "-c", "100000", "/dev/zero", most: 1000)?.reason == .tooMuch)
        #expect(await failure()?.reason == .notRun("it is empty"))
    }

    @Test(.slow) func aCommandThatWasCutShortSaysSo() async throws {
        #expect(await failure("sh", "-c", "kill -SEGV $$")?.reason == .killed(signal: 11))
        #expect(await failure("sh", "-c", "exit 1")?.isCut == false)
        #expect(await failure("sleep", "60", seconds: 1)?.isCut == true)
        // The command reports through a pipe that it runs, and is then cancelled.
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        try await Command(words: ["mkfifo", pipe]).run(given: [], within: 60)
        let task = Task { await failure("sh", "-c", "echo >'\(pipe)'; exec sleep 60") }
        _ = try await Command(words: ["cat", pipe]).run(given: [], within: 60)
        task.cancel()
        #expect(await task.value?.reason == .cancelled)
    }

    @Test func aFailureDoesNotRepeatTheCommandsInput() async {
        let failed = await failure("sh", "-c", "cat >&2; exit 1", input: "Your code is 481516, Ada")
        #expect(failed?.lastLines?.contains("481516") == false)
        #expect(Command.plain("code=481516\u{1B}[2J bad", without: "the 481516") == "code=…[2J bad")
        #expect(Command.plain("", without: "") == nil)
    }
}

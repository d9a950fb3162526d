import Foundation
import Glibc
import Store
package import Subprocess

/// A command that is run to its end, for a bounded time, with something on its standard input.
///
/// No shell reads its words, and it need not read its input. `timeout` ends it with all that it has started.
package struct Command: Sendable {
    /// Why a command has not done its work, as a clause.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package enum Reason: Hashable {
            case missing(String)
            case notRun(String)
            case tooLong(seconds: Int)
            case tooMuch
            case ended(String)
        }

        package let reason: Reason
        /// The last lines of its standard error, without words of its input; nil where there are none.
        ///
        /// The very last often says the least.
        package var lastLines: String?

        package var description: String {
            let text =
                switch reason {
                case .missing(let name): "cannot be run: there is no command \(name)"
                case .notRun(let reason): "cannot be run: \(reason)"
                case .tooLong(let seconds): "has run for more than \(seconds) s, and was ended"
                case .tooMuch: "has written too much, and was ended"
                case .ended(let status): "has failed: \(status)"
                }
            return lastLines.map { "\(text) (\($0))" } ?? text
        }
    }

    package let words: [String]
    package var environment = Environment.inherit

    /// How long a command that is told to end may take to do so, in seconds.
    private static let grace = 2
    /// How many bytes of the end of its standard error are read.
    private static let longestEnd = 4096
    /// How many of the last lines are kept, and how many characters of them.
    private static let (mostLines, longestText) = (3, 300)
    /// Standard error is a file rather than a pipe, which a process that the command leaves behind would keep open.
    private static let script = #"exec 2>"$0"; exec "$@""#

    /// A command of these words.
    package init(words: [String], environment: Environment = .inherit) {
        self.words = words
        self.environment = environment
    }

    /// A command as the configuration has it, whose words are separated by spaces.
    package init(_ text: String) { self.init(words: text.split(separator: " ").map(String.init)) }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - seconds: when it is ended.
    ///   - mostOutput: how many bytes it may write to its standard output; nil to discard them.
    /// - Returns: its standard output.
    /// - Throws: ``Failure`` where it cannot be run, is ended, or ends with a status other than 0.
    @discardableResult
    package func run(given input: [UInt8], within seconds: Int, mostOutput: Int? = nil) async throws(Failure) -> [UInt8]
    {
        guard let name = words.first else { throw Failure(reason: .notRun("it has no words")) }
        // Else a command that does not read all of its input ends this process (pipe(7)).
        _ = signal(SIGPIPE, SIG_IGN)
        let errors = Self.errorFile()
        defer { if let errors { try? FileCalls().remove(errors) } }
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(Self.grace))]
        let arguments = Arguments(
            ["-c", Self.script, errors ?? "/dev/null", "timeout", "-k", "\(Self.grace)", "\(seconds)"] + words)
        let (status, output): (TerminationStatus, [UInt8])
        let reason: Failure.Reason
        do {
            if let mostOutput {
                let result = try await Subprocess.run(
                    .name("sh"), arguments: arguments, environment: environment, platformOptions: options,
                    input: CommandInput(bytes: input), output: .bytes(limit: mostOutput), error: .discarded)
                (status, output) = (result.terminationStatus, result.standardOutput)
            } else {
                let result = try await Subprocess.run(
                    .name("sh"), arguments: arguments, environment: environment, platformOptions: options,
                    input: CommandInput(bytes: input), output: .discarded, error: .discarded)
                (status, output) = (result.terminationStatus, [])
            }
            switch status {
            case .exited(0): return output
            // The statuses of timeout (coreutils, "timeout invocation").
            case .exited(124): reason = .tooLong(seconds: seconds)
            case .exited(126), .exited(127): reason = .missing(name)
            default: reason = .ended("\(status)")
            }
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            reason = .tooMuch
        } catch {
            reason = .notRun("\(error)")
        }
        throw Failure(reason: reason, lastLines: Self.lastLines(of: errors, without: input))
    }

    /// An empty file that only this user may read, for standard error; nil where none can be made.
    private static func errorFile() -> String? {
        let path = FileManager.default.temporaryDirectory.path + "/waymark-\(UUID().uuidString)"
        return (try? FileCalls().open(path, flags: O_WRONLY | O_CREAT | O_EXCL)) == nil ? nil : path
    }

    private static func lastLines(of path: String?, without input: [UInt8]) -> String? {
        guard let path, let file = try? FileCalls().open(path), let size = try? FileCalls().status(file).size,
            let end = try? FileCalls().read(file, from: max(0, size - longestEnd), count: min(size, longestEnd))
        else { return nil }
        let input = String(decoding: input, as: UTF8.self)
        let lines = end.split(separator: UInt8(ascii: "\n")).suffix(mostLines)
            .compactMap { plain(String(decoding: $0, as: UTF8.self), without: input) }
        return lines.isEmpty ? nil : String(lines.joined(separator: "; ").suffix(longestText))
    }

    /// A line without control characters, and without longer words of a text, which may be secret; nil where it is empty.
    package static func plain(_ line: String, without text: String) -> String? {
        let scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
        var line = String(String(String.UnicodeScalarView(scalars)).prefix(longestText))
        for word in Set(text.split { !$0.isLetter && !$0.isNumber }) where word.count > 3 {
            line = line.replacing(word, with: "…")
        }
        return line.isEmpty ? nil : line
    }
}

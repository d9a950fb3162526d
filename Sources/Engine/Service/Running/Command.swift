#if Companion
import Foundation
import Glibc
import Store
package import Subprocess

/// A command that runs to completion within a time limit, with data on its standard input.
///
/// No shell interprets its words, and the command need not read its input. `timeout` stops the command and all
/// processes that it has started.
package struct Command: Sendable {
    /// The reason why a command failed, phrased as a clause.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package enum Reason: Hashable {
            case missing(String)
            case notRun(String)
            case tooLong(seconds: Int)
            case tooMuch
            /// The command exited with a status other than 0.
            case ended(String)
            /// A signal ended the command.
            case killed(signal: Int32)
            /// The task that ran the command was cancelled, and the command was stopped.
            case cancelled
        }

        package let reason: Reason
        /// The last lines of standard error, with words of the input removed; `nil` if there are none.
        ///
        /// Several lines are kept because the very last one is often the least informative.
        package var lastLines: String?

        package var description: String {
            let text =
                switch reason {
                case .missing(let name): "cannot be run: there is no command \(name)"
                case .notRun(let reason): "cannot be run: \(reason)"
                case .tooLong(let seconds): "has run for more than \(seconds) s and was stopped"
                case .tooMuch: "has written too much output and was stopped"
                case .ended(let status): "has failed: \(status)"
                case .killed(let signal): "has failed: it was ended by signal \(signal)"
                case .cancelled: "was stopped, because it is no longer needed"
                }
            return lastLines.map { "\(text) (\($0))" } ?? text
        }

        /// Whether the command was stopped, by time, a signal or cancellation, rather than failing by itself.
        package var isCut: Bool {
            switch reason {
            case .tooLong, .killed, .cancelled: true
            case .missing, .notRun, .tooMuch, .ended: false
            }
        }
    }

    package let words: [String]
    package var environment = Environment.inherit

    /// The time in seconds that a command has to exit after SIGTERM.
    private static let grace = 2
    /// The number of bytes read from the end of standard error.
    private static let longestEnd = 4096
    /// The number of last lines that are kept, and the maximum number of their characters.
    private static let (maximumLines, longestText) = (3, 300)
    /// Redirects standard error to a file.
    ///
    /// A pipe would be kept open by a process that the command leaves behind.
    private static let script = #"exec 2>"$0"; exec "$@""#

    package init(words: [String], environment: Environment = .inherit) {
        self.words = words
        self.environment = environment
    }

    /// Creates a command from the configuration's text, whose words are separated by spaces.
    package init(_ text: String) { self.init(words: text.split(separator: " ").map(String.init)) }

    /// Returns the command with additional variables in its environment.
    package func adding(_ variables: [String: String]) -> Command {
        var command = self
        let added = variables.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) }
        command.environment = environment.updating(Dictionary(added) { $1 })
        return command
    }

    /// Runs the command to completion.
    ///
    /// - Parameters:
    ///   - input: The bytes for its standard input.
    ///   - seconds: The time limit, after which the command is stopped.
    ///   - maximumOutput: The maximum number of bytes of standard output; `nil` to discard the output.
    /// - Returns: The standard output; empty if it is discarded.
    /// - Throws: ``Failure`` if the command cannot be run, is stopped, or exits with a status other than 0.
    @discardableResult
    package func run(
        given input: [UInt8], within seconds: Int, maximumOutput: Int? = nil
    ) async throws(Failure) -> [UInt8] {
        guard let name = words.first else { throw Failure(reason: .notRun("it is empty")) }
        // Otherwise a command that does not read all of its input would end this process (pipe(7)).
        _ = signal(SIGPIPE, SIG_IGN)
        let errors = Self.errorFile()
        defer { if let errors { try? FileCalls().remove(errors) } }
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(Self.grace))]
        let arguments = Arguments(
            ["-c", Self.script, errors ?? "/dev/null", "timeout", "-k", "\(Self.grace)", "\(seconds)"] + words)
        let (status, output): (TerminationStatus, [UInt8])
        let reason: Failure.Reason
        let start = ContinuousClock.now
        do {
            if let maximumOutput {
                let result = try await Subprocess.run(
                    .name("sh"), arguments: arguments, environment: environment, platformOptions: options,
                    input: CommandInput(bytes: input), output: .bytes(limit: maximumOutput), error: .discarded)
                (status, output) = (result.terminationStatus, result.standardOutput)
            } else {
                let result = try await Subprocess.run(
                    .name("sh"), arguments: arguments, environment: environment, platformOptions: options,
                    input: CommandInput(bytes: input), output: .discarded, error: .discarded)
                (status, output) = (result.terminationStatus, [])
            }
            switch status {
            case .exited(0): return output
            // The exit statuses of timeout (coreutils, "timeout invocation").
            case .exited(124): reason = .tooLong(seconds: seconds)
            case .exited(126), .exited(127): reason = .missing(name)
            // A command that ignores SIGTERM is killed, and timeout ends in the same way.
            case .exited(128 + SIGKILL), .signaled(SIGKILL):
                reason = .now - start >= .seconds(seconds) ? .tooLong(seconds: seconds) : .killed(signal: SIGKILL)
            case .signaled(let signal): reason = .killed(signal: signal)
            default: reason = .ended("\(status)")
            }
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            reason = .tooMuch
        } catch {
            reason = .notRun("\(error)")
        }
        throw Failure(
            reason: Task.isCancelled ? .cancelled : reason, lastLines: Self.lastLines(of: errors, without: input))
    }

    /// Creates an empty file for standard error that only this user may read; `nil` if it cannot be created.
    private static func errorFile() -> String? {
        let path = FileManager.default.temporaryDirectory.path + "/waymark-\(UUID().uuidString)"
        return (try? FileCalls().open(path, flags: O_WRONLY | O_CREAT | O_EXCL)) == nil ? nil : path
    }

    private static func lastLines(of path: String?, without input: [UInt8]) -> String? {
        guard let path, let file = try? FileCalls().open(path), let size = try? FileCalls().status(file).size,
            let end = try? FileCalls().read(file, from: max(0, size - longestEnd), count: min(size, longestEnd))
        else { return nil }
        let input = String(decoding: input, as: UTF8.self)
        let lines = end.split(separator: UInt8(ascii: "\n")).suffix(maximumLines)
            .compactMap { plain(String(decoding: $0, as: UTF8.self), without: input) }
        return lines.isEmpty ? nil : String(lines.joined(separator: "; ").suffix(longestText))
    }

    /// Returns a line without control characters, and with words of `text` that are longer than three characters
    /// replaced by `…`.
    ///
    /// The words of the input may be secret. The result is `nil` if the line is empty.
    package static func plain(_ line: String, without text: String) -> String? {
        let scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
        var line = String(String(String.UnicodeScalarView(scalars)).prefix(longestText))
        for word in Set(text.split { !$0.isLetter && !$0.isNumber }) where word.count > 3 {
            line = line.replacing(word, with: "…")
        }
        return line.isEmpty ? nil : line
    }
}
#endif

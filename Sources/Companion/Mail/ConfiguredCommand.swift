import Glibc
import Subprocess

/// A command of the configuration, which is given something on its standard input.
///
/// Its words are separated by spaces, and no shell sees them. What it writes is thrown away: it may repeat what it was
/// given, which is not for logs.
struct ConfiguredCommand: Sendable {
    /// Why it has not done what it was to do.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    private let words: [String]

    /// How long a command that is to end may take to do so.
    private static let grace = Duration.seconds(2)

    init(_ text: String) { words = text.split(separator: " ").map(String.init) }

    /// Runs it to its end.
    ///
    /// - Parameter longest: when it has not ended by then, it is ended.
    /// - Throws: ``Failure`` where it could not be run, did not end by itself, or not with status 0.
    func run(with input: String, within longest: Duration) async throws(Failure) {
        let result = await withTaskGroup(of: Result<Void, Failure>.self) { group in
            group.addTask { await Result(run: { () async throws(Failure) in try await run(with: input) }) }
            group.addTask {
                try? await Task.sleep(for: longest)
                return .failure(Failure(description: "it had not ended after \(longest)"))
            }
            let first = await group.next() ?? .success(())
            group.cancelAll()
            return first
        }
        try result.get()
    }

    private func run(with input: String) async throws(Failure) {
        guard let first = words.first else { throw Failure(description: "it has no words") }
        // A command that does not read all it is given would end this process else (pipe(7)).
        _ = signal(SIGPIPE, SIG_IGN)
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: Self.grace)]
        let status: TerminationStatus
        do {
            status = try await Subprocess.run(
                try await Self.executable(first), arguments: Arguments(Array(words.dropFirst())),
                platformOptions: options, input: .string(input), output: .discarded, error: .discarded
            ).terminationStatus
        } catch {
            throw Failure(description: "it could not be run, or did not take what it was given: \(error)")
        }
        guard status.isSuccess else { throw Failure(description: "it ended with \(status)") }
    }

    /// What a word names: a file where it has a slash, else a command of the search path.
    private static func executable(_ word: String) async throws -> Executable {
        guard let slash = word.lastIndex(of: "/") else { return .name(word) }
        let folder = slash == word.startIndex ? "/" : String(word[..<slash])
        let name = String(word[word.index(after: slash)...])
        return .path(try await Executable.name(name).resolveExecutablePath(in: .custom(["PATH": folder])))
    }
}

extension Result where Success == Void, Failure: Error {
    fileprivate init(run body: () async throws(Failure) -> Void) async {
        do throws(Failure) {
            try await body()
            self = .success(())
        } catch {
            self = .failure(error)
        }
    }
}

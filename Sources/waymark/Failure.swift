import ArgumentParser
import Daemon
import Foundation
import Journeys
import Positioning
import RPC
import SocketServer
import Store

/// What goes wrong, told on standard error.
enum Failure {
    /// The exit of a command that has told why it failed.
    static let exit = ExitCode(1)

    /// Tells a problem.
    static func tell(_ problem: String) { note("waymark: \(problem)") }

    /// Tells a problem with a file.
    static func tell(_ path: String, _ error: RecordingError) { tell("\(name(path)): \(error)") }

    /// Tells something that is no failure, on standard error all the same; a terminal gets it broken at blanks.
    ///
    /// Where even that cannot be written, nobody can be told.
    static func note(_ text: String) {
        let width = Paint.columns(ofTerminal: STDERR_FILENO)
        let lines = WrappedText.lines(of: EventLines.printable(text), width: width, hanging: 2)
        try? FileHandle.standardError.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// What to call a path in a message.
    static func name(_ path: String) -> String {
        switch path {
        case "-": "standard input"
        case "": "\"\""
        default: path
        }
    }

    /// Ends the process with what a command's arguments lack, or with the help that they ask for.
    static func end(_ command: any ParsableCommand.Type, _ error: any Error) -> Never {
        let code = command.exitCode(for: error)
        guard code != .success, !(error is ExitCode) else { command.exit(withError: error) }
        for line in command.fullMessage(for: error).split(separator: "\n") { note(String(line)) }
        command.exit(withError: code)
    }

    /// Prints something, and turns the errors known here into their message and exit; what was printed before an
    /// error stays printed.
    static func printing(_ body: (StandardOutput) throws -> Void) throws {
        let output = StandardOutput()
        do {
            try body(output)
            try output.flush()
        } catch {
            try? output.flush()
            throw told(error)
        }
    }

    /// Prints something as ``printing(_:)-((StandardOutput)->Void)`` does.
    static func printing(_ body: (StandardOutput) async throws -> Void) async throws {
        let output = StandardOutput()
        do {
            try await body(output)
            try output.flush()
        } catch {
            try? output.flush()
            throw told(error)
        }
    }

    private static func told(_ error: any Error) -> any Error {
        switch error {
        case let error as StoreError: tell("\(error)")
        case let error as SocketError: tell("\(error)\(remedy(error.code))")
        case let error as RPCError:
            tell("\(message(of: error))\(remedy(error))")
            noteVersions(error)
        case let failure as SessionFile.Failure: tell("\(failure)")
        case let failure as FileFailure: tell(failure.file, failure.error)
        // Whoever read has had enough, as head does.
        case let failure as StandardOutput.Failure where failure.isBrokenPipe: return ExitCode.success
        case let failure as StandardOutput.Failure:
            tell("standard output: it cannot be written: \(failure.cause.localizedDescription)")
        case let failure as OutputFile.Failure: tell("\(failure)")
        case let failure as PhotoFailure: tell("\(failure)")
        case let missing as ExplainCommand.Missing: tell(missing.description)
        case let silence as DaemonSilence: tell("\(silence)")
        case let unknown as Unknown: tell("\(unknown)")
        case TripExport.Failure.unknownTrip(let id): tell("\(Unknown(noun: "trip", id: id))")
        case TripExport.Failure.noTrips:
            tell("No trip that has ended began then; \"waymark trip list\" shows which there are.")
        default: return error
        }
        return exit
    }

    /// What an answer that is an error says, in the words of the command line: commands and options.
    private static func message(of error: RPCError) -> String {
        guard error.code == .invalidValue, let field = error.data?.text("field"),
            let reason = error.data?.text("reason")
        else {
            return MethodHelp.naming(commandsIn: error.message)
        }
        return "--\(MethodHelp.option(of: field)) \(MethodHelp.naming(commandsIn: reason))."
    }

    /// Shows what was given beside what someone else has saved meanwhile, where an answer has both.
    private static func noteVersions(_ error: RPCError) {
        guard case .object(let yours)? = error.data?["yours"], let saved = error.data?["current"],
            let revision = error.data?["revision"]
        else { return }
        for name in yours.names {
            note("  \(name): yours is \(version(yours[name])), saved is \(version(saved[name]))")
        }
        note("  \"--revision \(version(revision))\" saves yours over it.")
    }

    /// A value as one version has it; of a time what clocks show.
    private static func version(_ value: JSONValue?) -> String {
        guard let value, value != .null else { return "nothing" }
        return String(decoding: JSONText(value["at"] ?? value).bytes, as: UTF8.self)
    }

    /// What to do about a daemon that cannot be reached.
    private static func remedy(_ code: SocketError.Code) -> String {
        switch code {
        case .noServer:
            " Start one with \"waymark daemon\" or \"sudo systemctl start waymark\", or name another with --socket."
        case .notPermitted: " \"waymark doctor\" says which group it is."
        default: ""
        }
    }

    /// What to do about an answer that is an error.
    private static func remedy(_ error: RPCError) -> String {
        error.data?.text("right") == AccessRight.change.rawValue ? " \"waymark doctor\" says which group has it." : ""
    }
}

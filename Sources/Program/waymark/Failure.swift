import ArgumentParser
import Daemon
import Foundation
import Positioning
import RPC
import SocketServer
import Store
import Trips

#if Companion
import WebServer
#endif

extension Error {
    /// The reason as the system words it, such as `No such file or directory`.
    var systemReason: String { (self as NSError).localizedFailureReason ?? localizedDescription }
}

/// Reports of problems on standard error.
enum Failure {
    /// The exit code of a command that has already reported why it failed.
    static let exit = ExitCode(1)

    /// Reports a problem.
    static func report(_ problem: String) { note("waymark: \(problem)") }

    /// Reports a problem with a file.
    static func report(_ path: String, _ error: RecordingError) { report("\(name(path)): \(error)") }

    /// Prints a note on standard error, broken at blanks if that is a terminal.
    ///
    /// Errors are ignored, because there is nowhere left to report them.
    static func note(_ text: String) {
        let width = Paint.columns(ofTerminal: STDERR_FILENO)
        let lines = WrappedText.lines(of: EventFormatter.printable(text), width: width, hanging: 2)
        try? FileHandle.standardError.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// Returns the name of a path for messages.
    static func name(_ path: String) -> String {
        switch path {
        case "-": "standard input"
        case "": "\"\""
        default: path
        }
    }

    /// Ends the process with the error in a command's arguments, or with the help requested.
    static func end(_ command: any ParsableCommand.Type, _ error: any Error) -> Never {
        let code = command.exitCode(for: error)
        guard code != .success, !(error is ExitCode) else { command.exit(withError: error) }
        // All messages begin alike.
        let message = command.fullMessage(for: error).replacing(#/^Error: /#, with: "waymark: ")
        for line in message.split(separator: "\n") { note(String(line)) }
        command.exit(withError: code)
    }

    /// Runs `body`, and turns the errors known here into a message and an exit code.
    ///
    /// The output before an error is still printed.
    static func printing(_ body: (StandardOutput) throws -> Void) throws {
        let output = StandardOutput()
        do {
            try body(output)
            try output.flush()
        } catch {
            try? output.flush()
            throw reported(error)
        }
    }

    /// Runs `body` as ``printing(_:)-((StandardOutput)->Void)`` does.
    static func printing(_ body: (StandardOutput) async throws -> Void) async throws {
        let output = StandardOutput()
        do {
            try await body(output)
            try output.flush()
        } catch {
            try? output.flush()
            throw reported(error)
        }
    }

    private static func reported(_ error: any Error) -> any Error {
        switch error {
        case let error as StoreError: report("\(error)")
        case let error as SocketError: report("\(error)\(remedy(error.code))")
        case let error as RPCError:
            report("\(message(of: error))\(remedy(error))")
            noteVersions(error)
        case let failure as SessionFile.Failure: report("\(failure)")
        case let failure as FileFailure: report(failure.file, failure.error)
        // The reader has closed the pipe, as `head` does.
        case let failure as StandardOutput.Failure where failure.isBrokenPipe: return ExitCode.success
        case let failure as StandardOutput.Failure:
            report("standard output: it cannot be written: \(failure.cause.systemReason)")
        case let failure as OutputFile.Failure: report("\(failure)")
        #if Companion
        case let failure as PhotoFailure: report("\(failure)")
        case let failure as MapFolder.Failure: report("\(failure)")
        case let failure as TileMaker.Failure: report("\(failure)")
        #endif
        case let missing as ExplainCommand.Missing: report(missing.description)
        case let silence as DaemonSilence: report("\(silence)")
        case let unknown as Unknown: report("\(unknown)")
        case TripExport.Failure.unknownTrip(let id): report("\(Unknown(noun: "trip", id: id))")
        case TripExport.Failure.noTrips:
            report("No completed trip began in that time. \"waymark trip list\" lists the trips.")
        case let error as CocoaError: report("\(error.filePath.map { "\($0): " } ?? "")\(error.systemReason)")
        case let error as POSIXError: report(error.systemReason)
        default: return error
        }
        return exit
    }

    /// Returns the message of an error answer in the terms of the command line: commands and options.
    private static func message(of error: RPCError) -> String {
        guard error.code == .invalidValue, let field = error.data?.text("field"),
            let reason = error.data?.text("reason")
        else {
            return MethodHelp.naming(commandsIn: error.message)
        }
        return "--\(MethodHelp.option(of: field)) \(MethodHelp.naming(commandsIn: reason))."
    }

    /// Prints the values given next to those saved by others meanwhile, if an answer contains both.
    private static func noteVersions(_ error: RPCError) {
        guard case .object(let yours)? = error.data?["yours"], let saved = error.data?["current"],
            let revision = error.data?["revision"]
        else { return }
        for name in yours.names {
            note("  \(name): yours is \(version(yours[name])), saved is \(version(saved[name]))")
        }
        note("  \"--revision \(version(revision))\" saves yours over it.")
    }

    /// Returns the text of a value in one version; for a planned time, its local time.
    private static func version(_ value: JSONValue?) -> String {
        guard let value, value != .null else { return "nothing" }
        return String(decoding: JSONText(value["at"] ?? value).bytes, as: UTF8.self)
    }

    /// Returns the remedy if a daemon cannot be reached.
    private static func remedy(_ code: SocketError.Code) -> String {
        switch code {
        case .noServer:
            " Start one with \"waymark daemon\" or \"sudo systemctl start waymark\", or name another with --socket."
        case .notPermitted: " \"waymark doctor\" names the group."
        default: ""
        }
    }

    /// Returns the remedy for an error answer.
    private static func remedy(_ error: RPCError) -> String {
        error.data?.text("right") == AccessRight.change.rawValue
            ? " \"waymark doctor\" names the group that has it." : ""
    }
}

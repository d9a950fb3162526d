import ArgumentParser
import Daemon
import Foundation
import Positioning
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

    /// Tells something that is no failure, on standard error all the same.
    static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    /// What to call a path in a message.
    static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// Does something, and turns the errors known here into their message and exit.
    static func telling<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw told(error)
        }
    }

    /// Does something, and turns the errors known here into their message and exit.
    static func telling<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw told(error)
        }
    }

    private static func told(_ error: any Error) -> any Error {
        switch error {
        case let error as StoreError: tell("\(error)")
        case let error as SocketError: tell("\(error)")
        case let failure as FileFailure: tell(failure.file, failure.error)
        default: return error
        }
        return exit
    }
}

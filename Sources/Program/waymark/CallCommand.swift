import ArgumentParser
import Foundation
import Positioning
import RPC
import Receivers
import SocketServer

/// The command `waymark call`, which calls any method of the daemon.
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call any method of the daemon or of a store, and print its result as JSON.",
        discussion: "\"waymark call rpc.discover\" prints all methods with their parameters and results.",
        examples: [
            #"waymark call sights.list '{"limit": 5}'"#,
            #"waymark call trips.list '{"limit": 1}' --store boat.sqlite"#,
            "waymark call rpc.discover",
        ])

    @Argument(help: ArgumentHelp("The method, such as sights.list.", valueName: "method"))
    var method: String

    @Argument(
        help: ArgumentHelp(
            "Its parameters by name, as a JSON object; - reads them from standard input.", valueName: "json"))
    var parameters: String?

    @OptionGroup var source: SourceOptions

    @Flag(help: "Print JSON, as this command always does.")
    var json = false

    func validate() throws {
        guard let parameters, parameters != "-" else { return }
        do throws(Complaint) {
            _ = try Self.object(Array(parameters.utf8))
        } catch {
            throw ValidationError("The parameters are \(error.reason).")
        }
    }

    func run() async throws {
        try await Failure.printing { output in
            let members = try given()
            do {
                let result = try await answer(members)
                if Paint.isTerminal(STDOUT_FILENO) {
                    for line in result.prettyLines { try output.line(EventFormatter.printable(line)) }
                } else {
                    try output.line(result.line)
                }
            } catch let error as RPCError {
                let data = error.data.map { " \(String(decoding: $0.line, as: UTF8.self))" } ?? ""
                Failure.report("\(error.message) (error \(error.code.rawValue), \(error.code.summary))\(data)")
                throw Failure.exit
            }
        }
    }

    /// Calls the method of the daemon, or of a store that no daemon has open.
    private func answer(_ members: JSONObject) async throws -> JSONValue {
        guard source.store != nil else { return try await source.ask { try await $0.call(method, members) } }
        // The daemon's own methods, such as server.stats, need a daemon. A store says that it does not have them.
        guard let declaration = try MethodDeclarations.all().first(where: { $0.name == method }) else {
            return try await source.ask { try await $0.call(method, members) }
        }
        let writes = Nouns.all.contains { $0.writes && method.hasPrefix("\($0.name).") }
        return try await source.use(for: declaration, writes: writes) { try await $0.call(method, members) }
    }

    /// The reason why a text is not valid as parameters, as a clause.
    private struct Complaint: Error { let reason: String }

    private func given() throws -> JSONObject {
        guard let parameters else { return [:] }
        do {
            return try Self.object(parameters == "-" ? Self.standardInput() : Array(parameters.utf8))
        } catch let complaint as Complaint {
            Failure.report("standard input: the parameters are \(complaint.reason)")
            throw ExitCode.validationFailure
        }
    }

    private static func object(_ text: [UInt8]) throws(Complaint) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text.span)
        } catch {
            throw Complaint(reason: "not JSON: \(error)")
        }
        guard let members = JSONObject(json: value) else {
            throw Complaint(reason: "not a JSON object; give them by name, such as {\"id\":\"westerkerk\"}")
        }
        return members
    }

    /// Reads all of standard input, up to the longest line that the socket accepts.
    private static func standardInput() throws -> [UInt8] {
        do throws(RecordingError) {
            let input = try FileBytes(path: "-")
            var bytes: [UInt8] = []
            while let piece = try input.next() {
                bytes += piece
                guard bytes.count <= LineFraming.maximumLength else {
                    throw RecordingError("the parameters are longer than a request may be")
                }
            }
            return bytes
        } catch {
            Failure.report("-", error)
            throw Failure.exit
        }
    }
}

extension JSONValue {
    /// The value formatted for people: one member or element per line, indented by two blanks.
    var prettyLines: [String] {
        var lines: [String] = []
        append(to: &lines, before: "", after: "", indent: "")
        return lines
    }

    private func append(to lines: inout [String], before: String, after: String, indent: String) {
        func nest(_ open: String, _ close: String, _ parts: [(before: String, value: JSONValue)]) {
            lines.append("\(indent)\(before)\(open)")
            for (index, part) in parts.enumerated() {
                part.value.append(
                    to: &lines, before: part.before, after: index == parts.count - 1 ? "" : ",", indent: indent + "  ")
            }
            lines.append("\(indent)\(close)\(after)")
        }
        switch self {
        case .array(let elements) where !elements.isEmpty: nest("[", "]", elements.map { ("", $0) })
        case .object(let members) where members.count > 0:
            let parts = members.names.map { name in
                ("\(String(decoding: JSONValue.string(name).line, as: UTF8.self)): ", members[name] ?? .null)
            }
            nest("{", "}", parts)
        default: lines.append("\(indent)\(before)\(String(decoding: line, as: UTF8.self))\(after)")
        }
    }
}

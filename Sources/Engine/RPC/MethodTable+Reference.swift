extension MethodTable {
    /// The reference of all methods for people, in Markdown, generated from the declarations that serve the calls.
    public var reference: String {
        var text = """
            # The methods of the socket

            All methods that the daemon serves. This page is generated from the table that serves them; `rpc.discover`
            returns the same as an OpenRPC document. The word after a method's summary is the right that it needs:
            *read* is granted to everybody who may open the socket, *change* to administrators, *person* to signed-in
            people, and *contribute* to both administrators and signed-in people. In addition to the errors listed, each
            method may answer with error 2 if the caller lacks the right, 4 if a parameter is invalid, and 5 while the
            store is unavailable.

            """
        var noun: Substring = ""
        for method in methods.sorted(by: { $0.noun < $1.noun }) {
            if method.noun != noun {
                noun = method.noun
                text += "\n## \(noun)\n"
            }
            text += method.reference
        }
        return text
    }
}

extension Method {
    fileprivate var noun: Substring { name.prefix { $0 != "." } }

    fileprivate var reference: String {
        var text = "\n### \(name)\n\n\(summary) *\(right.rawValue)*\n"
        if let question { text += "\nConfirmation: “\(question)”\n" }
        if !parameters.isEmpty {
            text += "\n| parameter | | |\n|---|---|---|\n"
            text += parameters.map(\.referenceRow).joined()
        }
        let members = result.members
        if !members.isEmpty {
            text += "\n| answer | | |\n|---|---|---|\n"
            text += members.map(\.referenceRow).joined()
        }
        let own = errors.filter { $0 != .unavailable }.map(RPCError.Code.init).sorted { $0.rawValue < $1.rawValue }
        if !own.isEmpty { text += "\nErrors: \(own.map { "\($0.rawValue) \($0.summary)" }.joined(separator: ", ")).\n" }
        return text
    }
}

extension Field {
    fileprivate var referenceRow: String {
        let words = "\(schema.placeholder)\(schema.isList ? ", a list" : "")".replacing("|", with: " or ")
        let text = fullDoc.replacing("|", with: "\\|")
        return "| `\(name)`\(isRequired ? "" : " (optional)") | \(words) | \(text) |\n"
    }
}

extension Schema {
    /// The members of an object's schema; empty for any other schema.
    fileprivate var members: [Field] {
        if case .object(let fields) = shape { fields } else { [] }
    }
}

import TextCoding

extension MethodTable {
    /// The declaration of `rpc.discover`.
    ///
    /// The table itself produces the answer.
    static var discovery: Method<Identity> {
        Method(
            "rpc.discover", "Describes every method of this interface, as an OpenRPC document.",
            answers: .value(.any.described("An OpenRPC document.")), right: .read
        ) { _ in JSONValue.null }
    }

    /// The interface as an OpenRPC document.
    ///
    /// It has three extensions: `x-right` is the right that a caller needs, `x-question` the confirmation to ask
    /// before a call, and `x-notifications` the notifications that the server sends.
    ///
    /// - SeeAlso: OpenRPC Specification 1.3.2.
    public var openRPC: JSONText {
        .object { json in
            json.member("openrpc", "1.3.2")
            json.object("info") { json in
                json.member("title", title)
                json.member("version", version)
            }
            json.array("methods") { json in
                for method in methods { method.describe(in: &json) }
            }
            guard !notifications.isEmpty else { return }
            json.array("x-notifications") { json in
                for notification in notifications {
                    json.object { json in
                        json.member("name", notification.name)
                        json.member("summary", notification.summary)
                        json.array("params") { $0.fields(notification.parameters) }
                    }
                }
            }
        }
    }
}

extension Method {
    fileprivate func describe(in json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("summary", summary)
            json.member("paramStructure", "either")
            json.array("params") { $0.fields(parameters) }
            json.object("result") { json in
                json.member("name", "result")
                json.key("schema")
                json.value(result.json)
            }
            json.array("errors") { json in
                for code in allErrors {
                    json.object { json in
                        json.member("code", code.rawValue)
                        json.member("message", code.summary)
                    }
                }
            }
            json.member("x-right", right.rawValue)
            json.member("x-question", question)
        }
    }

    /// The codes of the method's own errors, and of those that follow from its declaration.
    package var allErrors: [RPCError.Code] {
        var codes: Set<RPCError.Code> = [.invalidParameters, .internalError]
        codes.formUnion(errors.map(RPCError.Code.init))
        if !parameters.isEmpty { codes.insert(.invalidValue) }
        if right != .read { codes.insert(.notAllowed) }
        return codes.sorted { $0.rawValue < $1.rawValue }
    }
}

extension JSONWriter {
    /// Writes fields as OpenRPC content descriptors.
    fileprivate mutating func fields(_ fields: [Field]) {
        for field in fields {
            object { json in
                json.member("name", field.name)
                json.member("description", field.doc)
                json.member("required", field.isRequired)
                json.key("schema")
                json.value(field.schema.json)
            }
        }
    }
}

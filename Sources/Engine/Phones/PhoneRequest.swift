internal import RPC
internal import TextCoding

/// One HTTP request of a tracking app.
///
/// It is read in two steps. The ``Head`` is known before the body, and most apps put their secret there: a server can
/// then refuse a wrong one without reading the body. A form and Traccar Client's JSON have the secret in the body, so
/// ``secret`` looks there if the head has none.
///
/// What is in the body decides which app has sent it, never `Content-Type`, which several apps fill in wrongly.
public struct PhoneRequest: Sendable {
    /// The longest body of a request, in bytes.
    ///
    /// The longest that an app sends is Overland's, about 200 KB for 200 places. A server answers a longer one with 413
    /// without reading it. If it is read nevertheless, it counts as ``IgnoredReason/unreadable``.
    public static let maximumBodyLength = 1_048_576

    /// The request without its body.
    public let head: Head
    /// The parsed parameters and body.
    let content: PhoneContent

    /// Parses the parameters and the body of a request.
    ///
    /// Any bytes are accepted. White space alone is no body.
    ///
    /// - Complexity: O(*n*) for *n* bytes, and about 50 bytes of memory a byte at worst.
    public init(head: Head, body: [UInt8]) {
        self.head = head
        content = PhoneContent(query: head.parameters, body: body)
    }

    /// The secret that the request has: in its head, or else in its body; `nil` if there is none.
    public var secret: PhoneSecret? { head.secret ?? content.secret }
}

extension PhoneRequest {
    /// What a request has before its body.
    public struct Head: Sendable {
        /// The path below the door, as it was sent, without the query: empty, or for example a secret.
        public var path: String
        /// The query as it was sent, without its question mark; empty if there is none.
        public var query: String
        /// The value of the header `Authorization`.
        public var authorization: String?

        /// Creates a head.
        ///
        /// The name of the header can have any case in HTTP, so the caller compares it without regard to case.
        public init(path: String = "", query: String = "", authorization: String? = nil) {
            self.path = path
            self.query = query
            self.authorization = authorization
        }

        /// The methods of requests that can have a fix.
        ///
        /// GPSLogger lets its user choose any method for a custom URL. `DELETE` is not among these, because nothing is
        /// ever deleted by such a request.
        public static let methods: Set<String> = ["GET", "PATCH", "POST", "PUT"]

        /// The secret in the head; `nil` if there is none.
        ///
        /// The places are, in this order: the password of `Basic`, the token of `Bearer`, the parameters `id`,
        /// `deviceid` and `device_id` of the query, and the last part of the path. The first text that has the form of
        /// a secret decides, right or wrong. A text of another form is not a secret: it can be the password of a proxy,
        /// or an identifier that the app has made up.
        public var secret: PhoneSecret? {
            authorizationSecret ?? parameters.secret ?? pathSecret
        }

        /// The parameters of the query.
        var parameters: FormParameters { FormParameters(parsing: Array(query.utf8)) }

        /// The longest value of `Authorization` that is read; a secret with its longest user name needs far less.
        private static let maximumAuthorization = 4096

        private var authorizationSecret: PhoneSecret? {
            guard let authorization, authorization.utf8.count <= Self.maximumAuthorization else { return nil }
            let parts = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2 else { return nil }
            switch parts[0].lowercased() {
            case "bearer": return PhoneSecret(parts[1])
            case "basic":
                guard let bytes = Base64.decode(parts[1].trimmingBlanks().utf8) else { return nil }
                // A secret has no colon. A user name has none by RFC 7617, but apps let people type one.
                guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
                return PhoneSecret(String(decoding: bytes[(colon + 1)...], as: UTF8.self))
            default: return nil
            }
        }

        private var pathSecret: PhoneSecret? {
            guard let last = path.split(separator: "/").last else { return nil }
            return PhoneSecret(FormParameters.decode(Array(last.utf8)[...], plusIsSpace: false))
        }
    }
}

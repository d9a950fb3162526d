import Time
import WebClient

/// One attempt to hand a message to a push service (RFC 8030).
struct PushDelivery: Sendable {
    /// What came of an attempt.
    enum Outcome: Hashable, Sendable {
        /// The push service has taken the message.
        case taken
        /// The push service no longer knows the browser.
        case gone
        /// The message can be tried again, at the earliest after some seconds if the service names them.
        case later(fault: String, seconds: Int?)
        /// The push service does not take the message.
        case refused(fault: String)
    }

    let settings: PushSettings
    let key: PushKey
    /// The longest time for one attempt, in seconds.
    static let longestAttempt = 15

    /// Tries to hand over a message.
    ///
    /// - Parameter lifetime: For how many seconds the push service keeps the message for a browser that is away.
    func send(_ text: PushText, to browser: PushSubscription, lifetime: Int, at now: Timestamp) async -> Outcome {
        do throws(WebFailure) {
            let url = try PushEndpoint.url(browser.endpoint, settings)
            let body = try browser.keys.encrypt(text.bytes)
            var headers = [
                "Authorization": try key.authorization(for: url, contact: settings.contact, at: now),
                "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream", "TTL": "\(lifetime)",
                "Urgency": text.urgency.rawValue, "User-Agent": "waymark",
            ]
            headers["Topic"] = text.topic
            let client = WebClient(url, reach: settings.reach == .anywhere ? .anywhere : .internet)
            let reply: WebReply
            do throws(WebFailure) {
                reply = try await client.post(body, headers: headers, within: .seconds(Self.longestAttempt))
            } catch {
                return .later(fault: "\(url.host) \(error)", seconds: nil)
            }
            // Messages are rare, and push services end idle connections.
            await client.end()
            return Self.outcome(of: reply, from: url)
        } catch {
            return .refused(fault: "the push service \(error)")
        }
    }

    private static func outcome(of reply: WebReply, from url: WebURL) -> Outcome {
        let fault = "\(url.host) has answered \(reply.status)"
        return switch reply.status {
        case 200...299: .taken
        case 404, 410: .gone
        case 429, 500...599: .later(fault: fault, seconds: reply.retryAfter)
        default: .refused(fault: fault)
        }
    }
}

/// The addresses of browsers at their push services.
enum PushEndpoint {
    /// Reads an address.
    ///
    /// - Throws: ``WebFailure`` if nothing may be sent there.
    static func url(_ text: String, _ settings: PushSettings) throws(WebFailure) -> WebURL {
        guard text.utf8.count <= PushSubscription.longestEndpoint else {
            throw WebFailure("has an address of more than \(PushSubscription.longestEndpoint) bytes")
        }
        let url = try WebURL(text)
        guard settings.reach != .on || url.isSecure else { throw WebFailure("must begin with https://") }
        guard settings.reach != .on || !url.isOffInternet else {
            throw WebFailure("is not on the internet")
        }
        return url
    }
}

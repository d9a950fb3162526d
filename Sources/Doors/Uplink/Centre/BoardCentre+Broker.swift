public import MQTT
import Service
import Store
import WebClient

extension BoardCentre {
    /// Why a message that came over a broker was not taken.
    public enum Refusal: Hashable, Sendable {
        /// No board has this name.
        case stranger
        /// The message has not the seal of this board's secret.
        case seal
        /// The message is longer than a batch.
        case length
        /// The body is no batch, or contradicts what is here; the sentence says it.
        case content(String)
        /// The store cannot be written now; the board sends it again.
        case store(String)
    }

    /// The longest message, in bytes.
    public static var longestMessage: Int { UplinkMessage.longest }

    /// Takes a message of a board that came over a broker, and returns once it is on the disk.
    ///
    /// The board is the one that the topic names; its seal proves that it has the secret. The broker keeps an
    /// acknowledgement for the board's next connection.
    public func receive(
        _ payload: [UInt8], from lane: BoardLane, of name: String
    ) async -> (reply: BoardReply, refusal: Refusal?) {
        guard let message = UplinkMessage(payload) else {
            return (BoardReply(nil), payload.count > UplinkMessage.longest ? .length : .seal)
        }
        do {
            let known = try await context.store.read { try Boards.key(of: name, in: $0) }
            guard let (number, key) = known else {
                let text = "no board \(name) is known here: waymark uplink board \(name)"
                return (Self.refused(401, text, message), .stranger)
            }
            guard message.isSealed(by: key, on: lane) else {
                return (Self.refused(401, "the secret is not that of the board \(name)", message), .seal)
            }
            let body: [UInt8]
            do throws(WebFailure) {
                body = try message.body()
            } catch {
                return (Self.refused(400, "The body \(error).", message, key), .content("The body \(error)."))
            }
            let answer = try await receive(body, of: number)
            guard answer.status == 200 else {
                let text = String(decoding: answer.body, as: UTF8.self)
                return (Self.refused(answer.status, text, message, key), .content(text))
            }
            let reply = UplinkReply(status: 200, body: answer.body, to: message.seal)
            return (BoardReply(reply.payload(sealedBy: key), isRetained: true, isTaken: true), nil)
        } catch {
            // The board hears nothing, and sends it again.
            return (BoardReply(nil), .store("\(error)"))
        }
    }

    private static func refused(
        _ status: Int, _ text: String, _ message: UplinkMessage, _ key: UplinkSeal? = nil
    ) -> BoardReply {
        BoardReply(UplinkReply(status: status, body: Array(text.utf8), to: message.seal).payload(sealedBy: key))
    }
}

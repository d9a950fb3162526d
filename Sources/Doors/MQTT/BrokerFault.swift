internal import CMosquitto
import Foundation

/// The reason why there is no connection to the broker, in words.
public struct BrokerFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem, as a clause.
    public var description: String
    /// What to do about it, as a clause.
    public var remedy: String
    /// Whether the network alone may be the reason, so that it may pass by itself.
    public var isPassing = false
    /// Whether the broker may speak only an older version of MQTT.
    var mayBeOfVersion = false

    /// libmosquitto is not installed.
    static let noLibrary = BrokerFault(
        description: "libmosquitto cannot be loaded",
        remedy: "install it: \"sudo apt-get install libmosquitto1\", then restart the daemon")

    /// The process has no descriptor for the connection.
    static func noDescriptor(_ system: Int32) -> BrokerFault {
        BrokerFault(
            description: "there is no connection to the broker: \(POSIXErrorText(system))",
            remedy: "raise LimitNOFILE of the service, or connect fewer callers", isPassing: true)
    }

    /// The broker has accepted the connection and says nothing.
    static func silent(_ address: BrokerAddress) -> BrokerFault {
        BrokerFault(
            description: "\(address) accepts connections and does not answer as an MQTT broker",
            remedy: "check host and port in mqtt.url: another program may answer there", mayBeOfVersion: true)
    }

    /// The devices cannot be read.
    static func unreadable(devices error: any Error) -> BrokerFault {
        BrokerFault(
            description: "no places are published, because the devices cannot be read: \(error)",
            remedy: "look at the store's health: \"waymark doctor\"", isPassing: true)
    }

    /// What phones publish cannot be written.
    static let postponed = BrokerFault(
        description: "places of phones wait at the broker, because the store cannot be written",
        remedy: "look at the store's health: \"waymark doctor\"", isPassing: true)

    /// The password cannot be read.
    static func unreadable(_ path: String, _ reason: String) -> BrokerFault {
        BrokerFault(
            description: "the password file \(path) cannot be read: \(reason)",
            remedy: "name a file in mqtt.password-file that the user waymark can read")
    }

    /// A file or a fingerprint for TLS cannot be used.
    static func unusable(_ what: String) -> BrokerFault {
        BrokerFault(description: "\(what) cannot be used for TLS", remedy: "check mqtt.ca and mqtt.fingerprint")
    }

    /// The connection could not be opened.
    ///
    /// - Parameters:
    ///   - end: Why.
    ///   - detail: What OpenSSL has said.
    static func opening(_ address: BrokerAddress, _ end: BrokerEnd, detail: String?) -> BrokerFault {
        let system = end.system
        switch end.code {
        case MOSQ_ERR_EAI.rawValue, MOSQ_ERR_LOOKUP.rawValue:
            return BrokerFault(
                description: "the host \(address.host) is not known",
                remedy: "check the name in mqtt.url, and the network's name server", isPassing: true)
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue:
            return unproven(address, detail)
        case MOSQ_ERR_ERRNO.rawValue:
            let reason = String(describing: POSIXErrorText(system))
            if system == EPROTO { return unproven(address, detail) }
            return BrokerFault(
                description: "\(address) cannot be reached: \(reason)",
                remedy: system == EPERM || system == EACCES
                    ? "the service's sandbox forbids it; the drop-in mqtt.conf allows brokers on other machines"
                    : "check that the broker runs, and host and port in mqtt.url", isPassing: true)
        default:
            return BrokerFault(
                description: "\(address) cannot be reached: \(text(end))",
                remedy: "check that the broker runs, and host and port in mqtt.url", isPassing: true)
        }
    }

    /// The broker does not prove who it is, or does not speak TLS.
    ///
    /// - Parameter detail: What OpenSSL has said, such as `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed`.
    static func unproven(_ address: BrokerAddress, _ detail: String?) -> BrokerFault {
        BrokerFault(
            description: "\(address) does not prove who it is by TLS"
                + (detail?.split(separator: ":").last.map { ": \($0)" } ?? ""),
            remedy:
                "check that the broker speaks TLS at this port, and mqtt.ca or mqtt.fingerprint; the host in mqtt.url must be in its certificate"
        )
    }

    /// The connection has ended.
    ///
    /// - Parameters:
    ///   - end: Why.
    ///   - detail: What OpenSSL has said.
    ///   - wasConnected: Whether the broker had accepted it.
    static func ended(
        _ address: BrokerAddress, _ end: BrokerEnd, detail: String?, wasConnected: Bool
    ) -> BrokerFault {
        switch end.code {
        case Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue):
            return BrokerFault(
                description: "another board with the same topic has connected to \(address)",
                remedy: "give each board its own mqtt.topic")
        case MOSQ_ERR_PROTOCOL.rawValue, MOSQ_ERR_MALFORMED_PACKET.rawValue:
            return BrokerFault(
                description: "\(address) sent something that is not MQTT",
                remedy: "check host and port in mqtt.url: another program may answer there", mayBeOfVersion: true)
        case MOSQ_ERR_TLS.rawValue where !wasConnected,
            MOSQ_ERR_ERRNO.rawValue where !wasConnected && end.system == EPROTO:
            return unproven(address, detail)
        case MOSQ_ERR_KEEPALIVE.rawValue:
            return BrokerFault(
                description: "\(address) no longer answers",
                remedy: "check that the broker runs, and the network", isPassing: true)
        default:
            return BrokerFault(
                description: "\(address) has ended the connection: \(text(end))",
                remedy: "see the broker's log, and check mqtt.url", isPassing: true, mayBeOfVersion: true)
        }
    }

    /// The broker has refused the connection with a reason code of MQTT 5, or a return code of MQTT 3.1.1.
    static func refused(_ address: BrokerAddress, _ code: Int32) -> BrokerFault {
        switch code {
        case 1, Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue):
            BrokerFault(
                description: "\(address) speaks no version of MQTT that Waymark knows",
                remedy: "use a broker of MQTT 3.1.1 or 5", mayBeOfVersion: true)
        case 4, 5, Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), Int32(MQTT_RC_NOT_AUTHORIZED.rawValue):
            BrokerFault(
                description: "\(address) refuses the user or the password",
                remedy: "check mqtt.user and the password in mqtt.password-file")
        case 2, Int32(MQTT_RC_CLIENTID_NOT_VALID.rawValue):
            BrokerFault(
                description: "\(address) refuses the board's name",
                remedy: "use another mqtt.topic, of which it is made")
        default:
            BrokerFault(
                description: "\(address) refuses the connection: reason \(code)", remedy: "see the broker's log")
        }
    }

    /// The broker does not take messages to a topic.
    static func forbidden(_ address: BrokerAddress, _ reason: Int32) -> BrokerFault {
        BrokerFault(
            description: "\(address) refuses messages of this board: reason \(reason)",
            remedy:
                "allow the board's user to write below mqtt.topic and mqtt.homeassistant, in the broker's access list")
    }

    /// The words of libmosquitto for a result, or those of the system if it is the system's error.
    private static func text(_ end: BrokerEnd) -> String {
        if end.code == MOSQ_ERR_SUCCESS.rawValue { return "it gives no reason" }
        if end.code == MOSQ_ERR_ERRNO.rawValue { return POSIXErrorText(end.system).description }
        // The function returns a constant text, or NULL if the library is missing.
        guard let text = unsafe mosquitto_strerror(end.code) else { return "error \(end.code)" }
        return unsafe String(cString: text).lowercased().trimmingCharacters(in: CharacterSet(charactersIn: ". "))
    }
}

/// The words of the system for an error.
private struct POSIXErrorText: CustomStringConvertible {
    let description: String

    init(_ number: Int32) {
        switch number {
        case ECONNREFUSED: description = "nothing listens there"
        case ETIMEDOUT: description = "it does not answer"
        case EHOSTUNREACH, ENETUNREACH: description = "there is no way to it"
        default:
            description =
                POSIXErrorCode(rawValue: number).map { "\(POSIXError($0).localizedDescription)" } ?? "error \(number)"
        }
    }
}

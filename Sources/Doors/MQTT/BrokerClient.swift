internal import CMosquitto
import Foundation

/// A client of libmosquitto, which only one thread uses at a time.
final class BrokerClient: Sendable {
    /// The address of its `struct mosquitto`, which lives as long as this object.
    private let address: UInt
    /// The receiver of its callbacks, which this object keeps alive.
    private let observer: BrokerObserver
    private let broker: BrokerAddress
    private let version: BrokerConnection.Version
    /// Whether the broker keeps the subscriptions, and what comes by them, between two connections.
    private let keepsSession: Bool
    /// The address of the fingerprint that the broker's certificate must have.
    private let fingerprint: UInt

    /// The seconds of silence after which the broker is asked whether it is there.
    ///
    /// After one and a half of them a broker takes the board for gone.
    private static let keepAlive: Int32 = 30

    /// Whether the library is there.
    static let isLoaded = mosquittoLoad()

    private var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }
    private var trusted: UnsafeMutablePointer<MosquittoFingerprint>? {
        unsafe UnsafeMutablePointer(bitPattern: fingerprint)
    }

    /// Creates a client without a connection.
    ///
    /// - Parameter longest: The longest message of a board, in bytes.
    /// - Throws: ``BrokerFault`` if the library is missing, or the settings cannot be used.
    init(
        to settings: MQTTSettings, as name: String, password: [UInt8]?, will: BrokerConnection.Will,
        version: BrokerConnection.Version, longest: Int, reporter: AsyncStream<BrokerSignal>.Continuation,
        inbox: BrokerInbox
    ) throws(BrokerFault) {
        guard Self.isLoaded else { throw .noLibrary }
        observer = BrokerObserver(reporter, inbox, boards: settings.boards.flatMap(BoardTopics.init), longest: longest)
        broker = settings.broker
        // What phones and boards publish meanwhile waits at the broker.
        keepsSession = settings.phones != nil || settings.boards != nil
        self.version = version
        guard let client = unsafe mosquitto_new(name, !keepsSession, Unmanaged.passUnretained(observer).toOpaque())
        else {
            throw .noLibrary
        }
        address = UInt(bitPattern: client)
        let place = UnsafeMutablePointer<MosquittoFingerprint>.allocate(capacity: 1)
        unsafe place.initialize(to: MosquittoFingerprint())
        fingerprint = UInt(bitPattern: place)
        unsafe mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version.rawValue)
        unsafe mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        unsafe will.payload.withUnsafeBytes { bytes in
            _ = unsafe mosquitto_will_set(client, will.topic, Int32(clamping: bytes.count), bytes.baseAddress, 1, true)
        }
        if let user = settings.user {
            let secret = password.map { String(decoding: $0, as: UTF8.self) }
            unsafe mosquitto_username_pw_set(client, user, secret)
        }
        unsafe BrokerObserver.observe(client)
        // After a failure, deinit frees what there is.
        if settings.broker.isSecure { try unsafe Self.secure(client, settings, place) }
    }

    deinit {
        // Nobody else has the client any more. It calls nothing after it is destroyed.
        if let pointer = unsafe pointer { unsafe mosquitto_destroy(pointer) }
        unsafe trusted?.deallocate()
    }

    private static func secure(
        _ client: OpaquePointer, _ settings: MQTTSettings, _ place: UnsafeMutablePointer<MosquittoFingerprint>
    ) throws(BrokerFault) {
        if let fingerprint = settings.fingerprint {
            unsafe withUnsafeMutableBytes(of: &place.pointee.bytes) { bytes in
                for (index, byte) in fingerprint.prefix(bytes.count).enumerated() { unsafe bytes[index] = byte }
            }
            guard unsafe mosquittoTrust(client, place) else { throw .unusable("the fingerprint") }
            return
        }
        let isSet =
            if let authority = settings.authority {
                unsafe mosquitto_tls_set(client, authority, nil, nil, nil, nil) == MOSQ_ERR_SUCCESS.rawValue
            } else {
                unsafe mosquitto_tls_set(client, nil, "/etc/ssl/certs", nil, nil, nil) == MOSQ_ERR_SUCCESS.rawValue
            }
        // The default of old versions of the library allows TLS 1.1.
        guard isSet, unsafe mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil) == MOSQ_ERR_SUCCESS.rawValue else {
            throw .unusable(settings.authority.map { "the file \($0)" } ?? "the system's list of authorities")
        }
    }
}

// MARK: The connection

extension BrokerClient {
    /// Whether the broker has taken the connection.
    var isAccepted: Bool { observer.isAccepted }
    /// The longest silence after which ``keepAlive()`` is due.
    var silence: Duration { .seconds(min(Self.keepAlive, observer.keepAlive ?? Self.keepAlive)) }
    /// The socket; negative without a connection.
    var socket: Int32 { unsafe mosquitto_socket(pointer) }
    /// Whether there is a connection that has not ended.
    var isOpen: Bool { !observer.hasEnded && socket >= 0 }
    /// Whether something waits until the broker takes it.
    var wantsToWrite: Bool { unsafe mosquitto_want_write(pointer) }

    /// Opens the connection, which may wait; returns whether there is one, and reports the failure otherwise.
    func connect() -> Bool {
        var properties: OpaquePointer?
        if keepsSession, version == .mqtt5 {
            unsafe mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), .max)
        }
        // The library copies the properties.
        defer { unsafe mosquitto_property_free_all(&properties) }
        errno = 0
        let code = unsafe mosquitto_connect_bind_v5(
            pointer, broker.host, Int32(broker.port), Self.keepAlive, nil, properties)
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            observer.fail(BrokerEnd(code: code, system: errno))
            return false
        }
        // From now on, what is published waits until the loop writes it. Before, the library itself begins TLS.
        unsafe mosquitto_threaded_set(pointer, true)
        return true
    }

    /// Hands the library what to send; it is written later.
    func carryOut(_ order: BrokerOrders.Order) {
        switch order {
        case .publish(let message):
            var number: Int32 = 0
            let code = unsafe message.payload.withUnsafeBytes { bytes in
                unsafe mosquitto_publish(
                    pointer, &number, message.topic, Int32(clamping: bytes.count), bytes.baseAddress, message.qos,
                    message.isRetained)
            }
            switch code {
            case MOSQ_ERR_SUCCESS.rawValue: if message.qos > 0 { observer.await(number, of: message.number) }
            case MOSQ_ERR_INVAL.rawValue, MOSQ_ERR_PAYLOAD_SIZE.rawValue, MOSQ_ERR_MALFORMED_UTF8.rawValue,
                MOSQ_ERR_OVERSIZE_PACKET.rawValue, MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue:
                if message.qos > 0 { observer.tell(.unsendable(number: message.number)) }
            default: end(BrokerEnd(code: code, system: errno))
            }
        case .subscribe(let topic, let onlyRetained, let qos):
            unsafe mosquitto_subscribe(pointer, nil, topic, qos)
            // A broker sends what is retained before it takes this.
            if onlyRetained { unsafe mosquitto_unsubscribe(pointer, nil, topic) }
        }
    }

    /// Reads what has come.
    func read() { serve { unsafe mosquitto_loop_read(pointer, 1) } }

    /// Writes what waits.
    func write() { serve { unsafe mosquitto_loop_write(pointer, 1) } }

    /// Asks the broker whether it is there, if that is due, and ends the connection if it has not answered.
    func keepAlive() { serve { unsafe mosquitto_loop_misc(pointer) } }

    /// Lets the library say farewell after what waits, and then close the connection.
    func disconnect() { unsafe mosquitto_disconnect(pointer) }

    /// Reports an end of the connection, if none has been reported.
    func end(_ end: BrokerEnd) { observer.end(end) }

    private func serve(_ work: () -> Int32) {
        guard isOpen else { return }
        let code = work()
        if code != MOSQ_ERR_SUCCESS.rawValue || socket < 0 { end(BrokerEnd(code: code, system: errno)) }
    }
}

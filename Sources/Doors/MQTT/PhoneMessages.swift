import Deadlines

/// Takes what phones publish to the broker.
public protocol PhoneMessages: Sendable {
    /// Takes a message, and returns once it is on the disk.
    ///
    /// - Parameter device: The name of the device that its topic tells.
    /// - Returns: Whether there is a device of this name that may report.
    /// - Throws: If it cannot be written now; the broker keeps it and sends it again.
    func receive(_ payload: [UInt8], of device: String) async throws -> Bool
}

extension MQTTPublisher {
    /// The times that a message is tried before the connection ends.
    private static let mostTries = 15

    /// Subscribes to what phones publish.
    func subscribeToPhones(_ link: BrokerConnection) {
        for filter in phones?.filters ?? [] { link.subscribe(to: filter, onlyRetained: false, qos: 1) }
    }

    /// Takes a message of a phone, and waits while it cannot be written.
    ///
    /// - Returns: `false` if it could not be written for a while, so that the broker must send it again.
    func receiveFromPhone(_ payload: [UInt8], of device: String) async -> Bool {
        guard let receiver else { return true }
        for attempt in 1...Self.mostTries {
            do {
                let isKnown = try await receiver.receive(payload, of: device)
                notePhone(isKnown: isKnown)
                return true
            } catch {
                guard !Task.isCancelled, attempt < Self.mostTries else { return false }
                try? await Task.sleep(for: clocks.retry, clock: .deadlines)
            }
        }
        return false
    }
}

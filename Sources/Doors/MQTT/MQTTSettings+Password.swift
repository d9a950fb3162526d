import Foundation

extension MQTTSettings {
    /// Reads the password, which is the first line of its file; `nil` if there is no file.
    ///
    /// - Throws: ``BrokerFault`` if the file cannot be read.
    func password() throws(BrokerFault) -> [UInt8]? {
        guard let path = passwordFile else { return nil }
        do {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            return Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D })
        } catch {
            throw .unreadable(path, error.localizedDescription)
        }
    }
}

import Foundation
import Store

/// A file that holds a secret, such as a credential of the service's unit.
public struct SecretFile: Hashable, Sendable {
    /// The path as it is configured: absolute, or the name of a credential.
    public let path: String
    /// The longest secret, in bytes.
    public static let longest = 4_096

    /// Creates a file from its path; one that is not absolute is in the folder of the unit's credentials.
    public init(_ path: String) { self.path = path }

    /// Reads the secret, without the white space around it.
    ///
    /// - Throws: ``WebFailure`` if the file cannot be read, is empty or too long.
    public func read() throws(WebFailure) -> [UInt8] {
        var place = path
        if !path.hasPrefix("/") {
            guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] else {
                throw WebFailure("has no secret: the service has no credential \(path) (LoadCredential=)")
            }
            place = "\(folder)/\(path)"
        }
        let bytes: [UInt8]
        do throws(FileCalls.Failure) {
            bytes = try FileCalls().read(
                FileCalls().open(place, links: .followed), from: 0, count: Self.longest + 1)
        } catch {
            throw WebFailure("has no secret: \(place) cannot be read: \(error)")
        }
        let secret = bytes.drop { $0 <= 0x20 }
        let end = secret.lastIndex { $0 > 0x20 }
        guard let end, bytes.count <= Self.longest else {
            throw WebFailure("has no secret: \(place) is empty or longer than \(Self.longest) bytes")
        }
        return Array(secret[...end])
    }
}

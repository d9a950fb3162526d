import Crypto
import Foundation
import Service
import WebClient

/// What a browser tells for the encryption of its messages: a public key on the curve P-256, and a secret.
struct BrowserKeys: Sendable {
    /// The public key.
    let key: P256.KeyAgreement.PublicKey
    /// The secret, 16 bytes.
    let secret: [UInt8]

    /// The length of the secret, in bytes (RFC 8291, section 3.2).
    static let secretLength = 16

    /// Reads the keys; `nil` if the key is no point of the curve, or the secret has another length.
    init?(key: [UInt8], secret: [UInt8]) {
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: key),
            secret.count == Self.secretLength
        else { return nil }
        self.key = key
        self.secret = secret
    }

    /// Encrypts a text for the browser (RFC 8291), of at most ``EncryptedContent/longestText`` bytes.
    ///
    /// - Parameters:
    ///   - sender: A key pair that is used for this message alone.
    ///   - salt: 16 random bytes.
    /// - Throws: ``WebFailure`` if the text is too long.
    func encrypt(
        _ text: [UInt8], by sender: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(),
        salt: [UInt8] = Secret.random(EncryptedContent.saltLength)
    ) throws(WebFailure) -> [UInt8] {
        let own = Array(sender.publicKey.x963Representation)
        let shared: SharedSecret
        do {
            shared = try sender.sharedSecretFromKeyAgreement(with: key)
        } catch {
            throw WebFailure("cannot be encrypted (\(error))")
        }
        let keying = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret,
            sharedInfo: Array("WebPush: info".utf8) + [0] + Array(key.x963Representation) + own, outputByteCount: 32)
        return try EncryptedContent.encrypt(text, keying: keying, keyName: own, salt: salt)
    }
}

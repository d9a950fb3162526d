import Crypto
import Foundation
import WebClient

/// Content in the coding `aes128gcm` (RFC 8188), in one record.
enum EncryptedContent {
    /// The size of the record that the header names, which every browser accepts (RFC 8291, section 4).
    static let recordSize: UInt32 = 4_096
    /// The length of a salt, in bytes.
    static let saltLength = 16
    /// The most bytes of the header: the salt, the size of a record, and the length and bytes of a key of 65 bytes.
    private static let longestHeader = saltLength + 4 + 1 + 65
    /// The most bytes that fit beside the header, the delimiter and the tag.
    static let longestText = Int(recordSize) - longestHeader - 1 - 16

    /// Encrypts a text of at most ``longestText`` bytes.
    ///
    /// - Parameters:
    ///   - keying: The material from which the key and the nonce are derived.
    ///   - keyName: The name of that material, which the header carries.
    ///   - salt: 16 random bytes, used only once.
    /// - Throws: ``WebFailure`` if the text is too long.
    static func encrypt(
        _ text: [UInt8], keying: SymmetricKey, keyName: [UInt8], salt: [UInt8]
    ) throws(WebFailure) -> [UInt8] {
        guard text.count <= longestText, let nameLength = UInt8(exactly: keyName.count), salt.count == saltLength else {
            throw WebFailure("cannot be encrypted, because it is too long")
        }
        func derived(_ use: String, _ length: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: keying, salt: salt, info: Array("Content-Encoding: \(use)".utf8) + [0],
                outputByteCount: length)
        }
        let (key, nonce) = (derived("aes128gcm", 16), derived("nonce", 12))
        do {
            // The number of the first record is 0, so that its nonce is the derived one.
            let start = try AES.GCM.Nonce(data: nonce.bytes)
            // The delimiter 2 ends the last record.
            let sealed = try AES.GCM.seal(text + [2], using: key, nonce: start)
            let size = (0..<4).map { UInt8(truncatingIfNeeded: recordSize >> (24 - 8 * $0)) }
            return salt + size + [nameLength] + keyName + Array(sealed.ciphertext) + Array(sealed.tag)
        } catch {
            throw WebFailure("cannot be encrypted (\(error))")
        }
    }
}

extension SymmetricKey {
    /// The bytes of the key.
    var bytes: [UInt8] {
        // The bytes are copied while the buffer is valid.
        unsafe withUnsafeBytes { unsafe Array($0) }
    }
}

import Crypto
import FeatureSupport
import Foundation
import TestSupport
import Testing

@testable import Service

/// The engine's own SHA-256 against that of swift-crypto.
@Suite struct SecretDigestTests {
    /// Each length up to a few blocks, so that the padding ends at each place of a block, and some long ones.
    @Test func digestsEqualThoseOfSwiftCrypto() {
        var generator = SeededGenerator(seed: 256)
        for length in Array(0...300) + [1_000, 4_095, 4_096, 4_097, 65_537] {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Secret.digest(bytes) == Data(SHA256.hash(data: bytes)), "\(length) bytes")
            #expect(Secret.digest(bytes).hexadecimal == SHA256.hash(data: bytes).hexadecimal)
        }
    }
}

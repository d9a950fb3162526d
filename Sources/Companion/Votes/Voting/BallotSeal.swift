import Crypto
import Foundation
import Service

/// A cipher that seals choices with the key of their vote, each with its own nonce.
///
/// The table of ballots therefore shows no choice, equal choices look different, and SQL cannot count them. A choice
/// that was moved to another ballot, or written without the key, cannot be opened. The key is in the same file, because
/// the daemon counts ballots unattended. Anyone who has the whole file and this program can open the ballots.
struct BallotSeal {
    private let key: SymmetricKey

    init(_ key: Data) { self.key = SymmetricKey(data: key) }

    /// Returns a new random key.
    static func makeKey() -> Data { Data(Secret.random(32)) }

    /// Seals the number of an option.
    ///
    /// All sealed choices have the same length.
    func seal(_ option: Int, vote: Int64, person: Int64) throws -> Data {
        let text = [UInt8(truncatingIfNeeded: option >> 8), UInt8(truncatingIfNeeded: option)]
        return try ChaChaPoly.seal(text, using: key, authenticating: Self.whose(vote, person)).combined
    }

    /// Returns the number of the option in a sealed choice; `nil` if it was not sealed for this ballot.
    func open(_ sealed: Data, vote: Int64, person: Int64) -> Int? {
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed),
            let text = try? ChaChaPoly.open(box, using: key, authenticating: Self.whose(vote, person)), text.count == 2
        else { return nil }
        return text.reduce(0) { $0 << 8 | Int($1) }
    }

    private static func whose(_ vote: Int64, _ person: Int64) -> Data { Data("\(vote)/\(person)".utf8) }
}

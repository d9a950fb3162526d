import Crypto
import Foundation
import Service

/// Seals what people choose with the key of their vote, each with a nonce of its own.
///
/// So the table of ballots shows no choice, two ballots that say the same look different, SQL cannot add them up, and a
/// choice that was moved to another ballot, or written without the key, opens to nothing. The key stands in the same
/// file, for the daemon has to count when nobody is there: whoever has the whole file and this program can open them.
struct BallotSeal {
    private let key: SymmetricKey

    init(_ key: Data) { self.key = SymmetricKey(data: key) }

    /// A new key.
    static func makeKey() -> Data { Data(Secret.random(32)) }

    /// Seals the number of an option; each ballot is as long as any other.
    func seal(_ option: Int, vote: Int64, person: Int64) throws -> Data {
        let text = [UInt8(truncatingIfNeeded: option >> 8), UInt8(truncatingIfNeeded: option)]
        return try ChaChaPoly.seal(text, using: key, authenticating: Self.whose(vote, person)).combined
    }

    /// The number of the option that was sealed; nil where it is not what was sealed for that ballot.
    func open(_ sealed: Data, vote: Int64, person: Int64) -> Int? {
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed),
            let text = try? ChaChaPoly.open(box, using: key, authenticating: Self.whose(vote, person)), text.count == 2
        else { return nil }
        return text.reduce(0) { $0 << 8 | Int($1) }
    }

    private static func whose(_ vote: Int64, _ person: Int64) -> Data { Data("\(vote)/\(person)".utf8) }
}

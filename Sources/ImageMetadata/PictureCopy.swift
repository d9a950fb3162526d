package import Foundation

/// How the file that others get of a picture is put together.
///
/// It has parts of the file that was uploaded that are known to be the picture, and bytes of our own. What is not known
/// to be the picture is in neither.
package struct PictureCopy: Hashable, Sendable {
    /// What comes next in it.
    package enum Piece: Hashable, Sendable {
        /// Bytes of the file that was uploaded.
        case part(Range<Int>)
        /// Bytes of our own.
        case bytes([UInt8])

        package var count: Int {
            switch self {
            case .part(let range): range.count
            case .bytes(let bytes): bytes.count
            }
        }
    }

    /// In their order; none is empty, and no part goes on where the one before it ended.
    package private(set) var pieces: [Piece] = []
    /// How many bytes it has.
    package private(set) var count = 0

    /// So many pieces it may have: those of cameras have ten.
    static let mostPieces = 1000

    /// Adds a part of the file.
    package mutating func add(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        count += range.count
        if case .part(let last) = pieces.last, last.upperBound == range.lowerBound {
            pieces[pieces.count - 1] = .part(last.lowerBound..<range.upperBound)
        } else {
            pieces.append(.part(range))
        }
    }

    /// Adds bytes of our own.
    package mutating func add(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        if case .bytes(let last) = pieces.last {
            pieces[pieces.count - 1] = .bytes(last + bytes)
        } else {
            pieces.append(.bytes(bytes))
        }
    }

    /// Adds another after it.
    package mutating func add(_ other: PictureCopy) {
        for piece in other.pieces {
            switch piece {
            case .part(let range): add(range)
            case .bytes(let bytes): add(bytes)
            }
        }
    }

    /// All its bytes, of a file that was uploaded.
    package func bytes(of file: [UInt8]) -> [UInt8] { read(from: 0, count: count) { Array(file[$0]) } }

    /// Its bytes from an offset on, as many as there are.
    ///
    /// - Parameter source: gives bytes of the file that was uploaded.
    package func read<Failure: Error>(
        from offset: Int, count: Int, _ source: (Range<Int>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        var result: [UInt8] = []
        // Where the piece begins in the whole.
        var place = 0
        for piece in pieces {
            let low = max(0, offset - place)
            let high = min(piece.count, offset + count - place)
            place += piece.count
            guard low < high else { continue }
            switch piece {
            case .part(let range): result += try source(range.lowerBound + low..<range.lowerBound + high)
            case .bytes(let bytes): result += bytes[low..<high]
            }
        }
        return result
    }
}

extension PictureCopy {
    /// It as it is stored, for each piece two numbers of four bytes, the least first: the bounds of a part; or those of
    /// nothing, 2³² − 1, and how many bytes of our own follow.
    package var encoded: [UInt8] {
        var result: [UInt8] = []
        func add(_ value: Int) {
            for shift in [0, 8, 16, 24] { result.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        for piece in pieces {
            switch piece {
            case .part(let range):
                add(range.lowerBound)
                add(range.upperBound)
            case .bytes(let bytes):
                add(Self.own)
                add(bytes.count)
                result += bytes
            }
        }
        return result
    }

    private static let own = 0xFFFF_FFFF

    /// Reads what ``encoded`` gave for a file of so many bytes; nil where it is damaged.
    package init?(encoded: Data, of size: Int) {
        let bytes = PictureBytes(encoded)
        var offset = 0
        while offset < bytes.count {
            guard let first = bytes.number(at: offset, width: 4, isLittleEndian: true),
                let second = bytes.number(at: offset + 4, width: 4, isLittleEndian: true)
            else { return nil }
            offset += 8
            if first == Self.own {
                guard let own = bytes.bytes(offset..<offset + second) else { return nil }
                add(own)
                offset += second
            } else {
                guard first <= second, second <= size else { return nil }
                add(first..<second)
            }
        }
    }
}

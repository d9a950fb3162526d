extension Span<UInt8> {
    /// Returns the eight bytes from an index on, with zeros beyond the end.
    @inline(__always)
    func word(at index: Int) -> ByteWord {
        guard index >= 0, index <= count &- ByteWord.count else { return lastWord(at: index) }
        return wholeWord(at: index)
    }

    /// Returns the sixteen bytes from an index on; `nil` if there are fewer.
    @inline(__always)
    func wordPair(at index: Int) -> (ByteWord, ByteWord)? {
        guard index >= 0, index <= count &- 2 &* ByteWord.count else { return nil }
        return (wholeWord(at: index), wholeWord(at: index &+ ByteWord.count))
    }

    /// Returns the places of the commas among the 64 bytes from an index on, one bit each, that lie before an end.
    ///
    /// All bytes before that end must be ASCII.
    @inline(__always)
    func commas(at index: Int, before end: Int) -> UInt64 {
        guard index >= 0, index &+ 64 <= end, end <= count else {
            var commas: UInt64 = 0
            var place = index
            while place < end {
                commas |= word(at: place).commas &<< UInt64(truncatingIfNeeded: place &- index)
                place &+= ByteWord.count
            }
            return commas & (1 &<< UInt64(truncatingIfNeeded: end &- index) &- 1)
        }
        let low =
            wholeWord(at: index).commas | wholeWord(at: index &+ 8).commas &<< 8
            | wholeWord(at: index &+ 16).commas &<< 16 | wholeWord(at: index &+ 24).commas &<< 24
        let high =
            wholeWord(at: index &+ 32).commas &<< 32 | wholeWord(at: index &+ 40).commas &<< 40
            | wholeWord(at: index &+ 48).commas &<< 48 | wholeWord(at: index &+ 56).commas &<< 56
        return low | high
    }

    /// Returns the eight bytes from an index on, which the caller has checked to lie in the span.
    @inline(__always)
    private func wholeWord(at index: Int) -> ByteWord {
        // Each caller compares the index with 0 and with the count less eight or more. Any eight bytes are a number, and
        // the load needs no alignment.
        ByteWord(bits: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self).littleEndian)
    }

    /// Returns the same as ``word(at:)`` if that reaches beyond the end.
    ///
    /// It is rare, and would only be in the way where the others are inlined.
    @inline(never)
    private func lastWord(at index: Int) -> ByteWord {
        guard index >= 0, index < count else { return ByteWord(bits: 0) }
        if count >= ByteWord.count {
            let missing = index &- (count &- ByteWord.count)
            let last = wholeWord(at: count &- ByteWord.count)
            return ByteWord(bits: last.bits &>> UInt64(truncatingIfNeeded: 8 &* missing))
        }
        var bits: UInt64 = 0
        for place in indices.reversed() where place >= index { bits = bits &<< 8 | UInt64(self[place]) }
        return ByteWord(bits: bits)
    }
}

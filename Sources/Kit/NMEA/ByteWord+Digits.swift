extension ByteWord {
    /// Returns the value of the first `length` bytes as decimal digits; `nil` if one of them is none.
    ///
    /// `length` must be from 1 to 8.
    @inline(__always)
    func integer(_ length: Int) -> Int? {
        // Leading zeros take the place of the bytes that do not belong to it.
        Self.value((bits ^ Self.all(0x30)) &<< UInt64(truncatingIfNeeded: 8 &* (Self.count &- length)))
    }

    /// Returns the value of the first `length` bytes as the decimals of a number, in units of the eighth decimal; `nil`
    /// if one of them is no digit.
    ///
    /// `length` must be from 1 to 8.
    @inline(__always)
    func decimals(_ length: Int) -> Int? {
        Self.value((bits ^ Self.all(0x30)) & ~0 &>> UInt64(truncatingIfNeeded: 8 &* (Self.count &- length)))
    }

    /// Returns the value of eight decimal digits, the first of which is in the lowest bits; `nil` if one is above 9.
    @inline(__always)
    private static func value(_ digits: UInt64) -> Int? {
        guard (digits | (digits &+ all(0x80 - 10))) & topBits == 0 else { return nil }
        // Neighbours are put together: to four numbers of two digits, then two of four digits, then one.
        let pairs = digits &* 10 &+ digits &>> 8
        let upper = (pairs & 0x0000_00FF_0000_00FF) &* (100 | 1_000_000 << 32)
        let lower = (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* (1 | 10_000 << 32)
        return Int(truncatingIfNeeded: (upper &+ lower) &>> 32)
    }

    /// Returns the numbers of two digits that the first six bytes are; `nil` if one of them is no digit.
    @inline(__always)
    var threePairs: (Int, Int, Int)? {
        let digits = (bits ^ Self.all(0x30)) & 0x0000_FFFF_FFFF_FFFF
        guard (digits | (digits &+ Self.all(0x80 - 10))) & Self.topBits == 0 else { return nil }
        let pairs = digits &* 10 &+ digits &>> 8
        return (
            Int(truncatingIfNeeded: pairs & 0xFF), Int(truncatingIfNeeded: pairs &>> 16 & 0xFF),
            Int(truncatingIfNeeded: pairs &>> 32 & 0xFF)
        )
    }
}

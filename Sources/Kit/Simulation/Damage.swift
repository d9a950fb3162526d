/// Recordings that are damaged on purpose.
enum Damage {
    /// Returns a GPX document that ends in the middle of an attribute, after `points` complete points.
    static func cut(_ document: String, afterPoints points: Int) -> [UInt8] {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        let pointLines = lines.indices.filter { lines[$0].hasPrefix("<trkpt ") }
        let kept = lines[..<pointLines[points]].joined(separator: "\n")
        return Array("\(kept)\n\(lines[pointLines[points]].prefix(21))".utf8)
    }

    /// Returns a log with regular damage: each kind in turn, with an intact epoch in between.
    ///
    /// The log must have two sentences per epoch, GGA and RMC, so it begins with a GGA.
    static func spoil(_ log: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, sentence) in log.split(separator: "\r\n").enumerated() {
            let whole = Array(sentence.utf8)
            // The stride is odd, so that it hits both kinds of sentences.
            let kind = index % stride == stride - 1 ? index / stride % kinds : kinds
            switch kind {
            case 0: bytes += whole.dropLast(2) + Array("00".utf8)  // a wrong checksum, except in one of 256 cases
            case 1: bytes += whole.prefix(whole.count / 2)  // cut short, every second time without its line end
            case 2: bytes += whole + [0x0D, 0x0A, 0xFF, 0x00, 0x80, 0xC3, 0x28] + Array("rubbish".utf8)
            case 3: bytes += whole.prefix(20) + whole  // the beginning repeated
            case 4: bytes += Array(repeating: UInt8(ascii: "$"), count: 3) + whole.dropFirst()
            case 5: bytes += Array("$GPXXX,".utf8) + Array(repeating: UInt8(ascii: "7"), count: 5000)  // far too long
            case 6:
                bytes += Array(NMEAText.line("GPRMC,996199.00,A,9952.0,N,00453.0,E,1.0,,000026,,,A").utf8.dropLast(2))
            case 7: bytes += whole.map { $0 ^ ($0 == UInt8(ascii: ".") ? 0x04 : 0) }  // flipped bits
            case 8: bytes += Array("!AIVDM,1,1,,A,13aG?P0P00PD;88MD5MTDww@2D7k,0*45".utf8)  // from an AIS receiver
            default: bytes += whole
            }
            bytes += kind == 1 && index % 2 == 0 ? [] : [0x0D, 0x0A]
        }
        return bytes.dropLast(31)
    }

    private static let stride = 7
    private static let kinds = 9
}

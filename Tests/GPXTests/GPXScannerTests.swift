import Foundation
import Positioning
import TestSupport
import Testing

@testable import GPX

@Suite struct GPXScannerTests {
    /// Many small blocks, in which each kind of markup is split somewhere, and one large one.
    private static let blockSizes = [180, 211, 256, 301, 512, 1000, 65_536]

    private static func expectSame(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        expectSame(Array(text.utf8), sourceLocation: sourceLocation)
    }

    private static func expectSame(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        for (one, other) in Outcome.differences(bytes, blockSizes: blockSizes) {
            Issue.record(
                """
                scanner: \(String(describing: one.failure)), \(one.items.count) items, \(one.fixes.count) fixes
                libxml2: \(String(describing: other.failure)), \(other.items.count) items, \(other.fixes.count) fixes
                document: \(String(decoding: bytes.prefix(3000), as: UTF8.self))
                """, sourceLocation: sourceLocation)
            return
        }
    }

    /// Returns points, each on its own line.
    private static func points(_ count: Int, from first: Int = 0) -> String {
        (first..<first + count).map { number in
            """
            <trkpt lat="52.\(1_000_000 + number)" lon="-4.\(2_000_000 + number)"><ele>\(number).5</ele>\
            <time>2026-05-01T10:00:\(10 + number % 50)Z</time><hdop>0.9</hdop><extensions><g:TrackPointExtension>\
            <g:speed>1.\(number)</g:speed><g:hr>97</g:hr></g:TrackPointExtension></extensions></trkpt>

            """
        }.joined()
    }

    private static func document(
        _ points: String, declaration: String = "<?xml version='1.0' encoding='UTF-8'?>\n"
    ) -> String {
        """
        \(declaration)<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="http://g.com">
        <trk><name>N</name><trkseg>
        \(points)</trkseg></trk></gpx>

        """
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='utf-8' standalone='no' ?>\r\n<!-- by hand -->\n", "",
        "\u{FEFF}", "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "\n <!---->",
    ])
    func commonDocumentsAreScannedToTheirEnd(declaration: String) throws {
        let text = Self.document(Self.points(40), declaration: declaration)
        let read = Outcome(Array(text.utf8), .fixes, scans: true, blockSize: 700)
        #expect(read.isScanned)
        #expect(read.fixes.count == 40)
        #expect(read.failure == nil)
        Self.expectSame(text)
    }

    @Test(arguments: [
        "<name>a &amp; b &#228;&#x1F600; &lt;&gt;&quot;&apos;</name>", "<name>é中🏔</name>",
        "<desc>a\r\nb\rc]] ]> \t</desc>",
        "<cmt><![CDATA[<b> & ]] é]]> and <![CDATA[]]>more</cmt>", "<name>a<b>c</b>d</name>", "<!-- - comment é -->",
        "<extensions><h:a xmlns:h='urn:h' h:b='1' c=\"&amp;'\"><speed>4</speed></h:a></extensions>", "<name/>",
        "<ele/>",
        "<extensions><course xmlns='http://h.org/x_-.y'>7</course></extensions>", "<ele >7</ele\n>", "<sat>x</sat>",
        "<name></name><name>second</name>", "<a-b.c_1 d-e.f_2 = '3'></a-b.c_1>", "<type>walk</type>text]",
    ])
    func elementsAreScannedAsLibxml2ReadsThem(inside: String) {
        let point = "<trkpt lat='1' lon='2'>\(inside)<time>2026-05-01T10:00:00Z</time></trkpt>"
        let text = Self.document(Self.points(3) + point + "\n" + point + Self.points(3))
        let read = Outcome(Array(text.utf8), .items, scans: true, blockSize: 400)
        #expect(read.isScanned)
        Self.expectSame(text)
    }

    @Test(arguments: [
        "<name>&nbsp;</name>", "<name>a & b</name>", "<name>&#0;</name>", "<name>&#xD800;</name>",
        "<name>&#55;&#;</name>",
        "<name>]]></name>", "<name>\u{1}</name>", "<name>\u{FFFE}</name>", "<!-- -- -->", "<!-- x --->", "<?pi x?>",
        "<!DOCTYPE gpx>", "<?xml version='1.0'?>", "<u:x/>", "<x u:y='1'/>", "<x y='1' y='2'/>", "<x y='<'/>",
        "<x y=1/>",
        "<x y/>", "<x y='1'z='2'/>", "<x>", "</x>", "<x / >", "< x/>", "<x:y:z/>", "<x xmlns='no uri'/>",
        "<x xmlns:q=''/>",
        "<x xmlns='rel'/>", "<x xmlns:xml='urn:x'/>", "<x xml:lang='en'/>",
        "<x xmlns:a='urn:a' xmlns:b='urn:a' a:c='' b:c=''/>",
        "<é/>", "<name>\u{E000}</name><1/>", "<trkpt lat='1&#46;5' lon='2'/>", "<trkpt lat='a\nb' lon='2'/>",
        "<trkpt lon='2'/>",
        "<cmt><![CDATA[a\r\nb]]></cmt>", "<![CDATA[x", "<!-- x", "<x y='", "<!x>", "<x xmlns=''><ele>5</ele></x>",
        "<name>&",
        "<x xmlns:h='urn:h'></h:x>", "<trkpt lat='1,5' lon='2,5'/>", "&#13;&amp", "<a:xmlns/>", "<xmlns:a/>",
    ])
    func whatTheScannerLeavesGivesTheSameErrorAnywhere(inside: String) {
        for before in [0, 1, 3, 8] {
            Self.expectSame(Self.document(Self.points(before) + inside + Self.points(6, from: 20)))
            Self.expectSame(
                Self.document(Self.points(before) + "<trkpt lat='1' lon='2'>\(inside)</trkpt>" + Self.points(2)))
        }
    }

    @Test func theEndOfADocumentIsReadTheSame() {
        let whole = Self.document(Self.points(4))
        for tail in [
            "", " \n", "x", "<!-- c -->", "<!-- c", "<a/>", "&amp;", "<?p?>", "<?xml version='1.0'?>", "\r", "<", "<!",
        ] {
            Self.expectSame(whole + tail)
            Self.expectSame("<gpx/>" + tail)
        }
    }

    @Test func everyTruncationIsReadTheSame() {
        let bytes = Array(
            Self.document(
                Self.points(2) + "<!-- é --><trkpt lat='1' lon=\"2\"><name>é&amp;<![CDATA[]é]]></name></trkpt>"
            ).utf8)
        for length in bytes.indices {
            for blockSize in [130, 177, 256] {
                let one = Outcome(Array(bytes[..<length]), .items, scans: true, blockSize: blockSize)
                let other = Outcome(Array(bytes[..<length]), .items, scans: false, blockSize: blockSize)
                #expect(
                    one.agrees(with: other), "\(length) bytes in blocks of \(blockSize): \(one) instead of \(other)")
            }
        }
    }

    @Test func theLimitsOfAnElementAreTheSame() {
        for count in [20, 31, 32, 33, 250, 255, 256, 257] {
            let nested = String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
            Self.expectSame(Self.document(Self.points(5) + "<trkpt lat='1' lon='2'>\(nested)</trkpt>" + Self.points(1)))
            let attributes = (0..<count).map { " a\($0)=''" }.joined()
            Self.expectSame(Self.document(Self.points(5) + "<x\(attributes)/>" + Self.points(1)))
            let namespaces = (0..<count).map { " xmlns:a\($0)='urn:a'" }.joined()
            Self.expectSame(Self.document(Self.points(5) + "<x\(namespaces)/>" + Self.points(1)))
            let names = (0..<count).map { "<name-\($0)/>" }.joined()
            Self.expectSame(Self.document(Self.points(5) + names + Self.points(1) + names))
            Self.expectSame(
                Self.document(Self.points(5) + "<\(String(repeating: "n", count: 4 * count))/>\(Self.points(1))"))
        }
    }

    /// `WAYMARK_TESTS=soak` tries 20,000 documents, from the seed in `WAYMARK_SEED`.
    @Test func madeAndDamagedDocumentsAreReadTheSame() {
        let environment = ProcessInfo.processInfo.environment
        var generator = SeededGenerator(seed: environment["WAYMARK_SEED"].flatMap(UInt64.init) ?? 46)
        for _ in 0..<(environment["WAYMARK_TESTS"] == "soak" ? 20_000 : 400) {
            var maker = DocumentMaker(generator: generator)
            var bytes = Array(maker.document().utf8)
            generator = maker.generator
            let sizes = (0..<3).map { _ in Int.random(in: 100...900, using: &generator) }
            func expectSame() {
                for (one, other) in Outcome.differences(bytes, blockSizes: sizes) {
                    Issue.record(
                        """
                        blocks of \(sizes): scanner \(String(describing: one.failure)), libxml2 \
                        \(String(describing: other.failure)): \(String(decoding: bytes, as: UTF8.self))
                        """)
                    return
                }
            }
            expectSame()
            for _ in 0..<4 {
                let original = bytes
                maker.damage(&bytes)
                expectSame()
                if Bool.random(using: &generator) { bytes = original }
            }
        }
    }
}

/// Makes documents of all that the scanner knows, and damages them.
private struct DocumentMaker {
    var generator: SeededGenerator

    private mutating func one(of choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
    private mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < part }

    mutating func document() -> String {
        let newLine = one(of: ["\n", "\r\n", "", " ", "\n  "])
        var text = one(of: [
            "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "", "\u{FEFF}", "<!-- é -->",
        ])
        text += newLine.trimmingCharacters(in: .whitespaces)
        text += one(of: ["<gpx>", "<gpx version='1.1' creator='c é'>", "<gpx xmlns='urn:g' xmlns:x='urn:x'>"])
        let hasPrefix = text.contains("xmlns:x")
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            text += "\(newLine)<trk>\(chance(0.5) ? "<name>\(words())</name>" : "")<trkseg>\(newLine)"
            for _ in 0..<Int.random(in: 0...9, using: &generator) { text += point(hasPrefix) + newLine }
            text += "</trkseg></trk>"
            if chance(0.3) { text += "<!-- \(words(plain: true)) -->" }
        }
        return text + "</gpx>" + newLine
    }

    private mutating func words(plain: Bool = false) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            text += one(of: ["a", "é", "中文", "🏔", " ", "\n", "\t", "long words between"])
            if !plain { text += one(of: ["&amp;", "&#10;", "&lt;", "]", "\r\n", "<![CDATA[é <]]>", "", "", "<b/>"]) }
        }
        return text
    }

    private mutating func point(_ hasPrefix: Bool) -> String {
        let latitude = one(of: ["52.1234567", "-1.5", "90", "91", " 1 ", "x", "0.00000000001", "+3"])
        let longitude = one(of: ["4.7654321", "-179.9999999", "180", "1e1", "5.5"])
        var text = chance(0.05) ? "<trkpt lat='\(latitude)'" : "<trkpt lat=\"\(latitude)\" lon='\(longitude)'"
        text += one(of: ["", " ", "\n", " a='b&gt;\n'"]) + ">"
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: text += "<ele>\(one(of: ["1", "-2.5", " 3 ", "x", "", "1e99", "123456789.123456789"]))</ele>"
            case 1:
                let time = one(of: ["2026-05-01T10:00:00Z", "2026-05-01T10:00:00.123Z", "now", "2026-05-01 10:00"])
                text += "<time>\(time)</time>"
            case 2: text += "<hdop>\(one(of: ["1.5", "99", "-1"]))</hdop><sat>\(one(of: ["7", "1000", "7.5"]))</sat>"
            case 3: text += "<name>\(words())</name>"
            case 4: text += "<fix>\(one(of: ["3d", "2D", "none", "?"]))</fix>"
            case 5 where hasPrefix:
                text += "<extensions><x:s><x:speed>\(one(of: ["1", "-1"]))</x:speed></x:s></extensions>"
            case 6: text += "<extensions><speed>3</speed><y xmlns='urn:y'><heading>400</heading></y></extensions>"
            default: text += words()
            }
        }
        return text + "</trkpt>"
    }

    /// Removes, repeats or replaces some bytes.
    mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let at = Int.random(in: bytes.indices, using: &generator)
        let end = min(bytes.count, at + Int.random(in: 1...6, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.removeSubrange(at..<end)
        case 1: bytes.insert(contentsOf: bytes[at..<end], at: at)
        case 2: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        default:
            bytes.insert(
                contentsOf: one(of: ["<", ">", "&", "'", "\"", "]]>", "--", "/", "\r", "<?", "é", "=", ":", " "]).utf8,
                at: at)
        }
    }
}

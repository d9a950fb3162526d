@testable import WebServer

extension FuzzTarget {
    /// The parts of a request, one per line: path, `Range`, `Host`, `Cookie`, `Origin` and `Sec-Fetch-Site`.
    static let web = FuzzTarget(
        "web",
        seeds: [
            "/trips/a%20b/?q=%C3%A9+1&x=#f\nbytes=0-99\nvan.local:8080\na=b; waymark=abc_-9\nhttp://van.local:8080\nnone",
            "/photos/12/whole\nbytes=-5\n[::1]:80\nwaymark=\nhttps://[::1]:80\nsame-origin",
            "/tiles/26/67108863/0\nbytes=7-\n192.168.1.20\n\nnull\ncross-site",
            "/..%2f\nbytes=9-1,2-3\n[fe80::1%25a]:x",
        ]
    ) { bytes in
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        func line(_ number: Int) -> String? {
            lines.indices.contains(number) ? String(decoding: lines[number], as: UTF8.self) : nil
        }
        if let path = line(0).flatMap(RequestPath.init) {
            for part in path.parts {
                demand(part != ".." && part != "." && !part.isEmpty, "a path that leaves its folder")
                demand(!part.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }, "a part that is two")
            }
            _ = path.parameters
            if let tile = TilePlace(path.parts.dropFirst()) {
                demand(PMTilesEntry.id(of: tile) < 1 << 54, "a tile beyond the last")
            }
        }
        let size = Int(bytes.first ?? 0)
        if case .part(let part) = ByteRange(line(1), of: size) {
            demand(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "a part that there is not")
        }
        let host = line(2)
        let isAllowed = hosts.allows(host)
        demand(!isAllowed || host.flatMap(Authority.init) != nil, "a host that is none")
        if let token = SessionCookie.token(in: line(3)) {
            demand(SessionCookie.token(in: "waymark=\(token)") == token, "a token that is not read again")
        }
        if OriginRule.source(origin: line(4), site: line(5), host: host) == .same {
            demand(host.flatMap(Authority.init) != nil, "a page of no host")
        }
        for text in lines.prefix(8).map({ String(decoding: $0, as: UTF8.self) }) {
            _ = IPAddress(text)
            if let address = WebAddress(text) {
                demand(WebAddress(address.description) == address, "an address that is not read again")
            }
        }
    }

    private static let hosts = HostRule(configured: ["van.example"], machine: "van.home")

    /// The header of a PMTiles file, its directories, and their compressed content.
    static let tiles = FuzzTarget(
        "tiles",
        seeds: [
            "PMTiles\u{3}" + String(repeating: "\0", count: 89) + "\u{1}\u{1}\u{2}\0\u{4}"
                + String(repeating: "\0", count: 25),
            "\u{2}\0\u{5}\u{1}\u{1}\u{9}\u{9}\u{1}\0",
        ]
    ) { bytes in
        if let header = try? PMTilesHeader(Array(bytes.prefix(PMTilesHeader.length))) {
            demand(header.root.lowerBound >= 0 && header.zooms.upperBound <= TilePlace.deepest, "a header of no file")
        }
        let plain = try? Gzip.expanded(bytes, atMost: 1 << 16)
        demand((plain ?? []).count <= 1 << 16, "more than was allowed")
        for text in [bytes, plain ?? []] {
            guard let entries = try? PMTilesEntry.read(text) else { continue }
            for (entry, next) in zip(entries, entries.dropFirst()) {
                demand(entry.id <= next.id, "tiles out of order")
            }
            for id in [0, 1, 1 << 40, entries.last?.id ?? 0] as [UInt64] {
                if let entry = PMTilesEntry.find(id, in: entries) {
                    demand(entry.id <= id && entry.offset >= 0 && entry.length >= 0, "an entry of other tiles")
                }
            }
        }
    }
}

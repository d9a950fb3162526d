internal import Geodesy
internal import Positioning
internal import TextCoding
internal import Time

/// Finds the locations and segments in a JSON text, and turns them into items.
struct JSONHistoryReader: JSONSink {
    /// Where the scanner is.
    private enum Level {
        /// Before or after the only value of the text.
        case document
        /// In the object that is the text, or an object or array in it.
        case root
        /// In a list, between its elements.
        case list
        /// In an element of a list.
        case element
    }

    /// The most names of members that an error repeats: enough to recognise a file, few enough for a line.
    private static let mostNames = 8
    /// The most bytes of such a name.
    private static let longestName = 40

    var items: [HistoryItem] = []
    private(set) var dropped: [DroppedPoint: Int] = [:]
    private(set) var format: HistoryFormat?
    /// Whether the next fix begins a segment, since it follows none of the same track.
    var beginsSegment = true

    private let table = JSONFieldTable()
    private var level = Level.document
    private var rootNames: [String] = []
    private var hasList = false
    private var root = JSONRecord()
    private var element = JSONRecord()
    private var fields = HistoryList.feature
    private var field = JSONField.none
    /// The list that the member whose value comes next is.
    private var named: HistoryList?
    private(set) var list: HistoryList?
    private var line = GeoJSONLine()

    /// What the text is not.
    var complaint: String {
        let found: String
        if hasList {
            found = "nothing in its list is a location or segment"
        } else if rootNames.isEmpty {
            found = "it has none of the members that a history has"
        } else {
            found = "its members are \(rootNames.map { "\"\($0)\"" }.joined(separator: ", "))"
        }
        return "this is JSON, but no location history: \(found); known are \(HistoryFormat.list)"
    }

    mutating func name(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
        guard !line.isOpen else { return false }
        if level == .root, root.depth == 1 {
            noteRootName(range, bytes)
            named = HistoryList(range, of: bytes)
            if named != nil { return true }
        }
        field = table.field(range, of: bytes)
        return field != .none && fields.contains(field)
    }

    mutating func begin(isArray: Bool) throws(RecordingError) -> Bool {
        if line.isOpen { return isArray && line.begin() }
        switch level {
        case .document:
            if isArray {
                open(.root)
            } else {
                level = .root
                fields = HistoryList.feature
                root.removeAll()
                try root.begin(.none, isArray: false)
            }
        case .root:
            if let named {
                self.named = nil
                guard isArray else { return false }
                open(named)
            } else if isArray, root.depth > 1, opensLine() {
                return true
            } else {
                try root.begin(popField(), isArray: isArray)
            }
        case .list:
            guard !isArray else {
                drop(.unreadable)
                return false
            }
            level = .element
            element.removeAll()
            line.removeAll()
            try element.begin(.none, isArray: false)
        case .element:
            if isArray, element.depth > 1, opensLine() { return true }
            try element.begin(popField(), isArray: isArray)
        }
        return true
    }

    mutating func end() throws(RecordingError) {
        if line.isOpen {
            line.end()
            return try emitLine()
        }
        switch level {
        case .document: break
        case .root:
            root.end()
            if root.depth == 0 {
                level = .document
                if format == nil, root.has(.type, "Feature") { readFeature(root, as: .geoJSON) }
            }
        case .list:
            level = list == .root ? .document : .root
            list = nil
            fields = HistoryList.feature
        case .element:
            element.end()
            if element.depth == 0 {
                level = .list
                read(element)
            }
        }
    }

    mutating func scalar(_ scalar: JSONScalar, of bytes: Span<UInt8>) throws(RecordingError) {
        if line.isOpen {
            line.append(scalar, of: bytes)
            return try emitLine()
        }
        switch level {
        case .document: break
        case .root:
            if named == nil { try root.append(popField(), scalar, of: bytes) }
            named = nil
        case .list: drop(.unreadable)
        case .element: try element.append(popField(), scalar, of: bytes)
        }
    }

    /// Returns the field of the value that comes; the elements of an array have none.
    private mutating func popField() -> JSONField {
        defer { field = .none }
        return field
    }

    private mutating func open(_ list: HistoryList) {
        self.list = list
        hasList = true
        level = .list
        fields = list.fields
        beginsSegment = true
        switch list {
        case .timelineObjects: settle(.googleSemantic)
        case .semanticSegments, .rawSignals: settle(.googleTimelineAndroid)
        case .allSteps: settle(.polarsteps)
        case .root, .locations, .features, .data: break
        }
    }

    private mutating func noteRootName(_ range: Range<Int>, _ bytes: Span<UInt8>) {
        guard format == nil, rootNames.count < Self.mostNames else { return }
        var name: [UInt8] = []
        for index in range.prefix(Self.longestName) { name.append(bytes[index]) }
        rootNames.append(ControlCharacters.replaced(String(decoding: name, as: UTF8.self)))
    }

    /// Sets the kind of the history, unless something before has told it.
    mutating func settle(_ kind: HistoryFormat) {
        if format == nil { format = kind }
    }

    mutating func drop(_ reason: DroppedPoint) { dropped[reason, default: 0] += 1 }

    /// Appends the fix that a function returns, or counts why there is none.
    mutating func append(_ make: () throws(DroppedPoint) -> Fix) {
        do throws(DroppedPoint) {
            var fix = try make()
            fix.beginsSegment = beginsSegment
            beginsSegment = false
            items.append(.fix(fix))
        } catch {
            drop(error)
        }
    }

    /// Appends the visit that a function returns, or counts why there is none.
    mutating func append(visit make: () throws(DroppedPoint) -> HistoryVisit) {
        do throws(DroppedPoint) {
            items.append(.visit(try make()))
        } catch {
            drop(error)
        }
    }

    /// Appends how somebody travelled in a time, if the history tells it and has points of it.
    ///
    /// - Parameter count: the number of items before those points.
    mutating func append(
        activity kind: TripKind?, after count: Int, _ times: () throws(DroppedPoint) -> (Timestamp, Timestamp)
    ) {
        guard let kind, items.count > count, let (start, end) = try? times(), start <= end else { return }
        items.append(.activity(HistoryActivity(start: start, end: end, kind: kind)))
    }

    /// Reads an element of the open list.
    private mutating func read(_ record: JSONRecord) {
        switch list {
        case .timelineObjects: readSegment(record)
        case .semanticSegments: readTimelineSegment(record)
        case .rawSignals: readRawSignal(record)
        case .features: readFeature(record, as: .geoJSON)
        case .data: readMessage(record)
        case .allSteps: readStep(record)
        case .locations: readLocation(record)
        case .root:
            if record.member(.messageType) != nil {
                readMessage(record)
            } else if record.has(.type, "Feature") {
                readFeature(record, as: .geoJSON)
            } else if record.member(.latitudeE7) != nil {
                readLocation(record)
            } else if record.member(.startTime) != nil, record.member(.endTime) != nil {
                settle(.googleTimelineIOS)
                readTimelineSegment(record)
            } else {
                drop(.unreadable)
            }
        case nil: break
        }
    }

    private mutating func readLocation(_ record: JSONRecord) {
        if record.member(.geometry) != nil {
            readFeature(record, as: .overland)
        } else if record.member(.latitude) != nil || record.member(.longitude) != nil {
            readPolarstepsLocation(record)
        } else {
            readGoogleRecord(record)
        }
    }
}

extension JSONHistoryReader {
    /// Returns whether the array that comes is one of places or times, which are not held in the record.
    ///
    /// Both stand in an object of their feature: its geometry or properties.
    private mutating func opensLine() -> Bool {
        switch field {
        case .coordinates: line.open(.places)
        case .coordTimes: line.open(.times)
        default: return false
        }
        field = .none
        return true
    }

    /// Appends the fixes whose place and time have both come.
    private mutating func emitLine() throws(RecordingError) {
        try line.check()
        while let vertex = line.next() {
            if vertex.beginsLine { beginsSegment = true }
            settle(.geoJSON)
            append { () throws(DroppedPoint) in try vertex.fix() }
        }
    }

    /// Reads a feature: a point with its properties, or a line, whose fixes with a time have been appended.
    mutating func readFeature(_ record: JSONRecord, as kind: HistoryFormat) {
        defer { line.removeAll() }
        guard record.has(.type, "Feature") || record.member(.geometry) != nil else { return drop(.unreadable) }
        settle(kind)
        while let vertex = line.last() {
            if vertex.beginsLine { beginsSegment = true }
            append { () throws(DroppedPoint) in try vertex.fix() }
        }
        if line.isLine {
            if let kind = record.kind(.kind, of: record.member(.properties) ?? 0), let times = line.period {
                items.append(.activity(HistoryActivity(start: times.lowerBound, end: times.upperBound, kind: kind)))
            }
            // What follows a line is another segment, also a single point.
            beginsSegment = true
        } else if let point = line.point {
            readPoint(point, record, as: kind)
        } else {
            drop(.noPosition)
        }
    }

    private mutating func readPoint(_ point: GeoJSONLine.Vertex, _ record: JSONRecord, as kind: HistoryFormat) {
        let properties = record.member(.properties) ?? 0
        if kind == .overland, record.member(.action, of: properties) != nil || record.has(.type, "trip", of: properties)
        {
            return drop(.otherMessage)
        }
        append { () throws(DroppedPoint) in
            var time: Timestamp?
            for field in [JSONField.timestamp, .date, .time] where time == nil {
                time = try? record.time(field, of: properties)
            }
            guard let time else { throw .noTime }
            var fix = try point.fix(at: kind == .overland ? HistoryTime.plausible(time) : time)
            if fix.altitude == nil { fix.altitude = HistoryValues.altitude(record.number(.altitude, of: properties)) }
            fix.speed = HistoryValues.speed(record.number(.speed, of: properties))
            fix.track = HistoryValues.track(record.number(.heading, of: properties))
            fix.accuracy = HistoryValues.phoneAccuracy(record.number(.accuracy, of: properties))
            fix.kind = record.kind(.kind, of: properties)
            return fix
        }
    }
}

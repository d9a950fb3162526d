// swift-tools-version: 6.2
import PackageDescription

/// Whether the fuzzers are built, for which our rooms count what they come through; `.ci/fuzz` says so.
let fuzzes = Context.environment["WAYMARK_FUZZ"] != nil

/// Whether the engine is alone, as without the trait `Companion`, and with it only its tests.
///
/// A build of the tests compiles all targets, for which a trait is no condition; `WAYMARK_ENGINE=1 swift test` says so.
let isEngineAlone = Context.environment["WAYMARK_ENGINE"] != nil

/// Whether another package depends on this one.
///
/// SwiftPM then checks this one out beside it, and refuses unsafe flags.
let isDependency = Context.packageDirectory.contains("/checkouts/")

/// Every target is held to the same rules: Swift 6, no warning, every unsafe expression marked.
let strict: [SwiftSetting] =
    (fuzzes ? [.unsafeFlags(["-enable-testing", "-sanitize=fuzzer"])] : []) + [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

/// For most rooms below the features, and the doors, which a debug build optimises too: the tests would take a fifth
/// longer otherwise.
///
/// Nothing else differs, because the rooms have no `assert`. The features are compiled as they are, so that a change in
/// one is tested within seconds.
let optimised: [SwiftSetting] = isDependency ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// The linker of the Swift toolchain, which links the tests in half the time of the system's.
let linker: [LinkerSetting] = isDependency ? [] : [.unsafeFlags(["-use-ld=lld"], .when(configuration: .debug))]

/// The rooms that other packages can use: values and formats, without a clock, a disk or a network.
let kit = ["Geodesy", "Time", "Positioning", "Shapes", "SpatialIndex", "NMEA", "GPX", "Tracking"]

/// The floors of the house, from the lowest up: folders of `Sources`, each with its rooms.
///
/// A room imports rooms of its own floor and of those below; CI checks it.
let floors = [
    (
        "Kit",
        [
            "CXML2", "CZlib", "Compression", "GPX", "Geodesy", "Histories", "ImageMetadata", "Interchange", "Money",
            "NMEA", "OSM", "Positioning", "Shapes", "Simulation", "SpatialIndex", "TextCoding", "Time", "Tracking",
        ]
    ),
    (
        "Engine",
        [
            "CGPS", "CSQLite", "Callers", "Deadlines", "EventStream", "GPSDClient", "Phones", "RPC", "Receivers",
            "Schemas", "Service", "Store",
        ]
    ),
    (
        "Companion",
        [
            "Devices", "Gazetteer", "Notifications", "People", "Photos", "Plans", "Posts", "Reports", "Reviews",
            "Sights", "Subjects", "Trips", "Votes",
        ]
    ),
    ("Doors", ["CMosquitto", "EventHooks", "MQTT", "SocketServer", "Uplink", "WebClient", "WebPush", "WebServer"]),
    ("Fleet", ["Broker", "CPostgreSQL", "CRabbitMQ", "FleetStore", "Worker"]),
]

/// The folder of a room; the top floor, `Program`, has those that no other floor has.
func folder(of room: String) -> String {
    let floor = floors.first { $0.1.contains(room) }?.0 ?? "Program"
    return "Sources/\(floor)/\(room)"
}

/// A room of the house; `uses` names what it may import, and CI checks the layers from it.
func room(_ name: String, uses: [Target.Dependency] = [], settings: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: uses, path: folder(of: name), swiftSettings: strict + settings)
}

/// The tests of one room.
func tests(of name: String, uses: [Target.Dependency] = [], settings: [SwiftSetting] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name), "TestSupport"] + uses,
        swiftSettings: strict + settings)
}

/// What is built only with the trait `Companion`; the others are the engine.
let withCompanion = TargetDependencyCondition.when(traits: ["Companion"])

/// Rooms that a room uses only with the trait `Companion`.
func companion(_ names: String...) -> [Target.Dependency] {
    isEngineAlone ? [] : names.map { .target(name: $0, condition: withCompanion) }
}

/// What is built only with the trait `Fleet`, which needs libraries that one machine does not.
let withFleet = TargetDependencyCondition.when(traits: ["Fleet"])

/// Rooms that a room uses only with the trait `Fleet`.
///
/// Without it, the files of the rooms of that floor are empty, and nothing is linked.
func fleet(_ names: String...) -> [Target.Dependency] {
    isEngineAlone ? [] : names.map { .target(name: $0, condition: withFleet) }
}

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let service: [Target.Dependency] = [
    logging,
    .product(name: "Configuration", package: "swift-configuration"),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    .product(name: "UnixSignals", package: "swift-service-lifecycle"),
    .product(name: "Yams", package: "Yams"),
]

/// The server of Hummingbird without its router, for which there are too few routes.
let http: [Target.Dependency] = [
    .product(name: "HummingbirdCore", package: "hummingbird"),
    .product(name: "HummingbirdTLS", package: "hummingbird"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
]

/// What a client needs of HTTP and TLS.
let webClient: [Target.Dependency] = [
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
]

/// Which build this is; a package says it, and a build by hand does not, so that a commit compiles nothing anew.
let build = Context.environment["WAYMARK_BUILD"] ?? ""

let package = Package(
    name: "waymark",
    products: [.executable(name: "waymark", targets: ["waymark"])]
        + kit.map { Product.library(name: $0, targets: [$0]) },
    traits: [
        .default(enabledTraits: isEngineAlone ? [] : ["Companion"]),
        .trait(
            name: "Companion",
            description: "What people do together (plans, votes, posts, photos), and everything that speaks HTTP."),
        .trait(
            name: "Fleet",
            description: "Commands for several machines on RabbitMQ and PostgreSQL; needs librabbitmq and libpq.",
            enabledTraits: ["Companion"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    ],
    targets: [
        // Layer 0
        .target(name: "CSQLite", path: folder(of: "CSQLite")),
        .target(
            name: "CProgram", path: folder(of: "CProgram"),
            cSettings: [.define("WAYMARK_BUILD", to: "\"\(build)\"")]),
        .target(
            name: "Geodesy", path: folder(of: "Geodesy"), swiftSettings: strict + optimised, linkerSettings: linker),
        room("TextCoding", settings: optimised),
        room("Time", settings: optimised),
        room("RPC", uses: ["TextCoding"], settings: optimised),
        room("Money"),
        room("Deadlines", settings: optimised),
        // Layer 1
        room("Callers", uses: ["RPC"], settings: optimised),
        room("Positioning", uses: ["Geodesy", "Time"], settings: optimised),
        room("SpatialIndex", uses: ["Geodesy"], settings: optimised),
        room("Shapes", uses: ["Geodesy", "TextCoding"], settings: optimised),
        // Layer 2
        room("NMEA", uses: ["Geodesy", "Positioning", "TextCoding", "Time"], settings: optimised),
        .systemLibrary(
            name: "CXML2", path: folder(of: "CXML2"), pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(
            name: "CZlib", path: folder(of: "CZlib"), pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        room("Compression", uses: ["CZlib"], settings: optimised),
        room("GPX", uses: ["CXML2", "Geodesy", "Positioning", "TextCoding", "Time"], settings: optimised),
        .systemLibrary(
            name: "CGPS", path: folder(of: "CGPS"), pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        room(
            "GPSDClient", uses: ["CGPS", "Deadlines", "Geodesy", "Positioning", "TextCoding", "Time"],
            settings: optimised),
        room("Phones", uses: ["Geodesy", "Positioning", "RPC", "TextCoding", "Time"], settings: optimised),
        room(
            "Interchange", uses: ["CXML2", "Geodesy", "Positioning", "Shapes", "TextCoding", "Time"],
            settings: optimised),
        room("OSM", uses: ["CZlib", "Geodesy"], settings: optimised),
        room("ImageMetadata", uses: ["Geodesy", "Positioning", "Time"], settings: optimised),
        room(
            "Tracking", uses: ["Geodesy", "Positioning", "Shapes", "SpatialIndex", "TextCoding", "Time"],
            settings: optimised),
        room("Simulation", uses: ["Geodesy", "Positioning", "TextCoding", "Time"], settings: optimised),
        // Layer 3
        room(
            "Histories",
            uses: ["CXML2", "CZlib", "GPX", "Geodesy", "Interchange", "Positioning", "TextCoding", "Time"],
            settings: optimised),
        // Layer 4
        room(
            "Receivers",
            uses: [
                "Deadlines", "Geodesy", "GPSDClient", "GPX", "Histories", "NMEA", "Positioning", "TextCoding", "Time",
            ] + nio,
            settings: optimised),
        room(
            "Store", uses: ["CSQLite", "Deadlines", "Geodesy", "Positioning", "TextCoding", "Time", "Tracking", grdb],
            settings: optimised),
        room(
            "EventStream", uses: ["Callers", "Geodesy", "RPC", "TextCoding", "Time", "Tracking"], settings: optimised),
        // Layer 5
        room(
            "Service",
            uses: [
                "Callers", "Geodesy", "Money", "Positioning", "RPC", "Store", "TextCoding", "Time", "Tracking", grdb,
                .product(name: "Subprocess", package: "swift-subprocess", condition: withCompanion),
            ], settings: optimised),
        // Layer 6: the features
        room("Schemas", uses: ["Service", "Store", grdb]),
        room("Subjects", uses: ["RPC", "Service", "Store", grdb]),
        room(
            "People",
            uses: [
                "Callers", "Deadlines", "Phones", "Positioning", "RPC", "Service", "Store", "TextCoding", "Time", grdb,
                .product(name: "CryptoExtras", package: "swift-crypto", condition: withCompanion),
            ]),
        room(
            "Gazetteer",
            uses: ["Callers", "Geodesy", "RPC", "Service", "Store", "TextCoding", grdb]),
        room(
            "Photos",
            uses: [
                "Callers", "Deadlines", "Geodesy", "ImageMetadata", "People", "Positioning", "RPC", "Schemas",
                "Service", "Store", "Subjects", "TextCoding", "Time", "Tracking", grdb, crypto,
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]),
        room(
            "Sights",
            uses: [
                "Callers", "Gazetteer", "Geodesy", "GPX", "Interchange", "People", "Positioning", "Receivers", "RPC",
                "Service", "Shapes", "Store", "Subjects", "TextCoding", "Time", "Tracking", grdb,
            ]),
        room(
            "Devices",
            uses: [
                "Callers", "Geodesy", "People", "Phones", "Positioning", "RPC", "Service", "Sights", "Store",
                "TextCoding", "Time", "Tracking", grdb,
            ]),
        room(
            "Trips",
            uses: [
                "Callers", "Gazetteer", "Geodesy", "GPX", "Interchange", "People", "Positioning", "Receivers", "RPC",
                "Service", "Store", "TextCoding", "Time", "Tracking", grdb,
            ]),
        room(
            "Reviews",
            uses: [
                "Callers", "Geodesy", "People", "Positioning", "RPC", "Schemas", "Service", "Sights", "Store",
                "Subjects", "TextCoding", "Time", grdb,
            ]),
        room(
            "Plans",
            uses: [
                "Callers", "Gazetteer", "Geodesy", "GPX", "Interchange", "Money", "People", "Photos", "Positioning",
                "RPC", "Schemas", "Service", "Store", "Subjects", "TextCoding", "Time", "Tracking", grdb,
            ]),
        room(
            "Posts",
            uses: [
                "Callers", "Gazetteer", "Geodesy", "Money", "People", "Positioning", "RPC", "Schemas", "Service",
                "Store", "Subjects", "Time", grdb,
            ]),
        room(
            "Reports",
            uses: [
                "Callers", "Gazetteer", "Geodesy", "People", "RPC", "Schemas", "Service", "Sights", "Store", "Time",
                "Tracking", grdb,
            ]),
        room(
            "Votes",
            uses: [
                "Callers", "Geodesy", "People", "Plans", "Positioning", "RPC", "Schemas", "Service", "Store",
                "TextCoding", "Time", "Tracking", grdb, crypto,
            ]),
        room(
            "Notifications",
            uses: [
                "Callers", "Geodesy", "People", "Reviews", "RPC", "Schemas", "Service", "Sights", "Store", "TextCoding",
                "Time", "Tracking", grdb,
            ]),
        // Layer 7: the doors
        room("WebClient", uses: ["Compression", "Deadlines", "Store"] + webClient + nio, settings: optimised),
        room(
            "SocketServer", uses: ["Callers", "EventStream", "RPC", "TextCoding", "Tracking"] + nio, settings: optimised
        ),
        .target(
            name: "WebServer",
            dependencies: [
                "Callers", "Compression", "Deadlines", "EventStream", "Phones", "RPC", "Service", "Store",
                "TextCoding", "Tracking", crypto, logging,
            ] + http + nio,
            path: folder(of: "WebServer"), resources: [.copy("Pages")], swiftSettings: strict + optimised),
        .target(name: "CMosquitto", path: folder(of: "CMosquitto")),
        room(
            "MQTT",
            uses: [
                "Callers", "CMosquitto", "Deadlines", "EventStream", "Geodesy", "Positioning", "RPC", "TextCoding",
                "Time",
            ],
            settings: optimised),
        // Layer 8: the doors that lead out
        room(
            "EventHooks",
            uses: [
                "Callers", "Deadlines", "EventStream", "RPC", "Service", "Store", "Tracking", "WebClient", crypto, grdb,
            ],
            settings: optimised),
        room(
            "Uplink",
            uses: [
                "Callers", "Compression", "Deadlines", "Geodesy", "MQTT", "Positioning", "RPC", "Schemas", "Service",
                "Store", "TextCoding", "Time", "Tracking", "WebClient", crypto, grdb,
            ], settings: optimised),
        room(
            "WebPush",
            uses: [
                "Callers", "RPC", "Schemas", "Service", "Store", "TextCoding", "Time", "Tracking", "WebClient",
                "Deadlines", crypto, grdb,
            ], settings: optimised),
        // Several machines, in builds with the trait
        // They name no package to install and nothing for pkg-config, which other builds would ask for.
        .systemLibrary(name: "CRabbitMQ", path: folder(of: "CRabbitMQ")),
        .systemLibrary(name: "CPostgreSQL", path: folder(of: "CPostgreSQL")),
        room("Broker", uses: fleet("CRabbitMQ"), settings: optimised),
        room(
            "FleetStore",
            uses: fleet("CPostgreSQL") + ["Geodesy", "Positioning", "Shapes", "TextCoding", "Time", "Tracking"],
            settings: optimised),
        room(
            "Worker", uses: ["Broker", "FleetStore", "Geodesy", "Positioning", "Time", "Tracking"],
            settings: optimised),
        // Layer 9
        room(
            "Daemon",
            uses: [
                "Callers", "CProgram", "Deadlines", "Devices", "EventStream", "Gazetteer", "Geodesy", "GPX",
                "Histories", "MQTT", "People", "Phones", "Positioning", "Receivers", "RPC", "Schemas", "Service",
                "Sights", "SocketServer", "Store", "TextCoding", "Time", "Tracking", "Trips",
            ]
                + companion(
                    "EventHooks", "Notifications", "Photos", "Plans", "Posts", "Reports", "Reviews", "Uplink", "Votes",
                    "WebClient", "WebPush", "WebServer") + service + nio),
        // Layer 10
        .executableTarget(
            name: "waymark",
            dependencies: [
                "Callers", "Daemon", "Deadlines", "Geodesy", "GPSDClient", "GPX", "Interchange", "Positioning",
                "Receivers", "RPC", "Service", "Shapes", "Sights", "SocketServer", "Store", "TextCoding", "Time",
                "Tracking", "Trips", argumentParser,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ] + companion("ImageMetadata", "OSM", "Photos", "Simulation", "WebServer")
                + fleet("Broker", "EventStream", "FleetStore", "Phones", "Uplink", "WebClient", "Worker")
                + [.product(name: "Logging", package: "swift-log", condition: withFleet)],
            path: folder(of: "waymark"),
            // In the code, so that they need no place on the disk.
            resources: [
                .embedInCode("Maps/Tilemaker/config.json"), .embedInCode("Maps/Tilemaker/profile.lua"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "FixtureGenerator",
            dependencies: ["Simulation"],
            path: folder(of: "FixtureGenerator"), swiftSettings: strict),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Callers", "Daemon", "EventStream", "Geodesy", "GPX", "NMEA", "People", "Positioning", "Receivers",
                "RPC", "Service", "Shapes", "Sights", "Simulation", "SocketServer", "SpatialIndex", "Store", "Subjects",
                "TextCoding", "Time", "Tracking", argumentParser,
            ],
            path: folder(of: "Benchmarks"), exclude: ["peers"], swiftSettings: strict),
        // Tests
        .target(
            name: "TestSupport", dependencies: ["Geodesy", "Time", "Tracking"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Callers", "Compression", "Daemon", "EventStream", "Gazetteer", "Geodesy", "GPSDClient", "GPX",
                "ImageMetadata", "Interchange", "NMEA", "OSM", "People", "Phones", "Plans", "Positioning", "Receivers",
                "RPC", "Service", "Shapes", "Sights", "Store", "TextCoding", "Time", "Tracking", "Trips", "WebServer",
                grdb,
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], path: "Tests/FuzzTargets", swiftSettings: strict),
        .target(
            name: "FeatureSupport",
            dependencies: [
                "Callers", "Daemon", "Geodesy", "ImageMetadata", "Notifications", "People", "Photos", "Positioning",
                "RPC", "Service", "Sights", "Store", "TestSupport", "TextCoding", "Time", "Tracking", "WebPush",
                "WebServer", crypto, grdb,
            ] + nio, path: "Tests/FeatureSupport", swiftSettings: strict),
        .testTarget(name: "DamagedFileTests", dependencies: ["FuzzTargets"], swiftSettings: strict),
        tests(of: "Geodesy"),
        tests(of: "TextCoding"),
        tests(of: "RPC", uses: ["TextCoding"]),
        tests(of: "Money"),
        tests(of: "Deadlines"),
        tests(of: "Positioning", uses: ["Geodesy", "Time"]),
        tests(of: "SpatialIndex", uses: ["Geodesy"], settings: optimised),
        tests(of: "Shapes", uses: ["Geodesy"], settings: optimised),
        tests(of: "NMEA", uses: ["Geodesy", "Positioning", "Time"]),
        tests(of: "GPX", uses: ["Geodesy", "Positioning", "TextCoding", "Time"]),
        tests(of: "OSM", uses: ["Geodesy"], settings: optimised),
        tests(of: "GPSDClient", uses: ["Geodesy", "Positioning", "Time"]),
        tests(of: "Phones", uses: ["Geodesy", "Positioning", "RPC", "Time"]),
        tests(of: "Interchange", uses: ["Geodesy", "Positioning", "Shapes", "Time"]),
        tests(
            of: "Histories",
            uses: ["CZlib", "Geodesy", "Interchange", "Positioning", "Time"], settings: optimised),
        tests(
            of: "Tracking", uses: ["Geodesy", "Positioning", "Shapes", "Simulation", "Time"], settings: optimised),
        tests(
            of: "Receivers",
            uses: [
                "Geodesy", "GPSDClient", "GPX", "Histories", "Positioning", "Time",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(of: "Store", uses: ["Geodesy", "Positioning", "Time", "Tracking", grdb]),
        tests(of: "EventStream", uses: ["Geodesy", "Tracking"]),
        tests(
            of: "SocketServer",
            uses: [
                "Callers", "EventStream", "Geodesy", "RPC", "Tracking",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
                + nio),
        tests(
            of: "Service", uses: ["FeatureSupport", "Notifications", "RPC", "Store", "Time", "Tracking", crypto, grdb]),
        tests(
            of: "People",
            uses: [
                "Callers", "Daemon", "FeatureSupport", "Geodesy", "Notifications", "Photos", "RPC", "Schemas",
                "Service", "SocketServer", "Store", "Time", "Tracking", grdb,
            ]),
        tests(
            of: "Photos",
            uses: [
                "Daemon", "FeatureSupport", "Geodesy", "ImageMetadata", "Positioning", "RPC", "Service", "Sights",
                "SocketServer", "Store", "Subjects", "Time", "Tracking", grdb,
            ]),
        tests(
            of: "Sights",
            uses: [
                "Callers", "Daemon", "FeatureSupport", "Geodesy", "Positioning", "RPC", "Service", "Shapes", "Store",
                "Time", "Tracking", "Trips", grdb,
            ]),
        tests(
            of: "Devices",
            uses: [
                "Callers", "Daemon", "FeatureSupport", "Geodesy", "Positioning", "RPC", "Service", "Sights", "Store",
                "Time", "Tracking", grdb,
            ]),
        tests(
            of: "Trips",
            uses: [
                "Callers", "Daemon", "FeatureSupport", "Geodesy", "GPX", "Positioning", "Receivers", "RPC", "Service",
                "Store", "Time", "Tracking", grdb,
            ]),
        tests(
            of: "Reviews",
            uses: [
                "Daemon", "FeatureSupport", "Geodesy", "Notifications", "People", "Positioning", "RPC", "Service",
                "Sights", "Store", "Subjects", "TextCoding", "Time", "Tracking", grdb,
            ]),
        tests(
            of: "Plans",
            uses: [
                "Callers", "Daemon", "FeatureSupport", "Geodesy", "GPX", "Money", "People", "Photos", "Positioning",
                "Reviews", "RPC", "Schemas", "Service", "Sights", "Store", "Time", "Tracking", grdb,
            ]),
        tests(
            of: "Posts",
            uses: [
                "Callers", "FeatureSupport", "Geodesy", "People", "Reviews", "RPC", "Service", "Store", "Time",
                "Tracking", grdb,
            ]),
        tests(
            of: "Reports",
            uses: [
                "Daemon", "FeatureSupport", "Geodesy", "Positioning", "RPC", "Service", "Sights", "Store", "Time",
                "Tracking", grdb,
            ]),
        tests(
            of: "Votes",
            uses: [
                "Callers", "Daemon", "FeatureSupport", "Geodesy", "Notifications", "People", "Photos", "Plans",
                "Positioning", "Reviews", "RPC", "Service", "Sights", "Store", "Time", "Tracking", grdb,
            ]),
        tests(
            of: "Notifications",
            uses: ["FeatureSupport", "Positioning", "RPC", "Service", "Sights", "Store", "Time", "Tracking", grdb]),
        tests(
            of: "EventHooks",
            uses: ["Daemon", "EventStream", "FeatureSupport", "Service", "Store", "Tracking", "WebClient"]),
        tests(
            of: "Uplink",
            uses: [
                "Compression", "FeatureSupport", "Geodesy", "MQTT", "Positioning", "RPC", "Service", "Store", "Time",
                "Tracking", "WebClient", crypto, grdb,
            ]),
        tests(
            of: "WebPush",
            uses: [
                "Callers", "Daemon", "FeatureSupport", "Notifications", "RPC", "Service", "Store", "Time", "Tracking",
                "WebClient", crypto, grdb,
            ]),
        .testTarget(
            name: "FeatureTests",
            dependencies: [
                "Callers", "Daemon", "Devices", "EventStream", "FeatureSupport", "Geodesy", "Notifications", "People",
                "Photos",
                "Plans", "Positioning", "Posts", "Receivers", "Reports", "Reviews", "RPC", "Schemas", "Service",
                "Sights", "SocketServer", "Store", "TestSupport", "Time", "Tracking", "Uplink", "Votes", "WebPush",
                "WebServer", crypto, grdb, logging,
            ] + nio,
            swiftSettings: strict),
        tests(of: "WebClient", uses: ["Compression"] + nio),
        tests(
            of: "WebServer",
            uses: [
                "Callers", "Compression", "Deadlines", "EventStream", "Phones", "RPC", "Service", "Store", "Tracking",
                logging, grdb,
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + nio),
        tests(
            of: "MQTT", uses: ["Callers", "EventStream", "Geodesy", "Positioning", "RPC", "Time", "Tracking"]),
        tests(
            of: "Worker",
            uses: fleet("Broker", "FleetStore", "Phones", "Uplink", "WebClient", "waymark")
                + ["Geodesy", "Positioning", "Time", "Tracking", argumentParser]),
        tests(of: "Gazetteer", uses: ["Geodesy", "RPC", "Service", "Store", grdb]),
        tests(
            of: "Daemon",
            uses: [
                "Callers", "EventStream", "Geodesy", "Histories", "MQTT", "People", "Phones", "Positioning",
                "Receivers", "RPC", "Service", "Sights", "SocketServer", "Store", "TextCoding", "Time", "Tracking",
                grdb, logging,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + companion("Photos", "Notifications", "Uplink", "WebClient", "WebServer") + nio),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "Geodesy", "GPX", "Positioning", "RPC", "SocketServer", "TestSupport", "Time", "waymark", grdb, crypto,
            ],
            swiftSettings: strict),
    ]
)

if fuzzes {
    package.targets.append(
        .executableTarget(
            name: "Fuzzers", dependencies: ["FuzzTargets"], path: folder(of: "Fuzzers"), swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]))
}

if isEngineAlone {
    let others: Set = [
        "Benchmarks", "Broker", "Compression", "CPostgreSQL", "CRabbitMQ", "DamagedFileTests", "DevicesTests",
        "EventHooks", "EventHooksTests", "FeatureSupport", "FeatureTests", "FleetStore", "FuzzTargets", "Notifications",
        "NotificationsTests", "PeopleTests", "Photos", "PhotosTests", "Plans", "PlansTests", "Posts", "PostsTests",
        "Reports", "ReportsTests", "Reviews", "ReviewsTests", "ServiceTests", "SightsTests", "TripsTests", "Uplink",
        "UplinkTests", "Votes", "VotesTests", "WebClient", "WebClientTests", "WebPush", "WebPushTests", "WebServer",
        "WebServerTests", "Worker", "WorkerTests",
    ]
    package.targets.removeAll { others.contains($0.name) }
}

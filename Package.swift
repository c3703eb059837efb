// swift-tools-version: 6.2
import PackageDescription

let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
let settings = features.map { SwiftSetting.enableUpcomingFeature($0) }

/// A kind of source. The target `SourcesNAME` is in Sources/Sources-NAME, its tests are in Tests/SourcesNAMETests: a new one is a line of
/// `kinds`, and one of Sources/pipe-run/main.swift.
struct SourceKind {
    let name: String
    /// What it needs besides the library's own targets: its driver.
    let needs: [Target.Dependency]
    /// What its tests need besides.
    let testNeeds: [Target.Dependency]

    init(_ name: String, _ needs: [Target.Dependency] = [], tests: [Target.Dependency] = []) {
        self.name = name
        self.needs = needs
        testNeeds = tests
    }

    var target: String { "Sources\(name)" }
}

/// Modules of swift-nio.
func nio(_ modules: String...) -> [Target.Dependency] {
    modules.map { .product(name: $0, package: "swift-nio") }
}

let ssl = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let http2 = [
    Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2"), .product(name: "NIOHPACK", package: "swift-nio-http2"),
]
let client = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")

let kinds = [
    SourceKind("Memory"),
    SourceKind("File"),
    SourceKind("Inline"),
    SourceKind("Poll"),
    SourceKind("Watch"),
    SourceKind(
        "HTTP",
        ["CZlib", "PipelineNetwork", "PipelineSockets", client, ssl] + http2 + nio("NIOCore", "NIOHTTP1", "NIOPosix"),
        tests: ["PipelineServer", "SourcesFile", "SourcesMemory", "SourcesSQLite"] + nio("NIOEmbedded")),
    SourceKind("SSE", ["PipelineSockets", client, ssl] + nio("NIOCore", "NIOHTTP1", "NIOPosix")),
    SourceKind(
        "WebSocket",
        ["PipelineSockets", ssl] + nio("NIOCore", "NIOHTTP1", "NIOPosix", "NIOTLS", "NIOWebSocket"), tests: nio("NIOEmbedded")),
    SourceKind("Redis", ["CHiredis", "PipelineSockets", ssl] + nio("NIOCore", "NIOPosix"), tests: ["SourcesMemory"]),
    SourceKind(
        "SQLite", [.product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift")],
        tests: ["SourcesMemory"]),
    SourceKind(
        "Command",
        [.product(name: "Subprocess", package: "swift-subprocess"), .product(name: "SystemPackage", package: "swift-system")]),
]

/// The engine: tiers; lists that change; values made from others; writes that go out.
let storeys: [Target.Dependency] = ["Pipeline", "PipelineLive", "PipelineComposing", "PipelineSending", "PipelineJSON"]

let package = Package(
    name: "pipe-run",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "PipelineJSON", targets: ["PipelineJSON"]),
        .library(name: "Pipeline", targets: ["Pipeline"]),
        .library(name: "PipelineLive", targets: ["PipelineLive"]),
        .library(name: "PipelineComposing", targets: ["PipelineComposing"]),
        .library(name: "PipelineSending", targets: ["PipelineSending"]),
        .library(name: "PipelineConfig", targets: ["PipelineConfig"]),
        .library(name: "PipelineYAML", targets: ["PipelineYAML"]),
        .library(name: "PipelineFoundation", targets: ["PipelineFoundation"]),
        .library(name: "PipelineObservation", targets: ["PipelineObservation"]),
        .library(name: "PipelineTesting", targets: ["PipelineTesting"]),
        .library(name: "PipelineNetwork", targets: ["PipelineNetwork"]),
        .library(name: "PipelineReports", targets: ["PipelineReports"]),
        .library(name: "PipelineScenarios", targets: ["PipelineScenarios"]),
        .library(name: "PipelineServer", targets: ["PipelineServer"]),
        .library(name: "PipelineSimulation", targets: ["PipelineSimulation"]),
        .library(name: "PipeRunKit", targets: ["PipeRunKit"]),
        .executable(name: "pipe-run", targets: ["pipe-run"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .systemLibrary(
            name: "CHiredis",
            pkgConfig: "hiredis",
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]
        ),
        .target(name: "CProgram"),
        .systemLibrary(name: "CTaskHook"),
        .systemLibrary(name: "CLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(name: "PipelineJSON", swiftSettings: settings),
        .target(name: "Pipeline", dependencies: ["PipelineJSON"], swiftSettings: settings),
        .target(name: "PipelineLive", dependencies: ["Pipeline", "PipelineJSON"], swiftSettings: settings),
        .target(name: "PipelineComposing", dependencies: ["Pipeline", "PipelineJSON", "PipelineLive"], swiftSettings: settings),
        .target(name: "PipelineSending", dependencies: ["Pipeline", "PipelineJSON", "PipelineLive"], swiftSettings: settings),
        .target(name: "PipelineAnswers", dependencies: ["CExpat", "Pipeline", "PipelineJSON"], swiftSettings: settings),
        .target(name: "PipelineConfig", dependencies: storeys, swiftSettings: settings),
        .target(name: "PipelineYAML", dependencies: ["CYAML", "Pipeline", "PipelineConfig"], swiftSettings: settings),
        .target(name: "PipelineFoundation", dependencies: ["Pipeline", "PipelineLive"], swiftSettings: settings),
        .target(name: "PipelineObservation", dependencies: ["Pipeline", "PipelineLive", "PipelineFoundation"], swiftSettings: settings),
        .target(name: "PipelineTesting", dependencies: ["Pipeline", "PipelineLive"], swiftSettings: settings),
        .target(name: "PipelineNetwork", dependencies: ["Pipeline"], swiftSettings: settings),
        .target(
            name: "PipelineScenarios",
            dependencies: ["CTaskHook", "PipelineConfig", "PipelineYAML"] + storeys,
            swiftSettings: settings
        ),
        .target(
            name: "PipelineSimulation",
            dependencies: ["CLzma", "CZlib", "CZstd", "PipelineConfig", "PipelineScenarios", "PipelineYAML"] + storeys,
            swiftSettings: settings
        ),
        .target(
            name: "PipelineSockets",
            dependencies: [
                "Pipeline", "PipelineLive", "PipelineConfig", "PipelineJSON",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PipelineReports",
            dependencies: ["PipelineConfig", "PipelineScenarios", "PipelineSimulation", "PipelineYAML"] + storeys,
            swiftSettings: settings
        ),
        .target(
            name: "PipelineServer",
            dependencies: [
                "CZlib", "PipelineConfig", "PipelineNetwork", "PipelineSockets",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ] + storeys,
            swiftSettings: settings
        ),
        .target(
            name: "PipeRunKit",
            dependencies: [
                "CProgram", "PipelineConfig", "PipelineNetwork", "PipelineReports", "PipelineScenarios",
                "PipelineServer", "PipelineSimulation", "PipelineYAML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ] + storeys,
            swiftSettings: settings
        ),
        .executableTarget(
            name: "pipe-run",
            dependencies: ["PipeRunKit"] + kinds.map { .init(stringLiteral: $0.target) },
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "Pipeline", "PipelineLive", "PipelineJSON", "PipelineTesting", "PipelineConfig", "PipelineYAML", "SourcesMemory",
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "PipelineTests",
            dependencies: [
                "Pipeline", "PipelineComposing", "PipelineLive", "PipelineConfig", "PipelineJSON", "PipelineYAML", "PipelineFoundation",
                "PipelineObservation",
                "PipelineTesting",
                "SourcesMemory", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PipelineSendingTests",
            dependencies: [
                "Pipeline", "PipelineComposing", "PipelineLive", "PipelineJSON", "PipelineSending", "PipelineTesting", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PipelineAnswersTests",
            dependencies: ["Pipeline", "PipelineAnswers", "PipelineJSON", "PipelineTesting", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ModelTests",
            dependencies: [
                "Pipeline", "PipelineComposing", "PipelineLive", "PipelineJSON", "PipelineScenarios", "PipelineTesting", "PipelineConfig",
                "PipelineYAML", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PipelineScenariosTests",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON", "PipelineReports", "PipelineScenarios", "PipelineSending", "PipelineYAML",
                "TestSupport",
            ] + kinds.map { .init(stringLiteral: $0.target) } + nio("NIOCore", "NIOHTTP1", "NIOPosix"),
            exclude: ["Scenarios"],
            swiftSettings: settings),
        .testTarget(
            name: "PipelineSimulationTests",
            dependencies: [
                "CLzma", "CZlib", "CZstd", "Pipeline", "PipelineComposing", "PipelineConfig", "PipelineJSON", "PipelineReports",
                "PipelineScenarios",
                "PipelineSimulation", "PipelineTesting", "PipelineYAML", "SourcesMemory", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PipelineNetworkTests", dependencies: ["Pipeline", "PipelineNetwork", "PipelineTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ConfigTests",
            dependencies: [
                "Pipeline", "PipelineComposing", "PipelineLive", "PipelineSending", "PipelineConfig", "PipelineYAML", "PipelineTesting",
                "PipelineJSON", "PipelineReports",
                "PipelineScenarios", "PipelineServer", "PipeRunKit", "Snippets", "TestSupport",
            ] + kinds.map { .init(stringLiteral: $0.target) },
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .target(
            name: "Snippets",
            dependencies: [
                "Pipeline", "PipelineComposing", "PipelineLive", "PipelineConfig", "PipelineJSON", "PipelineYAML", "PipelineFoundation",
                "PipelineObservation", "PipelineServer",
                "PipelineScenarios", "PipelineSending", "SourcesMemory",
                "SourcesFile", "SourcesHTTP", "SourcesSQLite", "PipeRunKit",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Snippets",
            packageAccess: false,  // Readers copy it into packages of their own, which see only what is public.
            swiftSettings: settings
        ),
        .testTarget(
            name: "PipeRunTests",
            dependencies: [
                "CZlib", "Pipeline", "PipelineComposing", "PipelineLive", "PipelineConfig", "PipelineYAML", "PipelineTesting",
                "PipelineJSON", "PipelineReports",
                "PipelineScenarios", "PipelineServer", "PipelineSimulation", "PipeRunKit", "TestSupport", "pipe-run",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            exclude: ["Golden", "Schemas"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

for kind in kinds {
    package.products.append(.library(name: kind.target, targets: [kind.target]))
    package.targets += [
        .target(
            name: kind.target, dependencies: storeys + ["PipelineConfig"] + kind.needs,
            path: "Sources/Sources-\(kind.name)", swiftSettings: settings),
        .testTarget(
            name: "\(kind.target)Tests",
            dependencies: [
                "PipelineConfig", "PipelineTesting", "PipelineYAML", "TestSupport", .init(stringLiteral: kind.target),
            ] + storeys + kind.needs + kind.testNeeds,
            swiftSettings: settings),
    ]
}

// For scripts/test-tsan: what the thread sanitizer looks at and nothing else, with a mutex that it understands.
if Context.environment["PIPE_RUN_TSAN"] == "1" {
    let kept: Set = [
        "CTaskHook", "CYAML", "PipelineJSON", "Pipeline", "PipelineLive", "PipelineComposing", "PipelineSending", "PipelineConfig",
        "PipelineYAML", "PipelineFoundation", "PipelineObservation", "PipelineTesting", "PipelineScenarios", "SourcesMemory", "SourcesFile",
        "TestSupport", "PipelineTests", "PipelineSendingTests", "ModelTests", "SourcesMemoryTests", "SourcesFileTests",
    ]
    package.products = []
    package.dependencies = []
    package.targets.removeAll { !kept.contains($0.name) }
    for target in package.targets where target.type != .system {
        // That mutex is a member of the core's, which a file that needs nothing else of the core does not import.
        target.swiftSettings =
            features.filter { $0 != "MemberImportVisibility" }.map { .enableUpcomingFeature($0) } + [.define("TRACED_MUTEX")]
    }
}

// swift-tools-version: 6.2
import PackageDescription

let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
let settings = features.map { SwiftSetting.enableUpcomingFeature($0) }

let package = Package(
    name: "pipe-run",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "PipelineJSON", targets: ["PipelineJSON"]),
        .library(name: "Pipeline", targets: ["Pipeline"]),
        .library(name: "PipelineConfig", targets: ["PipelineConfig"]),
        .library(name: "PipelineYAML", targets: ["PipelineYAML"]),
        .library(name: "PipelineFoundation", targets: ["PipelineFoundation"]),
        .library(name: "PipelineObservation", targets: ["PipelineObservation"]),
        .library(name: "PipelineTesting", targets: ["PipelineTesting"]),
        .library(name: "PipelineNetwork", targets: ["PipelineNetwork"]),
        .library(name: "SourcesMemory", targets: ["SourcesMemory"]),
        .library(name: "SourcesFile", targets: ["SourcesFile"]),
        .library(name: "SourcesHTTP", targets: ["SourcesHTTP"]),
        .library(name: "SourcesSQLite", targets: ["SourcesSQLite"]),
        .library(name: "SourcesInline", targets: ["SourcesInline"]),
        .library(name: "SourcesCommand", targets: ["SourcesCommand"]),
        .library(name: "SourcesRedis", targets: ["SourcesRedis"]),
        .library(name: "SourcesWebSocket", targets: ["SourcesWebSocket"]),
        .library(name: "SourcesSSE", targets: ["SourcesSSE"]),
        .library(name: "SourcesPoll", targets: ["SourcesPoll"]),
        .library(name: "SourcesWatch", targets: ["SourcesWatch"]),
        .library(name: "PipelineReports", targets: ["PipelineReports"]),
        .library(name: "PipelineServer", targets: ["PipelineServer"]),
        .library(name: "PipeRunKit", targets: ["PipeRunKit"]),
        .executable(name: "pipe-run", targets: ["pipe-run"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
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
        .systemLibrary(name: "CTaskHook"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "PipelineJSON", swiftSettings: settings),
        .target(name: "Pipeline", dependencies: ["PipelineJSON"], swiftSettings: settings),
        .target(name: "PipelineConfig", dependencies: ["Pipeline", "PipelineJSON"], swiftSettings: settings),
        .target(name: "PipelineYAML", dependencies: ["CYAML", "Pipeline", "PipelineConfig"], swiftSettings: settings),
        .target(name: "PipelineFoundation", dependencies: ["Pipeline"], swiftSettings: settings),
        .target(name: "PipelineObservation", dependencies: ["Pipeline", "PipelineFoundation"], swiftSettings: settings),
        .target(name: "PipelineTesting", dependencies: ["Pipeline"], swiftSettings: settings),
        .target(name: "PipelineNetwork", dependencies: ["Pipeline"], swiftSettings: settings),
        .target(
            name: "PipelineSockets",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "SourcesMemory",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineJSON"],
            path: "Sources/Sources-Memory",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesFile",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineJSON"],
            path: "Sources/Sources-File",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesHTTP",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON", "PipelineNetwork", "PipelineSockets",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Sources-HTTP",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesSQLite",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Sources/Sources-SQLite",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesInline",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineJSON"],
            path: "Sources/Sources-Inline",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesCommand",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Sources/Sources-Command",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesRedis",
            dependencies: [
                "CHiredis", "Pipeline", "PipelineConfig", "PipelineJSON",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Sources-Redis",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesWebSocket",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON", "PipelineSockets",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            path: "Sources/Sources-WebSocket",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesSSE",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineSockets",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Sources-SSE",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesPoll",
            dependencies: ["Pipeline", "PipelineConfig"],
            path: "Sources/Sources-Poll",
            swiftSettings: settings
        ),
        .target(
            name: "SourcesWatch",
            dependencies: ["Pipeline", "PipelineConfig"],
            path: "Sources/Sources-Watch",
            swiftSettings: settings
        ),
        .target(
            name: "PipelineReports",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineJSON", "PipelineYAML"],
            swiftSettings: settings
        ),
        .target(
            name: "PipelineServer",
            dependencies: [
                "CZlib", "Pipeline", "PipelineConfig", "PipelineJSON",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PipeRunKit",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON", "PipelineReports", "PipelineServer", "PipelineYAML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "pipe-run",
            dependencies: [
                "PipeRunKit", "SourcesMemory", "SourcesFile", "SourcesHTTP", "SourcesSQLite", "SourcesRedis", "SourcesInline",
                "SourcesCommand", "SourcesWebSocket", "SourcesSSE", "SourcesPoll", "SourcesWatch",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: ["Pipeline", "PipelineTesting", "PipelineConfig", "PipelineYAML", "SourcesMemory"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "PipelineTests",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineJSON", "PipelineYAML", "PipelineFoundation", "PipelineObservation",
                "PipelineTesting",
                "SourcesMemory", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ModelTests",
            dependencies: ["CTaskHook", "Pipeline", "PipelineJSON", "PipelineTesting", "PipelineConfig", "PipelineYAML"],
            swiftSettings: settings),
        .testTarget(
            name: "PipelineNetworkTests", dependencies: ["Pipeline", "PipelineNetwork", "PipelineTesting"], swiftSettings: settings),
        .testTarget(
            name: "ConfigTests",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineYAML", "PipelineTesting", "SourcesMemory", "SourcesFile", "SourcesHTTP",
                "SourcesSQLite",
                "SourcesRedis",
                "SourcesInline", "SourcesCommand", "SourcesWebSocket", "SourcesSSE", "SourcesPoll", "SourcesWatch", "PipelineJSON",
                "PipelineReports", "PipelineServer", "PipeRunKit", "Snippets", "TestSupport",
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .target(
            name: "Snippets",
            dependencies: [
                "Pipeline", "PipelineConfig", "PipelineYAML", "PipelineFoundation", "PipelineObservation", "PipelineServer",
                "SourcesMemory",
                "SourcesFile", "SourcesHTTP", "PipeRunKit",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Snippets",
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesMemoryTests",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineTesting", "SourcesMemory"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesFileTests",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineTesting", "SourcesFile", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesHTTPTests",
            dependencies: [
                "Pipeline", "PipelineTesting", "PipelineConfig", "PipelineNetwork", "PipelineSockets", "PipelineYAML", "SourcesHTTP",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesSQLiteTests",
            dependencies: [
                "Pipeline", "PipelineTesting", "PipelineConfig", "PipelineYAML", "SourcesMemory", "SourcesSQLite", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesInlineTests",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineYAML", "PipelineTesting", "SourcesInline"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesCommandTests",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineYAML", "PipelineTesting", "SourcesCommand", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesRedisTests",
            dependencies: [
                "Pipeline", "PipelineTesting", "PipelineConfig", "PipelineJSON", "PipelineYAML", "SourcesMemory", "SourcesRedis", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesWebSocketTests",
            dependencies: [
                "Pipeline", "PipelineTesting", "PipelineConfig", "PipelineJSON", "PipelineSockets", "PipelineYAML", "SourcesWebSocket",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesSSETests",
            dependencies: [
                "Pipeline", "PipelineTesting", "PipelineConfig", "PipelineSockets", "PipelineYAML", "SourcesSSE", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesPollTests",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineTesting", "PipelineYAML", "SourcesPoll", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SourcesWatchTests",
            dependencies: ["Pipeline", "PipelineConfig", "PipelineTesting", "PipelineYAML", "SourcesWatch", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PipeRunTests",
            dependencies: [
                "CZlib", "Pipeline", "PipelineConfig", "PipelineYAML", "PipelineTesting", "PipelineJSON", "PipelineReports",
                "PipelineServer", "PipeRunKit", "TestSupport", "pipe-run",
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

// For scripts/test-tsan: what the thread sanitizer looks at and nothing else, with a mutex that it understands.
if Context.environment["PIPE_RUN_TSAN"] == "1" {
    let kept: Set = [
        "CYAML", "CTaskHook", "PipelineJSON", "Pipeline", "PipelineConfig", "PipelineYAML", "PipelineFoundation", "PipelineObservation",
        "PipelineTesting", "PipelineNetwork", "SourcesMemory", "SourcesFile", "SourcesPoll", "SourcesWatch",
        "TestSupport", "PipelineTests", "PipelineNetworkTests", "ModelTests", "SourcesMemoryTests", "SourcesFileTests", "SourcesPollTests", "SourcesWatchTests",
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

// For scripts/build-docs: the targets that have a DocC catalogue, what they import, and the plugin that builds them.
if Context.environment["PIPE_RUN_DOCS"] == "1" {
    let kept: Set = ["PipelineJSON", "Pipeline", "PipelineConfig"]
    package.products = []
    package.dependencies = [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]
    package.targets.removeAll { !kept.contains($0.name) }
}

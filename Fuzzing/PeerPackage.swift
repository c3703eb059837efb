// swift-tools-version: 6.2
import PackageDescription

// scripts/fuzz builds this with the address sanitizer and libFuzzer's counters in all that it depends on: the sources that read what
// others sent or stored through a library, and the libraries.
let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]

let package = Package(
    name: "peer-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "pipe-run", path: "../.."), .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "PeerFuzzer",
            dependencies: [
                .product(name: "Pipeline", package: "pipe-run"), .product(name: "PipelineConfig", package: "pipe-run"),
                .product(name: "PipelineYAML", package: "pipe-run"),
                .product(name: "PipelineTesting", package: "pipe-run"), .product(name: "SourcesHTTP", package: "pipe-run"),
                .product(name: "SourcesInline", package: "pipe-run"), .product(name: "SourcesMemory", package: "pipe-run"),
                .product(name: "SourcesSQLite", package: "pipe-run"), .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PipelineJSON", package: "pipe-run"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            path: "PeerFuzzer",
            swiftSettings: features.map { .enableUpcomingFeature($0) } + [.unsafeFlags(["-parse-as-library"])]
        )
    ],
    swiftLanguageModes: [.v6]
)

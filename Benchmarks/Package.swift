// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "pipe-run-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "pipe-run", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(name: "CAllocations"),
        // hiredis as it is; the library's own module has what its parser needs, and nothing of the driver.
        .systemLibrary(name: "CBareHiredis", path: "Sources/CBareHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"])]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CAllocations",
                "CBareHiredis",
                .product(name: "Pipeline", package: "pipe-run"),
                .product(name: "PipelineLive", package: "pipe-run"),
                .product(name: "PipelineComposing", package: "pipe-run"),
                .product(name: "PipelineSending", package: "pipe-run"),
                .product(name: "PipelineJSON", package: "pipe-run"),
                .product(name: "PipelineConfig", package: "pipe-run"),
                .product(name: "PipelineNetwork", package: "pipe-run"),
                .product(name: "PipelineYAML", package: "pipe-run"),
                .product(name: "SourcesMemory", package: "pipe-run"),
                .product(name: "SourcesFile", package: "pipe-run"),
                .product(name: "SourcesSQLite", package: "pipe-run"),
                .product(name: "SourcesRedis", package: "pipe-run"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/Benchmarks",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

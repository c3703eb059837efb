// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "custom-source",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "pipe-run", path: "../..")
    ],
    targets: [
        .target(
            name: "SourcesCalendar",
            dependencies: [.product(name: "Pipeline", package: "pipe-run"), .product(name: "PipelineConfig", package: "pipe-run")]
        ),
        .executableTarget(
            name: "my-pipe-run",
            dependencies: [
                "SourcesCalendar",
                .product(name: "PipeRunKit", package: "pipe-run"),
                .product(name: "SourcesMemory", package: "pipe-run"),
                .product(name: "SourcesFile", package: "pipe-run"),
            ]
        ),
        .testTarget(
            name: "SourcesCalendarTests",
            dependencies: ["SourcesCalendar", .product(name: "PipelineTesting", package: "pipe-run")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

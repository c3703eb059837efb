// swift-tools-version: 6.2
import PackageDescription

// scripts/fuzz builds this as a package of links to the sources: what reads configurations, sidecars and what Redis answers, and nothing else, all of it instrumented,
// which a dependency of a package cannot be.
let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
let settings: [SwiftSetting] =
    features.map { .enableUpcomingFeature($0) } + [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CYAML", path: "Sources/CYAML", pkgConfig: "yaml-0.1"),
        .systemLibrary(name: "CHiredis", path: "Sources/CHiredis", pkgConfig: "hiredis"),
        .target(name: "Pipeline", path: "Sources/Pipeline", swiftSettings: settings),
        .target(name: "PipelineYAML", dependencies: ["CYAML", "Pipeline"], path: "Sources/PipelineYAML", swiftSettings: settings),
        .target(name: "SourcesMemory", dependencies: ["Pipeline"], path: "Sources/Sources-Memory", swiftSettings: settings),
        .target(name: "SourcesFile", dependencies: ["Pipeline"], path: "Sources/Sources-File", swiftSettings: settings),
        .executableTarget(
            name: "ConfigFuzzer",
            dependencies: ["CHiredis", "Pipeline", "PipelineYAML", "SourcesMemory", "SourcesFile"],
            path: "ConfigFuzzer",
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"], .when(platforms: [.linux]))]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

// scripts/fuzz builds this as a package of links to the sources: what reads configurations, sidecars and what Redis answers, and nothing else, all of it instrumented,
// which a dependency of a package cannot be.
let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
let settings: [SwiftSetting] =
    features.map { .enableUpcomingFeature($0) } + [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]

/// The engine: tiers; lists that change; values made from others; writes that go out.
let storeys: [Target.Dependency] = ["Pipeline", "PipelineLive", "PipelineComposing", "PipelineSending", "PipelineJSON"]

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CYAML", path: "Sources/CYAML", pkgConfig: "yaml-0.1"),
        .systemLibrary(name: "CHiredis", path: "Sources/CHiredis", pkgConfig: "hiredis"),
        .systemLibrary(name: "CTaskHook", path: "Sources/CTaskHook"),
        .systemLibrary(name: "CLzma", path: "Sources/CLzma", pkgConfig: "liblzma"),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CZstd", path: "Sources/CZstd", pkgConfig: "libzstd"),
        .target(name: "PipelineJSON", path: "Sources/PipelineJSON", swiftSettings: settings),
        .target(name: "Pipeline", dependencies: ["PipelineJSON"], path: "Sources/Pipeline", swiftSettings: settings),
        .target(
            name: "PipelineLive", dependencies: ["Pipeline", "PipelineJSON"], path: "Sources/PipelineLive", swiftSettings: settings),
        .target(
            name: "PipelineComposing", dependencies: ["Pipeline", "PipelineJSON", "PipelineLive"], path: "Sources/PipelineComposing",
            swiftSettings: settings),
        .target(
            name: "PipelineSending", dependencies: ["Pipeline", "PipelineJSON", "PipelineLive"], path: "Sources/PipelineSending",
            swiftSettings: settings),
        .target(name: "PipelineConfig", dependencies: storeys, path: "Sources/PipelineConfig", swiftSettings: settings),
        .target(
            name: "PipelineYAML", dependencies: ["CYAML", "Pipeline", "PipelineConfig"], path: "Sources/PipelineYAML",
            swiftSettings: settings),
        .target(
            name: "PipelineScenarios", dependencies: ["CTaskHook", "PipelineConfig", "PipelineYAML"] + storeys,
            path: "Sources/PipelineScenarios", swiftSettings: settings),
        .target(
            name: "PipelineReports",
            dependencies: ["PipelineConfig", "PipelineScenarios", "PipelineSimulation", "PipelineYAML"] + storeys,
            path: "Sources/PipelineReports", swiftSettings: settings),
        .target(
            name: "PipelineSimulation",
            dependencies: ["CLzma", "CZlib", "CZstd", "PipelineConfig", "PipelineScenarios", "PipelineYAML"] + storeys,
            path: "Sources/PipelineSimulation", swiftSettings: settings),
        .target(
            name: "SourcesMemory", dependencies: ["Pipeline", "PipelineConfig"], path: "Sources/Sources-Memory", swiftSettings: settings),
        .target(
            name: "SourcesFile", dependencies: ["Pipeline", "PipelineConfig", "PipelineJSON"], path: "Sources/Sources-File",
            swiftSettings: settings),
        .executableTarget(
            name: "ConfigFuzzer",
            dependencies: [
                "CHiredis", "PipelineConfig", "PipelineReports", "PipelineScenarios", "PipelineSimulation", "PipelineYAML", "SourcesMemory",
                "SourcesFile",
            ] + storeys,
            path: "ConfigFuzzer",
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"], .when(platforms: [.linux]))]
        ),
    ],
    swiftLanguageModes: [.v6]
)

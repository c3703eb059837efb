internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig
internal import PipelineSimulation
private import Foundation

/// The variants that a command line names.
struct ComparedVariants {
    /// One of them.
    struct Variant {
        let name: String
        /// The sources that are asked, in order.
        let order: [String]
        let report: ConfigReport
        /// The order as it was asked for; nil for the pipeline as it is.
        let asked: [String]?
    }

    let pipeline: String
    let variants: [Variant]
    let swaps: SourceSwaps

    /// - Parameters:
    ///   - orders: each is a variant of the pipeline in the first file.
    ///   - files: without an order the first is a variant itself; each further one is.
    init(of pipeline: String, orders: [String], files: [String], swapping swaps: SourceSwaps) throws {
        self.pipeline = pipeline
        self.swaps = swaps
        let base = files.first ?? ConfigOptions.unnamed
        let report = try Self.report(at: base)
        var variants = try orders.map {
            try Self.variant($0, of: pipeline, in: report, at: base, asking: SourceOrder.names(in: $0), swapping: swaps)
        }
        if orders.isEmpty {
            variants.append(try Self.variant(Self.fileName(base), of: pipeline, in: report, at: base, asking: nil, swapping: swaps))
        }
        for file in files.dropFirst() {
            let report = try Self.report(at: file)
            variants.append(try Self.variant(Self.fileName(file), of: pipeline, in: report, at: file, asking: nil, swapping: swaps))
        }
        self.variants = Self.named(variants)
        guard let first = self.variants.first, self.variants.count > 1 else {
            throw Usage.failure(
                "nothing to compare `\(pipeline)` with",
                help: "name orders, as in `--order a,b --order b`, or files, as in `-c a.yaml -c b.yaml`")
        }
        for variant in self.variants.dropFirst() where try variant.parameters(of: pipeline) != first.parameters(of: pipeline) {
            throw Usage.failure("`\(pipeline)` of `\(variant.name)` has other parameters than that of `\(first.name)`", help: nil)
        }
    }

    private static func fileName(_ path: String) -> String { path == "-" ? "<stdin>" : URL(filePath: path).lastPathComponent }

    private static func report(at path: String) throws -> ConfigReport {
        try ConfigOptions.report(of: ConfigPaths.file(at: path), mayLack: { _ in true })
    }

    private static func variant(
        _ name: String, of pipeline: String, in report: ConfigReport, at file: String, asking order: [String]?, swapping swaps: SourceSwaps
    ) throws -> Variant {
        try Usage.checking(["compare", "-c", file, pipeline]) {
            let declared = try report.plan.pipeline(pipeline)
            let plan = try order.map { try declared.asking($0, from: report.plan.sources, isReplaced: swaps.replaces) } ?? declared
            return Variant(name: order?.joined(separator: ",") ?? name, order: plan.tiers.map(\.source.name), report: report, asked: order)
        }
    }

    /// The variants, each with a name of its own.
    private static func named(_ variants: [Variant]) -> [Variant] {
        var counts: [String: Int] = [:]
        return variants.map { variant in
            counts[variant.name, default: 0] += 1
            guard let count = counts[variant.name], count > 1 else { return variant }
            return Variant(name: "\(variant.name) (\(count))", order: variant.order, report: variant.report, asked: variant.asked)
        }
    }

    var labels: [ComparisonFindings.Label] { variants.map { ($0.name, $0.order) } }

    /// Masks what is secret in any of the files.
    func redacted(_ text: String) -> String { variants.reduce(text) { $1.report.redactor.redacted($0) } }

    /// The pipelines of the variants, and the first variant's pipeline once more as the last, each over sources of its own.
    ///
    /// - Parameter caches: where caches keep their copies; nil for the places that the files name.
    func subjects(in caches: TemporaryCaches?, within calls: OriginCalls, clock: PipelineClock, seed: UInt64) throws -> [Comparison.Subject]
    {
        do {
            return try (variants + variants.prefix(1)).enumerated().map { number, variant in
                let random = RandomGenerator.seeded(seed)
                let specs = try SwapOptions.checking {
                    try variant.report.specs(
                        ofPipeline: pipeline, asking: variant.asked,
                        swapping: swaps.placing(caches?.places(variant: number)),
                        clock: clock, random: random)
                }
                guard let spec = specs.first else { throw ExitStatus.usage }
                return try Comparison.Subject(
                    spec, among: Array(specs.dropFirst()), replacing: swaps.replaced, within: calls, clock: clock, random: random,
                    redactor: variant.report.redactor)
            }
        } catch let error as ExitCode {
            throw error
        } catch {
            Console.say(redacted("\(error)"))
            throw ExitStatus.badConfiguration
        }
    }
}

extension ComparedVariants.Variant {
    fileprivate func parameters(of pipeline: String) throws -> [String] {
        try report.plan.pipeline(pipeline).parameters.map(\.name).sorted()
    }
}

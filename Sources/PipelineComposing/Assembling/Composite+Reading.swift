import Pipeline
import PipelineLive

extension Composite: Source {
    /// It ends by itself at its limit, and says then what it has so far.
    var style: ReadStyle { .punctual }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        let begin = clock.now
        let demand = PartDemand(
            policy: context.policy, priority: context.priority, end: context.deadline, isBound: context.isBound,
            concurrency: spec.concurrency, recalling: context.recalls, within: context.part)
        let whole = try await Assembly(self, key, demand).run()
        context.note?(whole.composition)
        switch whole.ending {
        case .failed(let error): throw error
        case .none: return nil
        case .notFound:
            var entry = Entry.notFound(created: whole.times.created ?? begin)
            entry.freshUntil = whole.times.freshUntil
            return entry.attributed(to: CompositeSpec.placeName).made(from: whole)
        case .value(let payload):
            return Entry(
                payload, created: whole.times.created ?? begin, freshUntil: whole.times.freshUntil, source: CompositeSpec.placeName
            ).made(from: whole)
        }
    }

    /// A whole that was made from a value that a part has no longer has changed. One in memory expires when a part changes.
    func judge(_ copy: Entry, of key: Key, _ context: ReadContext) -> CopyJudgement {
        guard !context.isInMemory, copy.isWithinLimit(at: clock.now) else { return .current }
        return .later {
            let change = try await self.change(since: copy, of: key, priority: context.priority, until: context.deadline)
            return change.map { .changed($0) } ?? .current
        }
    }
}

extension Entry {
    /// The entry with what holds for copies of it, where caches that keep it also keep what it was made from.
    fileprivate func made(from whole: AssembledWhole) -> Entry {
        bound(by: whole.times.cacheControl).varying(as: whole.composition.madeFrom)
    }
}

extension Composite {
    /// The key of a part: what its arguments say, else what the composite has under the same name.
    ///
    /// - Parameters:
    ///   - parameters: those of the key of the whole.
    ///   - text: gives the value of an argument.
    func key(
        of part: Part, in pipeline: DataPipeline, _ parameters: [Parameter], _ text: (PartArgument) throws(SourceError) -> String
    ) throws(SourceError) -> Key {
        var arguments: [String: String] = [:]
        for parameter in pipeline.spec.parameters {
            if let argument = part.spec.arguments[parameter.name] {
                arguments[parameter.name] = try text(argument)
            } else if let own = parameters.first(where: { $0.name.hasSameBytes(as: parameter.name) }) {
                arguments[parameter.name] = own.value
            }
        }
        do throws(UsageError) {
            return try pipeline.key(arguments)
        } catch {
            throw SourceError(error.message, kind: .unasked)
        }
    }
}

extension PartArgument {
    /// The text with the values of these parameters. Throws for one that is taken from a value, and where a parameter is missing.
    func given(_ parameters: [Parameter]) throws(SourceError) -> String {
        guard let text = text(parameters) else { throw SourceError("an argument has no value", kind: .invalid) }
        return text
    }
}

import Pipeline
import PipelineLive
import Synchronization

/// The sends of pipelines, and of those that take over from them.
final class Sending: Sendable {
    private struct State {
        var declared: [String: DeclaredSend] = [:]
        /// The names, in the order of the file.
        var names: [String] = []
        var outboxes: [String: Outbox] = [:]
        /// Those that end.
        var leaving: [Outbox] = []
        var isPrepared = false
        /// Whether the use of a pipeline that sends change has them delivered.
        var deliversOnUse = true
    }

    private let state = Mutex(State())
    let laid = LaidKeys()

    /// Has these sends from now on, in the place of those before.
    func declare(_ specs: [SendSpec], for pipelines: Pipelines) throws(UsageError) {
        let (commons, directory) = (pipelines.commons, pipelines.directory)
        var declared: [String: DeclaredSend] = [:]
        var sources: [String: any OutboxSource] = [:]
        for spec in specs {
            guard let send = DeclaredSend(spec, in: directory) else {
                throw .unfitAddition(spec.name, "`\(spec.target.name)` takes no sends")
            }
            guard let outbox = spec.outbox.source as? any OutboxSource else {
                throw .unfitAddition(spec.name, "`\(spec.outbox.name)` is no outbox")
            }
            guard declared.updateValue(send, forKey: spec.name) == nil else { throw .unfitAddition(spec.name, "it is declared twice") }
            sources[spec.outbox.name] = outbox
        }
        for pipeline in pipelines.all where specs.contains(where: { $0.changes(pipeline.spec.name) }) {
            // They are within: what they know is the base.
            _ = pipeline.invalidation.lives
            let (name, followers) = (pipeline.spec.name, pipeline.followers)
            _ = followers.member {
                SendFollower(laid, among: followers, on: commons.clock) { [weak self] in await self?.open(changing: name) ?? true }
            }
        }
        let (outboxes, new, gone, mustPrepare) = state.withLock { state -> ([Outbox], [Outbox], [Outbox], Bool) in
            (state.declared, state.names) = (declared, specs.map(\.name))
            var (gone, new) = ([Outbox](), [Outbox]())
            for (name, outbox) in state.outboxes where sources[name] !== outbox.source {
                gone.append(outbox)
                state.outboxes[name] = nil
            }
            for (name, source) in sources where state.outboxes[name] == nil {
                let outbox = Outbox(name, source, laying: laid, among: commons, in: directory)
                state.outboxes[name] = outbox
                if state.isPrepared { new.append(outbox) }
            }
            state.leaving += gone
            defer { state.isPrepared = true }
            return (Array(state.outboxes.values), new, gone, !state.isPrepared)
        }
        // Ends when what they try has ended, within the limits of that.
        for outbox in gone {
            Task {
                await outbox.leave()
                self.state.withLock { $0.leaving.removeAll { $0 === outbox } }
            }
        }
        for outbox in outboxes { outbox.declare(declared.filter { $0.value.spec.outbox.name == outbox.name }) }
        // Pipelines that were used have looked into those before.
        let delivers = state.withLock(\.deliversOnUse)
        for outbox in new {
            outbox.run {
                if (try? await outbox.open()) != nil, delivers { outbox.startSending() }
            }
        }
        if mustPrepare { commons.closing.prepare { [weak self] in await self?.stop() } }
    }

    /// Opens the outboxes whose sends change the pipeline called `name`. False if one cannot be opened: it shows nothing.
    private func open(changing name: String) async -> Bool {
        let (outboxes, delivers) = state.withLock { state -> ([Outbox], Bool) in
            let names = Set(state.declared.values.filter { $0.spec.changes(name) }.map(\.spec.outbox.name))
            return (names.sorted().compactMap { state.outboxes[$0] }, state.deliversOnUse)
        }
        var isOpen = true
        for outbox in outboxes {
            if (try? await outbox.open()) == nil { isOpen = false } else if delivers { outbox.startSending() }
        }
        return isOpen
    }

    /// Has nothing delivered before a send is taken in, or somebody asks for it.
    func waitWithDelivery() { state.withLock { $0.deliversOnUse = false } }

    /// The kind of send called `name`, and its outbox.
    func find(_ name: String) throws(SendError) -> (DeclaredSend, Outbox) {
        let found = state.withLock { state in
            state.declared[name].flatMap { send in state.outboxes[send.spec.outbox.name].map { (send, $0) } }
        }
        guard let found else { throw .unknownSend(name, known: state.withLock(\.names)) }
        return found
    }

    /// The outboxes, by name.
    var outboxes: [Outbox] { state.withLock { $0.outboxes.values.sorted { $0.name < $1.name } } }

    /// Does `body` with each outbox. Throws the first reason why one cannot be used, when it is done with the others.
    func each(_ body: (Outbox) async throws(SendError) -> Void) async throws(SendError) {
        var problem: SendError?
        for outbox in outboxes {
            do throws(SendError) {
                try await body(outbox)
            } catch {
                problem = problem ?? outbox.naming(error)
            }
        }
        if let problem { throw problem }
    }

    private func stop() async {
        await withTaskGroup { group in
            for outbox in outboxes + state.withLock(\.leaving) { group.addTask { await outbox.stop() } }
        }
    }
}

extension SendSpec {
    /// Whether it changes values of the pipeline called `name`.
    func changes(_ name: String) -> Bool { changes.contains { $0.pipeline == name } }
}

extension Commons {
    /// The sends of the pipelines.
    var sending: Sending { member { Sending() } }
}

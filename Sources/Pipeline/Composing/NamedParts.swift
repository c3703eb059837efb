internal import PipelineJSON

/// The pipelines that the names of parts stood for, and how memory is asked for their values.
final class NamedParts: Sendable {
    /// How memory is asked for a part. The pipeline itself is referred to weakly elsewhere, which makes each use of it dear. An object, whose
    /// contents are used where they are: counting references to them would take half the time of a whole.
    final class Hit: Sendable {
        let part: Composite.Part
        private let path: HitPath
        /// The key, where the pipeline has no parameters; else none of its keys.
        private let key: Key
        fileprivate let hasKey: Bool
        /// Whether the whole has the payload as it is.
        let isPlain: Bool

        init(_ path: HitPath, key: Key?, isPlain: Bool, of part: Composite.Part) {
            (self.path, self.key, hasKey, self.isPlain) = (path, key ?? Key(pipeline: part.spec.pipeline), key != nil, isPlain)
            self.part = part
        }

        /// Adds what memory has for the part. False where that is not all there is to tell of it.
        ///
        /// - Parameters:
        ///   - given: the key; nil where the pipeline has no parameters.
        ///   - now: see ``HitPath/immediateCopy(_:at:)``.
        @inline(never)
        fileprivate func add(to copies: inout [Copy], _ times: inout PartTimes, for given: Key?, at now: inout Timestamp) -> Bool {
            // Of a whole that lacks targets of links there is more to tell.
            guard let found = copy(for: given, at: &now), let range = Self.value(in: found), found.missingTargets.isEmpty
            else { return false }
            times.use(copy: found, as: "part `\(part.name)`")
            copies.append(Copy(key: given, entry: found, range: range))
            return true
        }

        @inline(__always)
        private static func value(in entry: borrowing Entry) -> Range<Int>? {
            switch entry.payload {
            case .some(let payload): JSONFragment.range(of: payload)
            case .none: nil
            }
        }

        @inline(__always)
        private func copy(for given: Key?, at now: inout Timestamp) -> Entry? {
            if hasKey { return path.immediateCopy(key, at: &now) }
            guard let given else { return nil }
            return path.immediateCopy(given, at: &now)
        }

        /// Writes what stands before the value in an object.
        @inline(__always)
        fileprivate func writeLabel(to text: UnsafeMutableBufferPointer<UInt8>, at end: inout Int) {
            text.append(part.member, part.member.indices, at: &end)
        }

        /// What a fetch of `copy` would have been.
        func outcome(of copy: Copy, at now: Timestamp) -> Outcome {
            path.outcome(of: copy.entry, for: copy.key ?? key, at: now)
        }
    }

    /// What memory had of a part.
    struct Copy: Sendable {
        /// Nil where the pipeline has no parameters.
        let key: Key?
        let entry: Entry
        /// Where the value is in the payload.
        let range: Range<Int>
    }

    /// The ``PipelineDirectory/version`` when that was so.
    let version: Int
    /// In the order of the parts; nil for one that is gone.
    let pipelines: [DataPipeline?]
    /// The same where memory can have all of their values at hand; none where it cannot.
    let hits: [Hit]
    /// The same for uses that count no references.
    private let unowned: [Unmanaged<Hit>]
    /// Whether the whole is an object that has the payload of each part as it is.
    private let isObject: Bool
    /// The size of that object without its values.
    private let frame: Int

    init(_ composite: Composite, in directory: PipelineDirectory) {
        version = directory.version
        pipelines = composite.parts.map { directory[$0.spec.pipeline] }
        let hits = zip(composite.parts, pipelines).compactMap { part, pipeline -> Hit? in
            guard let pipeline, let path = pipeline.hitPath, path.isImmediate else { return nil }
            let spec = pipeline.spec
            return Hit(
                path, key: spec.parameters.isEmpty ? try? pipeline.key() : nil,
                isPlain: spec.policy.format == .json && part.spec.select.tokens.isEmpty, of: part)
        }
        self.hits = hits.count == composite.parts.count ? hits : []
        unowned = self.hits.map(Unmanaged.passUnretained)
        isObject = composite.spec.isObject && hits.allSatisfy(\.isPlain)
        frame = hits.reduce(1) { $0 + 1 + $1.part.member.count }
    }

    /// Whether the pipeline of the part at `index` has one key alone.
    func hasKey(of index: Int) -> Bool { unowned[index]._withUnsafeGuaranteedRef { $0.hasKey } }

    /// Adds what memory has for the part at `index`. False where that is not all there is to tell of it.
    ///
    /// - Parameters:
    ///   - given: the key; nil where the pipeline has no parameters.
    ///   - now: see ``HitPath/immediateCopy(_:at:)``.
    func addCopy(of index: Int, to copies: inout [Copy], _ times: inout PartTimes, for given: Key?, at now: inout Timestamp) -> Bool {
        unowned[index]._withUnsafeGuaranteedRef { $0.add(to: &copies, &times, for: given, at: &now) }
    }

    /// The whole of these copies, one for each part, where that is an object with the payload of each as it is. Nil for another one, and where
    /// it must be looked at: it may be too large, or nested too deep.
    func object(of copies: [Copy], limit: Int) -> [UInt8]? {
        if !isObject || copies.isEmpty { return nil }
        var size = frame
        for index in copies.indices {
            let count = copies[index].range.count
            if count >= JSONFragment.sureDepth { return nil }
            size += count
        }
        if size > limit { return nil }
        // Bytes that stand on the stack become an array faster than an array is filled that has none yet (24 ns, a twentieth of a whole).
        if size <= Self.roomOnStack {
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { text in
                let end = write(copies, to: text)
                return Array(UnsafeBufferPointer(rebasing: text[..<end]))
            }
        }
        return [UInt8](unsafeUninitializedCapacity: size) { text, end in end = write(copies, to: text) }
    }

    /// As much as `withUnsafeTemporaryAllocation` gives without the heap.
    private static let roomOnStack = 1_024

    /// Writes the object of these copies. Returns where it ends.
    @inline(__always)
    private func write(_ copies: [Copy], to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var end = 0
        copies.withUnsafeBufferPointer { copies in
            for index in copies.indices {
                text[end] = UInt8(ascii: index == 0 ? "{" : ",")
                end += 1
                unowned[index]._withUnsafeGuaranteedRef { $0.writeLabel(to: text, at: &end) }
                if let payload = copies[index].entry.payload { text.append(payload, copies[index].range, at: &end) }
            }
        }
        text[end] = UInt8(ascii: "}")
        return end + 1
    }
}

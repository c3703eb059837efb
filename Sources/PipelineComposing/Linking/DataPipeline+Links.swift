package import Pipeline
import PipelineLive
internal import PipelineJSON

/// The target that one reference of a link leads to.
package enum LinkTarget: Sendable, Hashable {
    case key(Key)
    /// Nowhere: it is null.
    case null
    /// Nowhere: it is absent, or an empty list.
    case absent
    /// A reference that cannot be followed, for this reason.
    case invalid(String)
}

extension DataPipeline {
    /// Where the references of a link in the value of `outcome` lead, in their order, each target once. Nothing is loaded. One of them is
    /// ``LinkTarget/null`` or ``LinkTarget/absent`` where any leads nowhere. Empty for an outcome without a value.
    ///
    /// Throws `SourceError` where no reference of the link can be followed.
    package func targets(of link: LinkSpec, in outcome: Outcome) throws(SourceError) -> [LinkTarget] {
        guard case .value(let entry) = outcome.result, let payload = entry.payload else { return [] }
        let demand = PartDemand(policy: .cacheOnly, priority: spec.policy.priority, end: nil, isBound: false)
        let run = LinkRun(sources.directory, demand, until: nil, clock: clock, limit: spec.policy.maxSize)
        let value = LinkedValue(node: 0, payload: payload, key: outcome.key, at: "")
        let placing = try LinkPlacing(link, 0, in: value, from: run)
        let paths = [link.place, link.place.sibling(link.name), link.place.holders].map { $0 ?? link.place }
        let found: [JSONPlaces]
        do {
            found = try JSONScanner.places(of: paths, in: payload)
        } catch {
            throw SourceError("the links of `\(outcome.key)` cannot be found: \(error)", kind: .invalid)
        }
        return placing.targets(of: found[0], taken: found[1], among: found[2], in: value)
    }

    /// The note for people on `link` if its place leads nowhere in the value of `outcome`. Nil if a reference is there, also one that is
    /// null, and if there is nothing that could have one, as in a list without elements.
    package func noteOfAbsence(of link: LinkSpec, in outcome: Outcome) -> String? {
        guard case .value(let entry) = outcome.result, let payload = entry.payload else { return nil }
        let paths = [link.place, link.place.holders ?? link.place]
        guard let found = try? JSONScanner.places(of: paths, in: payload), found[0].isEmpty else { return nil }
        guard link.place.isPointer || !found[1].isEmpty else { return nil }
        let place = JSONFragment(payload).isArray ? link.place.inEachElement : nil
        return "link `\(link.name)` found no reference at `\(link.place)`" + (place.map { ": the value is a list, try `\($0)`" } ?? "")
    }
}

extension JSONPath {
    /// The place of a pointer in each element of a list; nil for another path, and where a name would need quotes.
    fileprivate var inEachElement: String? {
        let names = description.split(separator: "/")
        guard isPointer, !names.isEmpty, names.allSatisfy(\.isPlainName) else { return nil }
        return "$[*]" + names.map { ".\($0)" }.joined()
    }
}

extension Substring {
    /// Whether it is a letter or `_`, and letters, digits and `_` after it.
    fileprivate var isPlainName: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

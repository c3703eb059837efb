import Pipeline

extension ConformanceSubject {
    /// Whether the runner sees what the source is: by ``SourceFacets``, as by a cast.
    static var facetCheck: ConformanceCheck<Self> {
        ConformanceCheck("facets") { subject, findings in
            guard let source = subject.source as? any Source else { return }
            let facets: [(name: String, isSeen: Bool, isTrue: Bool)] = [
                ("WritableSource", source.asWritable != nil, source is any WritableSource),
                ("ImmediateSource", source.asImmediate != nil, source is any ImmediateSource),
                ("SynchronousSource", source.asSynchronous != nil, source is any SynchronousSource),
                ("RevalidatingSource", source.asRevalidating != nil, source is any RevalidatingSource),
                ("ConnectableSource", source.asConnectable != nil, source is any ConnectableSource),
                ("CheckableSource", source.asCheckable != nil, source is any CheckableSource),
                ("AnnouncingSource", source.asAnnouncing != nil, source is any AnnouncingSource),
                ("LeasingSource", source.asLeasing != nil, source is any LeasingSource),
            ]
            for facet in facets {
                findings.expect(
                    facet.isSeen == facet.isTrue,
                    "it conforms to \(facet.name), which its conformance to Source does not see: see SourceFacets")
            }
        }
    }
}

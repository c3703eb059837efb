extension Loader {
    /// When several processes find no fresh copy in `tier`, lets one of them load from this loader. The others wait for its copy there.
    ///
    /// The loader is the one that `tier` falls back to, and its answers must be stored in `tier`, where the others wait for them. When one
    /// is not stored, or the load fails, the other processes load at once, each for itself. The lease of the one that loads is renewed until its
    /// answer is stored; when its process dies, one of the others takes over as soon as the lease ends. Does nothing for a source that holds
    /// no leases. When the source cannot be asked for a lease, this loader loads without one.
    ///
    /// A fetch with the policy `refresh` loads for itself; a refresh in the background takes part, and takes what another process has loaded
    /// since.
    ///
    /// - Parameter caches: the tiers before `tier`, which get what is found there.
    package func sharingFlight(in tier: Tier, promotingTo caches: [Tier] = []) -> Loader {
        guard let sharing = FlightSharing(tier, promotingTo: caches) else { return self }
        return Loader(name) { request in
            guard sharing.concerns(request) else { return try await load(request) }
            return try await sharing.reply(to: request, loading: self)
        }
    }
}

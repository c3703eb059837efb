internal import Pipeline
internal import PipelineConfig

/// P301–P304: the order of tiers.
extension DiagnosticPage {
    static let unreachableTier = DiagnosticPage(
        .unreachableTier, "a tier that can never be asked",
        """
        A tier above it always answers, or ends every fetch: with `on_error: fail` an origin that cannot miss gives a value,
        says not_found, or fails the fetch. What stands below is asked for nothing. A cache below an origin is still asked by
        the fetch policy `cache-only`. An `inline` below another origin is a last resort: it is asked after all others, unless
        its tier says `last_resort: false`.
        """,
        wrong: .yaml(
            """
            sources:
              api: { type: http, url: http://127.0.0.1:8787/friends }
              spare: { type: http, url: http://127.0.0.1:8788/friends }
            pipelines:
              friends:
                tiers:
                  - { source: api, on_error: fail }
                  - spare
            """),
        right: .yaml(
            """
            sources:
              api: { type: http, url: http://127.0.0.1:8787/friends }
              spare: { type: http, url: http://127.0.0.1:8788/friends }
            pipelines:
              friends:
                tiers: [api, spare]
            """))

    static let cutTimeToLive = DiagnosticPage(
        .cutTimeToLive, "a ttl longer than that of the cache below",
        """
        A copy never outlives the copy it was made from. What an upper cache takes from the one below it is good for what is
        left of it there, so that the longer ttl does not hold. Only a copy that comes from the origin itself has it. Caches
        further up are meant to be the ones with the shorter ttl.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 1h }
                  - { source: disk, ttl: 10m }
                  - api
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 30s }
                  - { source: disk, ttl: 10m }
                  - api
            """))

    static let unsupportedPolicy = DiagnosticPage(
        .unsupportedPolicy, "a policy that its source cannot honour",
        """
        An origin keeps no copies: there `ttl`, `jitter`, `debounce` and `max_delay` mean nothing. A cache holds what others
        gave: there `on_not_found` and `last_resort` mean nothing.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - memory
                  - { source: api, ttl: 30s }
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 30s }
                  - api
            """))

    static let noOrigin = DiagnosticPage(
        .noOrigin, "no origin: every tier is a cache",
        """
        Caches hold what an origin gave them, and this pipeline has none, so that only `pipe-run put` fills them. A file that
        other hands write is an origin when its source says `read_only: true`.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              disk: { type: file, path: friends.json }
            pipelines:
              friends:
                tiers: [memory, disk]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              disk: { type: file, path: friends.json, read_only: true }
            pipelines:
              friends:
                tiers: [memory, disk]
            """))
}

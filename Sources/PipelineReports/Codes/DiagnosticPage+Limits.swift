internal import Pipeline
internal import PipelineConfig

/// P305, P310, P322: times.
extension DiagnosticPage {
    static let debounceOutlivesCopy = DiagnosticPage(
        .debounceOutlivesCopy, "debounce not shorter than the ttl",
        """
        A debounced write waits for a quiet time. When that is as long as the ttl, the copy has expired by the time it is
        written, and the cache never holds a fresh one.
        """,
        wrong: .yaml(
            """
            sources:
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: disk, ttl: 10s, debounce: 30s }
                  - api
            """),
        right: .yaml(
            """
            sources:
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: disk, ttl: 10m, debounce: 2s }
                  - api
            """))

    static let pointlessLimit = DiagnosticPage(
        .pointlessLimit, "a limit that can never matter",
        """
        Something else is always over first, or what it limits does not exist: a tier's `timeout` not shorter than the
        `deadline`; a `soft_timeout` not shorter than the `timeout` (30s unless given), without `stale_if_error`, or without a
        cache above; a source's `timeout` not shorter than those of its tiers; a `debounce` not shorter than `max_delay`, a
        `max_delay` without `debounce`; the `base` of a retry above its `max`; `jitter`, `refresh_ahead` or a stale window
        without a `ttl`; a `not_found_ttl` where no cache can remember that there is no value.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                deadline: 2s
                tiers:
                  - memory
                  - { source: api, timeout: 5s }
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                deadline: 5s
                tiers:
                  - memory
                  - { source: api, timeout: 2s }
            """))

    static let endlessCopy = DiagnosticPage(
        .endlessCopy, "copies that are kept for ever above an origin",
        """
        A file, a database or a Redis server keeps its copies when the process ends. Without a `ttl` they never expire: once such a
        cache has a copy, the origin below it is never asked again. Say how long a copy is good, or write `ttl: none` when it is to
        stay until it is removed.
        """,
        wrong: .yaml(
            """
            sources:
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [disk, api]
            """),
        right: .yaml(
            """
            sources:
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: disk, ttl: 1h }
                  - api
            """))
}

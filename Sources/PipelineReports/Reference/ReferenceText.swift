/// What the reference says beyond the declarations: how fields work together.
enum ReferenceText {
    /// What there is to know of the field or mapping at `path`; nil for nothing more.
    static func on(_ path: [String]) -> String? {
        notes[path.joined(separator: ".")]
    }

    private static let notes = [
        "pipelines.tiers": """
        Tiers are asked from the top down. A miss, an expired copy, an error, a timeout or an invalid payload goes on to the next tier. \
        A tier that has no policies is the name of its source alone.
        """,
        "pipelines.tiers.ttl": "A copy is never fresh for longer than the copy that it was made from.",
        "pipelines.tiers.timeout": "All tries and the waits between them count; a source's own `timeout` limits each try.",
        "pipelines.tiers.retry": """
        Errors, timeouts and invalid payloads are tried again. A miss, an expired copy and `not_found` are answers, and are not. The \
        second try comes after `base`; each wait is twice the one before, and none is longer than `max`. With `base: 1s` the waits are \
        1s, 2s, 4s and so on. A try whose wait would end after the deadline is not made. In the trace the tier still has one line, which \
        says how often it was tried.
        """,
        "pipelines.tiers.circuit_breaker": """
        The circuit counts failures in a row: connection errors, timeouts, invalid payloads and the HTTP statuses 5xx, 408 and 429. Any \
        other 4xx proves that the server is well, and closes the circuit, as an answer does. While it is open, the tier fails at once \
        and is not asked. After `open_for` one read is let through, without retries: its success closes the circuit, its failure opens \
        it again. A process has one circuit for each tier of a pipeline.
        """,
        "pipelines.write_back": """
        `auto` writes what an origin answers to every cache of the pipeline, and what a cache answers to the caches above it. `none` \
        writes nothing. A mapping names for each source the caches that its answers go to. Memory is written before the fetch returns, \
        slower caches after it. A write that fails never fails the fetch.
        """,
        "sources.http": """
        The `ETag` and `Last-Modified` of an answer are kept with each copy, where the cache keeps metadata. When the copy has expired, \
        the server is asked with `If-None-Match` and `If-Modified-Since`; after a 304 the copy is fresh again, and no payload is sent.
        """,
    ]

    /// What stands before the fields.
    static let introduction = """
        # The configuration file

        `pipe-run schema --format markdown` writes this page from the declarations that files are read by. `pipe-run help tiers.retry` prints \
        a part of it.

        A file has up to three parts: its `version`, its `sources`, and its `pipelines`. A source is a place to load from. A pipeline names \
        the sources to ask for a value, and the order to ask them in.

        - **Durations** are written `250ms`, `30s`, `10m`, `1h30m`, `2d`; **sizes** `512KB`, `64MiB`; **ratios** `0.8` or `80%`.
        - **Variables** stand in values: `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${file:path}`, and `$$` for a `$`. They are \
        replaced after the YAML is read, and cannot add structure.
        - **Templates** take the parameters of a fetch: `{user}`, and also `{pipeline}` and `{key}`. Each value is escaped for the place where \
        it stands. YAML needs quotes around braces inside `{ … }` and at the start of a value.
        - **Relative paths** start from the folder of the file.
        - A **cache** can be written; an **origin** produces values.
        """

    /// What stands after the fields.
    static let policies = """
        ## Policies of a fetch

        `pipe-run fetch --policy` and `fetch(_:policy:)` choose what one fetch may read and write.

        | policy | caches are read | origins are asked | the answer is written back |
        |---|---|---|---|
        | `default` | yes | yes | yes |
        | `cache-only` | yes | no; an expired copy counts as a miss | yes, from a cache to the caches above it |
        | `refresh` | no | yes | yes |
        | `no-store` | no | yes | no |

        A fetch with `refresh` or `no-store` serves no stale copy when the load fails.
        """
}

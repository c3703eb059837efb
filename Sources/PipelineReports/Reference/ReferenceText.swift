/// The words of the reference beyond the declarations: how fields work together.
enum ReferenceText {
    /// The words on the field or mapping at `path`; nil for nothing more.
    static func on(_ path: [String]) -> String? {
        notes[path.joined(separator: ".")]
    }

    private static let notes = [
        "pipelines.tiers": """
        Tiers are asked from the top down. A miss, an expired copy, an error, a timeout or an invalid payload leads to the next tier. \
        A tier without policies can be written as the name of its source.
        """,
        "pipelines.tiers.ttl": "A copy is never fresh for longer than the copy that it was made from.",
        "pipelines.tiers.timeout": "It includes all attempts and the waits between them; the source's own `timeout` limits each attempt.",
        "pipelines.tiers.retry": """
        Errors, timeouts and invalid payloads are retried. A miss, an expired copy and `not_found` are answers and are not. Each wait \
        is random: at most `base` before the second attempt, twice that before the third, and so on, up to `max`. With `base: 1s` the waits \
        are at most 1s, 2s, 4s and so on. When the server asks for a longer wait (`Retry-After`), it gets that. An attempt whose wait would \
        end after the deadline or the tier's `timeout` is not made, and the failure before it stands. The trace has one line for the tier, \
        with the number of attempts.
        """,
        "pipelines.tiers.circuit_breaker": """
        The circuit counts failures in a row: connection errors, timeouts, invalid payloads and the HTTP statuses 5xx, 408 and 429. Any \
        other 4xx shows that the server works and closes the circuit, as an answer does. While the circuit is open, the tier fails at \
        once and its source is not asked. After `open_for` one read is let through, without retries: success closes the circuit, failure \
        opens it again. Each attempt of a retried read counts, and an opening circuit ends the attempts. Each process has one circuit \
        for each tier of a pipeline.
        """,
        "pipelines.write_back": """
        `auto` writes what an origin answers to every cache of the pipeline, and what a cache answers to the caches above it. `none` \
        writes nothing. A mapping lists, for each source, the caches that its answers are written to. Memory is written before the fetch returns, \
        slower caches after it. A write that fails never fails the fetch.
        """,
        "pipelines.live": """
        A change source reports that values change. Declare it under `sources` and name it here, never as a tier. Without `id`, as with a \
        bare name, each message reloads the value; such loads share one flight, at most one a second. With `id`, messages are merged into \
        the list at `list`, which is the whole value by default: in memory at once, in slower caches after their `debounce`. Ids are compared \
        as text, so that `7` is `"7"`. A merge changes only the elements concerned, and makes no copy younger. Without a copy and a running \
        load, a change is dropped. All feeds of a pipeline that merge must have the same `list`, \
        `id`, `version` and `insert`. A place in JSON is written as a JSON Pointer (RFC 6901): `/friend/id`, empty for the whole.
        """,
        "pipelines.live.op": "A message without the word, or with another one, is skipped and counted.",
        "pipelines.live.version": """
        A change counts only if its version is newer than that of the item, or of its removal; an equal one is a duplicate. Numbers are \
        compared by value, strings by their UTF-8 bytes. Where a version is missing, or one is a number and the other a string, the order \
        of arrival decides.
        """,
        "pipelines.live.insert": """
        A new item is one whose id the list lacks. With `by`, an item whose sort key changes moves, and items with equal keys keep their order.
        """,
        "pipelines.live.resync": "Each member must have that value: a string, or a number or a bool as JSON writes it.",
        "sends": """
        A send is a write on its way. It is taken in when its outbox has it on disk. From then on readers see what it changes, and it goes out as soon \
        as its turn comes and the origin can be reached, also after the process that took it in has ended. Sends that change the same value go \
        out in the order in which they were taken in.
        """,
        "sends.changes": """
        What a send changes is laid over each read until the origin has it. Caches hold only what the origin said, so that a send that fails \
        leaves nothing behind. All sends that change one pipeline, and its feeds that merge, must have the same `id`, `list` and `version`. A \
        pipeline with `combine` changes with those that it is made from.
        """,
        "sends.retry": """
        While an origin cannot be reached, is overloaded or wants another sign-in, a send waits until it `expires`, and no try counts. After a \
        lost answer it is tried again where that cannot write twice: by its method, or because `idempotent: true` says that the origin recognises \
        a repeated id. Otherwise it is held until a person decides.
        """,
        "sends.on_conflict": "A conflict is an answer with the status 409, 412 or 428. In each case the changed values are loaded again.",
        "sources.http": """
        The `ETag` and `Last-Modified` of an answer are kept with each copy, where the cache keeps metadata. When the copy has expired, \
        the server is asked with `If-None-Match` and `If-Modified-Since`; after a 304 the copy is fresh again, and no payload is sent.
        """,
    ]

    /// The text before the fields.
    static let introduction = """
        # The configuration file

        `pipe-run schema --format markdown` generates this page from the declarations with which the program reads files. \
        `pipe-run help tiers.retry` prints a part of it.

        A file has up to four parts: its `version`, its `sources`, its `pipelines`, and its `sends`. A source is a place to load from. A \
        pipeline names the sources to ask for a value, and the order to ask them in. A send names the source that takes a write, and the values \
        that the write changes.

        - **Durations** are written `250ms`, `30s`, `10m`, `1h30m`, `2d`; **sizes** `512KB`, `64MiB`; **ratios** `0.8` or `80%`.
        - **Variables** stand in values: `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`, `${file:path}`, and `$$` for a `$`. They are \
        replaced after the YAML is read, and cannot add structure.
        - **Templates** take the parameters of a fetch: `{user}`, and also `{pipeline}` and `{key}`. Each value is escaped for the place where \
        it stands. YAML needs quotes around braces inside `{ … }` and at the start of a value.
        - **Relative paths** start from the folder of the file.
        - A **cache** can be written; an **origin** produces values; a **change source** reports that values change, and holds none.
        """

    /// The text after the fields.
    static let policies = """
        ## Policies of a fetch

        `pipe-run fetch --policy` and `fetch(_:policy:)` choose what one fetch may read and write.

        | policy | caches are read | origins are asked | the answer is written back |
        |---|---|---|---|
        | `default` | yes | yes | yes |
        | `cache-only` | yes | no; an expired copy counts as a miss | yes, from a cache to the caches above it |
        | `refresh` | no | yes | yes |
        | `no-store` | no | yes | no |
        | `offline` | yes; without a fresh copy, the newest one of any age is served | no | yes, from a cache to the caches above it |

        A fetch with `refresh` or `no-store` serves no stale copy when the load fails. One with `offline` that finds no copy fails; a `redis` cache has
        none that expired longer ago than its pipelines may serve it.
        """
}

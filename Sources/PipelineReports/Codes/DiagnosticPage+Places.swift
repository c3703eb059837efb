internal import Pipeline
internal import PipelineConfig

/// P306–P309: where copies and credentials are kept.
extension DiagnosticPage {
    static let sharedCopy = DiagnosticPage(
        .sharedCopy, "two keys would share one copy",
        """
        A cache stores each key in a place of its own, which its path template gives. Where the template lacks a parameter of
        the pipeline, or `{pipeline}` although several pipelines use the source, two keys come to one file, and each takes the
        copy of the other. `{key}` stands for the pipeline and all its parameters. A file that is only read may be shared.
        """,
        wrong: .yaml(
            """
            sources:
              disk: { type: file, path: ".cache/friends.json", max_entries: 1000 }
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [{ source: disk, ttl: 1h }, api]
            """),
        right: .yaml(
            """
            sources:
              disk: { type: file, path: ".cache/{key}.json", max_entries: 1000 }
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [{ source: disk, ttl: 1h }, api]
            """))

    static let sharedPlace = DiagnosticPage(
        .sharedPlace, "two sources that write the same place",
        """
        Two caches keep their copies in one place. Each would bound, clear and replace what the other has written. Where two
        pipelines are to share a cache, both name the same source.
        """,
        wrong: .yaml(
            """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              more: { type: file, path: "./.cache/{key}.json" }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [{ source: disk, ttl: 1h }, api]
              others:
                tiers: [{ source: more, ttl: 1h }, api]
            """),
        right: .yaml(
            """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [{ source: disk, ttl: 1h }, api]
              others:
                tiers: [{ source: disk, ttl: 1h }, api]
            """))

    static let unboundedCache = DiagnosticPage(
        .unboundedCache, "a cache without a bound in a pipeline with parameters",
        """
        Each value of a parameter is a further key. A cache that nothing bounds keeps a copy of each until the disk is full.
        """,
        wrong: .yaml(
            """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [{ source: disk, ttl: 1h }, api]
            """),
        right: .yaml(
            """
            sources:
              disk: { type: file, path: ".cache/{key}.json", max_entries: 10000 }
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [{ source: disk, ttl: 1h }, api]
            """))

    static let credentialInFile = DiagnosticPage(
        .credentialInFile, "a credential written in the file",
        """
        A configuration is read, shared and kept in version control; a password, a token or a cookie does not belong there.
        Meant are the fields of type secret, headers such as `Authorization`, `Cookie`, `X-Api-Key` and those whose name has
        `token`, `secret`, `password` or `api-key` in it, the user and password of a URL, and such parameters in its query; also
        where it stands as a default, as in `${TOKEN:-5f2c9a70}`. The value is masked wherever it would show. A value from
        `${NAME}` or `${file:path}` is fine. The mended example needs the variable `TOKEN` to be set.
        """,
        wrong: .yaml(
            """
            sources:
              api:
                type: http
                url: http://127.0.0.1:8787/friends
                headers: { Authorization: Bearer 5f2c9a70 }
            pipelines:
              friends:
                tiers: [api]
            """),
        right: .yaml(
            """
            sources:
              api:
                type: http
                url: http://127.0.0.1:8787/friends
                headers: { Authorization: "Bearer ${TOKEN}" }
            pipelines:
              friends:
                tiers: [api]
            """))
}

internal import Pipeline
internal import PipelineConfig

/// P101–P107: fields and values.
extension DiagnosticPage {
    static let unknownField = DiagnosticPage(
        .unknownField, "an unknown field",
        """
        The mapping has no field of this name. `pipe-run sources TYPE` lists the fields of a source. Fields are never read
        over in silence: a mistyped policy would not hold.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: memory, tll: 30s }
                  - api
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

    static let missingField = DiagnosticPage(
        .missingField, "a field is missing",
        """
        A field that must be given is not there. The message names it, and the help shows an example of a value.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http }
            pipelines:
              friends:
                tiers: [memory, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """))

    static let wrongType = DiagnosticPage(
        .wrongType, "a value of the wrong type",
        """
        The field takes another kind of value: a list and not a word, a number and not a text. Quotes make a text of a number.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory, max_entries: many }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory, max_entries: 10000 }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """))

    static let outOfRange = DiagnosticPage(
        .outOfRange, "a value out of range",
        """
        The value has the right type, and the field does not take it: a negative number, a ratio above 1, a time limit of
        nothing, an empty list of tiers.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 30s, jitter: 1.5 }
                  - api
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 30s, jitter: 0.1 }
                  - api
            """))

    static let malformed = DiagnosticPage(
        .malformed, "a malformed value",
        """
        A duration, a size, a URL, a path or a template is not spelt as it must be. Durations are written `250ms`, `30s`,
        `1h30m`, sizes `512KB`, `64MiB`, parameters `{name}`, variables `${NAME}`.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 30 seconds }
                  - api
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

    static let unknownSourceType = DiagnosticPage(
        .unknownSourceType, "an unknown type of source",
        """
        No plugin of this program has this name. `pipe-run sources` lists those that are linked; a source of your own comes
        with a runner of your own.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memroy }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """))

    static let notAllowed = DiagnosticPage(
        .notAllowed, "not one of the allowed values",
        """
        The field takes one of a few words, and this is none of them.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                format: jason
                tiers: [memory, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                format: json
                tiers: [memory, api]
            """))
}

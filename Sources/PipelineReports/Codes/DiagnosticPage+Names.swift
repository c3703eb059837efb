internal import Pipeline
internal import PipelineConfig

/// P201–P207, P321: sources, parameters, variables and routes that are named.
extension DiagnosticPage {
    static let undefinedSource = DiagnosticPage(
        .undefinedSource, "an undefined source",
        """
        A tier or a `write_back` names a source that does not stand under `sources`. Names are compared byte by byte.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, apo]
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

    static let repeatedSource = DiagnosticPage(
        .repeatedSource, "a source twice in one pipeline",
        """
        A pipeline asks each source once: a second tier of the same source could only find what the first has found.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api, memory]
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

    static let unusedSource = DiagnosticPage(
        .unusedSource, "a source that no pipeline uses",
        """
        The source is declared, and no tier names it, so it is never asked.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              spare: { type: memory }
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

    static let writeBackUnwritable = DiagnosticPage(
        .writeBackUnwritable, "write_back to what cannot be written",
        """
        A route of `write_back` leads to an origin, to a tier with `write: false`, or from a source to itself. Only caches
        keep copies.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
                write_back: { memory: [api] }
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
                write_back: { api: [memory] }
            """))

    static let writeBackForeign = DiagnosticPage(
        .writeBackForeign, "write_back between sources that are not its tiers",
        """
        A route of `write_back` names a source that is no tier of this pipeline, so its answers never come about here, or are
        never read.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
                write_back: { api: [disk] }
              others:
                tiers: [{ source: disk, ttl: 1h }, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              disk: { type: file, path: friends.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
                write_back: { api: [memory] }
              others:
                tiers: [{ source: disk, ttl: 1h }, api]
            """))

    static let undeclaredParameter = DiagnosticPage(
        .undeclaredParameter, "an undeclared parameter in a template",
        """
        A template of a source names `{user}`, and a pipeline that asks the source does not declare it under `parameters`, so
        a fetch has no value for it. `{key}` and `{pipeline}` are always there.
        """,
        wrong: .yaml(
            """
            sources:
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                tiers: [api]
            """),
        right: .yaml(
            """
            sources:
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [api]
            """))

    static let unusedParameter = DiagnosticPage(
        .unusedParameter, "a parameter that no origin uses",
        """
        The pipeline declares a parameter, and no template of its origins names it: the origin answers the same for every value,
        and the caches keep that answer once for each. The `path` of a cache does not count, since it only says where a copy lies.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                parameters: [user]
                tiers: [memory, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [memory, api]
            """))

    static let lookalike = DiagnosticPage(
        .lookalike, "a text that looks like a variable or a parameter",
        """
        A variable is written `${NAME}`, a parameter `{name}`. Anything else is plain text: `$user` is sent as it stands, so that all
        users get one URL, `$HOME` names a folder of that name, and `{{user}}` puts braces around the value. Write `$$` for a `$` that
        is meant. The variables of a query in GraphQL are left alone.
        """,
        wrong: .yaml(
            """
            sources:
              api: { type: http, url: "http://127.0.0.1:8787/friends/$USER_ID" }
            pipelines:
              friends:
                tiers: [api]
            """),
        right: .yaml(
            """
            sources:
              api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [api]
            """))
}

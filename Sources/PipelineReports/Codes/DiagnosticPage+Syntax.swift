internal import Pipeline
internal import PipelineConfig

/// P001–P005: the text.
extension DiagnosticPage {
    static let yamlSyntax = DiagnosticPage(
        .yamlSyntax, "the text is not YAML",
        """
        The YAML parser cannot read the text, so nothing else is looked at. Often it is a missing quote, a tab in the
        indentation, or a parameter in braces: YAML wants quotes around `{` and `}` inside a flow mapping and where a value
        begins with `{`.
        """,
        wrong: .yaml(
            """
            sources:
              disk: { type: file, path: .cache/{key}.json }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [{ source: disk, ttl: 1h }, api]
            """),
        right: .yaml(
            """
            sources:
              disk: { type: file, path: ".cache/{key}.json" }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [{ source: disk, ttl: 1h }, api]
            """))

    static let duplicateKey = DiagnosticPage(
        .duplicateKey, "a key is given twice",
        """
        A mapping has the same key more than once, and only one of the values could count. Keys are compared byte by byte.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory, max_entries: 100, max_entries: 200 }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory, max_entries: 200 }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """))

    static let overLimit = DiagnosticPage(
        .overLimit, "over a limit",
        """
        The text is larger, nested deeper or stands for more than a configuration may: 16 MiB of text, 64 levels, 1,000,000
        nodes with every alias counted as what it stands for, 250,000 sources, pipelines, tiers and members of mappings,
        100,000 variables and parameters. An alias inside its own anchor stands for endlessly many. Of more than 10,000
        problems the rest is left out. The limits keep a hostile file from using up the machine.
        """,
        wrong: .yaml(
            """
            sources:
              memory: &memory { type: memory, max_entries: *memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """),
        right: .yaml(
            """
            sources:
              memory: { type: memory, max_entries: 100 }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """))

    static let unreadable = DiagnosticPage(
        .unreadable, "the file cannot be read",
        """
        There is no such file, it is a folder, it may not be read, or it is not UTF-8. A folder as an argument of `validate`
        stands for the `.yaml` and `.yml` files below it.
        """,
        wrong: .shell(
            """
            pipe-run validate no-such-file.yaml
            """),
        right: .shell(
            """
            pipe-run init
            pipe-run validate pipeline.yaml
            """))

    static let severalDocuments = DiagnosticPage(
        .severalDocuments, "a second document",
        """
        A configuration is one YAML document; after `---` another would begin. Nobody could say which of the two counts.
        """,
        wrong: .yaml(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            ---
            version: 1
            """),
        right: .yaml(
            """
            version: 1
            sources:
              memory: { type: memory }
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [memory, api]
            """))
}

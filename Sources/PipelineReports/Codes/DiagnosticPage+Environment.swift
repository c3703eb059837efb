internal import Pipeline
internal import PipelineConfig

/// P401, P402, P403, P501, P502, P901: what lies outside of the file, and comments.
extension DiagnosticPage {
    static let variableNotSet = DiagnosticPage(
        .variableNotSet, "an environment variable is not set",
        """
        The file names `${NAME}`, and the environment has no such variable. `${NAME:-value}` gives a default, `${NAME:?what to
        do}` the words of this message. `--level graph` looks at everything but the environment.
        """,
        wrong: .yaml(
            """
            sources:
              api: { type: http, url: "${FRIENDS_API}/friends" }
            pipelines:
              friends:
                tiers: [api]
            """),
        right: .yaml(
            """
            sources:
              api: { type: http, url: "${FRIENDS_API:-http://127.0.0.1:8787}/friends" }
            pipelines:
              friends:
                tiers: [api]
            """))

    static let fileMissing = DiagnosticPage(
        .fileMissing, "a referenced file is missing",
        """
        The file that `${file:path}` or a field such as `ca_file` names cannot be read: it is not there, it is a folder, or for
        `${file:path}` larger than 1 MiB or not UTF-8. Relative paths start from the folder of the configuration.
        The mended example needs a file `token.txt` next to it.
        """,
        wrong: .yaml(
            """
            sources:
              api:
                type: http
                url: http://127.0.0.1:8787/friends
                headers: { Authorization: "Bearer ${file:no-such-token.txt}" }
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
                headers: { Authorization: "Bearer ${file:token.txt}" }
            pipelines:
              friends:
                tiers: [api]
            """))

    static let emptyCredential = DiagnosticPage(
        .emptyCredential, "the variable of a credential is empty",
        """
        A variable whose name is that of a credential is set, but to nothing, as a CI job does for a secret that it may not see. The
        request would go out without it, and the server would refuse it. `${NAME:?what to do}` makes an error of this, and
        `${NAME:-}` says that the value may be empty.
        """,
        wrong: .yaml(
            """
            sources:
              api:
                type: http
                url: http://127.0.0.1:8787/friends
                headers: { Authorization: "Bearer ${GITHUB_TOKEN}" }
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
                headers: { Authorization: "Bearer ${GITHUB_TOKEN:-}" }
            pipelines:
              friends:
                tiers: [api]
            """))

    static let cannotConnect = DiagnosticPage(
        .cannotConnect, "cannot connect",
        """
        `--level connect` opens a connection to each source, and this one could not be reached: nobody listens there, the name
        is not known, or the network does not answer in time. The file may be right and the machine at the other end down.
        """,
        wrong: .yaml(
            """
            # nobody listens on port 1
            sources:
              api: { type: http, url: http://127.0.0.1:1/friends }
            pipelines:
              friends:
                tiers: [api]
            """),
        right: .yaml(
            """
            sources:
              api: { type: http, url: http://127.0.0.1:8787/friends }
            pipelines:
              friends:
                tiers: [api]
            """))

    static let connectionRefused = DiagnosticPage(
        .connectionRefused, "connected, but refused",
        """
        `--level connect` reached the source, and it did not let this program in: a password or token that does not hold, a
        database or table that is not there, a certificate that is not trusted, a user that may not do what the file asks for
        (the help names the rules that its access list lacks). Certificates of an authority of your own are trusted when
        `ca_file` names them.
        """,
        wrong: .yaml(
            """
            sources:
              api: { type: http, url: "https://expired.example.org/friends" }
            pipelines:
              friends:
                tiers: [api]
            """),
        right: .yaml(
            """
            sources:
              api: { type: http, url: "https://api.example.org/friends" }
            pipelines:
              friends:
                tiers: [api]
            """))

    static let needlessAllow = DiagnosticPage(
        .needlessAllow, "an allow comment that nothing needs",
        """
        `# pipe-run: allow CODE reason` silences warnings on its line, or on the next line when it stands alone. This one
        names a code that nothing there reports, an error, or no code at all: a comment that outlives its reason would hide
        the next problem. While the file has errors, nothing is said of comments that seem needless.
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
                  - { source: memory, ttl: 30s } # pipe-run: allow P302 the file is rewritten by hand
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
                  - { source: memory, ttl: 1h } # pipe-run: allow P302 the file is rewritten by hand
                  - { source: disk, ttl: 10m }
                  - api
            """))
}

import Testing

extension ComputingTests {
    /// A corpus of planted secrets: each command and format runs over each, and shows none of it in any form.
    @Suite struct PlantedSecretTests {
        struct Plant: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let text: String
            var files: [String: String] = [:]
            var environment: [String: String] = [:]
            let secrets: [String]

            init(
                _ name: String, _ text: String, files: [String: String] = [:], environment: [String: String] = [:], secrets: [String]
            ) {
                testDescription = name
                self.text = text
                self.files = files
                self.environment = environment
                self.secrets = secrets
            }

            /// A source with `fields` and a pipeline that asks it.
            init(
                _ name: String, source fields: String, files: [String: String] = [:], environment: [String: String] = [:], secrets: [String]
            ) {
                self.init(
                    name, "sources:\n  a: { \(fields) }  \npipelines:\n  p: { tiers: [a] }\n", files: files, environment: environment,
                    secrets: secrets)
            }
        }

        private static let literal = "Pl4ntedL1teralCr3dential77"
        private static let path = "T0AB12CD34/B0EF56GH78/hookS3cretX9Y8Z7"
        private static let lines = "f1rst-LINE-a1b2c3d4e5\nsec0nd\tLINE-f6g7h8i9j0"

        static let plants: [Plant] = [
            Plant(
                "a URL that is a secret as a whole", source: "type: http, url: \"${file:secrets/hook}\"",
                files: ["secrets/hook": "http://127.0.0.1:PORT/\(path)\n"], secrets: [path]),
            Plant(
                "a URL that is a secret and leads nowhere", source: "type: http, url: \"${HOOK_TOKEN}\"",
                environment: ["HOOK_TOKEN": "http://Hidden-Tenant-9x8.invalid/\(path)"], secrets: [path, "Hidden-Tenant-9x8"]),
            Plant(
                "lines with a tab",
                source:
                    "type: command, command: [sh, -c, 'printf %s \"$$KEY\" >&2; exit 1'], environment: { KEY: \"${file:secrets/key}\" }",
                files: ["secrets/key": lines + "\n"], secrets: [lines]),
            Plant(
                "the first of several lines",
                source:
                    "type: command, command: [sh, -c, 'printf %s \"$$KEY\" | head -n 1 >&2; exit 1'], environment: { KEY: \"${file:secrets/key}\" }",
                files: ["secrets/key": lines + "\n"], secrets: [lines]),
            Plant(
                "a host", source: "type: http, url: \"http://${TENANT_TOKEN}.invalid/friends\"",
                environment: ["TENANT_TOKEN": "AcmeTenant9X8Y7Z6W"], secrets: ["AcmeTenant9X8Y7Z6W"]),
            Plant("the default of a path", source: "type: sqlite, path: \"no/${API_TOKEN:-\(literal)}.db\"", secrets: [literal]),
            Plant(
                "the path of a database", source: "type: sqlite, path: \"no/${API_TOKEN}.db\"", environment: ["API_TOKEN": literal],
                secrets: [literal]),
            Plant(
                "a long path",
                source:
                    "type: file, path: \"pipeline.yaml/\(String(repeating: "long/", count: 36))${API_TOKEN}\(String(repeating: "/long", count: 60))/${API_TOKEN}/\(String(repeating: "y", count: 90))/{key}\"",
                environment: ["API_TOKEN": literal], secrets: [literal]),
            Plant(
                "a long line of standard error",
                source:
                    "type: command, command: [sh, -c, 'for i in 1 2 3 4 5 6 7 8 9; do printf \"%s %4${N}d\" \"$$A_TOKEN\" 1 >&2; done; exit 1'], environment: { A_TOKEN: \"${A_TOKEN}\" }",
                environment: ["A_TOKEN": "several words \(literal) of a secret", "N": "77"], secrets: [literal]),
            Plant(
                "a misspelt type", source: "type: htpp, url: \"http://h\", headers: { Authorization: \"Bearer \(literal)\" }",
                secrets: [literal]),
            Plant("a misspelt field", source: "type: http, url: \"http://h\", headrs: { X-Api-Key: \(literal) }", secrets: [literal]),
            Plant("an unknown field", source: "type: memory, password: \(literal), colour: blue", secrets: [literal]),
            Plant(
                "a misspelt environment", source: "type: command, command: [\"true\"], environmnt: { DB_PASS: \(literal) }",
                secrets: [literal]),
            Plant("a password of a misspelt URL", source: "type: http, ulr: \"http://me:\(literal)@h/\"", secrets: [literal]),
            Plant(
                "a list of sources",
                "sources:\n  - { type: http, url: \"http://h\", token: \(literal) }  \npipelines: { p: { tiers: [a] } }\n",
                secrets: [literal]),
            Plant(
                "a key that is given twice",
                source: "type: http, url: \"http://h\", headers: { Authorization: x, Authorization: \(literal) }", secrets: [literal]),
            Plant(
                "quotes that are not closed",
                "sources:\n  a:\n    token: \"\(literal)\n    type: memory\npipelines: { p: { tiers: [a] } }\n", secrets: [literal]),
            Plant(
                "braces that want quotes", "sources:\n  a: { type: http, url: http://h, headers: { Authorization: {\(literal)} x } }\n",
                secrets: [literal]),
            Plant(
                "a space that is missing", "sources:\n  a:\n    type: http\n    token:\(literal)\n    url: http://h\n", secrets: [literal]),
            Plant(
                "an equals sign for a colon", "sources:\n  a:\n    type: http\n    password = \(literal)\n    url: http://h\n",
                secrets: [literal]),
            Plant("an equals sign within braces", source: "type: http, url: \"http://h\", token = \(literal)", secrets: [literal]),
            Plant("no colon", "sources:\n  a:\n    type: http\n    token \(literal)\n    url: http://h\n", secrets: [literal]),
            Plant("no colon within braces", source: "type: http, url: \"http://h\", token \(literal)", secrets: [literal]),
            Plant(
                "no colon in braces that are not closed", "sources:\n  a: { type: http, url: \"http://h\", token \(literal), x: [\n",
                secrets: [literal]),
            Plant(
                "a list for a mapping",
                "sources:\n  a:\n    - token \(literal)\n    - password = \(literal)\npipelines: { p: { tiers: [a] } }\n",
                secrets: [literal]),
            Plant(
                "a list among members", "sources:\n  a:\n    type: http\n    - token \(literal)\npipelines: { p: { tiers: [a] } }\n",
                secrets: [literal]),
            Plant(
                "a secret below its name", "sources:\n  a:\n    headers:\n      X-Api-Key: |\n        \(literal)\n     url: [\n",
                secrets: [literal]),
            Plant(
                "a URL in a syntax error", "sources:\n  a: { type: http, url: http://me:\(literal)@h/?api_key=\(literal) ]\n",
                secrets: [literal]),
        ]

        private static let commands: [[String]] =
            ["text", "json", "sarif", "github", "junit"].flatMap {
                [["validate", "--format", $0], ["validate", "--format", $0, "--level", "connect"]]
            }
            + ["text", "mermaid", "dot", "svg", "json"].map { ["graph", "--format", $0] } + [
                ["validate", "--fix", "--diff"], ["fmt", "--diff", "pipeline.yaml"], ["fmt", "--check", "pipeline.yaml"], ["config"],
                ["explain"], ["explain", "--format", "json"],
                ["graph", "--diff", "other.yaml"], ["fetch", "p", "--trace", "--timeout", "500ms"],
                ["fetch", "p", "--trace", "--output", "envelope", "--timeout", "500ms"], ["remove", "p"], ["clear", "p"],
                ["list"], ["list", "--format", "json"], ["network"], ["network", "--format", "json"],
                ["fetch", "p", "--log-format", "json"],
                ["links", "p"],
            ]

        @Test(arguments: plants) func `shows nowhere`(_ plant: Plant) async throws {
            try await OddServer.run(.status(500)) { origin in
                let folder = try WorkFolder(plant.text)
                try folder.write("other.yaml", plant.text.replacing("type: http,", with: "type: http, timeout: 3s,"))
                for (name, text) in plant.files { try folder.write(name, text.replacing("PORT", with: "\(origin.port)")) }
                let leak = Leak(of: plant.secrets)

                for command in Self.commands {
                    let ran = try await folder.start(command, environment: plant.environment).ran()
                    #expect(ran.status < 128, "\(command)")
                    let found = leak.found(in: ran.everything)
                    #expect(found == nil, "\(command): \(found ?? "")")
                }
                let isSound = try await folder.run("validate", environment: plant.environment).status == 0
                guard isSound else { return }
                let ran = try await folder.serving("pipeline.yaml", "--log", "debug", environment: plant.environment) { server in
                    for path in ["/p", "/-/metrics"] {
                        let answer = try await server.get(path)
                        let found = leak.found(in: answer.text + answer.headers.map { "\($0.key): \($0.value)" }.joined())
                        #expect(found == nil, "serve \(path): \(found ?? "")")
                    }
                }
                let found = leak.found(in: ran.everything)
                #expect(found == nil, "log: \(found ?? "")")
            }
        }

        /// Where a secret stands, and the fields of the source and of the parameter `who` that have it there.
        private static let places: [(source: String, parameter: String)] = [
            ("type: http, url: \"http://${API_TOKEN}.invalid/{who}\"", "me"),
            ("type: http, url: \"${ORIGIN}/{who}\"", "${API_TOKEN}"),
            ("type: http, url: \"${ORIGIN}/${API_TOKEN:-\(literal)}/{who}\"", "me"),
            ("type: http, url: \"${ORIGIN}/{who}\", headers: { Authorization: \"Bearer ${API_TOKEN}\" }", "me"),
            ("type: http, url: \"${ORIGIN}/{who}?token=${API_TOKEN}\"", "me"),
            ("type: file, path: \"pipeline.yaml/${API_TOKEN}/{who}\"", "me"),
            (
                "type: command, command: [sh, -c, 'echo \"$$T\" >&2; exit 1', \"{who}\"], environment: { T: \"${API_TOKEN}\" }",
                "${API_TOKEN}"
            ),
        ]

        /// The origin repeats what it was asked, in fields and in bodies, and fails at every other request.
        @Test(arguments: places.indices, [false, true])
        func `shows nowhere in what serve answers, streams and records`(index: Int, fails: Bool) async throws {
            let place = Self.places[index]
            let reply: @Sendable (String, Int) -> OddServer.Reply = { request, _ in
                if request.contains("event-stream") { return .bytes("HTTP/1.1 403 No\r\nContent-Length: 11\r\n\r\nno: \(Self.literal)") }
                let status = fails ? "500 No" : "200 OK"
                let body = fails ? "no: \(request)" : "[1]"
                return .bytes(
                    "HTTP/1.1 \(status)\r\nETag: \"\(Self.literal)\"\r\nContent-Type: text/\(Self.literal)\r\nContent-Length: "
                        + "\(body.utf8.count)\r\n\r\n\(body)")
            }
            try await OddServer.run(reply) { origin in
                let folder = try WorkFolder(
                    """
                    sources:
                      memory: { type: memory }
                      a: { \(place.source) }
                      feed: { type: sse, url: "${ORIGIN}/${API_TOKEN}/events" }
                      spare: { type: inline, value: [0] }
                    pipelines:
                      p: { parameters: { who: { default: "\(place.parameter)" } }, tiers: [{ source: memory, ttl: 1m }, a], live: [{ source: feed }] }
                      spare: { tiers: [spare] }
                      page: { combine: { object: { p: { pipeline: p, optional: true }, spare: spare } } }
                    """)
                let environment = ["API_TOKEN": Self.literal, "ORIGIN": origin.url]
                let leak = Leak(of: [Self.literal])
                let ran = try await folder.serving("pipeline.yaml", "--record", "trace.jsonl", environment: environment) { server in
                    for target in ["/p", "/p", "/page"] {
                        let answer = try await server.get(target)
                        let found = leak.found(in: answer.text + answer.headers.map { "\($0.key): \($0.value)" }.joined(separator: "\n"))
                        #expect(found == nil, "\(target): \(found ?? "")")
                    }
                    for target in ["/p", "/page", "/p?output=changes"] {
                        let wire = try Wire(server)
                        try wire.send(Wire.head(target, "Accept: text/event-stream\r\n", version: "1.0"))
                        var text = ""
                        while !text.contains("event: status") && !text.contains("event: value") && !text.contains("event: change") {
                            guard let bytes = try await blocking({ try wire.socket.receive() }) else { break }
                            text += String(decoding: bytes, as: UTF8.self)
                        }
                        let found = leak.found(in: text)
                        #expect(found == nil, "stream of \(target): \(found ?? "")")
                    }
                }
                for text in [ran.everything, folder.read("trace.jsonl") ?? ""] {
                    let found = leak.found(in: text)
                    #expect(!text.isEmpty && found == nil, "\(found ?? "")")
                }
                for command in [
                    ["validate"], ["validate", "--format", "json"], ["fmt", "--diff", "pipeline.yaml"],
                    ["fmt", "--check", "pipeline.yaml"],
                ] {
                    let found = leak.found(in: try await folder.start(command, environment: environment).ran().everything)
                    #expect(found == nil, "\(command): \(found ?? "")")
                }
            }
        }

        @Test func `a plain word of the environment is no secret`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  a: { type: command, command: [sh, -c, 'echo "no json for $$MODE, $$API_TOKEN, $$DB_PASS" >&2; exit 1'], environment: { MODE: json, API_TOKEN: "${API_TOKEN}", DB_PASS: \(Self.literal) } }
                pipelines: { p: { tiers: [a] } }
                """)

            let ran = try await folder.run("fetch", "p", environment: ["API_TOKEN": "t0ken-of-the-environment"])
            let config = try await folder.run("config", environment: ["API_TOKEN": "t0ken-of-the-environment"])

            #expect(ran.errors.contains("no json for json, ***, ***"), "\(ran.errors)")
            #expect(config.text.contains("MODE: json"), "\(config.text)")
            for text in [ran.everything, config.everything] { #expect(!text.contains(Self.literal) && !text.contains("t0ken"), "\(text)") }
        }
    }
}

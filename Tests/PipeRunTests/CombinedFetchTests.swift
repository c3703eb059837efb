import Foundation
import Testing

extension CommandLineTests {
    /// `fetch` and `links` where values are made from others.
    @Suite struct CombinedFetchTests {
        private static let config = """
            sources:
              users: { type: file, path: "users/{id}.json", read_only: true }
              posts: { type: file, path: "posts/{id}.json", read_only: true }
              notes: { type: file, path: note.txt, read_only: true }
              ads: { type: http, url: "${ORIGIN}" }
            pipelines:
              user: { parameters: [id], tiers: [users] }
              note: { format: text, tiers: [notes] }
              post:
                parameters: [id]
                tiers: [posts]
                links:
                  author: { at: /author_id, pipeline: user }
                  fans: { at: /likes, pipeline: user }
              ads: { tiers: [ads] }
              home:
                parameters: [user]
                combine:
                  object:
                    me: { pipeline: user, with: { id: "{user}" } }
                    ads: { pipeline: ads, default: [], timeout: 5s }
            """

        private func screen(_ reply: OddServer.Reply, _ body: (WorkFolder, [String: String]) async throws -> Void) async throws {
            try await OddServer.run(reply) { origin in
                let folder = try WorkFolder(Self.config)
                try folder.write("users/7.json", "{ \"id\": 7, \"name\":  \"Ad\\u0061\", \"big\": 12345678901234567890 }\n")
                try folder.write("posts/1.json", #"{"author_id":7,"likes":[7,9],"n":1.10}"#)
                try folder.write("note.txt", "hello")
                try await body(folder, ["ORIGIN": origin.url])
            }
        }

        private static let user = #"{ "id": 7, "name":  "Ad\u0061", "big": 12345678901234567890 }"#

        @Test func `KO-06 an answer that lacks a part is printed, standard error says so, and with strict it is no success`() async throws {
            try await screen(.status(503)) { folder, environment in
                try folder.write(
                    "pipeline.yaml",
                    Self.config + """

                          page:
                            parameters: [id]
                            combine: { object: { me: user, ads: { pipeline: ads, optional: true, timeout: 5s } } }
                        """)
                let without = try await folder.run("fetch", "page", "id=7", environment: environment)
                #expect(without.status == 0 && without.text == #"{"me":\#(Self.user)}"#, "\(without.everything)")
                #expect(without.errors.hasPrefix("pipe-run: incomplete: `/ads` is left out: "), "\(without.errors)")
                #expect(try await folder.run("fetch", "page", "id=7", "--strict", environment: environment).status == 1)

                let ran = try await folder.run("fetch", "home", "user=7", environment: environment)
                let strict = try await folder.run("fetch", "home", "user=7", "--strict", environment: environment)
                let envelope = try await folder.run("fetch", "home", "user=7", "--output", "envelope", environment: environment)

                #expect(ran.status == 0 && strict.status == 1 && envelope.status == 0)
                #expect(ran.text == #"{"me":\#(Self.user),"ads":[]}"# && strict.text == ran.text)
                for ran in [ran, strict, envelope] {
                    #expect(
                        ran.errors.hasPrefix(
                            "pipe-run: incomplete: `/ads` is its default: no tier could answer for `ads`: ads: error (status 503"),
                        "\(ran.errors)")
                }
                #expect(envelope.text.contains(#""error":null,"complete":false,"parts":[{"at":"/ads","pipeline":"ads","parameters":{},"#))
            }
        }

        @Test func `a whole answer is a success with strict, too`() async throws {
            try await screen(.value("[1]")) { folder, environment in
                let ran = try await folder.run("fetch", "home", "user=7", "--strict", environment: environment)

                #expect(ran.status == 0 && ran.errors == "")
                #expect(ran.text == #"{"me":\#(Self.user),"ads":[1]}"#)
            }
        }

        @Test func `links are followed, and one that there is not is wrong usage`() async throws {
            try await screen(.status(503)) { folder, environment in
                let ran = try await folder.run(
                    "fetch", "post", "id=1", "--follow", "author", "--follow", "fans", "--output", "envelope", environment: environment)
                let unknown = try await folder.run("fetch", "post", "id=1", "--follow", "autor", environment: environment)
                let far = try await folder.run("fetch", "post", "id=1", "--follow", "author.friend", environment: environment)

                #expect(ran.status == 0)
                #expect(ran.text.contains(#""author_id":7,"author":{"id":7,"name":"Ad\u0061","big":12345678901234567890}"#), "\(ran.text)")
                #expect(ran.text.contains(#""missing":[{"at":"/fans","pipeline":"user","id":"9"}]"#), "\(ran.text)")
                #expect(unknown.status == 64 && unknown.text == "")
                #expect(unknown.errors == "pipe-run: the pipeline `post` has no link `autor`\nhelp: did you mean `author`?\n")
                #expect(far.status == 64 && far.errors.contains("the pipeline `user` has no link `friend`"))
            }
        }

        @Test func `a place of the value is printed byte for byte, and 3 says that nothing is there`() async throws {
            try await screen(.status(503)) { folder, environment in
                func select(_ place: String, _ more: String...) async throws -> Ran {
                    try await folder.start(
                        ["fetch", "post", "id=1", "--follow", "author", "--select", place] + more, environment: environment
                    ).ran()
                }
                #expect(try await select("/author/name").text == #""Ad\u0061""#)
                #expect(try await select("/n").text == "1.10")
                #expect(try await select("/author").text == Self.user)
                #expect(try await select("/n", "--repeat", "2").text == "1.10\n1.10\n")
                let nothing = try await select("/author/nam")
                #expect(nothing.status == 3 && nothing.text == "")
                #expect(nothing.errors == "pipe-run: `post,id=1` has nothing at `/author/nam`\n")
                for (place, more, words) in [
                    ("author", [], "`author` is not a JSON Pointer: a JSON Pointer begins with `/`"),
                    ("/n", ["--output", "envelope"], "leave out --output"),
                ] {
                    let wrong = try await folder.start(
                        ["fetch", "post", "id=1", "--select", place] + more, environment: environment
                    ).ran()
                    #expect(wrong.status == 64 && wrong.text == "" && wrong.errors.contains(words), "\(wrong.errors)")
                }
                let text = try await folder.run("fetch", "note", "--select", "/a", environment: environment)
                #expect(text.status == 64 && text.errors.contains("the format of `note` is text"), "\(text.errors)")
            }
        }

        @Test func `FA-02 an author who is not there is null, is told, and no failure`() async throws {
            try await screen(.status(503)) { folder, environment in
                try folder.write("posts/3.json", #"{"author_id":9,"n":1.10}"#)
                let ran = try await folder.run("fetch", "post", "id=3", "--follow", "author", "--strict", environment: environment)
                let envelope = try await folder.run(
                    "fetch", "post", "id=3", "--follow", "author", "--output", "envelope", environment: environment)

                #expect(ran.status == 0 && ran.text == #"{"author_id":9,"author":null,"n":1.10}"#, "\(ran.everything)")
                #expect(envelope.status == 0)
                #expect(
                    envelope.text.contains(#""complete":true,"parts":[],"missing":[{"at":"/author","pipeline":"user","id":"9"}]"#),
                    "\(envelope.text)")
            }
        }

        @Test func `FA-05 links may lead in a circle: a written path ends, and one of nine steps is wrong usage`() async throws {
            let folder = try WorkFolder(
                """
                sources:
                  users: { type: file, path: "users/{id}.json", read_only: true }
                pipelines:
                  user: { parameters: [id], tiers: [users], links: { friend: { at: /friend_id, pipeline: user } } }
                """)
            try folder.write("users/1.json", #"{"friend_id":2}"#)
            try folder.write("users/2.json", #"{"friend_id":1}"#)
            func path(_ steps: Int) -> String { Array(repeating: "friend", count: steps).joined(separator: ".") }

            let three = try await folder.run("fetch", "user", "id=1", "--follow", path(3))
            let eight = try await folder.run("fetch", "user", "id=1", "--follow", path(8))
            let nine = try await folder.run("fetch", "user", "id=1", "--follow", path(9))

            #expect(
                three.status == 0
                    && three.text == #"{"friend_id":2,"friend":{"friend_id":1,"friend":{"friend_id":2,"friend":{"friend_id":1}}}}"#,
                "\(three.everything)")
            #expect(eight.status == 0 && eight.text.hasSuffix(String(repeating: "}", count: 9)), "\(eight.everything)")
            #expect(nine.status == 64 && nine.text == "", "\(nine.everything)")
        }

        @Test func `a whole that is not found says which part is not`() async throws {
            try await screen(.status(503)) { folder, environment in
                let ran = try await folder.run("fetch", "home", "user=9", environment: environment)

                #expect(ran.status == 3 && ran.text == "")
                #expect(ran.errors.contains("`home,user=9` not found: its part `/me`, `user,id=9`, is not found"), "\(ran.errors)")
            }
        }

        @Test func `a whole that is not found names an optional part that another needs, or that is all there is`() async throws {
            try await screen(.status(503)) { folder, environment in
                let disk = "sources:\n  disk: { type: file, path: \".cache/{key}.json\" }\n"
                try folder.write(
                    "pipeline.yaml",
                    Self.config.replacing("sources:\n", with: disk) + """

                          page:
                            parameters: [id]
                            combine:
                              object:
                                note: { pipeline: note, optional: true }
                                post: { pipeline: post, optional: true }
                                author: { pipeline: user, with: { id: { from: post, at: /author_id } } }
                          only: { parameters: [id], combine: { of: { pipeline: user, optional: true } } }
                          cached: { parameters: [id], tiers: [{ source: disk, ttl: 1h }, users] }
                          kept: { parameters: [id], combine: { object: { me: cached, post: { pipeline: post, optional: true } } } }
                        """)

                let page = try await folder.run("fetch", "page", "id=9", environment: environment)
                #expect(page.errors.contains("`page,id=9` not found: its part `/post`, `post,id=9`, is not found"), "\(page.errors)")
                let only = try await folder.run("fetch", "only", "id=9", environment: environment)
                #expect(only.errors.contains("`only,id=9` not found: it is made from `user,id=9`, which is not found"), "\(only.errors)")
                let kept = try await folder.run("fetch", "kept", "id=7", "--policy", "cache-only", environment: environment)
                #expect(kept.errors.contains(": no cache has its part `/me`, `cached,id=7`"), "\(kept.errors)")
                #expect([page.status, only.status, kept.status] == [3, 3, 3])
            }
        }

        @Test func `links are listed, and nothing that they lead to is loaded`() async throws {
            try await screen(.status(503)) { folder, environment in
                let ran = try await folder.run("links", "post", "id=1", environment: environment)
                let json = try await folder.run("links", "post", "id=1", "--output", "json", environment: environment)
                let none = try await folder.run("links", "user", "id=7", environment: environment)
                let absent = try await folder.run("links", "post", "id=2", environment: environment)

                #expect(ran.status == 0)
                #expect(ran.text == "author  user  id=7  none\nfans    user  id=7  none\nfans    user  id=9  none\n")
                #expect(json.text.hasPrefix(#"{"pipeline":"post","parameters":{"id":"1"},"links":[{"name":"author","pipeline":"user","#))
                #expect(none.status == 0 && none.text == "" && none.errors == "pipe-run: `user` has no links\n")
                #expect(absent.status == 3 && absent.text == "")
            }
        }

        @Test(arguments: ["raw", "envelope"])
        func `a link whose place leads nowhere is left out as before, and a note says so`(output: String) async throws {
            try await screen(.status(503)) { folder, environment in
                for (id, post) in [
                    ("list", #"[{"author_id":7}]"#), ("typo", #"{"autor_id":7}"#), ("null", #"{"author_id":null}"#), ("empty", "[]"),
                ] { try folder.write("posts/\(id).json", post) }
                func note(_ id: String) async throws -> String {
                    let ran = try await folder.run(
                        "fetch", "post", "id=\(id)", "--follow", "author", "--strict", "--output", output, environment: environment)
                    #expect(ran.status == 0, "\(ran.everything)")
                    return ran.errors
                }

                let words = "pipe-run: note: link `author` found no reference at `/author_id`"
                #expect(try await note("list") == words + ": the value is a list, try `$[*].author_id`\n")
                #expect(try await note("typo") == words + "\n")
                for id in ["null", "1"] { #expect(try await note(id) == "", "\(id)") }
                try folder.write("pipeline.yaml", Self.config.replacing("at: /author_id", with: "at: \"$[*].author_id\""))
                for id in ["list", "empty"] { #expect(try await note(id) == "", "\(id)") }
            }
        }

        @Test func `a stale part is refreshed by a process of its own`() async throws {
            let config = """
                sources:
                  disk: { type: file, path: ".cache/{key}.json" }
                  api: { type: http, url: "${ORIGIN}" }
                pipelines:
                  friends: { stale_while_revalidate: 1h, tiers: [ { source: disk, ttl: 1ms }, api ] }
                  home: { combine: { object: { friends: friends } } }
                """
            try await OddServer.run({ _, number in number == 1 ? .value("[1]") : .held(.value("[\(number)]")) }) { origin in
                let folder = try WorkFolder(config)
                try folder.write("tmp/.keep", "")
                let places = folder.url.appending(path: "tmp").path
                let environment = ["ORIGIN": origin.url, "XDG_RUNTIME_DIR": places, "TMPDIR": places]
                #expect(try await folder.run("fetch", "home", environment: environment).text == #"{"friends":[1]}"#)

                let ran = try await folder.run("fetch", "home", environment: environment)
                try await origin.asked(2)
                #expect(ran.status == 0 && ran.text == #"{"friends":[1]}"#)
                origin.release()
                try await until("the refreshed copy") { folder.read(".cache/friends.json") == "[2]" }
            }
        }
    }
}

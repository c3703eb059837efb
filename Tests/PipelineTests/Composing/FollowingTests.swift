import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineComposing

@Suite struct FollowingTests {
    private func link(_ name: String, _ place: String, _ pipeline: String, optional: Bool = false, default value: String? = nil) throws
        -> LinkSpec
    {
        LinkSpec(name, at: try JSONPath(place), pipeline: pipeline, optional: optional, default: value)
    }

    /// Posts with an author and comments.
    private func blog(_ post: String, _ links: [LinkSpec]? = nil) throws -> Combination {
        let blog = Combination()
        let links = try links ?? [link("author", "/author_id", "user"), link("comments", "/comment_ids", "comment")]
        blog.part("post", StubAnswer(stringLiteral: post), parameters: ["id"], links: links)
        blog.part("user", parameters: ["id"], ttl: .seconds(60), links: [try link("friend", "/friend", "user")])
            .answers { $0["id"] == "9" ? .notFound : StubAnswer(stringLiteral: #"{"id":"\#($0["id"] ?? "")"}"#) }
        blog.part("comment", parameters: ["id"], ttl: .seconds(60), links: [try link("author", "$.author_id", "user")])
            .answers { StubAnswer(stringLiteral: #"{"c":\#($0["id"] ?? ""),"author_id":7}"#) }
        return blog
    }

    @Test func `a followed value stands beside its reference, and nothing is loaded before`() async throws {
        let blog = try blog(#"{"author_id": 7 ,"comment_ids":[1,2,1],"x":1.10}"#)
        #expect(try await blog.fetch("post", ["id": "1"]).text == #"{"author_id": 7 ,"comment_ids":[1,2,1],"x":1.10}"#)
        #expect(blog["user"].readCount == 0)

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author", "comments.author"])

        let text =
            #"{"author_id": 7,"author":{"id":"7"} ,"comment_ids":[1,2,1],"comments":[{"c":1,"author_id":7,"author":{"id":"7"}},"#
            + #"{"c":2,"author_id":7,"author":{"id":"7"}},{"c":1,"author_id":7,"author":{"id":"7"}}],"x":1.10}"#
        #expect(outcome.text == text)
        #expect(blog["user"].readCount == 1)
        #expect(blog["comment"].readCount == 2)
        #expect(outcome.freshFor == .seconds(60))
    }

    @Test func `an argument from beside the reference that is not there is told with its place`() async throws {
        let place = try #require(JSONPointer("/lang"))
        let link = LinkSpec("author", at: try JSONPath("$[*].author_id"), pipeline: "page", parameter: "id", with: ["lang": .at(place)])
        let blog = try blog(#"[{"author_id":1,"lang":"de"},{"author_id":2}]"#, [link])
        blog.part("page", "1", parameters: ["id", "lang"])

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author"])

        #expect(outcome.failure?.linkError?.reason == "link `author` at `/1/author_id`: its object has nothing at `/lang`")
        #expect(outcome.parts.map(\.at) == ["/1/author_id"])
    }

    @Test func `what caches do not have is not said to be missing where no origin is asked`() async throws {
        let blog = try blog(
            #"{"author_id":7,"comment_ids":[1,2]}"#,
            [link("author", "/author_id", "user", optional: true), link("comments", "/comment_ids", "comment", optional: true)])
        let post = try await blog.fetch("post", ["id": "1"])
        try await blog.fetch("comment", ["id": "2"])

        let outcome = try await blog.pipelines.follow("comments", of: post, policy: .cacheOnly)
        #expect(outcome.text == #"{"author_id":7,"comment_ids":[1,2],"comments":[{"c":2,"author_id":7}]}"#)
        #expect(!outcome.isComplete && outcome.missing.isEmpty)
        #expect(outcome.partTrace == "/comments: failed")

        let author = try await blog.pipelines.follow("author", of: post, policy: .cacheOnly)
        #expect(author.text == #"{"author_id":7,"comment_ids":[1,2]}"#)
        #expect(!author.isComplete)
        #expect(author.parts.first?.message?.hasPrefix("no cache has `user,id=7`, and origins were not asked: ") == true)
        let offline = try await blog.pipelines.follow("author", of: post, policy: .offline)
        #expect(offline.parts.first?.message?.hasPrefix("offline, and no copy of `user,id=7`: ") == true)
    }

    @Test func `KO-17 a part that caches do not have is lacking where no origin is asked`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(60))
        screen.part("b", "2", ttl: .seconds(60))
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", optional: true))])))
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", "b")])), named: "strict")
        screen.whole(CompositeSpec(.object([("one", PartSpec("b", optional: true)), ("two", "b")])), named: "both")
        try await screen.fetch("a")

        let outcome = try await screen.fetch(policy: .cacheOnly)
        #expect(outcome.text == #"{"a":1}"#)
        #expect(outcome.partTrace == "/a: value, /b: failed" && !outcome.isComplete)
        // One part may do without it, and another of the same key not.
        let both = try await screen.fetch("both", policy: .cacheOnly)
        #expect(both.text == nil && both.failure == nil)
        // A whole that needs it is in no cache, like any other value.
        let strict = try await screen.fetch("strict", policy: .cacheOnly)
        #expect(strict.text == nil && strict.failure == nil)
        #expect(screen["b"].readCount == 0)
    }

    @Test func `a part whose followed link fails is told as that`() async throws {
        let blog = try blog(#"{"author_id":7}"#)
        blog["user"].answers(.error())
        blog.whole(CompositeSpec(.object([("post", PartSpec("post", with: ["id": "1"], follow: ["author"], optional: true))])))

        #expect(try await blog.fetch().parts.first?.problem?.code == "link_failed")
    }

    @Test func `a link counts the batches of origins, and what came in them that was not asked for`() async throws {
        let blog = Combination()
        let users = BatchStub(blog.time, ignoring: 3)
        blog.part("user", parameters: ["id"]) { spec in
            // The cache is asked for both at once, too.
            let cache = BatchCache(StubSource("cache", clock: blog.time.clock))
            spec.tiers = [TierSpec(SourceSpec("cache", cache), ttl: .seconds(60)), TierSpec(SourceSpec("users", users))]
        }
        blog.part("post", #"{"ids":[1,2]}"#, links: [try link("users", "/ids", "user")])

        let outcome = try await blog.fetch("post", following: ["users"])

        #expect(outcome.links.map(\.batchCount) == [1])
        #expect(outcome.links.map(\.ignored) == [3])
    }

    @Test func `a batch counts also where the origin has none of its values, and the next tier is asked`() async throws {
        let blog = Combination()
        let (users, spare) = (BatchStub(blog.time, ignoring: 3), BatchStub(blog.time))
        users.change { $0.absent = ["1", "2"] }
        blog.part("user", parameters: ["id"]) { spec in
            spec.tiers = [TierSpec(SourceSpec("users", users), TierPolicy(onNotFound: .next)), TierSpec(SourceSpec("spare", spare))]
        }
        blog.part("post", #"{"ids":[1,2]}"#, links: [try link("users", "/ids", "user")])

        let outcome = try await blog.fetch("post", following: ["users"])

        #expect(outcome.text == #"{"ids":[1,2],"users":["1","2"]}"#)
        #expect(outcome.links.map(\.batchCount) == [2])
        #expect(outcome.links.map(\.ignored) == [3])
    }

    @Test func `following from an outcome loads nothing of it again`() async throws {
        let blog = try blog(#"{"author_id":7}"#)
        let post = try await blog.fetch("post", ["id": "1"])

        let outcome = try await blog.pipelines.follow("author", of: post)

        #expect(outcome.text == #"{"author_id":7,"author":{"id":"7"}}"#)
        #expect(blog["post"].readCount == 1)
    }

    @Test(arguments: [
        (#"{"author_id":null}"#, #"{"author_id":null,"author":null}"#), (#"{"x":1}"#, #"{"x":1}"#),
        (#"{"author_id":[]}"#, #"{"author_id":[],"author":[]}"#), (#"{"author_id":[null]}"#, #"{"author_id":[null],"author":[null]}"#),
    ]) func `FA-01 null and nothing are asked for nothing`(_ post: String, _ expected: String) async throws {
        let blog = try blog(post)

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author"])

        #expect(outcome.text == expected)
        #expect(blog["user"].readCount == 0)
    }

    @Test(arguments: [
        (#"{"author_id":""}"#, "link `author` at `/author_id`: an empty text is no id"),
        (#"{"author_id":{}}"#, "link `author` at `/author_id`: an object is no id"),
        (#"{"author_id":[1,[2]]}"#, "link `author` at `/author_id/1`: a list is no id"),
        (#"{"author_id":true}"#, "link `author` at `/author_id`: a bool is no id"),
        (#"{"author_id":1,"author":2}"#, "link `author`: there is a member at `/author` already"),
        (
            #"{"author_id":1,"author_id":2}"#,
            "the links of `post,id=1` cannot be found: the name `author_id` occurs twice in an object at byte 15"
        ),
    ]) func `FA-01 what is no reference is invalid, and nothing is asked`(_ post: String, _ reason: String) async throws {
        let blog = try blog(post)

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author"])

        #expect(outcome.failure?.linkError?.kind == .invalid)
        #expect(outcome.failure?.linkError?.reason == reason)
        #expect(blog["user"].readCount == 0)
    }

    @Test func `what is no reference is left out, and told, where the link is optional`() async throws {
        let links = try [
            link("author", "/author_id", "user", optional: true), link("else", "/author_id", "user", default: "{}"),
            link("all", "/ids", "user", optional: true), link("each", "/ids", "user", default: "0"),
        ]
        let blog = try blog(#"{"author_id":{},"ids":[1,true,null,[2],9]}"#, links)

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author", "else", "all", "each"])

        #expect(
            outcome.text
                == #"{"author_id":{},"else":{},"ids":[1,true,null,[2],9],"all":[{"id":"1"},null],"each":[{"id":"1"},0,null,0]}"#)
        #expect(!outcome.isComplete)
        #expect(
            outcome.partTrace == "/author: failed, /else: failed (default), /all: failed, /all: failed, "
                + "/each/1: failed (default), /each/3: failed (default)")
        #expect(outcome.parts.map(\.code) == Array(repeating: "invalid", count: 6))
        #expect(outcome.parts.first?.message == "the reference at `/author_id`: an object is no id")
        #expect(outcome.parts.last?.message == "the reference at `/ids/3`: a list is no id")
        // Where the missing one would stand, had what is no id not been there.
        #expect(outcome.missing.map(\.at) == ["/all", "/each"])
        #expect(outcome.links.map(\.failed) == [1, 1, 2, 2])
        #expect(blog["user"].readCount == 2)
    }

    @Test func `what is no reference in a list is told where its default stands, after what is not there`() async throws {
        let blog = try blog(#"{"ids":[9,true,1,{}]}"#, [link("each", "/ids", "user", default: "0")])
        blog["user"].answers { $0["id"] == "9" ? .notFound : #"{"id":"1"}"# }

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["each"])

        #expect(outcome.text == #"{"ids":[9,true,1,{}],"each":[0,{"id":"1"},0]}"#)
        #expect(outcome.partTrace == "/each/0: failed (default), /each/2: failed (default)")
        #expect(outcome.parts.first?.message == "the reference at `/ids/1`: a bool is no id")
    }

    @Test(arguments: [
        (#"{"u":8,"t":1}"#, #"{"t":1}"#), (#"{"u":{},"t":1}"#, #"{"t":1}"#), (#"{ "t" : 1 , "u" : 8 }"#, #"{ "t" : 1 }"#),
        (#"{"u":9,"t":1}"#, #"{"u":null,"t":1}"#), (#"{"u":7}"#, #"{"u":{"id":"7"}}"#), (#"{"u":null}"#, #"{"u":null}"#),
        (#"{"v":8,"u":8}"#, #"{"v":0}"#), (#"{"u":[7,8,""]}"#, #"{"u":[{"id":"7"}]}"#),
    ])
    func `a reference whose target is left out goes with it where the names are equal`(_ post: String, _ expected: String) async throws {
        let links = [try link("u", "/u", "user", optional: true), try link("v", "/v", "user", default: "0")]
        let blog = try blog(post, links)
        blog["user"].answers { id in
            switch id["id"] {
            case "8": .error(SourceError("down"))
            case "9": .notFound
            default: StubAnswer(stringLiteral: #"{"id":"\#(id["id"] ?? "")"}"#)
            }
        }

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["u", "v"])

        #expect(outcome.text == expected)
        #expect(outcome.isComplete == (!post.contains("8") && !post.contains("{}")))
        #expect(try await blog.fetch("post", ["id": "1"]).text == post, "the origin's own value is not changed")
    }

    @Test func `FA-02 a target that is not there is null, or left out of a list, and told`() async throws {
        let blog = try blog(
            #"{"author_id":9,"all":[1,"9"]}"#, [link("author", "/author_id", "user"), link("everybody", "/all", "user")])

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author", "everybody"])

        #expect(outcome.text == #"{"author_id":9,"author":null,"all":[1,"9"],"everybody":[{"id":"1"}]}"#)
        #expect(outcome.isComplete)
        #expect(
            outcome.missing == [
                MissingTarget(at: "/author", pipeline: "user", id: "9"), MissingTarget(at: "/everybody", pipeline: "user", id: "9"),
            ])
    }

    @Test func `FA-04 a number and a text are one id, and another spelling is another`() async throws {
        let blog = try blog(#"{"all":[42,"42",42.0]}"#, [link("users", "/all", "user")])

        _ = try await blog.fetch("post", ["id": "1"], following: ["users"])

        #expect(Set(blog["user"].calls.compactMap { $0.key?["id"] }) == ["42", "42.0"])
        #expect(blog["user"].readCount == 2)
    }

    @Test func `FA-04 an id is loaded once for a list of many, whatever it is written as`() async throws {
        // Numbers, texts and escapes of 40 ids, each three times.
        let ids = (0..<120).map { index in
            let id = "\(100 + index * 7 % 40)"
            return [id, #""\#(id)""#, #""\u00\#(String(id.utf8.first ?? 0, radix: 16))\#(id.dropFirst())""#][index / 40]
        }
        let blog = try blog(
            "[" + ids.map { #"{"author_id":\#($0)}"# }.joined(separator: ",") + "]", [link("author", "$[*].author_id", "user")])

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author"])

        let authors = (0..<120).map { index in #"{"author_id":\#(ids[index]),"author":{"id":"\#(100 + index * 7 % 40)"}}"# }
        #expect(outcome.text == "[" + authors.joined(separator: ",") + "]")
        #expect(blog["user"].readCount == 40)
    }

    @Test(arguments: ["../x?y", "a,b", "a/b#c", "é"]) func `FA-10 an id stays one value`(_ id: String) async throws {
        let blog = try blog(#"{"author_id":"\#(id)"}"#)

        _ = try await blog.fetch("post", ["id": "1"], following: ["author"])

        #expect(blog["user"].calls.compactMap { $0.key?["id"] } == [id])
    }

    @Test func `FA-05 links may lead in circles, and a path is finite`() async throws {
        let blog = try blog(#"{"author_id":7}"#)
        blog["user"].answers { $0["id"] == "7" ? #"{"id":7,"friend":8}"# : #"{"id":8,"friend":7}"# }

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author.friend.friend"])

        #expect(
            outcome.text
                == #"{"author_id":7,"author":{"id":7,"friend":{"id":8,"friend":{"id":7,"friend":8}}}}"#)
        #expect(blog["user"].readCount == 2)
        await #expect(throws: UsageError.longPath("author.friend.friend.friend.friend.friend.friend.friend.friend", most: 8)) {
            try await blog.fetch(
                "post", ["id": "1"], following: ["author.friend.friend.friend.friend.friend.friend.friend.friend"])
        }
    }

    @Test func `an unknown link is a wrong call, with the nearest name`() async throws {
        let blog = try blog("{}")

        let error = await #expect(throws: UsageError.self) { try await blog.fetch("post", ["id": "1"], following: ["auhtor"]) }

        #expect(error?.description == "the pipeline `post` has no link `auhtor`\nhelp: did you mean `author`?")
    }

    @Test func `a target that fails fails the whole, unless the link is optional`() async throws {
        let links = try [
            link("author", "/author_id", "user"), link("maybe", "/author_id", "user", optional: true),
            link("else", "/author_id", "user", default: "{}"), link("all", "/all", "user", optional: true),
        ]
        let blog = try blog(#"{"author_id":1,"all":[1,2]}"#, links)
        blog["user"].answers { $0["id"] == "1" ? .error() : "2" }

        let failure = try await blog.fetch("post", ["id": "1"], following: ["author"]).failure
        #expect(failure?.linkError?.reason.hasPrefix("link `author` at `/author`: ") == true)

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["maybe", "else", "all"])
        #expect(outcome.text == #"{"author_id":1,"else":{},"all":[2]}"#)
        #expect(!outcome.isComplete)
        #expect(outcome.partTrace == "/maybe: failed, /else: failed (default), /all: failed")
    }

    @Test func `the followed value takes the place of a reference of its name`() async throws {
        let blog = try blog(#"{"author" : 1 }"#, [link("author", "/author", "user")])

        #expect(try await blog.fetch("post", ["id": "1"], following: ["author"]).text == #"{"author" : {"id":"1"} }"#)
    }

    @Test func `FA-08 too many ids are invalid, with their number`() async throws {
        let blog = try blog(#"{"all":[\#((0...1_000).map { "\($0)" }.joined(separator: ","))]}"#, [link("users", "/all", "user")])

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["users"])

        #expect(outcome.failure?.linkError?.reason == "link `users` has 1001 ids, and no more than 1000 are allowed")
        #expect(blog["user"].readCount == 0)
    }

    @Test func `FA-08 all ids of a level are counted, each once, also those of several values`() async throws {
        let blog = Combination()
        let posts = (0..<20).map { post in
            let comments = (0..<90).map { "\(post * 90 + $0)" } + ["0", "\(post * 90)"]
            return #"{"ids":[\#(comments.joined(separator: ","))]}"#
        }
        blog.part("post", parameters: ["id"], links: [try link("c", "/ids", "comment")]).answers { id in
            StubAnswer(stringLiteral: posts[Int(id["id"] ?? "") ?? 0])
        }
        blog.part("comment", "0", parameters: ["id"])
        let ids = #"{"ids":[\#((0..<20).map { "\($0)" }.joined(separator: ","))]}"#
        blog.part("feed", StubAnswer(stringLiteral: ids), links: [try link("p", "/ids", "post")])

        let outcome = try await blog.fetch("feed", following: ["p.c"])

        #expect(outcome.failure?.linkError?.reason == "link `c` has 1800 ids, and no more than 1000 are allowed")
        #expect(blog["post"].readCount == 20)
        #expect(blog["comment"].readCount == 0)
    }

    @Test func `a part follows links of a list, and none of it is in the copies of the part`() async throws {
        let blog = Combination()
        blog.part(
            "posts", #"[{"id":1,"author_id":7},{"id":2,"author_id":8},{"id":3,"author_id":7}]"#, ttl: .seconds(60),
            links: [try link("author", "$[*].author_id", "user")])
        blog.part("user", parameters: ["id"]).answers { StubAnswer(stringLiteral: #""u\#($0["id"] ?? "")""#) }
        blog.whole(CompositeSpec(.of(PartSpec("posts", follow: ["author"]))), ttl: .seconds(30))

        let text =
            #"[{"id":1,"author_id":7,"author":"u7"},{"id":2,"author_id":8,"author":"u8"},{"id":3,"author_id":7,"author":"u7"}]"#
        #expect(try await blog.fetch().text == text)
        #expect(try await blog.fetch("posts").text == #"[{"id":1,"author_id":7},{"id":2,"author_id":8},{"id":3,"author_id":7}]"#)
        #expect(blog["user"].readCount == 2)
        #expect(blog["posts"].readCount == 1)
        #expect(try await blog.fetch().trace == "memory_of_home: hit")
    }

    @Test func `arguments of a target come from the value that holds the reference`() async throws {
        let blog = Combination()
        let link = LinkSpec(
            "author", at: try JSONPath("$[*].author_id"), pipeline: "user", parameter: "id",
            with: ["tenant": .at(JSONPointer(tokens: ["tenant"])), "lang": "{lang}"])
        blog.part("posts", #"[{"author_id":1,"tenant":"a"},{"author_id":1,"tenant":"b"}]"#, parameters: ["lang"], links: [link])
        blog.part("user", parameters: ["id", "tenant", "lang"]).answers { StubAnswer(stringLiteral: #""\#($0)""#) }

        let text = try await blog.fetch("posts", ["lang": "de"], following: ["author"]).text

        #expect(text?.contains(#""author":"user,id=1,lang=de,tenant=a""#) == true)
        #expect(text?.contains(#""author":"user,id=1,lang=de,tenant=b""#) == true)
    }

    @Test func `the ids of a link are asked for in batches, those of a level together`() async throws {
        let blog = Combination()
        let users = BatchStub(blog.time, most: 50)
        let ids = (0..<120).map { "\($0)" }
        blog.part(
            "posts",
            StubAnswer(stringLiteral: #"{"a":[\#(ids[..<70].joined(separator: ","))],"b":[\#(ids[50...].joined(separator: ","))]}"#),
            links: [try link("first", "/a", "user"), try link("second", "/b", "user")])
        blog.part("user", parameters: ["id"]) { $0.tiers = [TierSpec(SourceSpec("users", users))] }

        let outcome = try await blog.fetch("posts", following: ["first", "second"])

        #expect(outcome.failure == nil)
        #expect(users.calls.count == 3)
        #expect(Set(users.calls.flatMap(\.self)) == Set(ids))
    }

    @Test(arguments: [["author"], ["author", "editor"], ["page"], ["note"], ["author.friend"], ["page", "author", "note"]])
    func `what memory has at hand is followed, and told of, as what is loaded`(_ paths: [String]) async throws {
        let posts = #"[{"a":1,"e":1,"p":1,"n":1},{"a":2,"e":1,"p":2,"n":2},{"a":9,"e":9,"p":1,"n":1},{"a":1,"e":2,"p":1,"n":"1"}]"#
        let blog = try blog(
            posts,
            [
                link("author", "$[*].a", "person"), link("editor", "$[*].e", "person"), link("page", "$[*].p", "page"),
                link("note", "$[*].n", "note"),
            ])
        let friend = try link("friend", "/friend", "person")
        blog.part("person", parameters: ["id"], ttl: .seconds(60), links: [friend]) { $0.policy.notFoundTTL = .seconds(60) }
            .answers { $0["id"] == "9" ? .notFound : StubAnswer(stringLiteral: #"{"id":\#($0["id"] ?? ""),"friend":2}"#) }
        // A whole that lacks the target of a link, which memory keeps.
        let follow = PartSpec("owned", with: ["id": "{id}"], follow: ["owner"])
        blog.part("owned", #"{"owner_id":9}"#, parameters: ["id"], links: [try link("owner", "/owner_id", "person")])
        blog.whole(CompositeSpec(.object([("it", follow)])), named: "page", parameters: ["id"], ttl: .seconds(60))
        blog.part("note", parameters: ["id"], ttl: .seconds(60)) { $0.policy.format = .text }
            .answers { StubAnswer(stringLiteral: "note \($0["id"] ?? "")") }

        let loaded = try await blog.fetch("post", ["id": "1"], following: paths)
        let reads = ["person", "note", "owned"].map { blog[$0].readCount }
        blog.time.advance(by: .seconds(1))
        let atHand = try await blog.fetch("post", ["id": "1"], following: paths)

        #expect(loaded.failure == nil)
        #expect(atHand.text == loaded.text)
        #expect(atHand.missing == loaded.missing)
        #expect(loaded.missing.isEmpty == (paths == ["note"]))
        #expect(atHand.partTrace == loaded.partTrace)
        #expect(["person", "note", "owned"].map { blog[$0].readCount } == reads)
        #expect(atHand.freshFor == loaded.freshFor.map { $0 - .seconds(1) })
    }

    @Test func `pointers below a link to many have the place in the list as it is`() async throws {
        let blog = try blog(#"{"comment_ids":[5,1,null,2,3]}"#)
        blog["comment"].answers { key in
            switch key["id"] {
            case "5": .notFound
            case "3": #"{"author_id":9}"#
            default: #"{"author_id":7}"#
            }
        }

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["comments.author"])

        let one = #"{"author_id":7,"author":{"id":"7"}}"#
        #expect(
            outcome.text == #"{"comment_ids":[5,1,null,2,3],"comments":[\#(one),null,\#(one),{"author_id":9,"author":null}]}"#)
        #expect(
            outcome.missing == [
                MissingTarget(at: "/comments", pipeline: "comment", id: "5"),
                MissingTarget(at: "/comments/3/author", pipeline: "user", id: "9"),
            ])
    }

    @Test func `what fails in a composite that a link leads to is told at its place in the list`() async throws {
        let screen = Combination()
        screen.part("page", #"{"ids":[1,2,3]}"#, links: [try link("cards", "/ids", "card", optional: true)])
        screen.part("title", parameters: ["id"]).answers { $0["id"] == "1" ? .error() : #""t""# }
        screen.part("ads", parameters: ["id"]).answers { $0["id"] == "3" ? .error() : "0" }
        let members: [(String, PartSpec)] = [("title", "title"), ("ads", PartSpec("ads", optional: true))]
        screen.whole(CompositeSpec(.object(members)), named: "card", parameters: ["id"])
        screen.whole(CompositeSpec(.object([("page", PartSpec("page", follow: ["cards"]))])))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"page":{"ids":[1,2,3],"cards":[{"title":"t","ads":0},{"title":"t"}]}}"#)
        #expect(outcome.partTrace == "/page: value, /page/cards: failed, /page/cards/1/ads: failed")
    }

    @Test func `a reference below a link that is none is named with its whole pointer`() async throws {
        let blog = try blog(#"{"comment_ids":[1,2]}"#)
        blog["comment"].answers { $0["id"] == "2" ? #"{"author_id":{}}"# : #"{"author_id":7}"# }

        let failure = try await blog.fetch("post", ["id": "1"], following: ["comments.author"]).failure

        #expect(failure?.linkError?.reason == "link `author` at `/comments/1/author_id`: an object is no id")
    }

    @Test func `a failed link is told as a part, and as no tier`() async throws {
        let blog = try blog(#"{"author_id":1}"#)
        blog["user"].answers(.error())

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["author"])
        let failure = try #require(outcome.failure)

        #expect(failure.kind == .linkFailed)
        #expect(outcome.trace == "post: hit")
        #expect(outcome.source == nil)
        #expect(outcome.partTrace == "/author: failed")
        #expect(outcome.parts.first?.key?.text == "user,id=1")
        #expect(outcome.parts.first?.outcome?.trace == "memory_of_user: miss, user: error")
        #expect("\(failure)".hasPrefix("a link of `post,id=1` cannot be followed: link `author` at `/author`: no tier could answer"))
    }

    @Test(arguments: [
        (#""\ud800""#, "half a surrogate pair is no text, and no id"), (#""a\udc00b""#, "half a surrogate pair is no text, and no id"),
        (#""\ud83d\ud83d\ude00""#, "half a surrogate pair is no text, and no id"),
        ("text", "an id of 65537 bytes, and no more than 65536 are allowed"),
        ("number", "an id of 70000 bytes, and no more than 65536 are allowed"),
    ]) func `an id that is no text, or too long, is invalid at its pointer`(_ id: String, _ reason: String) async throws {
        let long = ["text": "\"" + String(repeating: "x", count: 65_537) + "\"", "number": String(repeating: "1", count: 70_000)]
        let id = long[id] ?? id
        let blog = try blog(#"{"all":["1",\#(id)]}"#, [link("users", "/all", "user")])

        let outcome = try await blog.fetch("post", ["id": "1"], following: ["users"])

        #expect(outcome.failure?.linkError?.reason == "link `users` at `/all/1`: \(reason)")
        #expect(outcome.parts.map(\.at) == ["/all/1"])
        #expect(blog["user"].readCount == 0)
    }

    @Test(arguments: [#""\ud83d\ude00""#, #""\\ud800""#, #""\ufffd""#]) func `an id with escapes is a text`(_ id: String) async throws {
        let blog = try blog(#"{"author_id":\#(id)}"#)

        #expect(try await blog.fetch("post", ["id": "1"], following: ["author"]).failure == nil)
        #expect(blog["user"].readCount == 1)
    }
}

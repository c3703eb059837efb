import Pipeline
import PipelineFoundation
import PipelineJSON
import PipelineLive
import PipelineSending
import PipelineYAML
import SourcesFile
import SourcesHTTP
import SourcesSQLite

// The Swift of docs/swift.md and of the article *Sends*, which show it line by line.

func sendFromAFile() async throws {
    let pipelines = try Pipelines(contentsOf: "pipeline.yaml", plugins: [.file, .http, .outbox])
    try await pipelines.startSending()  // what an earlier run has left shows, and goes out

    let sent = try await pipelines.send("add_friend", ["user": "42"], Array(#"{"name":"Ada"}"#.utf8))
    do {
        let answer = try await sent.answer(within: .seconds(5))
        print(answer.madeID ?? "", String(decoding: answer.answer, as: UTF8.self))
    } catch SendError.notYet {
        print("it goes out later")
    }
    await pipelines.shutDown()  // what waits is on disk
}

func followOne(_ pipelines: Pipelines) async throws {
    let sent = try await pipelines.send("add_friend", ["user": "42"], Array(#"{"name":"Ada"}"#.utf8))
    for await status in sent.statuses { print(status.state, status.reason ?? "") }  // ends with the last one
}

func showSends(of friends: DataPipeline) async throws {
    for await snapshot in try friends.snapshots(["user": "42"]) {
        let waiting = snapshot.status.sends.map(\.send)
        print(try snapshot.value(as: [Friend].self) ?? [], waiting)
    }
}

func showHeld(_ pipelines: Pipelines) async throws {
    for await sends in pipelines.sends() {
        for send in sends where send.state == .held { print(send.id, send.reason ?? "", send.payload.count) }
    }
}

func decide(_ pipelines: Pipelines, _ id: String, _ other: String) async throws {
    try await pipelines.retry(id)
    let dropped = try await pipelines.drop(other)
    print(dropped.reason ?? "")  // says if the origin may have made the change
}

func deliverInTheBackground(_ pipelines: Pipelines) async throws -> Bool {
    let left = try await pipelines.flushSends(within: .seconds(25))
    return left == 0
}

func sendsWithoutAFile(_ friends: PipelineSpec, _ api: SourceSpec) async throws -> Pipelines {
    let policy = MergePolicy(id: [try JSONPointer(parsing: "/id")], insertion: .last)
    let outbox = SourceSpec("outbox", OutboxFile(path: DatabasePath(".state/outbox.db")))
    var add = SendSpec("add_friend", parameters: ["user"], to: api, outbox: outbox)
    add.changes = [SendChange(of: "friends", .upsert, merging: policy)]
    let pipelines = try Pipelines([friends], sends: [add])
    return pipelines
}

struct MailService: SendingSource {
    let post: @Sendable (_ body: [UInt8], _ id: String) async throws -> Int

    var repetition: SendRepetition { .byID }  // the service recognises a repeated id

    func send(_ send: OutgoingSend, _ context: ReadContext) async throws -> SendAnswer {
        SendAnswer(status: try await post(send.payload, send.id))
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
}

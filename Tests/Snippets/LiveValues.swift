import Foundation
import Pipeline
import PipelineFoundation
import PipelineJSON
import PipelineLive
import PipelineObservation

// The Swift of docs/swift.md and of the article *Live lists*, which show it line by line.

func follow(_ events: SourceSpec, _ api: SourceSpec) throws -> PipelineSpec {
    let merging = MergePolicy(id: [try JSONPointer(parsing: "/id")])
    let feed = FeedSpec(events, merging: merging, addressing: ["user": try JSONPointer(parsing: "/user")])
    let friends = PipelineSpec("friends", parameters: ["user"], tiers: [TierSpec(api)], live: [feed])
    return friends
}

@MainActor func watchFriends(of friends: DataPipeline) async throws {
    for await snapshot in try friends.snapshots(["user": "42"]) {
        show(try snapshot.value(as: [Friend].self), isLoading: snapshot.status.isLoading)
    }
}

@MainActor func watchTypedFriends(of friends: DataPipeline) async throws {
    let key = try friends.key(["user": "42"])
    for await list in friends.snapshots(key).values(as: [Friend].self) {
        show(list.value, isLoading: list.status.isLoading)
        if let error = list.error { print(error) }  // the load failed, or the newest value is no list of friends
    }
    for await count in friends.snapshots(key).values(as: [Friend].self).changes(of: \.count) {
        print("\(count.old ?? 0) → \(count.new ?? 0)")  // old is nil for the first value, new when there is none any more
    }
    for await friend in friends.snapshots(key).element("7", as: Friend.self) {
        print(friend.value?.name ?? "gone")
    }
}

@MainActor private func show(_ friends: [Friend]?, isLoading: Bool) {
    print(friends?.map(\.name) ?? [], isLoading)
}

actor Badge {
    private(set) var count = 0

    func begin(observing friends: DataPipeline, _ key: Key) {
        friends.observe(key, owner: self) { badge, snapshot in
            await badge.update(try? snapshot.value(as: [Friend].self))
        }
    }

    private func update(_ friends: [Friend]?) { count = friends?.count ?? 0 }
}

@MainActor func friendsOnScreen(of friends: DataPipeline) throws -> LiveValue<[Friend]> {
    let live = try LiveValue(friends, ["user": "42"], as: [Friend].self)
    print(live.value ?? [], live.status.isLoading)
    return live
}

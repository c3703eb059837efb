/// What other programs call the fields and types of this one.
enum OtherName {
    private static let fields: [String: [String]] = [
        "count": ["attempts", "failures", "max_entries"], "max_count": ["max_entries"], "entries": ["max_entries"],
        "max_files": ["max_entries"], "maxsize": ["max_bytes"], "bytes": ["max_bytes"], "tries": ["attempts"], "times": ["attempts"],
        "retries": ["attempts", "retry"],
        "max_tries": ["attempts"], "max_attempts": ["attempts"], "max_retries": ["attempts", "retry"], "delay": ["base", "debounce"],
        "interval": ["base"],
        "backoff": ["base", "retry"],
        "initial_delay": ["base"], "wait": ["base"], "max_delay": ["max"], "max_interval": ["max"], "max_backoff": ["max"],
        "threshold": ["failures"], "max_failures": ["failures"], "errors": ["failures"], "timeout": ["open_for", "deadline"],
        "reset_timeout": ["open_for"], "cooldown": ["open_for"], "duration": ["open_for"], "open": ["open_for"],
        "breaker": ["circuit_breaker"], "circuit": ["circuit_breaker"],
        "sources": ["tiers"], "layers": ["tiers"], "levels": ["tiers"], "order": ["tiers"], "steps": ["tiers"],
        "params": ["parameters", "with", "query"], "param": ["parameters"], "parameter": ["parameters"], "parameters": ["with"],
        "query": ["with"], "vars": ["parameters"],
        "concat": ["merge"], "union": ["merge"], "parts": ["object"], "fields": ["object"], "members": ["object"],
        "fallback": ["default"], "otherwise": ["default"], "max_concurrency": ["concurrency"], "concurrent": ["concurrency"],
        "parallel": ["concurrency"], "rate_limit": ["rate"], "ratelimit": ["rate"], "throttle": ["rate"], "max_rate": ["rate"],
        "jsonpath": ["select"], "json_path": ["select"], "subset": ["select"],
        "args": ["parameters", "with", "command"], "arguments": ["parameters", "with"], "inputs": ["parameters", "with"],
        "name": ["source"],
        "from": ["source"], "src": ["source"], "tier": ["source"], "use": ["source"],
        "uri": ["url"], "endpoint": ["url"], "address": ["url"], "host": ["url"], "href": ["url"], "base_url": ["url"],
        "header": ["headers"], "verb": ["method"], "payload": ["body"], "query_params": ["query"],
        "dir": ["path"], "directory": ["path"], "folder": ["path"], "file": ["path"], "filename": ["path"], "location": ["path"],
        "size": ["max_entries", "max_size"], "capacity": ["max_entries"], "limit": ["max_entries"], "max_items": ["max_entries"],
        "max_keys": ["max_entries"],
        "expire": ["ttl"], "expires_after": ["ttl"], "expires": ["ttl"], "expiry": ["ttl"], "expiration": ["ttl"], "max_age": ["ttl"],
        "lifetime": ["ttl"],
        "life": ["ttl"], "fresh_for": ["ttl"], "cache_for": ["ttl"], "swr": ["stale_while_revalidate"], "stale": ["stale_if_error"],
        "grace": ["stale_if_error"], "negative_ttl": ["not_found_ttl"], "writeback": ["write_back"], "write_to": ["write_back"],
        "env": ["environment"], "cmd": ["command"], "run": ["command"], "exec": ["command"], "sql": ["query"], "statement": ["query"],
        "content": ["value", "body"], "data": ["value", "body"], "json": ["body"], "cache": ["caching"],
        "time_limit": ["timeout"], "on_timeout": ["soft_timeout"], "max_stale": ["stale_if_error"], "default": ["value"], "ca": ["ca_file"],
        "cert": ["ca_file"], "kind": ["type"],
        "changes": ["live"], "feeds": ["live"], "feed": ["live"], "subscriptions": ["live"], "streams": ["live"],
        "updates": ["live", "upsert"],
        "listen": ["live"], "primary_key": ["id"], "key": ["id"], "ids": ["id"], "operation": ["op"], "operations": ["op"],
        "action": ["op"],
        "ops": ["op"], "array": ["list"], "items": ["list"], "message": ["item"], "sort": ["insert", "by"], "where": ["for"],
        "match": ["for"], "filter": ["for"], "seq": ["sequence"], "revision": ["version"], "update": ["upsert"], "create": ["upsert"],
        "add": ["upsert"], "set": ["upsert"], "remove": ["delete"], "merge": ["patch"], "pointer": ["at", "by"], "field": ["at", "by"],
        "destination": ["to"], "invalidates": ["changes"], "effects": ["changes"], "queue": ["outbox"], "idempotency_key": ["id_header"],
        "idempotency_header": ["id_header"], "conflict": ["on_conflict"], "etag": ["if_match"], "collapse": ["coalesce"],
        "direction": ["order"], "plugin": ["type"], "driver": ["type"], "provider": ["type"],
    ]

    private static let types: [String: String] = [
        "cache": "memory", "ram": "memory", "mem": "memory", "lru": "memory", "in-memory": "memory", "in_memory": "memory",
        "local": "memory",
        "disk": "file", "filesystem": "file", "fs": "file", "files": "file", "json": "file", "folder": "file",
        "rest": "http", "api": "http", "https": "http", "url": "http", "web": "http", "fetch": "http", "remote": "http", "network": "http",
        "exec": "command", "shell": "command", "script": "command", "process": "command", "program": "command", "bash": "command",
        "static": "inline", "constant": "inline", "value": "inline", "literal": "inline", "default": "inline",
        "ws": "websocket", "wss": "websocket", "socket": "websocket", "websockets": "websocket", "eventsource": "sse",
        "event_stream": "sse", "server-sent-events": "sse", "polling": "poll", "timer": "poll", "inotify": "watch",
        "valkey": "redis", "keydb": "redis", "sqlite3": "sqlite", "db": "sqlite", "database": "sqlite", "sql": "sqlite_query",
    ]

    private static let values: [String: String] = [
        "append": "last", "end": "last", "bottom": "last", "back": "last", "prepend": "first", "start": "first", "top": "first",
        "front": "first", "reload": "refresh", "refetch": "refresh", "drop": "ignore", "none": "ignore", "ascending": "asc",
        "descending": "desc",
        "continue": "next", "skip": "next", "ignore": "next", "pass": "next", "abort": "fail", "error": "fail", "raise": "fail",
        "throw": "fail", "string": "text", "txt": "text", "plain": "text", "utf-8": "text", "binary": "bytes", "raw": "bytes",
        "blob": "bytes",
        "add": "upsert", "insert": "upsert", "create": "upsert", "update": "upsert", "remove": "delete", "merge": "patch", "set": "replace",
        "put": "replace", "invalidate": "refresh", "retry": "refetch", "overwrite": "keep", "latest": "last", "newest": "last",
    ]

    /// The field of `known` that `name` most likely means; nil when none is known to be called so.
    static func field(_ name: String, among known: [String]) -> String? {
        fields[name.lowercased().replacingHyphens]?.first(where: known.contains)
    }

    /// The names that this program has for what `name` may mean, the spelling with underscores first.
    static func all(for name: String) -> [String] {
        let spelt = name.reduce(into: "") {
            $0 += $1 == "-" ? "_" : $1.isUppercase && !$0.isEmpty ? "_" + $1.lowercased() : $1.lowercased()
        }
        return (spelt == name ? [] : [spelt]) + (fields[spelt] ?? [])
    }

    /// The choice of `known` that `word` most likely means.
    static func value(_ word: String, among known: [String]) -> String? {
        values[word.lowercased()].flatMap { known.contains($0) ? $0 : nil }
    }

    /// The type of `known` that `name` most likely means.
    static func type(_ name: String, among known: [String]) -> String? {
        types[name.lowercased()].flatMap { known.contains($0) ? $0 : nil }
    }
}

extension String {
    fileprivate var replacingHyphens: String { String(map { $0 == "-" ? "_" : $0 }) }
}

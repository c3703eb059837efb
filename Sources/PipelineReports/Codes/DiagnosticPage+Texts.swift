// Written by scripts/embed-pages from docs/diagnostics. Edit the pages, then run the script.
// swift-format-ignore-file

extension DiagnosticPage {
    /// The text of each page, by code.
    static let texts: [String: String] = [
        "P001": #"""
# P001: the text is not YAML

An error, reported from `pipe-run validate --level syntax` on: the configuration cannot be used.

The YAML parser cannot read the text, so nothing else is checked. Common causes are a missing quote, a tab in the
indentation, and a parameter in braces: YAML needs quotes around `{` and `}` inside `{ … }`, and around a value that
begins with `{`.

## Wrong

```yaml
sources:
  disk: { type: file, path: .cache/{key}.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [{ source: disk, ttl: 1h }, api]
```

## Fixed

```yaml
sources:
  disk: { type: file, path: ".cache/{key}.json" }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [{ source: disk, ttl: 1h }, api]
```

"""#,
        "P002": #"""
# P002: a key is given twice

An error, reported from `pipe-run validate --level syntax` on: the configuration cannot be used.

A mapping has the same key more than once, and only one of the values could count. Keys are compared byte by byte; names of sources and pipelines that
differ only in how Unicode writes the same characters (`é` as one character or as two) count as one name.

## Wrong

```yaml
sources:
  memory: { type: memory, max_entries: 100, max_entries: 200 }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory, max_entries: 200 }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P003": #"""
# P003: over a limit

An error, reported from `pipe-run validate --level syntax` on: the configuration cannot be used.

The text is larger, is nested deeper, or expands to more than a configuration may: 16 MiB of text, 64 levels, 1,000,000
nodes with every alias expanded, 250,000 sources, pipelines, tiers and members of mappings, and 100,000 variables and
parameters. An alias inside its own anchor never ends. At most 10,000 problems are reported. The limits keep a hostile
file from exhausting the machine.

## Wrong

```yaml
sources:
  memory: &memory { type: memory, max_entries: *memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory, max_entries: 100 }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P004": #"""
# P004: the file cannot be read

An error, reported from `pipe-run validate --level syntax` on: the configuration cannot be used.

The file does not exist, is a folder, may not be read, or is not UTF-8. As an argument of `validate`, a folder stands
for the `.yaml` and `.yml` files below it. Without `-c`, the variable `PIPE_RUN_CONFIG` names the file; the help then
says so.

## Wrong

```sh
pipe-run validate no-such-file.yaml
```

## Fixed

```sh
pipe-run init
pipe-run validate pipeline.yaml
```

"""#,
        "P005": #"""
# P005: a second document

An error, reported from `pipe-run validate --level syntax` on: the configuration cannot be used.

A configuration is one YAML document. A line `---` after it begins a second one, and it is unclear which of the two
counts.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
---
version: 1
```

## Fixed

```yaml
version: 1
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P101": #"""
# P101: an unknown field

An error, reported from `pipe-run validate --level schema` on: the configuration cannot be used.

The mapping has no field of this name. `pipe-run sources TYPE` lists the fields of a source. Unknown fields are errors
because a misspelt policy would otherwise have no effect.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, tll: 30s }
      - api
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 30s }
      - api
```

"""#,
        "P102": #"""
# P102: a field is missing

An error, reported from `pipe-run validate --level schema` on: the configuration cannot be used.

A required field is missing. The message names it, and the help shows an example of a value.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http }
pipelines:
  friends:
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P103": #"""
# P103: a value of the wrong type

An error, reported from `pipe-run validate --level schema` on: the configuration cannot be used.

The field takes another kind of value: for example a list instead of a word, or a number instead of text. Quotes turn a
number into text.

## Wrong

```yaml
sources:
  memory: { type: memory, max_entries: many }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory, max_entries: 10000 }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P104": #"""
# P104: a value out of range

An error, reported from `pipe-run validate --level schema` on: the configuration cannot be used.

The value has the right type, but the field does not accept it: for example a negative number, a ratio above 1, a time
limit of zero, an empty list of tiers, or a URL whose scheme the source does not speak (`ftp://` for an `http` source).

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 30s, jitter: 1.5 }
      - api
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 30s, jitter: 0.1 }
      - api
```

"""#,
        "P105": #"""
# P105: a malformed value

An error, reported from `pipe-run validate --level schema` on: the configuration cannot be used.

A duration, size, URL, path or template is spelt incorrectly. Write durations as `250ms`, `30s` or `1h30m`, sizes as
`512KB` or `64MiB`, parameters as `{name}`, and variables as `${NAME}`.

It is also reported for a parameter in the `body` of an `http` source whose Content-Type is neither JSON, XML, a form, `text/plain` nor
`application/octet-stream`: nothing says how to write the value, and one such as `x" admin: "y` could become a part of the structure. Say
`escape: json`, `escape: xml` or `escape: form`; `escape: none` writes values as they are. In a double-quoted text of YAML, for example, `json` fits.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 30 seconds }
      - api
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 30s }
      - api
```

"""#,
        "P106": #"""
# P106: an unknown type of source

An error, reported from `pipe-run validate --level schema` on: the configuration cannot be used.

This program has no source type of this name. `pipe-run sources` lists the types it has. To use a source of your own,
build a runner of your own.

## Wrong

```yaml
sources:
  memory: { type: memroy }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P107": #"""
# P107: not one of the allowed values

An error, reported from `pipe-run validate --level schema` on: the configuration cannot be used.

The field takes one of a fixed set of words, and this is not one of them.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    format: jason
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    format: json
    tiers: [memory, api]
```

"""#,
        "P201": #"""
# P201: an undefined source

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A tier, a `write_back`, a `live`, or the `to` or `outbox` of a send names a source that is not defined under `sources`. Names are compared
byte by byte.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, apo]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P202": #"""
# P202: a source twice in one pipeline

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A pipeline asks each source once. A second tier of the same source could only find what the first one found.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api, memory]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P203": #"""
# P203: a source that no pipeline uses

A warning, reported from `pipe-run validate --level graph` on. `--allow P203` silences it, `--deny P203` makes it an
error; `# pipe-run: allow P203 REASON` on that line, or on the line above, silences it there.

The source is defined, but no tier, no `live` and no send names it, so it is never used.

## Wrong

```yaml
sources:
  memory: { type: memory }
  spare: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
```

"""#,
        "P204": #"""
# P204: write_back to what cannot be written

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A route of `write_back` leads to an origin, to a tier with `write: false`, or from a source to itself. Only caches keep
copies.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
    write_back: { memory: [api] }
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [memory, api]
    write_back: { api: [memory] }
```

"""#,
        "P205": #"""
# P205: write_back between sources that are not its tiers

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A route of `write_back` names a source that is not a tier of this pipeline. Such a source gives no answers here, and a
copy written to it is never read.

## Wrong

```yaml
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
```

## Fixed

```yaml
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
```

"""#,
        "P206": #"""
# P206: an undeclared parameter in a template

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A template of a source names `{user}`, but a pipeline that asks the source does not declare it under `parameters`, so a
fetch has no value for it. `{key}` and `{pipeline}` are always available.

The same holds for sends: what the source of `to` names must be among the parameters of the send, and so must what stands in braces in its
`scope`, and in `with` and `target` of its changes.

## Wrong

```yaml
sources:
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [api]
```

"""#,
        "P207": #"""
# P207: a parameter that no origin uses

A warning, reported from `pipe-run validate --level graph` on. `--allow P207` silences it, `--deny P207` makes it an
error; `# pipe-run: allow P207 REASON` on that line, or on the line above, silences it there.

The pipeline declares a parameter, but no template of its origins names it. The origin answers the same for every value,
and the caches keep that answer once for each value. The `path` of a cache does not count, because it only decides where
a copy is kept. Above a composite, a parameter is used when a part takes it, by its own name or in `with`. What the `with` of a
link takes is used, too.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    parameters: [user]
    tiers: [memory, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [memory, api]
```

"""#,
        "P208": #"""
# P208: a source at the wrong place: among the tiers, or in `live`

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

Some sources give values, and others report changes. `tiers` and `write_back` name sources that give values. `live`
names sources that report changes, such as those of the types `websocket`, `sse`, `poll` and `watch`. An outbox keeps sends,
and has no place in either.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 30s }, api, events]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 30s }, api]
    live: [events]
```

"""#,
        "P209": #"""
# P209: merging into a value that is not JSON

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

With `id`, the messages of a change source are merged into a JSON list. A pipeline with `format: text` or
`format: bytes` has no such list. Without `id`, each message reloads the value, whatever its format.

A send with `op: upsert`, `patch` or `delete` changes an item of a JSON list, too: its pipeline must have `format: json`, and so must a send whose
payload is the item.

## Wrong

```yaml
sources:
  memory: { type: memory }
  page: { type: http, url: http://127.0.0.1:8787/page }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  page:
    format: text
    tiers: [{ source: memory, ttl: 30s }, page]
    live:
      - { source: events, id: /id }
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  page: { type: http, url: http://127.0.0.1:8787/page }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  page:
    format: text
    tiers: [{ source: memory, ttl: 30s }, page]
    live: [events]
```

"""#,
        "P210": #"""
# P210: an unknown parameter in `for`

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

`for` says which key a message is for: it names parameters of the pipeline, and where their values stand in the
message. A name that is not a parameter fits no key.

## Wrong

```yaml
sources:
  memory: { type: memory, max_entries: 1000 }
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: memory, ttl: 30s }, api]
    live:
      - { source: events, id: /id, for: { users: /user_id } }
```

## Fixed

```yaml
sources:
  memory: { type: memory, max_entries: 1000 }
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: memory, ttl: 30s }, api]
    live:
      - { source: events, id: /id, for: { user: /user_id } }
```

"""#,
        "P211": #"""
# P211: a pipeline that is not declared

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A part of `combine`, a link, or a change of a send names a pipeline that is not declared under `pipelines`. Most often the name is mistyped; a near name is
suggested, and `pipe-run validate --fix` writes it. Names of sources do not count: a part is the value of a pipeline.

## Wrong

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
pipelines:
  user: { parameters: [id], tiers: [users] }
  home:
    parameters: [id]
    combine:
      object:
        me: usr
```

## Fixed

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
pipelines:
  user: { parameters: [id], tiers: [users] }
  home:
    parameters: [id]
    combine:
      object:
        me: user
```

"""#,
        "P212": #"""
# P212: an argument that is missing or means nothing

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

Each part and each link gives its pipeline arguments. Parameters with the same name are passed to a part automatically; the others stand in `with`. A link
passes only the id automatically. A change of a send gives its pipeline arguments, too, in the same way as a part. The problem is one of these: a
parameter without a default has no argument; `with` names a parameter that the other pipeline does not declare; a `{parameter}` in it is not one of
the pipeline that combines (`{key}` and `{pipeline}` stand in templates of sources alone); `parameter` of a link is not certain; or its `with` has an
argument for the parameter that takes the id.

## Wrong

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
pipelines:
  user: { parameters: [id], tiers: [users] }
  home:
    parameters: [user]
    combine:
      object:
        me: user
```

## Fixed

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
pipelines:
  user: { parameters: [id], tiers: [users] }
  home:
    parameters: [user]
    combine:
      object:
        me: { pipeline: user, with: { id: "{user}" } }
```

"""#,
        "P213": #"""
# P213: pipelines made from each other

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A pipeline is made from others by `combine`: its parts, both lists of a join, and the targets of links that are followed inside. When these
form a circle, no value can ever be made. Each group is reported once, with all its edges. Links that nothing follows may form
a circle: a path that is followed has an end.

## Wrong

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
pipelines:
  user:
    parameters: [id]
    combine: { object: { profile: profile } }
  profile:
    parameters: [id]
    tiers: [users, combine]
    combine: { of: user }
```

## Fixed

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
pipelines:
  user:
    parameters: [id]
    combine: { object: { profile: profile } }
  profile:
    parameters: [id]
    tiers: [users]
```

"""#,
        "P214": #"""
# P214: a part or a link that does not exist, or parts that wait for each other

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

`from` in an argument names another part of the same `object`, which is fetched first. `follow` names links of the part's pipeline, and after a
full stop links of what that link leads to. The problem is that there is no such part or link, or that parts need each other in a circle, so that
none could ever begin.

## Wrong

```yaml
sources:
  orders: { type: http, url: "http://127.0.0.1:8787/orders/{id}" }
  shops: { type: http, url: "http://127.0.0.1:8787/shops/{id}" }
pipelines:
  order: { parameters: [id], tiers: [orders] }
  shop: { parameters: [id], tiers: [shops] }
  order_page:
    parameters: [id]
    combine:
      object:
        order: order
        shop: { pipeline: shop, with: { id: { from: ordr, at: /shop/id } } }
```

## Fixed

```yaml
sources:
  orders: { type: http, url: "http://127.0.0.1:8787/orders/{id}" }
  shops: { type: http, url: "http://127.0.0.1:8787/shops/{id}" }
pipelines:
  order: { parameters: [id], tiers: [orders] }
  shop: { parameters: [id], tiers: [shops] }
  order_page:
    parameters: [id]
    combine:
      object:
        order: order
        shop: { pipeline: shop, with: { id: { from: order, at: /shop/id } } }
```

"""#,
        "P215": #"""
# P215: a send without a source that takes it, or without an outbox

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

`to` names the source that takes the writes of a send: one of the type `http` whose method is `POST`, `PUT`, `PATCH` or `DELETE`. A `GET` only
reads, and a cache, an outbox or a change source takes no writes. An outbox keeps sends until they are done: `outbox` names a source of the type
`outbox`, and may be left out where there is exactly one.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/profile }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  profile: { tiers: [{ source: memory, ttl: 30s }, api] }
sends:
  save_profile:
    to: api
    changes: [{ pipeline: profile, op: replace }]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/profile }
  store: { type: http, method: PUT, url: http://127.0.0.1:8787/profile }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  profile: { tiers: [{ source: memory, ttl: 30s }, api] }
sends:
  save_profile:
    to: store
    changes: [{ pipeline: profile, op: replace }]
```

"""#,
        "P216": #"""
# P216: a pipeline that is merged in two ways

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A pipeline has one list, whose items are told apart in one way. All sends that change it, and all feeds that merge into it, must therefore have the
same `id`, `list` and `version`. A change that leaves these out takes those of the feed.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
  add: { type: http, method: POST, url: http://127.0.0.1:8787/friends, idempotent: true }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 30s }, api]
    live:
      - { source: events, id: /id }
sends:
  add_friend:
    to: add
    changes:
      - { pipeline: friends, op: upsert, id: /key }
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
  add: { type: http, method: POST, url: http://127.0.0.1:8787/friends, idempotent: true }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 30s }, api]
    live:
      - { source: events, id: /id }
sends:
  add_friend:
    to: add
    changes:
      - { pipeline: friends, op: upsert }
```

"""#,
        "P217": #"""
# P217: a send that changes a pipeline made from others

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A pipeline with `combine` has no value of its own: it is made from those of other pipelines, and changes with them. `changes` of a send names the
pipelines whose values it changes; what is made from these changes by itself.

## Wrong

```yaml
sources:
  users: { type: http, url: http://127.0.0.1:8787/user }
  friends: { type: http, url: http://127.0.0.1:8787/friends }
  store: { type: http, method: PUT, url: http://127.0.0.1:8787/user }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  user: { tiers: [users] }
  friends: { tiers: [friends] }
  home: { combine: { object: { me: user, friends: friends } } }
sends:
  save_user:
    to: store
    changes: [{ pipeline: home }]
```

## Fixed

```yaml
sources:
  users: { type: http, url: http://127.0.0.1:8787/user }
  friends: { type: http, url: http://127.0.0.1:8787/friends }
  store: { type: http, method: PUT, url: http://127.0.0.1:8787/user }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  user: { tiers: [users] }
  friends: { tiers: [friends] }
  home: { combine: { object: { me: user, friends: friends } } }
sends:
  save_user:
    to: store
    changes: [{ pipeline: user }]
```

"""#,
        "P301": #"""
# P301: a tier that can never be asked

A warning, reported from `pipe-run validate --level graph` on. `--allow P301` silences it, `--deny P301` makes it an
error; `# pipe-run: allow P301 REASON` on that line, or on the line above, silences it there.

A tier above it always answers, or ends every fetch: an origin that cannot miss, with `on_error: fail`, gives a value,
reports `not_found`, or fails the fetch. The tiers below it are never asked. A cache below an origin is still asked by
the fetch policy `cache-only`. It is not reported where a stale copy may be served: then the cache is asked for a
fresh one in its place (`stale_while_revalidate`), and while origins rest after a failed load (`stale_if_error`). An
`inline` below another origin is a last resort and is asked after all others, unless its tier says
`last_resort: false`.

## Wrong

```yaml
sources:
  api: { type: http, url: http://127.0.0.1:8787/friends }
  spare: { type: http, url: http://127.0.0.1:8788/friends }
pipelines:
  friends:
    tiers:
      - { source: api, on_error: fail }
      - spare
```

## Fixed

```yaml
sources:
  api: { type: http, url: http://127.0.0.1:8787/friends }
  spare: { type: http, url: http://127.0.0.1:8788/friends }
pipelines:
  friends:
    tiers: [api, spare]
```

"""#,
        "P302": #"""
# P302: a ttl longer than that of the cache below

A warning, reported from `pipe-run validate --level graph` on. `--allow P302` silences it, `--deny P302` makes it an
error; `# pipe-run: allow P302 REASON` on that line, or on the line above, silences it there.

A copy never outlives the copy it was made from. A copy that the upper cache takes from the cache below is fresh only
for the time left there, so the longer ttl has no effect on it. Only a copy that comes directly from the origin gets the
whole ttl. Give the upper cache the shorter ttl.

## Wrong

```yaml
sources:
  memory: { type: memory }
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 1h }
      - { source: disk, ttl: 10m }
      - api
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 30s }
      - { source: disk, ttl: 10m }
      - api
```

"""#,
        "P303": #"""
# P303: a policy that its source cannot honour

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

An origin keeps no copies, so `ttl`, `jitter`, `debounce` and `max_delay` have no effect there. A cache only returns
what was written to it, so `on_not_found` and `last_resort` have no effect there.

The same holds for feeds. The messages of `poll` and `watch` have no content: each only reloads the value,
and fields that say what stands in a message (`id`, `op`, `for`, `sequence` and others) have no effect. `op: { at: event }`
looks at the name of an event, which only an event stream (`sse`) has.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - memory
      - { source: api, ttl: 30s }
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: memory, ttl: 30s }
      - api
```

"""#,
        "P304": #"""
# P304: no origin: every tier is a cache

A warning, reported from `pipe-run validate --level graph` on. `--allow P304` silences it, `--deny P304` makes it an
error; `# pipe-run: allow P304 REASON` on that line, or on the line above, silences it there.

Caches hold what an origin gave them. This pipeline has no origin, so only `pipe-run put` fills its caches. A file that
another program writes is an origin when its source says `read_only: true`.

## Wrong

```yaml
sources:
  memory: { type: memory }
  disk: { type: file, path: friends.json }
pipelines:
  friends:
    tiers: [memory, disk]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  disk: { type: file, path: friends.json, read_only: true }
pipelines:
  friends:
    tiers: [memory, disk]
```

"""#,
        "P305": #"""
# P305: debounce not shorter than the ttl

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A debounced write waits for a quiet time. If that is as long as the ttl, the copy has expired before it is written, and
the cache never holds a fresh one.

## Wrong

```yaml
sources:
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: disk, ttl: 10s, debounce: 30s }
      - api
```

## Fixed

```yaml
sources:
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: disk, ttl: 10m, debounce: 2s }
      - api
```

"""#,
        "P306": #"""
# P306: two keys would share one copy

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A cache stores each key in the place that its path template gives. If the template lacks a parameter of the pipeline, or
lacks `{pipeline}` while several pipelines use the source, two keys share one file, and each reads the copy of the
other. `{key}` stands for the pipeline and all its parameters. A file with `read_only: true` may be shared.

## Wrong

```yaml
sources:
  disk: { type: file, path: ".cache/friends.json", max_entries: 1000 }
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: disk, ttl: 1h }, api]
```

## Fixed

```yaml
sources:
  disk: { type: file, path: ".cache/{key}.json", max_entries: 1000 }
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: disk, ttl: 1h }, api]
```

"""#,
        "P307": #"""
# P307: two sources that write the same place

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

Two caches keep their copies in the same place, or two outboxes their sends. Each would evict, clear and replace what the other wrote. To share one
cache between two pipelines, name the same source in both. Paths are compared by their text: `x/../a` is `a`, and
`{key}.json` is `f.json` for a pipeline `f` without parameters.

## Wrong

```yaml
sources:
  disk: { type: file, path: ".cache/{key}.json" }
  more: { type: file, path: "./.cache/{key}.json" }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [{ source: disk, ttl: 1h }, api]
  others:
    tiers: [{ source: more, ttl: 1h }, api]
```

## Fixed

```yaml
sources:
  disk: { type: file, path: ".cache/{key}.json" }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [{ source: disk, ttl: 1h }, api]
  others:
    tiers: [{ source: disk, ttl: 1h }, api]
```

"""#,
        "P308": #"""
# P308: a cache without a bound in a pipeline with parameters

A warning, reported from `pipe-run validate --level graph` on. `--allow P308` silences it, `--deny P308` makes it an
error; `# pipe-run: allow P308 REASON` on that line, or on the line above, silences it there.

Each value of a parameter is another key. A cache without a bound keeps a copy of each until the disk is full.

## Wrong

```yaml
sources:
  disk: { type: file, path: ".cache/{key}.json" }
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: disk, ttl: 1h }, api]
```

## Fixed

```yaml
sources:
  disk: { type: file, path: ".cache/{key}.json", max_entries: 10000 }
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: disk, ttl: 1h }, api]
```

"""#,
        "P309": #"""
# P309: a credential written in the file

A warning, reported from `pipe-run validate --level graph` on. `--allow P309` silences it, `--deny P309` makes it an
error; `# pipe-run: allow P309 REASON` on that line, or on the line above, silences it there.

A configuration is read, shared and kept in version control. Passwords, tokens and cookies do not belong in it. This
covers fields of type secret; headers such as `Authorization`, `Cookie` and `X-Api-Key`, and headers whose names contain
`token`, `secret`, `password` or `api-key`; the user and password of a URL; such parameters in the query of a URL; and
defaults, as in `${TOKEN:-5f2c9a70}`. The value is masked in all output. A value from `${NAME}` or `${file:path}` is
fine. The fixed example needs the variable `TOKEN`.

## Wrong

```yaml
sources:
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: Bearer 5f2c9a70 }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: "Bearer ${TOKEN}" }
pipelines:
  friends:
    tiers: [api]
```

"""#,
        "P310": #"""
# P310: a limit that can never matter

A warning, reported from `pipe-run validate --level graph` on. `--allow P310` silences it, `--deny P310` makes it an
error; `# pipe-run: allow P310 REASON` on that line, or on the line above, silences it there.

Another limit always comes first, or the thing it limits does not exist: a tier's `timeout` that is not shorter than the
`deadline`; a part's `timeout` that is not shorter than the `deadline`, than the time of `combine` (30s by default) or than the
`deadline` of its own pipeline; a `soft_timeout` that is not shorter than the `timeout` (30s by default), or that has no `stale_if_error` or
no cache above it; a source's `timeout` that is not shorter than those of its tiers; a `debounce` that is not shorter
than `max_delay`, or a `max_delay` without `debounce`; the `base` of a retry above its `max`; `jitter`, `refresh_ahead`
or a stale window without a `ttl`; a `not_found_ttl` where no cache can remember `not_found`; a `hedge` whose `after` is not
shorter than the `timeout` of the source or the tier, that has a budget of 0, or an `at_most` beside a fixed `after`; in a
model of `simulate`, what has no effect on that source, such as times of `memory` or `lacks` of a cache; in a send, a `debounce` that is not
shorter than `max_delay`, `if_match` without a change that has a value, or a field of a change that its `op` has no use for.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    deadline: 2s
    tiers:
      - memory
      - { source: api, timeout: 5s }
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    deadline: 5s
    tiers:
      - memory
      - { source: api, timeout: 2s }
```

"""#,
        "P311": #"""
# P311: each change is a write to a slow cache

A warning, reported from `pipe-run validate --level graph` on. `--allow P311` silences it, `--deny P311` makes it an
error; `# pipe-run: allow P311 REASON` on that line, or on the line above, silences it there.

Changes are merged into every cache of the pipeline. Without `debounce`, each change writes the whole list to a file,
a database or a server. With it, the list is written when nothing has changed for that long, at the latest after
`max_delay`. Memory needs none.

## Wrong

```yaml
sources:
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    tiers:
      - { source: disk, ttl: 10m }
      - api
    live:
      - { source: events, id: /id }
```

## Fixed

```yaml
sources:
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    tiers:
      - { source: disk, ttl: 10m, debounce: 2s }
      - api
    live:
      - { source: events, id: /id }
```

"""#,
        "P312": #"""
# P312: `confirms` where a lost message is not noticed

A warning, reported from `pipe-run validate --level graph` on. `--allow P312` silences it, `--deny P312` makes it an
error; `# pipe-run: allow P312 REASON` on that line, or on the line above, silences it there.

With `confirms: true`, a copy counts as confirmed while the change source is live. That is true only if no message can
be lost: the messages have consecutive numbers (`sequence`), or the server guarantees to continue where the last connection
ended (`resume` of the source). Otherwise a copy that missed a change is served as if it were confirmed.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 30s }, api]
    live:
      - { source: events, id: /id, confirms: true }
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  events: { type: websocket, url: ws://127.0.0.1:8787/events }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 30s }, api]
    live:
      - { source: events, id: /id, sequence: /seq, confirms: true }
```

"""#,
        "P313": #"""
# P313: a followed link that makes a call for each reference

A warning, reported from `pipe-run validate --level graph` on. `--allow P313` silences it, `--deny P313` makes it an
error; `# pipe-run: allow P313 REASON` on that line, or on the line above, silences it there.

`follow` loads the value of every reference. The origin of those values can take many ids in one call, and has no `batch`: a list of 50
references that are in no cache makes 50 calls. With `batch` there is one call for up to `max` ids. Where each value has one reference and few are
followed, the calls may be what you want: allow the warning.

A `command` cannot batch: its program runs once for each reference. Keep the values in a cache above it, or load them from
`http` or `sqlite_query`. Files that are only read get no warning.

## Wrong

```yaml
sources:
  posts: { type: http, url: "http://127.0.0.1:8787/posts" }
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
pipelines:
  user: { parameters: [id], tiers: [users] }
  posts:
    tiers: [posts]
    links:
      author: { at: "$[*].author_id", pipeline: user }
  feed:
    combine: { of: { pipeline: posts, follow: [author] } }
```

## Fixed

```yaml
sources:
  posts: { type: http, url: "http://127.0.0.1:8787/posts" }
  users:
    type: http
    url: "http://127.0.0.1:8787/users/{id}"
    batch: { url: "http://127.0.0.1:8787/users?ids={id}", id: /id }
pipelines:
  user: { parameters: [id], tiers: [users] }
  posts:
    tiers: [posts]
    links:
      author: { at: "$[*].author_id", pipeline: user }
  feed:
    combine: { of: { pipeline: posts, follow: [author] } }
```

"""#,
        "P314": #"""
# P314: a whole that is kept longer than one of its parts

A warning, reported from `pipe-run validate --level graph` on. `--allow P314` silences it, `--deny P314` makes it an
error; `# pipe-run: allow P314 REASON` on that line, or on the line above, silences it there.

A whole is fresh until the first of its parts is not. The caches of a part have a `ttl` that is shorter than that of a cache of the whole: the
longer one never counts. No stale value is served because of it; the number is only misleading. What a followed link leads to
counts as a part.

## Wrong

```yaml
sources:
  memory: { type: memory, max_entries: 1000 }
  friends: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: memory, ttl: 30s }, friends]
  home:
    parameters: [user]
    tiers: [{ source: memory, ttl: 10m }, combine]
    combine: { object: { friends: friends } }
```

## Fixed

```yaml
sources:
  memory: { type: memory, max_entries: 1000 }
  friends: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [{ source: memory, ttl: 30s }, friends]
  home:
    parameters: [user]
    tiers: [{ source: memory, ttl: 10s }, combine]
    combine: { object: { friends: friends } }
```

"""#,
        "P315": #"""
# P315: a part that can be left out, and is waited for up to the deadline

A warning, reported from `pipe-run validate --level graph` on. `--allow P315` silences it, `--deny P315` makes it an
error; `# pipe-run: allow P315 REASON` on that line, or on the line above, silences it there.

A part is `optional` or has a `default`, and the pipeline has a `deadline`, or its tier `combine` a `timeout`.
Without a `timeout` of its own, the part has all of that time: while its origin hangs, every fetch takes the whole time. A `timeout` says
how long the part is worth waiting for.

## Wrong

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
  ads: { type: http, url: http://127.0.0.1:8787/ads }
pipelines:
  user: { parameters: [id], tiers: [users] }
  ads: { tiers: [ads] }
  home:
    parameters: [id]
    deadline: 2s
    combine:
      object:
        me: user
        ads: { pipeline: ads, default: [] }
```

## Fixed

```yaml
sources:
  users: { type: http, url: "http://127.0.0.1:8787/users/{id}" }
  ads: { type: http, url: http://127.0.0.1:8787/ads }
pipelines:
  user: { parameters: [id], tiers: [users] }
  ads: { tiers: [ads] }
  home:
    parameters: [id]
    deadline: 2s
    combine:
      object:
        me: user
        ads: { pipeline: ads, default: [], timeout: 300ms }
```

"""#,
        "P316": #"""
# P316: a part whose payload is bytes

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

A whole is JSON. A part of the format `json` stands in it byte for byte, and one of the format `text` as a string. Bytes that are neither have no
place in it: link to them instead, for example by a URL in the JSON. `merge` and `join` take lists and objects: there, a part of the format `text` is
an error, too, and there is nothing to `select` in one. Values of the formats `text` and `bytes` have no `links`.

## Wrong

```yaml
sources:
  images: { type: http, url: "http://127.0.0.1:8787/images/{id}.png" }
pipelines:
  image: { parameters: [id], format: bytes, tiers: [images] }
  page:
    parameters: [id]
    combine: { object: { image: image } }
```

## Fixed

```yaml
sources:
  images: { type: http, url: "http://127.0.0.1:8787/images/{id}.json" }
pipelines:
  image: { parameters: [id], tiers: [images] }
  page:
    parameters: [id]
    combine: { object: { image: image } }
```

"""#,
        "P317": #"""
# P317: sources that ask the same origin have different limits

A note, reported from `pipe-run validate --level graph` on. `--allow P317` silences it, `--deny P317` makes it an
error; `# pipe-run: allow P317 REASON` on that line, or on the line above, silences it there. `--deny-warnings` does not count it.

All sources of a process that ask the same origin (scheme, host and port) share one controller: one limit of requests
under way, one queue, one budget for retries. Of limits that differ, the strictest holds for all of them. Where that is
meant, write it in each source, so that a reader of any of them sees it.

## Wrong

```yaml
sources:
  users: { type: http, url: "https://api.example.org/users", limits: { concurrency: 4 } }
  posts: { type: http, url: "https://api.example.org/posts" }
pipelines:
  users: { tiers: [users] }
  posts: { tiers: [posts] }
```

## Fixed

```yaml
sources:
  users: { type: http, url: "https://api.example.org/users", limits: { concurrency: 4 } }
  posts: { type: http, url: "https://api.example.org/posts", limits: { concurrency: 4 } }
pipelines:
  users: { tiers: [users] }
  posts: { tiers: [posts] }
```

"""#,
        "P318": #"""
# P318: a request that may not be repeated would be

An error, reported from `pipe-run validate --level graph` on: the configuration cannot be used.

`hedge` sends a second request when the first takes long, and `resume` requests the rest of an interrupted response. A `POST` or
a `PATCH` that is sent twice may take effect twice. If the request has the same effect once or twice, say so with
`idempotent: true`. Only the response to a `GET` has parts, so `resume` means nothing with another method.

## Wrong

```yaml
sources:
  search:
    type: http
    url: https://api.example.org/search
    method: POST
    body: '{ "text": "tea" }'
    hedge: { after: p95 }
pipelines:
  results: { tiers: [search] }
```

## Fixed

```yaml
sources:
  search:
    type: http
    url: https://api.example.org/search
    method: POST
    body: '{ "text": "tea" }'
    idempotent: true
    hedge: { after: p95 }
pipelines:
  results: { tiers: [search] }
```

"""#,
        "P319": #"""
# P319: min_freshness is longer than what holds

A warning, reported from `pipe-run validate --level graph` on. `--allow P319` silences it, `--deny P319` makes it an
error; `# pipe-run: allow P319 REASON` on that line, or on the line above, silences it there.

`min_freshness` keeps copies fresh for longer than the response says. `max_freshness` bounds it, and so does the `ttl` of
each tier: a copy is never fresh for longer than either. The part of a `min_freshness` above one of them has
no effect.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends, caching: headers, min_freshness: 1h }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 10m }, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends, caching: headers, min_freshness: 1m }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: 10m }, api]
```

"""#,
        "P320": #"""
# P320: caching: none, and nothing else ends a copy

A warning, reported from `pipe-run validate --level graph` on. `--allow P320` silences it, `--deny P320` makes it an
error; `# pipe-run: allow P320 REASON` on that line, or on the line above, silences it there.

With `caching: none` the `ttl` of a tier alone decides how long a copy is fresh. A cache above without a `ttl` keeps its
copy for ever, and the server is not asked again until the copy is removed. Give the tier a `ttl`, or let the response
say how long a copy is fresh.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends, caching: none }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: none }, api]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends, caching: headers }
pipelines:
  friends:
    tiers: [{ source: memory, ttl: none }, api]
```

"""#,
        "P321": #"""
# P321: a text that looks like a variable, a parameter or JSON

A warning, reported from `pipe-run validate --level graph` on. `--allow P321` silences it, `--deny P321` makes it an
error; `# pipe-run: allow P321 REASON` on that line, or on the line above, silences it there.

Write a variable as `${NAME}` and a parameter as `{name}`. Anything else is plain text: `$user` is sent as it is, so
that all users get one URL; `$HOME` names a folder of that name; `{{user}}` puts braces around the value. Write `$$` for
a literal `$`. The same holds in the `with` of a part or a link,
where `{order.shop}` is plain text, too: a place in the part `order` is `{ from: order, at: /shop }`; and so is `user`
in `with: { id: user }`, though a parameter has that name: its value is `"{user}"`. The variables of a GraphQL query are
not reported.

A list or an object of JSON in quotes is text, too: `default: '[]'` is a string of two signs, and `default: []` is an
empty list. Values of `inline`, and of `default` in a part or a link, are written as YAML, of which JSON is a part.

## Wrong

```yaml
sources:
  api: { type: http, url: "http://127.0.0.1:8787/friends/$USER_ID" }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api: { type: http, url: "http://127.0.0.1:8787/friends/{user}" }
pipelines:
  friends:
    parameters: [user]
    tiers: [api]
```

"""#,
        "P322": #"""
# P322: copies that are kept for ever above an origin

A warning, reported from `pipe-run validate --level graph` on. `--allow P322` silences it, `--deny P322` makes it an
error; `# pipe-run: allow P322 REASON` on that line, or on the line above, silences it there.

A file, a database or a Redis server keeps its copies after the process ends. Without a `ttl` they never expire: once
such a cache has a copy, the origin below it is never asked again. Say how long a copy stays fresh, or write `ttl: none`
to keep copies until they are removed. A composite is an origin, too: a whole expires without a `ttl` only when one of its parts does, or has
`live`.

## Wrong

```yaml
sources:
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [disk, api]
```

## Fixed

```yaml
sources:
  disk: { type: file, path: friends.json }
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers:
      - { source: disk, ttl: 1h }
      - api
```

"""#,
        "P323": #"""
# P323: the budget of a hedge is smaller than its percentile needs

A warning, reported from `pipe-run validate --level graph` on. `--allow P323` silences it, `--deny P323` makes it an
error; `# pipe-run: allow P323 REASON` on that line, or on the line above, silences it there.

`after: p90` waits for the slowest tenth of the requests: about 10% of them want a second request. With a smaller
`budget` some of those, at random, get none. Give the hedge that budget, or let it wait longer.

## Wrong

```yaml
sources:
  api: { type: http, url: "https://api.example.org/users", hedge: { after: p90, budget: 2% } }
pipelines:
  users: { tiers: [api] }
```

## Fixed

```yaml
sources:
  api: { type: http, url: "https://api.example.org/users", hedge: { after: p98, budget: 2% } }
pipelines:
  users: { tiers: [api] }
```

"""#,
        "P324": #"""
# P324: a write that may not be repeated

A warning, reported from `pipe-run validate --level graph` on. `--allow P324` silences it, `--deny P324` makes it an
error; `# pipe-run: allow P324 REASON` on that line, or on the line above, silences it there.

When a connection breaks before the answer, nobody knows whether the origin made the change. A `PUT` or a `DELETE` is simply sent again. A `POST` or a
`PATCH` might then take effect twice, so the send is held until a person decides: `pipe-run outbox list` shows it. Each send goes out with an id, the
same for each try. If the origin makes a change with one id only once, say so with `idempotent: true` in the source: then it is sent again, too.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  add: { type: http, method: POST, url: http://127.0.0.1:8787/friends }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  friends: { tiers: [{ source: memory, ttl: 30s }, api] }
sends:
  add_friend: { to: add, changes: [{ pipeline: friends, op: upsert, id: /id }] }
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/friends }
  add: { type: http, method: POST, url: http://127.0.0.1:8787/friends, idempotent: true }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  friends: { tiers: [{ source: memory, ttl: 30s }, api] }
sends:
  add_friend: { to: add, changes: [{ pipeline: friends, op: upsert, id: /id }] }
```

"""#,
        "P325": #"""
# P325: a conflict that is answered by overwriting

A warning, reported from `pipe-run validate --level graph` on. `--allow P325` silences it, `--deny P325` makes it an
error; `# pipe-run: allow P325 REASON` on that line, or on the line above, silences it there.

With `on_conflict: refetch`, a send that meets a conflict is tried again with the tag of what was loaded meanwhile. A send of a whole item (`upsert`) or
of a whole value (`replace`) then takes the place of what others have written, although `if_match` was meant to keep that. A `patch` has only the members
that it changes, and leaves the others alone.

## Wrong

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/profile }
  store: { type: http, method: PUT, url: http://127.0.0.1:8787/profile }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  profile: { tiers: [{ source: memory, ttl: 30s }, api] }
sends:
  save_profile:
    to: store
    if_match: etag
    on_conflict: refetch
    changes: [{ pipeline: profile, op: replace }]
```

## Fixed

```yaml
sources:
  memory: { type: memory }
  api: { type: http, url: http://127.0.0.1:8787/profile }
  store: { type: http, method: PUT, url: http://127.0.0.1:8787/profile }
  outbox: { type: outbox, path: .state/outbox.db }
pipelines:
  profile: { tiers: [{ source: memory, ttl: 30s }, api] }
sends:
  save_profile:
    to: store
    if_match: etag
    on_conflict: fail
    changes: [{ pipeline: profile, op: replace }]
```

"""#,
        "P334": #"""
# P334: a copy that another token was given

A warning, reported from `pipe-run validate --level graph` on. `--allow P334` silences it, `--deny P334` makes it an
error; `# pipe-run: allow P334 REASON` on that line, or on the line above, silences it there.

A source sends a credential of the environment, such as `Authorization: "Bearer ${API_TOKEN}"`, and a file, a database or a Redis server
keeps its answers. A copy is stored under pipeline and parameters. A process with another token takes it all the same, also where it is the
token of another user. Name the user in the place of the copies: in `path`, or in `prefix`. Where there is one token, or all tokens may
read the same, say so in an allow comment. With `caching: headers` the origin decides: of one that answers `Vary: Authorization`, the copy of another
token is a miss, and there is no warning.

## Wrong

```yaml
sources:
  disk: { type: file, path: ".cache/{key}.json" }
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: "Bearer ${API_TOKEN:-}" }
pipelines:
  friends:
    tiers:
      - { source: disk, ttl: 1h }
      - api
```

## Fixed

```yaml
sources:
  disk: { type: file, path: ".cache/${API_USER:-me}/{key}.json" }
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: "Bearer ${API_TOKEN:-}" }
pipelines:
  friends:
    tiers:
      - { source: disk, ttl: 1h }
      - api
```

"""#,
        "P401": #"""
# P401: an environment variable is not set

An error, reported from `pipe-run validate --level env` on: the configuration cannot be used.

The file refers to `${NAME}`, but the environment has no such variable. `${NAME:-value}` gives a default, and
`${NAME:?what to do}` sets the text of this message. `--level graph` checks everything except the environment.

## Wrong

```yaml
sources:
  api: { type: http, url: "${FRIENDS_API}/friends" }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api: { type: http, url: "${FRIENDS_API:-http://127.0.0.1:8787}/friends" }
pipelines:
  friends:
    tiers: [api]
```

"""#,
        "P402": #"""
# P402: a referenced file is missing

An error, reported from `pipe-run validate --level env` on: the configuration cannot be used.

The file named by `${file:path}`, or by a field such as `ca_file`, cannot be read: it does not exist or is a folder. A
file named by `${file:path}` must also be UTF-8 and at most 1 MiB. Relative paths start from the folder of the
configuration. The fixed example needs a file `token.txt` beside it.

## Wrong

```yaml
sources:
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: "Bearer ${file:no-such-token.txt}" }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: "Bearer ${file:token.txt}" }
pipelines:
  friends:
    tiers: [api]
```

"""#,
        "P403": #"""
# P403: the variable of a credential is empty

A warning, reported from `pipe-run validate --level env` on. `--allow P403` silences it, `--deny P403` makes it an
error; `# pipe-run: allow P403 REASON` on that line, or on the line above, silences it there.

A variable whose name is that of a credential is set, but empty. CI systems do this for secrets that a job may not read.
The request would be sent without the credential, and the server would refuse it. `${NAME:?what to do}` makes this an
error, and `${NAME:-}` accepts an empty value.

## Wrong

```yaml
sources:
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: "Bearer ${GITHUB_TOKEN}" }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api:
    type: http
    url: http://127.0.0.1:8787/friends
    headers: { Authorization: "Bearer ${GITHUB_TOKEN:-}" }
pipelines:
  friends:
    tiers: [api]
```

"""#,
        "P501": #"""
# P501: cannot connect

An error, reported from `pipe-run validate --level connect` on: the configuration cannot be used.

`--level connect` opens a connection to each source, and this source could not be reached: nothing listens there, the
name is unknown, or the network does not answer in time. The file may be correct and the other machine down.

## Wrong

```yaml
# nothing listens on port 1
sources:
  api: { type: http, url: http://127.0.0.1:1/friends }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api: { type: http, url: http://127.0.0.1:8787/friends }
pipelines:
  friends:
    tiers: [api]
```

"""#,
        "P502": #"""
# P502: connected, but refused

An error, reported from `pipe-run validate --level connect` on: the configuration cannot be used.

`--level connect` reached the source, but the source refused access: a wrong password or token, a missing database or
table, a certificate that is not trusted, or a user without the permissions that the file needs. For a change source also:
a URL that no stream comes from, such as one that redirects or answers with a page. The help names what to correct.
To trust certificates of your own authority, name its file in `ca_file`, as in
`api: { type: http, url: "https://…", ca_file: company.pem }`.

## Wrong

```yaml
sources:
  api: { type: http, url: "https://expired.example.org/friends" }
pipelines:
  friends:
    tiers: [api]
```

## Fixed

```yaml
sources:
  api: { type: http, url: "https://api.example.org/friends" }
pipelines:
  friends:
    tiers: [api]
```

"""#,
        "P601": #"""
# P601: an unknown name in a test

An error, reported from `pipe-run validate --level graph` on: no test of the file runs.

A test names a pipeline, a source, an order, a parameter, an outcome or a field that does not exist. A misspelt name would
otherwise check nothing, and the test would pass. The help names the nearest known name.

## Wrong

```yaml
tests:
  - name: the file answers after 30 seconds
    given: { api: '["v1"]' }
    steps:
      - fetch: { from: api }
      - wait: 30s
      - fetch: { from: disc }
```

## Fixed

```yaml
tests:
  - name: the file answers after 30 seconds
    given: { api: '["v1"]' }
    steps:
      - fetch: { from: api }
      - wait: 30s
      - fetch: { from: disk }
```

"""#,
        "P602": #"""
# P602: an origin that no test data stands for

An error, reported from `pipe-run validate --level graph` on: no test of the file runs.

A step asks an origin, and the test does not say what it answers. Tests open nothing, so that every origin that an order
asks needs answers in `given`, or in a `set` step before. A cache without test data is empty.

## Wrong

```yaml
tests:
  - name: the API fills the caches
    steps:
      - fetch: { from: api }
```

## Fixed

```yaml
tests:
  - name: the API fills the caches
    given: { api: '["v1"]' }
    steps:
      - fetch: { from: api }
```

"""#,
        "P603": #"""
# P603: a test that expects nothing

An error, reported from `pipe-run validate --level graph` on: no test of the file runs.

No step of the test says what is expected, so that the test could never fail. Say what a fetch gives (`is`, `from`, `stale`,
`error`, `tiers`, `writes`), or what a source holds and how often it was asked (`expect`).

## Wrong

```yaml
tests:
  - name: a crowd makes one call
    given: { api: '["v1"]' }
    steps:
      - fetch: { times: 1000, at_once: true }
```

## Fixed

```yaml
tests:
  - name: a crowd makes one call
    given: { api: '["v1"]' }
    steps:
      - fetch: { times: 1000, at_once: true }
      - expect: { api: { calls: 1 } }
```

"""#,
        "P604": #"""
# P604: two tests of one name

An error, reported from `pipe-run validate --level graph` on: no test of the file runs.

Two tests of a file have the same name. Reports and `--failed` know a test by its name. Or a test starts
two fetches with one name, before the first is finished: `finish` would wait for the second alone.

## Wrong

```yaml
tests:
  - name: a copy expires
    given: { api: '["v1"]' }
    steps: [fetch: { from: api }]
  - name: a copy expires
    given: { api: error }
    steps: [fetch: { error: true }]
```

## Fixed

```yaml
tests:
  - name: a copy expires
    given: { api: '["v1"]' }
    steps: [fetch: { from: api }]
  - name: without a copy the failure is an error
    given: { api: error }
    steps: [fetch: { error: true }]
```

"""#,
        "P605": #"""
# P605: `only` where programs read the results

An error, reported from `pipe-run validate --level graph` on: no test of the file runs.

`only: true` keeps every other test of the file from running. That helps while one test is written, and hides failures
afterwards. It is reported in the formats for programs (`json`, `junit`, `tap`, `github`, `sarif`), and allowed in `text`.

## Wrong

```yaml
tests:
  - name: a copy expires
    only: true
    given: { api: '["v1"]' }
    steps: [fetch: { from: api }]
```

## Fixed

```yaml
tests:
  - name: a copy expires
    given: { api: '["v1"]' }
    steps: [fetch: { from: api }]
```

"""#,
        "P901": #"""
# P901: an allow comment that nothing needs

A warning, reported from `pipe-run validate --level graph` on. `--allow P901` silences it, `--deny P901` makes it an
error.

`# pipe-run: allow CODE reason` silences warnings on its line, or on the next line when it stands alone. This comment
names a code that is not reported there, an error, or no code at all. A comment that outlives its reason would hide the
next problem. While the file has errors, unneeded comments are not reported.

## Wrong

```yaml
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
```

## Fixed

```yaml
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
```

"""#,
    ]
}

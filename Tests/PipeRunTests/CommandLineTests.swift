import Testing

/// The built `pipe-run`, seen from outside. One after the other: each test starts processes of its own.
@Suite(.serialized) enum CommandLineTests {}

/// The same, for `serve` and what runs until it is ended.
@Suite(.serialized) enum ServingTests {}

/// The same, for tests that mostly wait: for a lease that ends, a bound that passes. Others run meanwhile, so none depends on how fast the
/// machine is.
@Suite(.serialized) enum WaitingTests {}

/// The same, for tests in which a process computes for long and no time matters. `make test-long` runs them.
enum ComputingTests {}

/// Memory above disk above an origin at `$ORIGIN`.
let threeTiers = """
    sources:
      memory: { type: memory }
      disk: { type: file, path: ".cache/{key}.json" }
      api: { type: http, url: "${ORIGIN}/friends" }
    pipelines:
      friends:
        tiers:
          - { source: memory, ttl: 30s }
          - { source: disk, ttl: 10m }
          - api
    """

/// The same with a parameter, a flat file as origin, and a source that is no tier.
let flatTiers = """
    sources:
      memory: { type: memory }
      disk: { type: file, path: ".cache/{key}.json" }
      flat: { type: file, path: "flat/{user}.json", read_only: true }
      other: { type: file, path: "other/{user}.json", read_only: true }
    pipelines:
      friends:
        parameters: [user]
        tiers:
          - { source: memory, ttl: 30s }
          - { source: disk, ttl: 10m }
          - flat
      people:
        parameters: { user: { default: "1" } }
        tiers: [other]
    """

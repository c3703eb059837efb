/// A configuration with as many pipelines as wanted, each with the policies that people write.
struct GeneratedConfig {
    let text: String

    init(pipelines: Int) {
        var text = """
            version: 1
            sources:
              memory: { type: memory, max_entries: 10000 }
              disk: { type: file, path: ".cache/{pipeline}/{user}.json" }
              api: { type: http, url: "http://127.0.0.1:8787/{pipeline}/{user}" }
            pipelines:

            """
        for number in 0..<pipelines {
            text += """
                  p\(number):
                    parameters: [user]
                    tiers:
                      - { source: memory, ttl: 30s, jitter: 10% }
                      - { source: disk, ttl: 10m, debounce: 2s }
                      - api
                    stale_while_revalidate: 5m
                    stale_if_error: 1h
                    not_found_ttl: 10s
                    deadline: 5s

                """
        }
        self.text = text
    }
}

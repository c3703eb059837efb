internal import Pipeline

/// What all connections share: who answers, within which limits, and who is told.
package struct ClientService: Sendable {
    let responder: PipelineResponder
    let limits: ServerLimits
    let hosts: HostRule
    let proxies: ProxyRule
    let log: RequestLog
    var clock = PipelineClock.system

    package init(responder: PipelineResponder, limits: ServerLimits, hosts: HostRule, proxies: ProxyRule = ProxyRule(), log: RequestLog) {
        self.responder = responder
        self.limits = limits
        self.hosts = hosts
        self.proxies = proxies
        self.log = log
    }

    /// The answer to what is no request that can be answered.
    func refusal(_ problem: ClientRequest.Problem) -> ServedAnswer {
        var answer = ServedAnswer.problem(problem.status, problem.message)
        answer.refusal = problem.message
        return answer
    }
}

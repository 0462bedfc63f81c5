internal import Supervision

/// What no key says alone, and all together do: rules that contradict each other or that can never apply.
enum PolicyContradictions {
    /// `reader` is the member of `components` whose rules made the policy what it is.
    static func refuse(in policy: RestartPolicy, _ reader: ConfigurationReader) throws(ConfigurationError) {
        try refuse(in: policy.heartbeat, reader)
        let (backoff, memory) = (policy.backoff, policy.memory)
        if memory.hard < memory.soft {
            throw reader.error(
                "memory",
                .contradiction(
                    "\"hard\" is \(memory.hard.configuration) and \"soft\" \(memory.soft.configuration); the end cannot come "
                        + "before the warning, so give both"))
        }
        if backoff.max < backoff.first {
            throw reader.error(
                "backoff",
                .contradiction(
                    "\"max\" is \(backoff.max.text) and \"first\" \(backoff.first.text); the delays cannot shrink"))
        }
        if policy.queue.limit < policy.queue.highWater {
            throw reader.error(
                "queue",
                .contradiction(
                    "\"limit\" is \(policy.queue.limit.configuration) and \"highWater\" "
                        + "\(policy.queue.highWater.configuration); a writer is told to hold back before it is refused")
            )
        }
        if policy.background == .windowed, policy.window.length >= policy.window.every {
            throw reader.error(
                "window",
                .contradiction(
                    "\"length\" is \(policy.window.length.text) and \"every\" \(policy.window.every.text); a window that is as long "
                        + "as the time to the next one never closes, so take a shorter one, or \"background\": \"always\""
                ))
        }
        let most = policy.mostRestartsInPeriod
        if policy.maxRestarts > most {
            throw reader.error(
                "maxRestarts",
                .contradiction(
                    "\(policy.maxRestarts) restarts within \(policy.period.text) cannot be reached, as delays and healthy "
                        + "periods leave room for \(most) at most; take fewer, or a longer \"period\""))
        }
    }

    /// `restart`: what the configuration says of it, if anything.
    static func refuse(
        restart: RestartType?, with background: BackgroundMode, _ reader: ConfigurationReader
    ) throws(ConfigurationError) {
        guard let restart, background.restart(restart) != restart else { return }
        let what =
            background == .foreground
            ? "components are never restarted" : "components are done when they close themselves, until their next time"
        throw reader.error(
            reader.keys.contains("background") ? "background" : "restart",
            .contradiction(
                "\"\(background.rawValue)\" \(what), and \"restart\" is \"\(restart.rawValue)\"; leave out one of the two"
            ))
    }

    static func refuse(in heartbeat: HeartbeatPolicy, _ reader: ConfigurationReader) throws(ConfigurationError) {
        if heartbeat.hard < heartbeat.soft {
            throw reader.error(
                "heartbeat",
                .contradiction(
                    "\"hard\" is \(heartbeat.hard.text) and \"soft\" \(heartbeat.soft.text); the end cannot come before the "
                        + "warning, so give both"))
        }
    }
}

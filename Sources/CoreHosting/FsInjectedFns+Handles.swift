internal import JSEngine

extension FsInjectedFns {
    func registerHandles(on engine: JSEngineHost) {
        engine.registerPort("fh_write") { [unowned self] arguments in
            let port = "fh_write"
            let number = try arguments.fileNumber(0, port)
            let content = try arguments.content(1, port)
            let position = try arguments.position(2, port)
            return withFile(
                number, arguments, keeping: content.isInPlace ? arguments[1] : nil,
                { try $0.write(content, at: position) }, answer: { $0.number(Double($1)) })
        }
        engine.registerPort("fh_sync") { [unowned self] arguments in
            let number = try arguments.fileNumber(0, "fh_sync")
            return withFile(number, arguments, { try $0.sync() }, answer: { engine, _ in engine.undefined })
        }
        // What was asked of the file before is done before; what is asked later finds no file.
        engine.registerPort("fh_close") { [unowned self] arguments in
            let number = try arguments.fileNumber(0, "fh_close")
            defer { files[number] = nil }
            return withFile(
                number, arguments, { [opened] in try opened.close($0) }, answer: { engine, _ in engine.undefined })
        }
    }

    private func withFile<Value: Sendable>(
        _ number: Int, _ arguments: JSArguments, keeping kept: JSValue? = nil,
        _ body: @escaping @Sendable (ConfinedFile) throws -> Value,
        answer: @escaping (JSEngineHost, Value) -> JSValue
    ) -> JSValue {
        guard let open = files[number] else {
            let promise = arguments.engine.makePromise()
            promise.reject(
                ConfinedFailure(
                    code: "EBADF", path: nil, "no open file has the number \(number); it was closed or never opened"
                )
                .exception)
            return promise.value
        }
        let file = open.file
        return work.run(on: arguments.engine, in: open.line, keeping: kept, { try body(file) }, answer: answer)
    }
}

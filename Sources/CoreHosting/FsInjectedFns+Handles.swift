internal import JSEngine

extension FsInjectedFns {
    func registerHandles(on engine: JSEngineHost) {
        engine.registerPort(FilePorts.write) { [unowned self] arguments in
            let number = arguments.whole(0)
            let content = ConfinedContent(arguments.bytes(1))
            let position = arguments.optionalWhole(2)
            return withFile(
                number, arguments, keeping: content.isInPlace ? arguments[1] : nil,
                takes: .copying(bytes: content.count), { try $0.write(content, at: position) },
                answer: { $0.number(Double($1)) })
        }
        engine.registerPort(FilePorts.read) { [unowned self] arguments in
            let room = ConfinedRoom(arguments.bytes(1))
            let position = arguments.optionalWhole(2)
            if let position, let open = files[arguments.whole(0)], open.line.isIdle,
                let count = open.file.readWithoutWaiting(into: room, at: position)
            {
                let promise = arguments.engine.makePromise()
                promise.resolve { $0.number(Double(count)) }
                return promise.value
            }
            return withFile(
                arguments.whole(0), arguments, keeping: arguments[1],
                { try $0.read(into: room, at: position) }, answer: { $0.number(Double($1)) })
        }
        engine.registerPort(FilePorts.fileStat) { [unowned self] arguments in
            withFile(arguments.whole(0), arguments, { try $0.info() }, answer: { $0.value(of: $1) })
        }
        engine.registerPort(FilePorts.truncateFile) { [unowned self] arguments in
            let length = arguments.whole(1)
            return withFile(
                arguments.whole(0), arguments, { try $0.truncate(to: length) },
                answer: { engine, _ in engine.undefined })
        }
        engine.registerPort(FilePorts.sync) { [unowned self] arguments in
            let number = arguments.whole(0)
            return withFile(
                number, arguments, takes: .long, { try $0.sync() }, answer: { engine, _ in engine.undefined })
        }
        // What was asked of the file before is done before; what is asked later finds no file.
        engine.registerPort(FilePorts.close) { [unowned self] arguments in
            let number = arguments.whole(0)
            defer { files[number] = nil }
            return withFile(
                number, arguments, { [opened] in try opened.close($0) }, answer: { engine, _ in engine.undefined })
        }
    }

    private func withFile<Value: Sendable>(
        _ number: Int, _ arguments: PortArguments, keeping kept: JSValue? = nil, takes time: PromisedWork.Time = .short,
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
        return work.run(
            on: arguments.engine, in: open.line, keeping: kept, takes: time, { try body(file) }, answer: answer)
    }
}

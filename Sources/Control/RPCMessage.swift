/// JSON-RPC 2.0, one object per line.
///
/// - A request without `id` is a notification: it is carried out and never answered.
/// - Batches (arrays) are refused with −32600: a line is cheap, so each request has its own.
/// - The items of a stream are notifications `<verb>.item` with params `{"request": <id>, "item": ..}`; the stream ends
///   with `<verb>.end` and `{"request": <id>}`.
enum RPCMessage {
    struct Call: Equatable {
        /// nil for a notification.
        let id: JSONValue?
        let request: ControlRequest
    }

    struct Refusal: Error, Equatable {
        /// Null when the line did not let itself be read so far, nil for a notification, which gets no answer.
        let id: JSONValue?
        let error: ControlError
    }

    static func parse(_ line: [UInt8]) throws(Refusal) -> Call {
        let message: JSONValue
        do {
            message = try JSONParser.parse(line)
        } catch {
            throw Refusal(id: .null, error: ControlError(code: ControlError.parseError, message: "\(error)"))
        }
        guard message.members != nil else {
            let text =
                message.array == nil
                ? "a request is a JSON object" : "batches are not served; send one request per line"
            throw Refusal(id: .null, error: ControlError(code: ControlError.invalidRequest, message: text))
        }
        let id = message["id"]
        switch id {
        case nil, .null, .string, .int, .double: break
        default: throw refusal(.null, "\"id\" must be a string, a number or null")
        }
        guard message["jsonrpc"] == "2.0" else { throw refusal(id ?? .null, "\"jsonrpc\" must be \"2.0\"") }
        guard let verb = message["method"]?.string else { throw refusal(id ?? .null, "\"method\" must be a string") }
        do {
            return Call(id: id, request: try ControlRequest(verb: verb, params: message["params"] ?? .null))
        } catch {
            throw Refusal(id: id, error: error)
        }
    }

    static func request(id: Int, _ request: ControlRequest) -> JSONValue {
        [
            "jsonrpc": "2.0", "id": JSONValue(id), "method": .string(request.verb), "params": request.params,
        ]
    }

    static func result(id: JSONValue, _ result: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "id": id, "result": result]
    }

    static func error(id: JSONValue, _ error: ControlError) -> JSONValue {
        ["jsonrpc": "2.0", "id": id, "error": error.json]
    }

    static func item(_ verb: String, id: JSONValue, _ item: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "method": .string(verb + ".item"), "params": ["request": id, "item": item]]
    }

    static func end(_ verb: String, id: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "method": .string(verb + ".end"), "params": ["request": id]]
    }

    private static func refusal(_ id: JSONValue, _ text: String) -> Refusal {
        Refusal(id: id, error: ControlError(code: ControlError.invalidRequest, message: text))
    }
}

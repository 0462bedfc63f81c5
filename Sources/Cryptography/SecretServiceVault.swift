internal import CGIO
internal import CGLib
internal import CSecret
internal import EventLoop
internal import Glibc

/// The Secret Service of the session bus, by libsecret, as a keeper of keys. Never unlocks anything and never has the user
/// asked: what is locked is told.
///
/// Lives on the thread that made it, whose GLib context its loop pumps.
final class SecretServiceVault: SecretVault {
    /// How long one answer may take in all.
    static let patience = Duration.seconds(10)

    /// Whether there is a bus to look for the service on; GLib would else start one.
    static var hasSessionBus: Bool {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
        guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
        return access(String(cString: folder) + "/bus", F_OK) == 0
    }

    private let loop: Loop
    private var conversations: [ObjectIdentifier: SecretConversation] = [:]

    init(on loop: Loop) { self.loop = loop }

    func store(_ key: StoredKey, name: String, done: @escaping (Result<Void, VaultFailure>) -> Void) {
        let hexadecimal: Result<OpaquePointer?, CryptorError> = Result { () throws(CryptorError) in
            try key.withHexadecimal { secret_value_new($0, gssize(2 * StoredKey.length), "text/plain") }
        }
        guard case .success(let value?) = hexadecimal else {
            done(.failure(.failed("no memory for a secret")))
            return
        }
        converse(done) { conversation, service, answer in
            conversation.call({ cancellable, ready, data in
                secret_collection_for_alias(service, "default", SECRET_COLLECTION_NONE, cancellable, ready, data)
            }) { result in
                var error: UnsafeMutablePointer<GError>?
                let collection = secret_collection_for_alias_finish(result, &error)
                guard let collection else {
                    answer(.failure(failure(error) ?? .absent("the Secret Service has no default collection")))
                    return
                }
                conversation.keep(collection)
                guard secret_collection_get_locked(collection) == 0 else {
                    answer(.failure(.locked))
                    return
                }
                conversation.call({ cancellable, ready, data in
                    let attributes = attributes([
                        "xdg:schema": "corehost.key", "key-id": key.idText, "key-name": name,
                    ])
                    defer { g_hash_table_unref(attributes) }
                    secret_item_create(
                        collection, nil, attributes, "corehost key \"\(name)\"", value, SECRET_ITEM_CREATE_NONE,
                        cancellable, ready, data)
                }) { result in
                    var error: UnsafeMutablePointer<GError>?
                    guard let item = secret_item_create_finish(result, &error) else {
                        answer(.failure(failure(error) ?? .failed("it kept nothing")))
                        return
                    }
                    g_object_unref(item)
                    answer(.success(()))
                }
            }
        } cleanup: {
            secret_value_unref(UnsafeMutableRawPointer(value))
        }
    }

    func find(id: [UInt8], done: @escaping (Result<StoredKey?, VaultFailure>) -> Void) {
        converse(done) { conversation, service, answer in
            conversation.call({ cancellable, ready, data in
                let attributes = attributes(["xdg:schema": "corehost.key", "key-id": hexadecimal(id)])
                defer { g_hash_table_unref(attributes) }
                let flags = SecretSearchFlags(SECRET_SEARCH_ALL.rawValue | SECRET_SEARCH_LOAD_SECRETS.rawValue)
                secret_service_search(service, nil, attributes, flags, cancellable, ready, data)
            }) { result in
                var error: UnsafeMutablePointer<GError>?
                let items = secret_service_search_finish(service, result, &error)
                if let failure = failure(error) {
                    answer(.failure(failure))
                    return
                }
                defer { g_list_free_full(items) { g_object_unref($0) } }
                answer(key(in: items, id))
            }
        } cleanup: {
        }
    }

    func close() {
        for conversation in conversations.values { conversation.end() }
        conversations = [:]
    }

    /// Opens a session with the service and has `body` go on; `answer` ends it, as the time-out does.
    private func converse<Value>(
        _ done: @escaping (Result<Value, VaultFailure>) -> Void,
        _ body:
            @escaping (
                SecretConversation, UnsafeMutablePointer<SecretService>, @escaping (Result<Value, VaultFailure>) -> Void
            ) -> Void, cleanup: @escaping () -> Void
    ) {
        let conversation = SecretConversation()
        let key = ObjectIdentifier(conversation)
        conversations[key] = conversation
        let timer = Timer(on: loop)
        conversation.cleanup = {
            timer.close()
            cleanup()
        }
        let answer = { [weak self] (result: Result<Value, VaultFailure>) in
            guard let self, conversations.removeValue(forKey: key) != nil else { return }
            conversation.end()
            done(result)
        }
        timer.start(after: Self.patience) {
            answer(.failure(.silent("no answer within \(Self.patience.components.seconds) s")))
        }
        conversation.open { result in
            switch result {
            case .success(let service): body(conversation, service, answer)
            case .failure(let failure): answer(.failure(failure))
            }
        }
    }
}

private func key(in items: UnsafeMutablePointer<GList>?, _ id: [UInt8]) -> Result<StoredKey?, VaultFailure> {
    guard let data = items?.pointee.data else { return .success(nil) }
    let item = data.assumingMemoryBound(to: SecretItem.self)
    guard let value = secret_item_get_secret(item) else {
        return .failure(secret_item_get_locked(item) != 0 ? .locked : .failed("it gives no secret for its item"))
    }
    defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
    var length: gsize = 0
    let text = secret_value_get(value, &length)
    do throws(CryptorError) {
        let text = UnsafeBufferPointer(start: text, count: Int(length))
        return .success(try StoredKey(id: id, hexadecimal: text))
    } catch {
        return .failure(.failed("what it keeps under \(hexadecimal(id)) is no key"))
    }
}

private func attributes(_ texts: [String: String]) -> OpaquePointer? {
    let table = g_hash_table_new_full({ g_str_hash($0) }, { g_str_equal($0, $1) }, { g_free($0) }, { g_free($0) })
    for (name, text) in texts { g_hash_table_insert(table, g_strdup(name), g_strdup(text)) }
    return table
}

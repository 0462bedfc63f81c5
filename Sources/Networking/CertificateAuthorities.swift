internal import CGIO
internal import CGLib

/// Authorities that are trusted beside the system's, from a PEM file.
///
/// Made, like everything of GIO, on the thread whose GLib context is iterated.
public final class CertificateAuthorities {
    private let database: UnsafeMutablePointer<GTlsDatabase>

    /// Reads `path` now; later changes of the file change nothing.
    public init(path: String) throws(CertificateFileError) {
        // GIO's database takes no other, and would have no authorities.
        let place = g_canonicalize_filename(path, nil)
        defer { g_free(place) }
        // Reading a device or a pipe might never end.
        guard g_file_test(place, G_FILE_TEST_EXISTS) == 0 || g_file_test(place, G_FILE_TEST_IS_REGULAR) != 0 else {
            throw CertificateFileError(path: path, reason: .unreadable("it is no file"))
        }
        var error: UnsafeMutablePointer<GError>?
        let list = g_tls_certificate_list_new_from_file(place, &error)
        let isEmpty = list == nil
        g_list_free_full(list) { g_object_unref($0) }
        if let error { throw CertificateFileError(path: path, reason: .unreadable(GLibError(taking: error).message)) }
        guard !isEmpty else { throw CertificateFileError(path: path, reason: .noCertificate) }
        guard let database = g_tls_file_database_new(place, &error) else {
            let words = error.map { GLibError(taking: $0).message } ?? "no reason given"
            throw CertificateFileError(path: path, reason: .unreadable(words))
        }
        self.database = UnsafeMutableRawPointer(database).assumingMemoryBound(to: GTlsDatabase.self)
    }

    deinit { g_object_unref(database) }

    /// What is wrong with a server's certificate when these authorities alone are asked: 0 for nothing.
    func problems(
        of certificate: UnsafeMutablePointer<GTlsCertificate>, for server: OpaquePointer
    ) -> GTlsCertificateFlags {
        var error: UnsafeMutablePointer<GError>?
        let problems = g_tls_database_verify_chain(
            database, certificate, "1.3.6.1.5.5.7.3.1", server, nil, G_TLS_DATABASE_VERIFY_NONE, nil, &error)
        guard let error else { return problems }
        g_error_free(error)
        return G_TLS_CERTIFICATE_GENERIC_ERROR
    }
}

/// A file of authorities that cannot be used.
public struct CertificateFileError: Error, Equatable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        case unreadable(String)
        case noCertificate
    }

    public let path: String
    public let reason: Reason

    public var description: String {
        switch reason {
        case .unreadable(let words):
            "the authorities' file \(path) cannot be read: \(words); name a PEM file with --ca-file"
        case .noCertificate:
            "no certificate in the authorities' file \(path); name a PEM file (-----BEGIN CERTIFICATE-----) with --ca-file"
        }
    }
}

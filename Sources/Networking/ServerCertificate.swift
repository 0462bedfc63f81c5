internal import CGIO
internal import CGLib

/// Why a server's certificate was refused.
public enum CertificateProblem: String, Sendable, Equatable, CaseIterable {
    case expired
    case notYetValid
    case otherName
    case selfSigned
    case unknownAuthority
    case revoked
    case insecure
    case unusable

    /// The heaviest problem: who a certificate is from comes before what it says.
    init(_ flags: GTlsCertificateFlags, isSelfSigned: Bool) {
        let order: [(GTlsCertificateFlags, CertificateProblem)] = [
            (G_TLS_CERTIFICATE_UNKNOWN_CA, isSelfSigned ? .selfSigned : .unknownAuthority),
            (G_TLS_CERTIFICATE_REVOKED, .revoked),
            (G_TLS_CERTIFICATE_EXPIRED, .expired),
            (G_TLS_CERTIFICATE_NOT_ACTIVATED, .notYetValid),
            (G_TLS_CERTIFICATE_BAD_IDENTITY, .otherName),
            (G_TLS_CERTIFICATE_INSECURE, .insecure),
        ]
        self = order.first { flags.rawValue & $0.0.rawValue != 0 }?.1 ?? .unusable
    }

    public func words(host: String) -> String {
        switch self {
        case .expired: "the certificate of \(host) has expired"
        case .notYetValid: "the certificate of \(host) is not valid yet"
        case .otherName: "the certificate is for another name than \(host)"
        case .selfSigned: "the certificate of \(host) is self-signed"
        case .unknownAuthority: "the certificate of \(host) is from an unknown authority"
        case .revoked: "the certificate of \(host) was revoked"
        case .insecure: "the certificate of \(host) is signed by an insecure algorithm"
        case .unusable: "the certificate of \(host) cannot be verified"
        }
    }
}

enum ServerCertificate {
    /// Issued by its own subject.
    static func isSelfSigned(_ certificate: UnsafeMutablePointer<GTlsCertificate>) -> Bool {
        guard let subject = g_tls_certificate_get_subject_name(certificate) else { return false }
        defer { g_free(subject) }
        guard let issuer = g_tls_certificate_get_issuer_name(certificate) else { return false }
        defer { g_free(issuer) }
        return g_strcmp0(subject, issuer) == 0
    }
}

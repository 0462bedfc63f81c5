/// Why a computation gave no result.
public enum CryptorError: Error, Equatable, CustomStringConvertible {
    /// A box that is no box, was changed, or was packed with another key or nonce.
    case failedVerification(bytes: Int)
    /// A point of small order: what it agrees on is no secret.
    case weakPublicKey
    case outOfMemory(bytes: Int)
    /// So many computations wait that no more are taken.
    case busy(waiting: Int)
    case noThread(reason: String)
    /// The pool was closed meanwhile.
    case stopped

    public var description: String {
        switch self {
        case .failedVerification(let bytes):
            "\(bytes) bytes do not open: they were changed, or packed with another key or nonce"
        case .weakPublicKey: "the public key is a point of small order, which no honest key is; ask for another"
        case .outOfMemory(let bytes): "no memory for \(bytes) bytes; use smaller parameters or free memory"
        case .busy(let waiting): "\(waiting) computations wait already; wait for some of them"
        case .noThread(let reason): "no thread to compute on: \(reason)"
        case .stopped: "the platform is being shut down"
        }
    }
}

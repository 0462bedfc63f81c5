internal import Control
internal import CoreHosting

/// Requests about the apps of the user who is logged in.
extension Supervisor {
    func apps(_ request: AppsRequest, _ exchange: ControlExchange) throws(ControlError) {
        try requireLogin()
        switch request {
        case .list: try askCore(.apps, exchange, as: AppsReply.self)
        case .install(let app): try askCore(.installApp(app), exchange, as: AppReply.self)
        case .uninstall(let app): try askCore(.uninstallApp(app), exchange, as: AppReply.self)
        case .show(let app): try askCore(.showApp(app), exchange, as: ManifestReply.self)
        }
    }
}

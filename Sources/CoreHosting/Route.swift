/// What happens when the page of an app is to be loaded. In a redirect the page that asked closes itself.
enum Route: Equatable {
    case getOrCreateGUIComponent
    case redirectToLauncher
    /// `remembering`: what to open after the login.
    case redirectToStartup(remembering: String?)

    /// - Parameter isLoggedIn: nil = there is no session yet.
    static func of(_ appDomain: String, isLoggedIn: Bool?) -> Route {
        switch (isLoggedIn, appDomain) {
        case (true?, SystemApp.startup): .redirectToLauncher
        case (true?, _): .getOrCreateGUIComponent
        case (false?, SystemApp.startup), (false?, SystemApp.launcher): .getOrCreateGUIComponent
        case (false?, _): .redirectToStartup(remembering: appDomain)
        case (nil, _): .redirectToStartup(remembering: nil)
        }
    }
}

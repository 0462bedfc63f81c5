// The component's half of the message benchmark: no client library, the bare port.

(function () {
    'use strict';

    globalThis.Deno = { env: new Map() };
    globalThis._awaitPreloadInit = async () => {
        globalThis.w3n = { closeSelf: () => globalThis.__nativeCallDispatch('ipc_disconnectFromCore', []) };
    };
})();

// Between the platform's own words for the wire and the bundle of a user's core: keeps the first as `__ownIpc`.
'use strict';
{
globalThis.__ownIpc = globalThis.__core3NWeb.ipc;
delete globalThis.__core3NWeb;
}

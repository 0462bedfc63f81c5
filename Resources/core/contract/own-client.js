// Between the platform's own half of `w3n` and the client bundle of a user's core: keeps the first as `__ownClient`.
'use strict';
{
globalThis.__ownClient = globalThis.__client3NWeb;
delete globalThis.__client3NWeb;
}

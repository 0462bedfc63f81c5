// Fits the client bundle of a user's core in: checks its names, and puts in the place of `__client3NWeb` one whose
// `promiseW3Nclient` and `makeStartupW3Nclient` make the platform's own capabilities too, whose messages are the
// bundle's own Buffers where it has them, and which has the platform's `w3nRPC`.
'use strict';
{

const { rowsOf, requireAll, client: surface } = globalThis.__bundleContract;
const own = globalThis.__ownClient;
const bundle = globalThis.__client3NWeb;
for (const name of ['__bundleContract', '__ownClient']) { delete globalThis[name]; }
requireAll('__client3NWeb', rowsOf(surface, bundle));

const { Buffer, msgProtoType } = bundle;
const toBuffer = bytes => (Buffer ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes);

const makersOf = names => Object.freeze(Object.fromEntries(
    names.map(name => [name, (caller, path) => own.makeCapability(caller, path)])));
const makers = makersOf(['closeSelf', 'myVersion', 'ui', 'rpc', 'connectivity', 'shell', 'system', 'mediaDevices']);
const startupMakers = makersOf(['closeSelf', 'myVersion', 'ui', 'provider', 'enableAutoLogin', 'scanUrlQR']);

/** Some versions of the library take the client's side where others take the caller in it. */
const withCaller = side => ({ ...side.caller, ...side, caller: side.caller ?? side });

globalThis.__client3NWeb = Object.freeze({
    ...bundle,
    msgProtoType: Object.freeze({
        pack: envelope => msgProtoType.pack(envelope),
        unpack: bytes => msgProtoType.unpack(toBuffer(bytes)),
    }),
    promiseW3Nclient: side => bundle.promiseW3Nclient(withCaller(side), makers),
    makeStartupW3Nclient: side => bundle.makeStartupW3Nclient(withCaller(side), startupMakers),
    w3nRPC: own.w3nRPC,
});
}

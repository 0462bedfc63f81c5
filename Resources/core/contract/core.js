// Fits a user's core in: checks its names, and puts in the place of `__core3NWeb` one that differs in this:
//   Core.make gives the core the server for sign-up that the bundle names, and checks the core that it gets
//   ipc.exposeW3N(coreSide, w3n), ipc.exposeStartupW3N(coreSide, w3n) expose the platform's own capabilities too, which
//     the library does not know
//   ipc.msgProtoType.unpack takes any Uint8Array, and hands the bundle its own Buffer
//   ipc.valuesSequence, ipc.ipcException are the platform's
'use strict';
{

const { rowsOf, requireAll, core: coreSurface, coreMembers } = globalThis.__bundleContract;
const own = globalThis.__ownIpc;
const bundle = globalThis.__core3NWeb;
// A bundle's own `var` cannot be deleted, but what it has can be replaced.
for (const name of ['__bundleContract', '__ownIpc']) { delete globalThis[name]; }
requireAll('__core3NWeb', rowsOf(coreSurface, bundle));

const { Buffer, ipc } = bundle;
const toBuffer = bytes => (Buffer ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes);

/** What is above the core: the library has its own words for `log`, `mail`, `mailerid`, `storage` and the like only. */
const exposersOf = names => Object.freeze(Object.fromEntries(
    names.map(name => [name, (cap, services) => own.exposeCapability(services, name, cap)])));
const exposers = exposersOf(
    ['closeSelf', 'myVersion', 'ui', 'rpc', 'connectivity', 'shell', 'system', 'mediaDevices']);
const startupExposers = exposersOf(['closeSelf', 'myVersion', 'ui', 'provider', 'enableAutoLogin', 'scanUrlQR']);
// Some versions of the library take the core's side here, and some the services in it.
const both = side => ({ ...side, ...side.exposedServices });

globalThis.__core3NWeb = Object.freeze({
    ...bundle,
    Core: Object.freeze({
        make(conf, ...parts) {
            const core = bundle.Core.make({ signUpUrl: bundle.signUpUrl ?? '', ...conf }, ...parts);
            requireAll('what Core.make gives', rowsOf(coreMembers, core));
            return core;
        },
    }),
    ipc: Object.freeze({
        ...ipc,
        exposeW3N: (side, w3n) => ipc.exposeW3N(both(side), w3n, exposers),
        exposeStartupW3N: (side, w3n) => ipc.exposeStartupW3N(both(side), w3n, startupExposers),
        msgProtoType: Object.freeze({
            pack: envelope => ipc.msgProtoType.pack(envelope),
            unpack: bytes => ipc.msgProtoType.unpack(toBuffer(bytes)),
        }),
        valuesSequence: own.valuesSequence,
        ipcException: own.ipcException,
    }),
});
}

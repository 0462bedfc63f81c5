// What capabilities and droppable objects have, for both sides.
// __ipcParts += {
//   capabilityMethods(name) -> {name: method}; name is "" (w3n itself), "storage", "a.b", ...; empty for others
//   objectType(name) -> {props: [name], closeOnDrop, methods: {name: method}} of an obj_type, or undefined }
// method = {observable, returns, writable}: observable ones take an observer as last argument and return a function
// that unsubscribes; returns is the obj_type of the result or of each value; writable: only if the object is.
// What is not listed for a capability is a promise call. Both give maps without prototype.
(() => {
'use strict';
const { hasOwn } = Object;

// In words like "read watch* open>File" watch is observable, and open gives a File; after "| " writable objects only.
const CAPABILITIES = {
    '': 'closeSelf myVersion log',
    ui: 'uiFormFactor',
    mailerid: 'getUserId',
    storage: 'getAppLocalFS>FS getAppSyncedFS>FS getUserFS>FS getSysFS>FS',
    rpc: 'thisApp>RPCConnection otherAppsRPC>RPCConnection exposeService*>IncomingRPCConnection',
    connectivity: 'isOnline watch*',
    signIn: 'getUsersOnDisk watchBoot*',
    signUp: 'getAvailableDomains getAvailableAddresses addUser isActivated setSignUpServer watchBoot*',
};
const OBJECTS = {
    FS: {
        props: 'type writable name',
        methods: 'stat getXAttr listXAttrs checkFilePresence checkFolderPresence checkLinkPresence listFolder '
            + 'readBytes readTxtFile readJSONFile getByteSource>FileByteSource readonlyFile>File readonlySubRoot>FS '
            + 'watchFile* watchFolder* watchTree* close | writeBytes writeTxtFile writeJSONFile makeFolder deleteFile '
            + 'deleteFolder move copyFile copyFolder saveFile saveFolder link deleteLink updateXAttrs '
            + 'getByteSink>FileByteSink writableFile>File writableSubRoot>FS',
    },
    File: {
        props: 'name isNew writable',
        methods: 'stat getXAttr listXAttrs readBytes readTxt readJSON getByteSource>FileByteSource watch* | '
            + 'writeBytes writeTxt writeJSON updateXAttrs getByteSink>FileByteSink copy',
    },
    FileByteSource: { methods: 'readNext readAt getSize seek getPosition' },
    FileByteSink: { methods: 'getSize splice truncate showLayout done' },
    RPCConnection: { methods: 'makeRequestReplyCall startObservableCall* close', closeOnDrop: true },
    IncomingRPCConnection: { methods: 'watch* send close', closeOnDrop: true },
};

function parseMethods(text) {
    const methods = Object.create(null);
    let writable = false;
    for (const word of text.split(' ')) {
        if (word === '|') {
            writable = true;
            continue;
        }
        const [nameAndStar, returns = ''] = word.split('>');
        const observable = nameAndStar.endsWith('*');
        methods[observable ? nameAndStar.slice(0, -1) : nameAndStar] = { observable, returns, writable };
    }
    return methods;
}

// Each is parsed when it is first needed: a component uses few of them, and its start-up counts.
function parsed(rows, parse) {
    const done = new Map();
    return name => {
        if (!done.has(name) && hasOwn(rows, name)) { done.set(name, parse(rows[name])); }
        return done.get(name);
    };
}

const NONE = Object.freeze(Object.create(null));
const listedMethods = parsed(CAPABILITIES, parseMethods);

Object.assign(globalThis.__ipcParts, {
    capabilityMethods: name => listedMethods(name) ?? NONE,
    objectType: parsed(OBJECTS, ({ props, methods, closeOnDrop = false }) =>
        ({ props: props ? props.split(' ') : [], closeOnDrop, methods: parseMethods(methods) })),
});
})();

// What capabilities and droppable objects have, for both sides.
// __ipcParts += {capabilities, objectTypes}
//   capabilities: Map from "" (w3n itself), "storage", "a.b", … to {name: method}
//   objectTypes: Map from obj_type to {props: [name], closeOnDrop, methods: {name: method}}
//   method = {observable, returns, writable}: observable ones take an observer as last argument and return a function
//     that unsubscribes; returns is the obj_type of the result or of each value; writable: only if the object is.
// Names not listed for a capability are promise calls.
(() => {
'use strict';
const parts = globalThis.__ipcParts;

// "read watch* open>File": watch is observable, open gives a File.
function methods(text, writable) {
    return text.split(' ').map(word => {
        const [, name, star, returns] = /^(\w+)(\*?)>?(\w*)$/.exec(word);
        return [name, { observable: star === '*', returns, writable }];
    });
}

function table(rows) {
    return new Map(Object.entries(rows).map(([name, text]) =>
        [name, Object.assign(Object.create(null), Object.fromEntries(methods(text)))]));
}

function objectType(props, text, { writable = '', closeOnDrop = false } = {}) {
    const list = [...methods(text), ...(writable ? methods(writable, true) : [])];
    return { props: props.split(' '), closeOnDrop, methods: Object.assign(Object.create(null), Object.fromEntries(list)) };
}

parts.capabilities = table({
    '': 'closeSelf myVersion log',
    ui: 'uiFormFactor',
    mailerid: 'getUserId',
    storage: 'getAppLocalFS>FS getAppSyncedFS>FS getUserFS>FS getSysFS>FS',
    rpc: 'thisApp>RPCConnection otherAppsRPC>RPCConnection exposeService*>IncomingRPCConnection',
    connectivity: 'isOnline watch*',
    signIn: 'getUsersOnDisk watchBoot*',
    signUp: 'getAvailableDomains getAvailableAddresses addUser isActivated setSignUpServer watchBoot*',
});

parts.objectTypes = new Map(Object.entries({
    FS: objectType('type writable name',
        'stat getXAttr listXAttrs checkFilePresence checkFolderPresence checkLinkPresence listFolder readBytes readTxtFile '
        + 'readJSONFile getByteSource>FileByteSource readonlyFile>File readonlySubRoot>FS watchFile* watchFolder* '
        + 'watchTree* close', {
            writable: 'writeBytes writeTxtFile writeJSONFile makeFolder deleteFile deleteFolder move copyFile copyFolder '
                + 'saveFile saveFolder link deleteLink updateXAttrs getByteSink>FileByteSink writableFile>File '
                + 'writableSubRoot>FS',
        }),
    File: objectType('name isNew writable',
        'stat getXAttr listXAttrs readBytes readTxt readJSON getByteSource>FileByteSource watch*',
        { writable: 'writeBytes writeTxt writeJSON updateXAttrs getByteSink>FileByteSink copy' }),
    FileByteSource: objectType('', 'readNext readAt getSize seek getPosition'),
    FileByteSink: objectType('', 'getSize splice truncate showLayout done'),
    RPCConnection: objectType('', 'makeRequestReplyCall startObservableCall* close', { closeOnDrop: true }),
    IncomingRPCConnection: objectType('', 'watch* send close', { closeOnDrop: true }),
}));
})();

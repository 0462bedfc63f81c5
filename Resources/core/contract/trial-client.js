// The client's half of the trial that `corehost core check` makes of a pair of bundles, after `js/app-preload.js`.
// __trial = {run(name) -> Promise<{}>: rejects when the step failed}
'use strict';
{

const text = 'gr\u00fc\u00df dich, \u4e16\u754c \u{1f600}';
const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff);

function expect(isSo, what) {
    if (!isSo) { throw new Error(what); }
}

const same = (a, b) => a?.length === b.length && b.every((byte, i) => a[i] === byte);

const steps = {
    async 'w3n, the client\'s side'() {
        await _awaitPreloadInit();
        const lacks = ['storage', 'mailerid', 'myVersion', 'closeSelf', 'ui', 'connectivity', 'log'].filter(
            name => globalThis.w3n?.[name] === undefined);
        expect(lacks.length === 0, `w3n lacks ${lacks.join(', ')}`);
    },

    async 'storage, the client\'s side'() {
        const fs = await w3n.storage.getAppLocalFS();
        expect(await fs.readTxtFile('core/text') === text, 'a text of the core\'s side is read otherwise');
        expect(same(await fs.readBytes('core/bytes'), bytes), 'bytes of the core\'s side are read otherwise');
        await fs.writeTxtFile('client/text', text);
        await fs.writeBytes('client/bytes', bytes);
        expect(same(await fs.readBytes('client/bytes', 60_000, 60_010), bytes.slice(60_000, 60_010)),
            'a part of a file is read otherwise');
        const names = (await fs.listFolder('client')).map(({ name }) => name).sort();
        expect(names.join() === 'bytes,text', `listFolder gives ${JSON.stringify(names)}`);
        const missing = await fs.readTxtFile('client/none').then(() => undefined, exception => exception);
        expect(missing?.runtimeException === true && missing.type === 'file' && missing.notFound === true,
            'reading a file that is not there is no file exception with notFound');
        const writable = await fs.writableSubRoot('client');
        expect(await writable.readTxtFile('text') === text, 'an object that a call gave reads a text otherwise');
    },

    async 'the platform\'s capabilities'() {
        expect(await w3n.myVersion() === '1.2.3', 'myVersion does not come through');
        expect(await w3n.ui.uiFormFactor() === 'desktop', 'ui.uiFormFactor does not come through');
        expect(await w3n.connectivity.isOnline() === 'offline_99%', 'connectivity.isOnline does not come through');
        const value = await new Promise((next, error) => { w3n.connectivity.watch({ next, error }); });
        expect(value?.isOnline === false, 'connectivity.watch does not come through');
        const userId = await w3n.mailerid.getUserId();
        expect(typeof userId === 'string', `mailerid.getUserId gives ${typeof userId}`);
    },
};

globalThis.__trial = Object.freeze({
    async run(name) {
        await steps[name]();
        return {};
    },
});
}

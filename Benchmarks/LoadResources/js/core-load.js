// The core of the load benchmark: no components. While a file of 1 GiB is copied and four scrypt derivations run, over and
// over until the copy is done, a timer of 1 ms is started anew each time it fires: how late it is, is how long a call of
// the core would have waited. It logs `bench <name> <nanoseconds>`, at the end `bench done`.

(function () {
    'use strict';

    const fs = platform.device_fs;
    const mebibyte = 1 << 20;
    const call = async (port, ...args) => __nativeCallDispatch(port, args);

    async function makeFile() {
        const piece = new Uint8Array(8 * mebibyte).fill(1);
        const file = await fs.open('gibibyte', 'w');
        for (let at = 0; at < 1024 * mebibyte; at += piece.length) { await file.write(piece, 0, piece.length, at); }
        await file.sync();
        await file.close();
    }

    /** Lateness of each firing, in nanoseconds, until `isOver` says so. */
    function lateness(isOver) {
        return new Promise(resolve => {
            const late = [];
            let due = performance.now() + 1;
            const timer = () => {
                const now = performance.now();
                late.push(Math.max(0, now - due) * 1e6);
                if (isOver()) {
                    resolve(late);
                } else {
                    due = performance.now() + 1;
                    setTimeout(timer, 1);
                }
            };
            setTimeout(timer, 1);
        });
    }

    async function measure() {
        await makeFile();
        let isCopied = false;
        const derive = async i => {
            const bytes = new Uint8Array(16).fill(i);
            while (!isCopied) { await call('nacl_scrypt', bytes, bytes, 17, 3, 1, 32); }
        };
        const work = [0, 1, 2, 3].map(derive);
        work.push(fs.copyFile('gibibyte', 'copy').finally(() => { isCopied = true; }));
        const late = (await lateness(() => isCopied)).sort((a, b) => a - b);
        await Promise.all(work);
        if ((await fs.stat('copy')).size !== 1024 * mebibyte) { throw new Error('the copy is not whole'); }
        console.log('bench', 'load-p99', late[Math.ceil(late.length * 0.99) - 1]);
        console.log('bench', 'load-longest', late.at(-1));
        console.log('bench', 'done', 0);
    }

    const dispatch = {
        async init() {
            setTimeout(() => measure().catch(error => console.error('bench failed', error.message ?? error)), 0);
            return { login: 'logged-in', userId: 'bench' };
        },
        async getSignedUserIdEventually() { return 'bench'; },
        listComponents() { return { components: [], problems: [] }; },
        evaluateRest() {},
        giveStartupCommands() {},
    };

    globalThis.__coreDispatch = dispatch;
    globalThis.__coreCall = (name, arg) => dispatch[name](arg);
    globalThis.__coreCallAsync = async (name, arg) => dispatch[name](arg);
})();

// The core's lives: made, started, signed in, closed, made anew for the next user. `core-load.js` takes `CoreSession`
// from here.
'use strict';
{

const { Autologin } = globalThis.__platformParts;

const refusal = (flag, message) => ({ runtimeException: true, type: 'login', [flag]: true, message });

/** As the core's library compares addresses. */
const canonical = address => String(address).replace(/\s+/g, '').toLowerCase();
const isSameUser = (left, right) => canonical(left) === canonical(right);

const inWords = reason => String(reason?.message ?? reason?.type ?? reason);

/**
 * `conf`: `{dataDir, local?}`, the core's own; `makeCore(conf)` gives a core; `signedIn(core)` readies the platform for
 * its user; `expectedUser`: who alone is signed in automatically. `report(percent)` and `report(text)` of the methods
 * below say how far a login is.
 */
class CoreSession {
    #conf;
    #makeCore;
    #signedIn;
    #expectedUser;
    #autologin;
    /** `{core, caps, signedIn}`: caps are those for start-up; `signedIn` resolves with the user's id. */
    #life;
    #userId;
    #isSigningIn = false;
    #nextUser = Promise.withResolvers();

    constructor({ conf, makeCore, signedIn, expectedUser }) {
        this.#conf = conf;
        this.#makeCore = makeCore;
        this.#signedIn = signedIn;
        this.#expectedUser = expectedUser;
        this.#autologin = new Autologin(conf.dataDir);
    }

    /** Undefined until a user is signed in. */
    get userId() { return this.#userId; }

    get isSigningIn() { return this.#isSigningIn; }

    /** The core of the signed-in user. */
    get core() {
        if (this.#userId === undefined) {
            throw refusal('notLoggedIn', 'nobody is logged in; `corehost login ADDRESS` comes first');
        }
        return this.#life.core;
    }

    /** For sign-in and sign-up; undefined while a user is signed in, or being signed in by the device's key. */
    get startupCaps() { return this.#userId === undefined ? this.#life?.caps : undefined; }

    /** Resolves with the next user who gets signed in; at once, if one is. */
    signedInUser() { return this.#nextUser.promise; }

    /** `{login: 'logged-in' | 'logging-in', userId}` or `{login: 'not-logged-in', problem?}`. */
    async start() {
        if (this.#conf.local) {
            this.#open();
            return { login: 'logged-in', userId: await this.#life.signedIn };
        }
        const { problem, userId } = await this.#startFromCache();
        if (userId !== undefined) { return { login: 'logging-in', userId }; }
        this.#open();
        return { login: 'not-logged-in', ...(problem ? { problem } : {}) };
    }

    /** Waits for the login that `start` has begun: `{userId}`, or `{problem}` once a core waits for a sign-in. */
    async finishAutologin(report) {
        const life = this.#life;
        const stop = watchBoot(life, report);
        try {
            return { userId: await life.signedIn };
        } catch (reason) {
            if (life !== this.#life) { throw reason; }
            await this.#renew(life);
            return { problem: `automatic login failed: ${inWords(reason)}` };
        } finally {
            stop();
            if (life === this.#life) { this.#isSigningIn = false; }
        }
    }

    /** `{userId}` or `{refused: 'wrongPassword' | 'unknownUser'}`; rejects with what goes wrong in the core. */
    signIn(address, password, report) {
        return this.#attempt(report, caps => caps.signIn, async signIn => {
            const known = (await signIn.getUsersOnDisk()).find(user => isSameUser(user, address));
            if (known !== undefined) {
                return (await signIn.useExistingStorage(known, password, report)) ? undefined : 'wrongPassword';
            }
            const isElsewhere = await startRemoteLogin(signIn, address);
            if (isElsewhere === undefined) {
                // A folder from another device: the core finds its user by the password alone.
                return (await signIn.useExistingStorage(address, password, report)) ? undefined : 'unknownUser';
            }
            if (!isElsewhere) { return 'unknownUser'; }
            return (await signIn.completeLoginAndLocalSetup(password, report)) ? undefined : 'wrongPassword';
        });
    }

    /** `{userId}` or `{refused: 'addressTaken'}`: the new user is signed in. */
    signUp(address, password, report) {
        return this.#attempt(report, caps => caps.signUp, async signUp => {
            await signUp.createUserParams(password, report);
            return (await signUp.addUser(address)) ? undefined : 'addressTaken';
        });
    }

    async #attempt(report, capOf, body) {
        const life = this.#life;
        const cap = this.startupCaps && capOf(this.startupCaps);
        if (!cap) { throw refusal('notNow', 'this core takes no sign-in or sign-up now'); }
        if (this.#isSigningIn) { throw refusal('notNow', 'a login is under way'); }
        this.#isSigningIn = true;
        const stop = watchBoot(cap, report);
        try {
            const refused = await body(cap);
            if (life !== this.#life) { throw refusal('givenUp', 'the login was given up'); }
            if (refused !== undefined) { return { refused }; }
            return { userId: await life.signedIn.catch(reason => this.#failed(life, reason)) };
        } finally {
            stop();
            if (life === this.#life) { this.#isSigningIn = false; }
        }
    }

    /** A core that has let a user in, and is no use to him, waits for the next one. */
    async #failed(life, reason) {
        if (life === this.#life) { await this.#renew(life); }
        throw reason;
    }

    async #renew(life) {
        this.#life = undefined;
        this.#isSigningIn = false;
        this.#autologin.forget();
        await life.core.close();
        this.#open();
    }

    /**
     * Ends the user's time: the core is closed and made anew. Automatic login ends with it, for who logs out does not
     * want to be back with the next start. Given in the middle of a login, it ends that.
     */
    async logout() {
        const life = this.#life;
        const userId = this.#userId;
        if (userId !== undefined) { this.#nextUser = Promise.withResolvers(); }
        this.#userId = undefined;
        if (userId !== undefined) {
            await this.setAutologin(false, userId).catch(reason => console.error(
                `the automatic login of ${userId} could not be ended; remove the file of its key:`, reason));
        }
        if (life) { await this.#renew(life); }
    }

    /** `[{address, loggedIn, autologin}]` */
    async users() {
        const { entry } = await this.#autologin.read();
        const onDisk = await this.#usersOnDisk();
        const isUser = (user, other) => other !== undefined && isSameUser(user, other);
        return onDisk.map(address => ({
            address, loggedIn: isUser(address, this.#userId), autologin: isUser(address, entry?.userId),
        }));
    }

    async #usersOnDisk() {
        const caps = this.#life?.caps;
        // The embedded core lists its users also after a start without `start()`.
        const listed = await (caps?.signIn ?? this.#life?.core)?.getUsersOnDisk?.();
        return listed ?? (this.#userId === undefined ? [] : [this.#userId]);
    }

    /** `{on, user}`: whether the device's key lets a user in, and whom. */
    async autologin() {
        const { entry } = await this.#autologin.read();
        return { on: entry !== undefined, user: entry?.userId ?? null };
    }

    /** Whether the core has given a key that lets the signed-in user in. */
    canAutologin() { return this.#userId !== undefined && this.#autologin.canBeSetFor(this.#userId); }

    /** Without a user, and in a run for somebody else, it can only be ended. */
    async setAutologin(isOn, userId = this.#userId) {
        if (isOn) {
            await this.#autologin.set(userId);
        } else {
            const { entry } = await this.#autologin.read();
            if (userId === undefined || entry === undefined || isSameUser(entry.userId, userId)) {
                await this.#autologin.remove();
            }
        }
    }

    async #startFromCache() {
        const { entry, problem } = await this.#autologin.read();
        if (!entry) { return { problem }; }
        const { userId, storageKey } = entry;
        if (this.#expectedUser !== undefined && !isSameUser(this.#expectedUser, userId)) {
            return {
                problem: `automatic login is set for ${userId}, and this run is for ${this.#expectedUser} alone; `
                    + `log in with \`corehost login ${this.#expectedUser}\`, or run without --user`,
            };
        }
        const core = this.#makeCore(this.#conf);
        let started;
        try {
            started = await core.startDirectlyFromCache(userId, storageKey);
            if (!started) { throw new Error('nothing of that user is kept here'); }
        } catch (reason) {
            await core.close();
            return { problem: `automatic login of ${userId} failed: ${inWords(reason)}` };
        }
        this.#autologin.hold(userId, storageKey);
        this.#isSigningIn = true;
        this.#begin(core, started, undefined);
        return { userId };
    }

    #open() {
        const core = this.#makeCore(this.#conf);
        const keep = this.#conf.local ? undefined : (userId, key) => this.#autologin.renew(userId, key);
        const started = core.start(keep);
        this.#begin(core, started, started.capsForStartup);
    }

    #begin(core, { coreInit, coreAppsInit, watchBoot: watch }, caps) {
        const life = { core, caps, watchBoot: watch, signedIn: undefined };
        life.signedIn = Promise.all([coreInit, coreAppsInit]).then(async ([userId]) => {
            if (this.#life === life) { await this.#signedIn(core); }
            // The user of a core that was closed meanwhile.
            if (this.#life !== life) { throw refusal('givenUp', 'the login was given up'); }
            this.#userId = userId;
            this.#nextUser.resolve(userId);
            return userId;
        });
        life.signedIn.catch(reason => {
            // Whoever signs in is told.
            if (this.#life === life && !this.#isSigningIn && !this.#conf.local) {
                console.error('the core that waits for a login has failed:', reason);
            }
        });
        this.#life = life;
    }
}

/** Undefined where the core has no servers to ask. */
async function startRemoteLogin(signIn, address) {
    try {
        return await signIn.startLoginToRemoteStorage(address);
    } catch (exception) {
        if (exception?.notAvailable === true) { return undefined; }
        throw exception;
    }
}

/** What the core tells of its start, as texts for `report`. Gives a function that ends it. */
function watchBoot(source, report) {
    const tell = event => report(String(event?.message ?? event?.type ?? JSON.stringify(event)));
    return source.watchBoot?.({ next: tell, error: () => {}, complete: () => {} }) ?? (() => {});
}

globalThis.__platformParts.CoreSession = CoreSession;
}

// Selecting entries of a folder and of those in it.
'use strict';
{

const { fileException, badArgument, isRecord, isWhole, flagOf, nameMatcher } = globalThis.__embeddedCore;
const OBJ_TYPE = Symbol.for('w3n obj_type');

/** Items of a selection, and names that are looked at before others have their turn. */
const mostItems = 10_000;
const namesAtOnce = 64;

/** `{isWanted(entry), depth}` of the criteria that a component gives. */
function criteriaOf(path, given) {
    if (!isRecord(given)) { throw badArgument(path, 'criteria are no object {name, action, type?, depth?}'); }
    const matches = nameMatcher(path, given.name);
    const isIncluding = given.action === 'include';
    if (!isIncluding && given.action !== 'exclude') { throw badArgument(path, '"action" is not include or exclude'); }
    const kinds = given.type === undefined || given.type === null ? Object.keys(flagOf) : [given.type].flat();
    if (!kinds.every(kind => typeof kind === 'string' && Object.hasOwn(flagOf, kind))) {
        throw badArgument(path, '"type" is none of file, folder, link, nor a list of these');
    }
    const depth = given.depth ?? Infinity;
    if (depth !== Infinity && !isWhole(depth)) { throw badArgument(path, '"depth" is no whole number'); }
    return { isWanted: ({ name, kind }) => (kinds.includes(kind) && matches(name)) === isIncluding, depth };
}

/** What was found, by path from the folder where the search began: `/a/b`. Grows until the search is over. */
class FSCollection {
    #items = new Map();
    #observers = new Set();
    #isComplete = false;

    get [OBJ_TYPE]() { return 'FSCollection'; }

    async get(path) { return this.#items.get(path); }
    async getAll() { return [...this.#items]; }
    async entries() { return new FSEntries([...this.#items]); }

    watch(observer) {
        if (this.#isComplete) {
            observer.complete?.();
            return () => {};
        }
        this.#observers.add(observer);
        return () => { this.#observers.delete(observer); };
    }

    add(path, item) {
        this.#items.set(path, item);
        for (const observer of [...this.#observers]) { observer.next?.({ type: 'entry-addition', path, item }); }
    }

    get size() { return this.#items.size; }

    complete() {
        this.#isComplete = true;
        for (const observer of [...this.#observers]) { observer.complete?.(); }
        this.#observers.clear();
    }
}

/** An iterator over what was found when it was made. */
class FSEntries {
    #entries;
    #index = 0;

    constructor(entries) { this.#entries = entries; }

    get [OBJ_TYPE]() { return 'FSEntries'; }

    async next() {
        if (this.#index >= this.#entries.length) { return { done: true }; }
        this.#index += 1;
        return { done: false, value: this.#entries[this.#index - 1] };
    }
}

/**
 * `fs` is the folder as a file system of its own, `names` its place. Gives `{items, completion}`; links are not
 * followed, folders that go away meanwhile are left out.
 */
function select(view, fs, path, names, given) {
    const { isWanted, depth } = criteriaOf(path, given);
    const items = new FSCollection();
    const { home } = view;
    let isOver = false;
    const forget = home.holdings.hold('selection', path, () => { isOver = true; });

    async function search(folder, inside, left) {
        const entries = await home.tree.list(folder);
        for (const [i, { name, kind }] of entries.entries()) {
            if (i % namesAtOnce === namesAtOnce - 1) { await new Promise(resolve => setTimeout(resolve, 0)); }
            if (isOver || !view.isOpen) {
                throw fileException('EPERM', path, 'the search was ended', { storageClosed: true });
            }
            const location = `${inside}/${name}`;
            if (isWanted({ name, kind })) {
                if (items.size >= mostItems) {
                    throw fileException('EFBIG', path, `more than ${mostItems} items match; search for less at once`);
                }
                items.add(location, { [flagOf[kind]]: true, location: { fs, path: location } });
            }
            if (kind !== 'folder' || left === 0) { continue; }
            await search([...folder, name], location, left - 1).catch(exception => {
                if (!exception.notFound && !exception.notDirectory) { throw exception; }
            });
        }
    }

    const completion = search(names, '', depth).finally(() => {
        forget();
        items.complete();
    });
    // Its failure is told to whom it is given, who need not look.
    completion.catch(() => {});
    return { items, completion };
}

Object.assign(globalThis.__embeddedCore, { select });
}

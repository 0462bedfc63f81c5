// Treasure: one JSON file per note in local storage; what is in memory is an index over them.

const files = await w3n.storage.getAppLocalFS();
const notes = await readNotes();
await w3n.log('info', `${notes.size} notes`);

async function readNotes() {
    await files.makeFolder('notes');
    const read = new Map();
    for (const { name } of await files.listFolder('notes')) {
        try {
            const note = await files.readJSONFile(`notes/${name}`);
            read.set(note.id, note);
        } catch (exception) {
            await w3n.log('error', `notes/${name} is left out: ${exception.message}`);
        }
    }
    return read;
}

const failure = (flag, message, fields) =>
    ({ runtimeException: true, type: 'treasure', [flag]: true, message, ...fields });

/** Changes one after the other, so that each sees what the earlier ones left. */
let lastChange = Promise.resolve();
function inOrder(change) {
    const result = lastChange.then(change);
    lastChange = result.catch(() => {});  // its caller has the exception
    return result;
}

function checked(note) {
    const { title, text = '', tags = [] } = note ?? {};
    if (typeof title !== 'string' || title.trim() === '' || title.length > 200) {
        throw failure('badNote', `"title" is ${JSON.stringify(title)}; give a string of 1 to 200 characters`);
    }
    if (typeof text !== 'string' || text.length > 1_000_000) {
        throw failure('badNote', '"text" is no string of at most 1000000 characters; shorten it');
    }
    if (!Array.isArray(tags) || tags.some(tag => typeof tag !== 'string' || tag === '')) {
        throw failure('badNote', `"tags" is ${JSON.stringify(tags)}; give a list of strings`);
    }
    return { title: title.trim(), text, tags: [...new Set(tags)].sort() };
}

function noteWith(id) {
    const note = notes.get(id);
    if (!note) { throw failure('noteNotFound', `no note ${JSON.stringify(id)}; list them for ids`, { id }); }
    return note;
}

async function keep(note) {
    await files.writeJSONFile(`notes/${note.id}.json`, note);
    notes.set(note.id, note);
    return note;
}

const newestFirst = (a, b) => b.changedAt - a.changedAt || a.id.localeCompare(b.id);

w3nRPC.serve('TreasureNotes', {
    add: note => inOrder(async () => {
        const now = Date.now();
        return keep({ id: crypto.randomUUID(), ...checked(note), addedAt: now, changedAt: now });
    }),

    /** Changes the given fields of a note and leaves the others. */
    update: (id, changes) => inOrder(async () => {
        const note = noteWith(id);
        return keep({ ...note, ...checked({ ...note, ...changes }), changedAt: Date.now() });
    }),

    get: async id => noteWith(id),

    /** All notes, or those with a tag, the last changed first; without their text. */
    list: async tag => [...notes.values()]
        .filter(({ tags }) => tag === undefined || tags.includes(tag))
        .sort(newestFirst)
        .map(({ text, ...note }) => note),

    delete: id => inOrder(async () => {
        noteWith(id);
        await files.deleteFile(`notes/${id}.json`);
        notes.delete(id);
    }),
});

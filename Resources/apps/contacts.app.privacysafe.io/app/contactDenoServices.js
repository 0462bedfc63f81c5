// Contacts: one JSON file per contact in local storage; what is in memory is an index over them.

const files = await w3n.storage.getAppLocalFS();
const contacts = await readContacts();
await w3n.log('info', `${contacts.size} contacts`);

async function readContacts() {
    await files.makeFolder('contacts');
    const read = new Map();
    for (const { name } of await files.listFolder('contacts')) {
        try {
            const contact = await files.readJSONFile(`contacts/${name}`);
            read.set(contact.id, contact);
        } catch (exception) {
            await w3n.log('error', `contacts/${name} is left out: ${exception.message}`);
        }
    }
    return read;
}

const failure = (flag, message, fields) =>
    ({ runtimeException: true, type: 'contacts', [flag]: true, message, ...fields });

/** Changes one after the other, so that each sees what the earlier ones left. */
let lastChange = Promise.resolve();
function inOrder(change) {
    const result = lastChange.then(change);
    lastChange = result.catch(() => {});  // its caller has the exception
    return result;
}

function textIn(holder, field, { isNeeded = false, maxLength = 200 } = {}) {
    const text = holder[field] ?? '';
    if (typeof text !== 'string') { throw failure('badContact', `"${field}" is no string; give one`, { field }); }
    const trimmed = text.trim();
    if (isNeeded && trimmed === '') { throw failure('badContact', `"${field}" is empty; give one`, { field }); }
    if (trimmed.length > maxLength) {
        throw failure('badContact', `"${field}" has ${trimmed.length} characters; ${maxLength} are allowed`, { field });
    }
    return trimmed;
}

function checked(contact) {
    if (typeof contact !== 'object' || contact === null) {
        throw failure('badContact', `a contact is {name, mail?, phone?, notes?}, not ${JSON.stringify(contact)}`);
    }
    const mail = textIn(contact, 'mail').toLowerCase();
    if (mail !== '' && !/^[^@\s]+@[^@\s]+$/.test(mail)) {
        throw failure('badContact', `"mail" is ${mail}; give an address like ana@example.com`, { field: 'mail' });
    }
    return {
        name: textIn(contact, 'name', { isNeeded: true }), mail, phone: textIn(contact, 'phone'),
        notes: textIn(contact, 'notes', { maxLength: 10_000 }),
    };
}

function contactWith(id) {
    const contact = contacts.get(id);
    if (!contact) { throw failure('contactNotFound', `no contact ${JSON.stringify(id)}; list them for ids`, { id }); }
    return contact;
}

const byName = (a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id);

w3nRPC.serve('AppContacts', {
    add: contact => inOrder(async () => {
        const fields = checked(contact);
        const known = fields.mail !== '' && [...contacts.values()].find(({ mail }) => mail === fields.mail);
        if (known) {
            throw failure('contactExists', `${known.name} has mail ${known.mail} already; delete that one first`,
                { id: known.id });
        }
        const added = { id: crypto.randomUUID(), ...fields, addedAt: Date.now() };
        await files.writeJSONFile(`contacts/${added.id}.json`, added);
        contacts.set(added.id, added);
        return added;
    }),

    list: async () => [...contacts.values()].sort(byName),

    get: async id => contactWith(id),

    find: async text => {
        if (typeof text !== 'string') { throw failure('badQuery', 'what to find is no string; give a part of a name'); }
        const part = text.trim().toLowerCase();
        const has = value => value.toLowerCase().includes(part);
        return [...contacts.values()].filter(({ name, mail }) => has(name) || has(mail)).sort(byName);
    },

    delete: id => inOrder(async () => {
        contactWith(id);
        await files.deleteFile(`contacts/${id}.json`);
        contacts.delete(id);
    }),
});

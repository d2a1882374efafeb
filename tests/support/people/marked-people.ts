import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { picture } from '#tests/support/app/uploads-app.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { askSupport } from './marked-support.ts';
import { type RunningApp, codeIn, solved } from '#tests/support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';

/** Unique values that make a person's data findable anywhere. */
export type Marks = ReturnType<typeof marksOf>;

/** @param who one word; @param digits three of them, for the numbers. */
export const marksOf = (who: string, digits: string) => ({
  name: `Usaha Nama${who}`,
  phone: `62812${digits}700001`,
  newPhone: `62813${digits}700002`,
  email: `email${who}@contoh.id`.toLowerCase(),
  ip: `198.51.${Number(digits) % 250}.9`,
  agent: `Browser${who}/1.0`,
  tokenName: `Kasir${who}`,
  linkedPhone: `62857${digits}700003`,
  peer: `62821${digits}700004`,
  sent: `KabarKeluar${who}`,
  answered: `KabarMasuk${who}`,
  peerName: `Pelanggan${who}`,
  fileName: `Catatan${who}.txt`,
  fileText: `IsiBerkas${who}`,
  payer: `PENGIRIM${who}`.toUpperCase(),
  buyer: `Perseroan${who}`,
  address: `Jalan${who} Raya 7`,
  npwp: `0${digits}567890123456`.slice(0, 16),
  asked: `Pertanyaan${who}`,
  replied: `Jawaban${who}`,
  repliedFile: `IsiJawaban${who}`,
  viewName: `Tampilan${who}`,
  replyText: `BalasanCepat${who}`,
});

/** An internal note of operators about a person: erased with the person, but not exported. */
export const noteAbout = ({ name }: Pick<Marks, 'name'>): string => `Catatan tentang ${name}`;

export const PASSWORD = 'kuda-besi-di-tepi-sawah';

/** A person with data everywhere, and their browser's session. */
export type MarkedPerson = {
  marks: Marks;
  accountId: string;
  userId: string;
  apiKey: string;
  codes: Map<string, string>;
  ask: (act: string, fields?: Record<string, unknown>) => ReturnType<RunningApp['ask']>;
};

/** The next unread code in a phone. */
export function nextCode(
  running: RunningApp,
  read: Map<string, string>,
  phone: string,
): Promise<string> {
  return waitFor(async () => {
    const code = await codeIn(running, phone);
    if (code === undefined || code === read.get(phone)) throw new Error('no new code yet');
    read.set(phone, code);
    return code;
  });
}

async function register(
  running: RunningApp,
  marks: Marks,
  codes: Map<string, string>,
): Promise<MarkedPerson> {
  const headers: Record<string, string> = { 'user-agent': marks.agent };
  const registered = await running.ask('user_register', {
    name: marks.name,
    phone: marks.phone,
    password: PASSWORD,
    agree: '1',
    captcha: await solved(running, 'user_register'),
  });
  headers['cookie'] = String(registered.headers['set-cookie']).split(';')[0] ?? '';
  const { challenge } = registered.body.data;
  const code = await nextCode(running, codes, marks.phone);
  const from = { headers, ip: marks.ip };
  const signed = await running.ask('user_verify_otp', { challenge, code }, from);
  const { token, user } = signed.body.data;
  return {
    marks,
    accountId: uuidOf('account', user.account_id) ?? '',
    userId: uuidOf('user', user.id) ?? '',
    apiKey: '',
    codes,
    ask: (act, fields = {}) =>
      running.ask(act, { token, key: crypto.randomUUID(), ...fields }, from),
  };
}

async function upload(running: RunningApp, person: MarkedPerson, name: string, bytes: Buffer) {
  const purpose = name.endsWith('.png') ? 'avatar' : 'chat';
  return running.container.media.uploads.take(person, {
    purpose,
    declared: '',
    name,
    lengthBytes: bytes.length,
    bytes: (async function* () {
      yield bytes;
    })(),
  });
}

async function talk(running: RunningApp, person: MarkedPerson): Promise<string> {
  const { marks, ask } = person;
  const made = await ask('token_create', { name: marks.tokenName, channel: 'simulator' });
  const { key, token } = made.body.data;
  const link = await ask('token_link', { token_id: token.id });
  const data = String(link.body.data.path).split('/').at(-1);
  const { nonce } = (await ask('scan_consent', { data })).body.data;
  const { qr } = (await ask('scan_get', { data, nonce, key: undefined })).body.data;
  await running.ask('simulator_scan', { phone: marks.linkedPhone, text: qr.text });
  await ask('message_view_save', { name: marks.viewName, status: 'failed' });
  await ask('quick_reply_save', { name: 'salam', text: marks.replyText });
  await ask('message_send', { token_id: token.id, to: marks.peer, text: marks.sent });
  await running.ask('simulator_reply', {
    phone: marks.peer,
    to: marks.linkedPhone,
    text: marks.answered,
  });
  await running.container.subscribers.messageArrived({
    accountId: person.accountId,
    tokenId: uuidOf('token', token.id) ?? '',
    from: marks.peer,
    name: marks.peerName,
    type: 'text',
    body: { text: marks.answered },
    at: new Date(),
    providerId: crypto.randomUUID(),
  });
  // A scheduled message, with its price reserved.
  await running.app.inject({
    method: 'POST',
    url: '/v1/messages',
    headers: { authorization: `Bearer ${key}` },
    payload: {
      to: marks.peer,
      text: { body: marks.sent },
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  });
  await waitFor(async () => {
    const talks = (await ask('conversation_list', { key: undefined })).body;
    if (talks.data[0]?.unread !== 2) throw new Error('not answered yet');
  });
  return key;
}

/**
 * A registered person who changed their number, with a picture and a file, a linked token, messages out, in and
 * planned, a paid top-up, its invoice, and a question to customer service.
 * @param shared bytes of a file that others have too.
 * @param codes codes already read in their phones.
 */
export async function markedPerson(
  running: RunningApp,
  marks: Marks,
  shared: Buffer,
  codes = new Map<string, string>(),
): Promise<MarkedPerson> {
  const person = await register(running, marks, codes);
  const { ask } = person;
  const { buyer, address, npwp, email } = marks;
  await ask('billing_profile_save', { name: buyer, address, npwp, email });
  const topup = (await ask('topup_create', { amount: 50_000 })).body.data;
  await running.ask('simulator_transfer', { amount: topup.total, sender: marks.payer });
  const invoice = (await ask('invoice_pdf', { invoice_id: topup.id.replace('TU-', 'inv_') })).body;
  await running.app.inject({ url: invoice.data.url });
  await upload(running, person, marks.fileName, Buffer.from(marks.fileText));
  await upload(running, person, 'sama.txt', shared);
  const face = await upload(running, person, `${marks.fileName}.png`, await picture('png'));
  const { body } = await ask('user_update', {
    email: marks.email,
    avatar: publicId('upload', face),
  });
  if (body.code !== 1) throw new Error(body.msg);
  const apiKey = await talk(running, person);
  const { asked, replied, repliedFile: file } = marks;
  const words = { asked, replied, file, note: noteAbout(marks) };
  await askSupport(running, { ...person, words });

  const changing = (await ask('user_change_phone', { phone: marks.newPhone })).body.data;
  const changed = await ask('user_change_phone_confirm', {
    old_challenge: changing.old.challenge,
    old_code: await nextCode(running, person.codes, marks.phone),
    new_challenge: changing.new.challenge,
    new_code: await nextCode(running, person.codes, marks.newPhone),
  });
  if (changed.body.code !== 1) throw new Error(changed.body.msg);
  // The notice to the former number is sent after the answer.
  await waitFor(async () => {
    const { data } = (await running.ask('simulator_phone', { phone: marks.phone })).body;
    return JSON.stringify(data.lines).includes(`berakhiran ${marks.newPhone.slice(-4)}`);
  });
  return { ...person, apiKey };
}

/** Spellings of a mark: unchanged, a number in groups, and the bytes of a bytea. */
const waysOf = (mark: string): string[] => {
  const grouped = /^62(\d{3})(\d{4})(\d+)$/.exec(mark);
  const plain = grouped ? [mark.slice(2), grouped.slice(1).join('-')] : [mark];
  return plain.flatMap((way) => [way, Buffer.from(way).toString('hex')]);
};

export const marksIn = (text: string, marks: Marks): string[] =>
  Object.entries(marks)
    .filter(([, mark]) => {
      const low = text.toLowerCase();
      return waysOf(mark).some((way) => low.includes(way.toLowerCase()));
    })
    .map(([name]) => name);

/** Every row of every table as text, `bytea` as hex, as in a dump of the database. */
export async function dumpOf(owner: Sql): Promise<Record<string, string[]>> {
  const tables = await owner<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`;
  const dump: Record<string, string[]> = {};
  for (const { name } of tables) {
    const found = await owner.query<{ line: string }[]>(
      `select line::text as line from ${name} line order by 1`,
    );
    dump[name] = found.map(({ line }) => line);
  }
  return dump;
}

/** Every file below a folder as text, by path; omits those that vanish meanwhile. */
export async function filesIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of await readdir(folder, { recursive: true })) {
    const isFile = (await stat(join(folder, path)).catch(unlessGone))?.isFile() === true;
    const text = isFile
      ? await readFile(join(folder, path), 'latin1').catch(unlessGone)
      : undefined;
    if (text !== undefined) found[path] = text;
  }
  return found;
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

export async function unzip(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(bytes);
  const found: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    found[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString();
  }
  return found;
}

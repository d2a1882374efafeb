import { afterEach, beforeEach, expect, test, vi } from 'vitest';
const uploads = vi.hoisted(() => ({ done: [] as string[], reverted: [] as string[] }));
vi.mock('#web/api/uploads/uploadWire.ts', () => ({
  uploadServer: () => ({
    process: async ({ file }: { file: File }) => {
      uploads.done.push(file.name);
      return `upl_${uploads.done.length}`;
    },
    revert: async (id: string) => void uploads.reverted.push(id),
  }),
}));

const disk = vi.hoisted(() => ({ files: new Map<string, unknown>(), written: Promise.resolve() }));
vi.mock('#web/browser/push/records.ts', async (original) => ({
  ...(await original<object>()),
  readRecord: async (name: string) => disk.files.get(name),
  writeRecord: (name: string, file: unknown) =>
    disk.written.then(() => void disk.files.set(name, file)),
  forgetRecord: async (name: string) => void disk.files.delete(name),
}));

type Sent = { id: string; key: string; text: string; upload: string | undefined };
type Answer = () => Promise<unknown>;

const EXPIRES_MS = 12 * 3_600_000;

let storage: object;
let net: { onLine: boolean; locks: LockManager };
let page: EventTarget;
let sent: Sent[];
let answers: Answer[];
let arrived: string[];

const aStorage = () =>
  Object.create({
    getItem(this: Record<string, string>, name: string) {
      return Object.hasOwn(this, name) ? this[name] : null;
    },
    setItem(this: Record<string, string>, name: string, value: string) {
      this[name] = value;
    },
    removeItem(this: Record<string, string>, name: string) {
      delete this[name];
    },
  }) as object;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  storage = aStorage();
  page = new EventTarget();
  net = { onLine: true, locks: navigator.locks };
  [sent, answers, arrived] = [[], [], []];
  uploads.done.length = uploads.reverted.length = 0;
  disk.files.clear();
  disk.written = Promise.resolve();
  vi.stubGlobal('localStorage', storage);
  vi.stubGlobal('navigator', net);
  vi.stubGlobal('window', page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function aTab() {
  vi.resetModules();
  const outbox = await import('./outbox.ts');
  const errors = await import('#web/api/errors.ts');
  const { readUnsent } = await import('./unsent.ts');
  const start = () =>
    outbox.startOutbox<string>({
      kind: 'support',
      purpose: 'chat',
      expiresMs: EXPIRES_MS,
      send: async ({ id, body }, { key, upload }) => {
        sent.push({ id, key, text: body, upload });
        await answers.shift()?.();
        arrived.push(body);
        return () => undefined;
      },
    });
  const lost: Answer = () => Promise.reject(new errors.TransportError('network'));
  const refused =
    (code: string): Answer =>
    () => {
      const error = Object.assign(new Error(code), { code });
      errors.setRefusalText(error, { sentence: `Tidak: ${code}.`, fields: {}, definite: true });
      return Promise.reject(error);
    };
  const write = (text: string, file?: File) =>
    outbox.addUnsent({ kind: 'support', thread: 'own', body: text, file });
  return { ...outbox, readUnsent, start, lost, refused, write };
}

const settle = () => vi.advanceTimersByTimeAsync(0).then(() => new Promise(setImmediate));
const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
};

test('messages arrive once, in the order they were written', async () => {
  const { start, write, readUnsent } = await aTab();
  start();
  for (const text of ['satu', 'dua', 'tiga']) write(text);
  await settle();
  await settle();
  expect(arrived).toEqual(['satu', 'dua', 'tiga']);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(3);
  expect(readUnsent()).toEqual([]);
});

test('a message whose response was lost is resent automatically under its id, before later ones', async () => {
  const { start, write, lost, readUnsent } = await aTab();
  answers = [lost, lost];
  start();
  write('satu');
  write('dua');
  await settle();
  expect(sent).toHaveLength(1);
  expect(readUnsent()[0]).toMatchObject({ body: 'satu', why: expect.stringMatching(/koneksi/) });
  expect(readUnsent()[0]?.failed).toBeUndefined();
  await pass(2_000);
  expect(sent).toHaveLength(2);
  // The wait grows each time, to spare a failing server.
  await pass(2_000);
  expect(sent).toHaveLength(2);
  await pass(2_000);
  expect(sent.map(({ text }) => text)).toEqual(['satu', 'satu', 'satu', 'dua']);
  expect(new Set(sent.slice(0, 3).map(({ id, key }) => `${id} ${key}`)).size).toBe(1);
});

test('a refused message keeps its reason, and is resent under the same id, or discarded', async () => {
  const { start, write, refused, readUnsent, resend, dropUnsent } = await aTab();
  answers = [refused('support_too_many')];
  start();
  write('satu');
  write('dua');
  await settle();
  await settle();
  expect(arrived).toEqual(['dua']);
  const [line] = readUnsent();
  expect(line).toMatchObject({ body: 'satu', failed: true, why: 'Tidak: support_too_many.' });
  await pass(60_000);
  expect(sent).toHaveLength(2);
  answers = [refused('support_too_many')];
  resend(line!);
  await settle();
  expect(sent.at(-1)?.id).toBe(sent[0]?.id);
  // The server would repeat its refusal for the same key.
  expect(sent.at(-1)?.key).not.toBe(sent[0]?.key);
  dropUnsent(line!);
  expect(readUnsent()).toEqual([]);
});

test('a message waits while offline, also over a reload, and is sent once online', async () => {
  const before = await aTab();
  before.start();
  net.onLine = false;
  before.write('satu');
  before.write('dua');
  await settle();
  expect(sent).toEqual([]);
  const after = await aTab();
  after.start();
  await pass(60_000);
  expect(sent).toEqual([]);
  net.onLine = true;
  page.dispatchEvent(new Event('online'));
  await settle();
  await settle();
  expect(arrived).toEqual(['satu', 'dua']);
});

test('two tabs send a message once', async () => {
  const first = await aTab();
  const second = await aTab();
  let answer = () => undefined as void;
  answers = [() => new Promise<void>((go) => (answer = go))];
  first.start();
  second.start();
  first.write('satu');
  page.dispatchEvent(Object.assign(new Event('storage'), { key: 'kept:unsent 1' }));
  await settle();
  expect(sent).toHaveLength(1);
  answer();
  await settle();
  await settle();
  expect(sent).toHaveLength(1);
});

test('another tab sends a file that was written in a tab without the sending code, once it is stored', async () => {
  const first = await aTab();
  const second = await aTab();
  second.start();
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.written = promise;
  first.write('lihat', new File(['x'], 'kue.png', { type: 'image/png' }));
  page.dispatchEvent(Object.assign(new Event('storage'), { key: 'kept:unsent 1' }));
  await settle();
  await settle();
  expect(second.readUnsent()).toEqual([expect.not.objectContaining({ failed: true })]);
  resolve();
  await settle();
  await settle();
  expect(arrived).toEqual(['lihat']);
  expect(uploads.done).toEqual(['kue.png']);
});

test('a file is uploaded once, however often its message is retried, and again when the server has deleted it', async () => {
  const { start, write, lost, refused, readUnsent } = await aTab();
  answers = [lost, refused('upload_gone')];
  start();
  write('lihat', new File(['x'], 'kue.png', { type: 'image/png' }));
  await settle();
  expect(uploads.done).toEqual(['kue.png']);
  await pass(2_000);
  expect(uploads.done).toEqual(['kue.png', 'kue.png']);
  expect(sent.map(({ upload }) => upload)).toEqual(['upl_1', 'upl_1', 'upl_2']);
  expect(readUnsent()).toEqual([]);
});

test('a lost file is reported, and its message can be discarded', async () => {
  net.onLine = false;
  const before = await aTab();
  before.start();
  before.write('lihat', new File(['x'], 'kue.png', { type: 'image/png' }));
  await settle();
  disk.files.clear();
  net.onLine = true;
  const after = await aTab();
  after.start();
  await settle();
  await settle();
  expect(after.readUnsent()[0]).toMatchObject({
    failed: true,
    why: expect.stringMatching(/pilih sekali lagi/),
  });
});

test('a message discarded while it is being sent is not retried', async () => {
  const { start, write, lost, readUnsent, dropUnsent } = await aTab();
  let answer = () => undefined as void;
  answers = [() => new Promise<void>((go) => (answer = go)).then(lost)];
  start();
  write('satu');
  await settle();
  dropUnsent(readUnsent()[0]!);
  answer();
  await pass(60_000);
  expect(sent).toHaveLength(1);
  expect(readUnsent()).toEqual([]);
});

test('an old message is sent only when the person has it resent', async () => {
  const { start, write, readUnsent, resend } = await aTab();
  start();
  net.onLine = false;
  write('kemarin');
  await pass(EXPIRES_MS + 1_000);
  write('baru');
  await settle();
  net.onLine = true;
  page.dispatchEvent(new Event('online'));
  await settle();
  await settle();
  expect(arrived).toEqual(['baru']);
  const [old] = readUnsent();
  expect(old).toMatchObject({ body: 'kemarin', failed: true, why: 'Belum sempat terkirim.' });
  resend(old!);
  await settle();
  expect(arrived).toEqual(['baru', 'kemarin']);
});

test('messages that version 1.0.0 left unsent are sent, and refused ones kept', async () => {
  const tab = aStorage();
  vi.stubGlobal('sessionStorage', tab);
  const line = { id: 'a', thread: 'own', at: 2, text: 'Saldo saya?', why: 'Belum ada koneksi.' };
  const answer = { id: 'b', thread: 'acc_1', at: 3, text: 'Sudah kami cek.', internal: true };
  const text = { id: 'c', key: 'k', tokenId: 'tok_1', peer: '6281', at: 1, text: 'Siap kirim' };
  const refused = { ...text, id: 'd', key: 'l', at: 4, why: 'Saldo tidak cukup.', code: 'saldo' };
  const kept = { [`kept:support-line ${line.id}`]: line, 'kept:support-line b': answer };
  for (const [name, value] of Object.entries({ ...kept, 'kept:support-line x': 'broken' }))
    Object.assign(storage, { [name]: JSON.stringify(value) });
  Object.assign(tab, { 'kept:outgoing': JSON.stringify([text, refused]) });
  const { readUnsent } = await aTab();
  const { unsent } = await import('./unsent.ts');
  expect(unsent.get()).toEqual(readUnsent());
  const place = { tokenId: 'tok_1', peer: '6281' };
  expect(unsent.get()).toMatchObject([
    {
      id: 'c',
      key: 'k',
      kind: 'conversation',
      thread: 'tok_1 6281',
      failed: false,
      body: { ...place, text: 'Siap kirim' },
    },
    { id: 'a', kind: 'support', thread: 'own', body: { text: 'Saldo saya?' } },
    { id: 'b', kind: 'inbox', thread: 'acc_1', body: { text: 'Sudah kami cek.', internal: true } },
    { id: 'd', key: 'l', failed: true, code: 'saldo', why: 'Saldo tidak cukup.' },
  ]);
  expect(
    Object.keys({ ...storage, ...tab }).filter((name) => !name.startsWith('kept:unsent ')),
  ).toEqual([]);
});

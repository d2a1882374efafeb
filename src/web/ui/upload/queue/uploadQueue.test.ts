import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fault } from '#web/api/uploads/uploadFault.ts';
import { Uploads, type UploadSettings } from './uploadQueue.ts';
import type { UploadServer } from '#web/api/uploads/uploadWire.ts';

function slowServer() {
  const open: { name: string; answer: (id: string) => void; fail: (fault: Error) => void }[] = [];
  const reverted: string[] = [];
  let most = 0;
  const server: UploadServer = {
    process: ({ file, signal }) =>
      new Promise<string>((answer, fail) => {
        const close = () => open.splice(open.indexOf(call), 1);
        const call = {
          name: file.name,
          answer(id: string) {
            close();
            answer(id);
          },
          fail(fault: Error) {
            close();
            fail(fault);
          },
        };
        open.push(call);
        most = Math.max(most, open.length);
        signal.addEventListener('abort', () => call.fail(signal.reason as Error));
      }),
    revert: async (id) => void reverted.push(id),
    load: async () => {
      throw new Fault(404, 'Berkas tidak ditemukan.');
    },
  };
  return { server, open, reverted, most: () => most };
}

const settingsFor = (server: UploadServer, more: Partial<UploadSettings> = {}): UploadSettings => ({
  server,
  parallel: 2,
  instant: true,
  forceRevert: false,
  check: ({ name }) => (name.endsWith('.exe') ? { main: 'wrong type', sub: '' } : undefined),
  faultOf: (step, { sentence }) => ({ main: sentence ?? step, sub: '' }),
  discard: undefined,
  onNews: () => undefined,
  ...more,
});

const file = (name: string) => new File(['abc'], name);
const phases = (uploads: Uploads) =>
  Object.fromEntries(uploads.state().items.map(({ name, phase }) => [name, phase]));
const keyOf = (uploads: Uploads, name: string) =>
  uploads.state().items.find((item) => item.name === name)?.key ?? '';
const settled = () => new Promise<void>((done) => void setTimeout(done, 0));

test('sends two files at a time, the third when one is done, and never one of a wrong type', async () => {
  const { server, open } = slowServer();
  const uploads = new Uploads(() => settingsFor(server));
  uploads.add(['a', 'b', 'virus.exe', 'c'].map(file), 0);
  expect(phases(uploads)).toEqual({
    a: 'processing',
    b: 'processing',
    'virus.exe': 'load-invalid',
    c: 'queued',
  });
  open[0]?.answer('upl_a');
  await settled();
  expect(open.map(({ name }) => name)).toEqual(['b', 'c']);
});

test('keeps a cancelled file, ignores late answers for it, and sends it again', async () => {
  const { server, open } = slowServer();
  const uploads = new Uploads(() => settingsFor(server));
  uploads.add([file('a')], 0);
  uploads.abort(keyOf(uploads, 'a'));
  await settled();
  expect(phases(uploads)).toEqual({ a: 'cancelled' });
  expect(open).toEqual([]);
  uploads.start(keyOf(uploads, 'a'));
  open[0]?.fail(new Fault(415, 'Jenis berkas ini tidak diterima di sini.'));
  await settled();
  expect(uploads.state().items[0]).toMatchObject({
    phase: 'processing-error',
    fault: { main: 'Jenis berkas ini tidak diterima di sini.' },
  });
});

test('reverts a removed upload at the server, but not a used one', async () => {
  const { server, open, reverted } = slowServer();
  const uploads = new Uploads(() => settingsFor(server));
  uploads.add(['a', 'b'].map(file), 0);
  open[0]?.answer('upl_a');
  open[0]?.answer('upl_b');
  await settled();
  uploads.forget(['upl_a']);
  uploads.remove(keyOf(uploads, 'b'));
  expect(uploads.state().items).toEqual([]);
  expect(reverted).toEqual(['upl_b']);
});

test('keeps an upload that cannot be reverted only with forceRevert', async () => {
  const { server, open } = slowServer();
  const stubborn = { ...server, revert: () => Promise.reject(new Fault(503)) };
  for (const forceRevert of [true, false]) {
    const uploads = new Uploads(() => settingsFor(stubborn, { forceRevert }));
    uploads.add([file('a')], 0);
    open[0]?.answer('upl_a');
    await settled();
    uploads.revert(keyOf(uploads, 'a'));
    await settled();
    expect(phases(uploads)).toEqual(forceRevert ? { a: 'processing-revert-error' } : {});
  }
});

test('marks a file missing on the server as invalid, with the server’s message', async () => {
  const uploads = new Uploads(() => settingsFor(slowServer().server));
  uploads.addStored([{ id: 'upl_gone', origin: 'limbo' }]);
  uploads.addLinks(['https://contoh.id/katalog.pdf'], 0);
  await settled();
  expect(uploads.state().items.map(({ phase, fault }) => [phase, fault?.main])).toEqual([
    ['load-invalid', 'Berkas tidak ditemukan.'],
    ['load-invalid', 'Berkas tidak ditemukan.'],
  ]);
});

test('deletes a stored file for good before it leaves the list', async () => {
  const discarded: string[] = [];
  let refuses = true;
  const discard = async (id: string) => {
    if (refuses) throw new Fault(500);
    discarded.push(id);
  };
  const uploads = new Uploads(() => settingsFor(slowServer().server, { discard }));
  uploads.addStored([{ id: 'fil_1', origin: 'local', name: 'ktp.png', size: 3 }]);
  uploads.remove(keyOf(uploads, 'ktp.png'));
  await settled();
  expect(phases(uploads)).toEqual({ 'ktp.png': 'remove-error' });
  refuses = false;
  uploads.remove(keyOf(uploads, 'ktp.png'));
  await settled();
  expect([phases(uploads), discarded]).toEqual([{}, ['fil_1']]);
});

test('sends at most two at a time and finishes all, for any actions and answers', async () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'abort', 'start', 'remove', 'revert', 'answer', 'fail', 'move'),
    nth: fc.nat({ max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { server, open, most } = slowServer();
      const uploads = new Uploads(() => settingsFor(server));
      let made = 0;
      for (const { what, nth } of steps) {
        const key =
          uploads.state().items[nth % Math.max(1, uploads.state().items.length)]?.key ?? '';
        const call = open[nth % Math.max(1, open.length)];
        if (what === 'add') uploads.add([file(`f${made++}`)], nth);
        else if (what === 'answer') call?.answer(`upl_${made++}`);
        else if (what === 'fail') call?.fail(new Fault(500));
        else if (what === 'move') uploads.move(key, nth);
        else uploads[what](key);
        await settled();
        const { items } = uploads.state();
        const sending = items.filter(({ phase }) => phase === 'processing').map(({ name }) => name);
        expect(open.map(({ name }) => name).toSorted()).toEqual(sending.toSorted());
        // No item waits while there is capacity.
        const waits = items.some(({ phase }) => phase === 'queued');
        expect(waits && sending.length < 2).toBe(false);
      }
      expect(most()).toBeLessThanOrEqual(2);
      while (open[0]) {
        open[0].answer(`upl_${made++}`);
        await settled();
      }
      const left = uploads.state().items.map(({ phase }) => phase);
      expect(left.filter((phase) => phase === 'queued' || phase === 'processing')).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

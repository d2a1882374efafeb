import { mkdir, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { eraseDue } from '#server/domains/accounts/accounts.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { accountDataOf } from '#server/app/parts.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import type { TestDatabase } from './support/database/database.ts';
import {
  type MarkedPerson,
  PASSWORD,
  dumpOf,
  filesIn,
  markedPerson,
  marksIn,
  marksOf,
  noteAbout,
  nextCode,
  unzip,
} from './support/people/marked-people.ts';
import { type RunningApp, solved, test } from './support/app/running-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { changeAccounts, reservePhone } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const SHARED = Buffer.from('Syarat sewa yang sama untuk semua penyewa.');

async function twoPeople(running: RunningApp): Promise<[MarkedPerson, MarkedPerson]> {
  const ani = await markedPerson(running, marksOf('Ani', '341'), SHARED);
  const budi = await markedPerson(running, marksOf('Budi', '652'), SHARED);
  return [ani, budi];
}

async function archiveOf({ container, app }: RunningApp, { ask }: MarkedPerson) {
  expect((await ask('user_export')).body).toMatchObject({ code: 1, data: { status: 'waiting' } });
  await container.infra.place.inEach(() => container.accounts.exports.work());
  const { export: made } = (await ask('user_export_get')).body.data;
  expect(made).toMatchObject({ status: 'ready', progress: 100 });
  const answer = await app.inject({ url: made.url });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-disposition']).toMatch(/^attachment; .*data-kabari-.*\.zip$/);
  return { url: String(made.url), files: await unzip(answer.rawPayload) };
}

async function askToBeErased(running: RunningApp, { ask, marks, codes }: MarkedPerson) {
  const { challenge } = (await ask('user_delete_ask')).body.data;
  const code = await nextCode(running, codes, marks.newPhone);
  const deleted = await ask('user_delete', { password: PASSWORD, challenge, code });
  expect(deleted.body.code).toBe(1);
  return deleted.body.data.erased_at as string;
}

const pass = (db: TestDatabase, who: MarkedPerson) =>
  changeAccounts(db.owner, who, { eraseAt: 'now', closedAt: agedBy('2 minutes') });

/** The application's own list of account data, with one entry that throws on erasure. */
const failingAt = ({ container }: RunningApp, place: number): readonly AccountData[] => {
  const { tenantSql: sql, allAccountsSql } = container.pools;
  const { secrets } = container.infra;
  const archives = container.accounts.exports.accountData;
  const rowExports = container.rowExports.accountData;
  const all = accountDataOf({
    sql,
    allAccountsSql,
    secrets,
    ...container.media,
    archives,
    rowExports,
  });
  const die = async () => {
    throw new Error(`killed before ${place}`);
  };
  return all.map((accountData, at) =>
    at === place ? { ...accountData, erase: die } : accountData,
  );
};

const linesOf = (dump: Record<string, string[]>, { accountId }: MarkedPerson) =>
  Object.fromEntries(
    Object.entries(dump).map(([table, lines]) => [
      table,
      lines.filter((line) => line.includes(accountId)),
    ]),
  );

test('puts all data of an account into its archive, and none of others', async ({ openApp }) => {
  const running = await openApp({ works: true });
  const [ani, budi] = await twoPeople(running);
  const { url, files } = await archiveOf(running, ani);
  const whole = Object.entries(files).flat().join('\n');
  const json = (name: string) => JSON.parse(files[`${name}.json`] ?? '');
  expect(marksIn(whole, ani.marks)).toEqual(Object.keys(ani.marks));
  expect(marksIn(whole, budi.marks)).toEqual([]);

  // Notes among operators do not belong to the customer.
  expect(whole).not.toContain(noteAbout(ani.marks));
  expect(json('layanan-pelanggan')).toHaveLength(4);
  expect(json('penilaian-layanan')).toMatchObject([{ score: 5 }]);

  const { ask } = ani;
  expect(whole).not.toContain(ani.apiKey);
  expect(whole).not.toMatch(/argon2|kbs_|kbr_|_hash/);

  expect(json('pesan')).toHaveLength(4);
  expect(json('pesan')[0].timeline.map(({ kind }: { kind: string }) => kind)).toContain('sent');
  // The bonus and the top-up; the messages used the plan's quota.
  expect(json('mutasi')).toHaveLength(2);
  expect(json('langganan')).toMatchObject([{ plan: 'gratis', status: 'active' }]);
  expect(files['pesan.csv']?.startsWith('\uFEFFid,token,')).toBe(true);
  for (const { path } of json('berkas')) expect(files[path]).toBeDefined();

  // The address is valid for one account only, and invalid after any change of it.
  const [path = '', key = ''] = url.split('?k=');
  const other = await archiveOf(running, budi);
  const foreign = `${other.url.split('?')[0]}?k=${key}`;
  for (const address of [path, `${path}?k=${key.slice(0, -2)}AA`, foreign]) {
    expect((await running.app.inject({ url: address })).statusCode).toBe(404);
  }
  // The person gets a notice, and a fourth request in a day is refused.
  await waitFor(async () => {
    const phone = (await running.ask('simulator_phone', { phone: ani.marks.newPhone })).body.data;
    expect(JSON.stringify(phone.lines)).toContain('Unduhan data akun Kabari Anda sudah siap');
  });
  for (let more = 0; more < 2; more++) {
    expect((await ask('user_export_get')).body.data.left_today).toBe(2 - more);
    await ask('user_export');
    await running.inEach(() => running.container.accounts.exports.work());
  }
  expect((await ask('user_export_get')).body.data.left_today).toBe(0);
  expect((await ask('user_export')).body.error.type).toBe('export_limit');
});

test('requeues an archive that is interrupted by a shutdown, without counting a try', async ({
  db,
  openApp,
}) => {
  const running = await openApp({ works: true });
  const { ask, accountId } = await markedPerson(running, marksOf('Ani', '341'), SHARED);
  await ask('user_export');
  const { exports } = running.container.accounts;
  const working = exports.work();
  exports.close();
  await working;
  const rows = await db.owner`
    select status, tries, owner from exports where account_id = ${accountId}`;
  expect([...rows]).toEqual([{ status: 'waiting', tries: 0, owner: null }]);
  expect(await filesIn(`${running.dataFolder}/exports`)).toEqual({});
});

test('builds the archive of a dead worker again, and leaves no partial file', async ({
  db,
  openApp,
}) => {
  const running = await openApp({ works: true });
  const ani = await markedPerson(running, marksOf('Ani', '341'), SHARED);
  const { ask, accountId } = ani;
  await ask('user_export');
  const repeated = (await ask('user_export')).body.data;
  expect((await ask('user_export_get')).body.data.export.id).toBe(repeated.id);

  const folder = `${running.dataFolder}/exports`;
  const [claimed] = await db.owner<{ id: string; owner: string }[]>`
    update exports set status = 'working', tries = 1, owner = gen_random_uuid(),
      lease_until = clock_timestamp() + interval '1 minute'
    where account_id = ${accountId} returning export_id as id, owner`;
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/${claimed?.id}.${claimed?.owner}.part`, 'half');
  await running.inEach(() => running.container.accounts.exports.work());
  expect((await ask('user_export_get')).body.data.export.status).toBe('working');

  await db.owner`update exports set lease_until = clock_timestamp() where status = 'working'`;
  await running.inEach(() => running.container.accounts.exports.work());
  const { export: made } = (await ask('user_export_get')).body.data;
  expect(made.status).toBe('ready');
  expect(Object.keys(await filesIn(folder))).toEqual([
    expect.stringMatching(new RegExp(`^${claimed?.id}\\.(?!${claimed?.owner}).*\\.zip$`)),
  ]);

  await db.owner`update exports set expires_at = clock_timestamp()`;
  expect((await running.app.inject({ url: made.url })).statusCode).toBe(404);
  await running.inEach(() => running.container.accounts.exports.sweep());
  expect(await filesIn(folder)).toEqual({});
  expect((await ask('user_export_get')).body.data.export).toMatchObject({
    status: 'expired',
    url: null,
  });
});

test('leaves no trace of an erased account but its books, however often the work is interrupted', async ({
  db,
  openApp,
}) => {
  const running = await openApp({ works: true });
  const { container, dataFolder } = running;
  const [ani, budi] = await twoPeople(running);
  const { url } = await archiveOf(running, ani);
  const inSevenDays = await askToBeErased(running, ani);
  expect(Date.parse(inSevenDays) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  await waitFor(async () => {
    const [busy] = await db.owner`
      select 1 from outbox
      union all select 1 from dispatch where ready_at < clock_timestamp()
      union all select 1 from tokens where not is_system and last_used_at is null limit 1`;
    if (busy) throw new Error('the application is busy');
  });
  // No other folding runs meanwhile.
  await db.owner`select fold_counts(array(select account_id from accounts))`;
  const before = await dumpOf(db.owner);
  const everywhere = [...Object.values(before).flat(), ...Object.values(await filesIn(dataFolder))];
  expect(marksIn(everywhere.join('\n'), ani.marks)).toEqual(Object.keys(ani.marks));

  await container.infra.place.inEach(() => container.accounts.eraseDue());
  expect((await ani.ask('user_check_token')).body.code).toBe(1);
  await pass(db, ani);
  await container.infra.place.inEach(() => container.accounts.eraseDue());
  await waitFor(async () => {
    expect((await ani.ask('user_check_token')).status).toBe(401);
    const phone = (await running.ask('simulator_phone', { phone: ani.marks.newPhone })).body.data;
    expect(JSON.stringify(phone.lines)).toContain('Ini pesan terakhir kami');
  });
  const captcha = await solved(running, 'user_login');
  const signIn = { phone: ani.marks.newPhone, password: PASSWORD, captcha };
  expect((await running.ask('user_login', signIn)).body.error.type).toBe('credentials_wrong');
  const sent = await running.app.inject({
    method: 'POST',
    url: '/v1/messages',
    headers: { authorization: `Bearer ${ani.apiKey}` },
    payload: { to: ani.marks.peer, text: { body: 'Halo' } },
  });
  expect(sent.statusCode).toBeGreaterThanOrEqual(400);

  // A minute later it is erased; the work is killed before each of its steps, and starts again.
  await pass(db, ani);
  const troubles: unknown[] = [];
  const report = (trouble: unknown) => void troubles.push(trouble);
  const places = failingAt(running, -1).length;
  for (let place = 0; place < places; place++) {
    await waitFor(async () => {
      const accountDataSources = failingAt(running, place);
      await eraseDue({
        allAccountsSql: container.pools.allAccountsSql,
        sendSystemText: container.accounts.sendSystemText,
        accountDataSources,
        report,
      });
      expect(troubles).toHaveLength(place + 1);
    });
    expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
  }
  expect(troubles).toEqual(
    Array.from({ length: places }, (_, place) => new Error(`killed before ${place}`)),
  );
  await container.infra.place.inEach(() => container.accounts.eraseDue());
  await container.infra.place.inEach(() => container.accounts.eraseDue());

  const dump = await dumpOf(db.owner);
  const traces = Object.entries({ ...dump, ...(await filesIn(dataFolder)) }).flatMap(
    ([place, lines]) =>
      [lines, place]
        .flat()
        .flatMap((line) => marksIn(line, ani.marks).map((mark) => ({ mark, place, line }))),
  );
  expect(traces).toEqual([]);
  expect(JSON.stringify(dump)).not.toContain(noteAbout(ani.marks));
  expect(JSON.stringify(dump)).toContain(noteAbout(budi.marks));
  const [left] = await db.owner`
    select a.name, a.status, a.erased_at is not null as erased, u.name as person, u.phone, w.held,
      w.available > 0 as has_saldo
    from accounts a join users u using (account_id) join wallets w using (account_id)
    where account_id = ${ani.accountId}`;
  expect(left).toMatchObject({
    name: 'Akun terhapus',
    person: 'Akun terhapus',
    phone: '',
    status: 'closed',
    erased: true,
    held: 0,
    has_saldo: true,
  });
  expect((await running.app.inject({ url })).statusCode).toBe(404);

  expect(linesOf(dump, budi)).toEqual(linesOf(before, budi));
  const contents = Object.values(await filesIn(dataFolder));
  expect(contents).toContain(SHARED.toString());
  expect(contents).toContain(budi.marks.fileText);
  expect((await budi.ask('user_check_token')).body.code).toBe(1);
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('leaves a number with its new owner', async ({ db, openApp }) => {
  const running = await openApp({ works: true });
  const { container } = running;
  const ani = await markedPerson(running, marksOf('Ani', '341'), SHARED);
  // Citra gets the number that Ani gave up, and the phone of Ani's token.
  await ani.ask('token_delete', { token_id: (await ani.ask('token_list')).body.result.data[0].id });
  const { phone, linkedPhone } = ani.marks;
  const citra = await markedPerson(
    running,
    { ...marksOf('Citra', '177'), phone, newPhone: '6281317700002', linkedPhone },
    SHARED,
    ani.codes,
  );
  await reservePhone(db.owner, { ...citra, phone });
  const notices = () => db.owner`
    select peer, count(*) as n from messages m join tokens t using (account_id, token_id)
    where t.is_system and peer = any(${[phone, linkedPhone]}::text[]) group by peer order by peer`;
  const before = [...(await notices())];
  expect(before).toHaveLength(2);

  await askToBeErased(running, ani);
  for (let turn = 0; turn < 2; turn++) {
    await pass(db, ani);
    await container.infra.place.inEach(() => container.accounts.eraseDue());
  }
  await waitFor(async () => {
    await container.infra.place.inEach(() => container.accounts.eraseDue());
    const [row] = await db.owner`
      select 1 from accounts where account_id = ${ani.accountId} and erased_at is not null`;
    expect(row).toBeDefined();
  });
  expect([...(await notices())]).toEqual(before);
  expect((await citra.ask('token_list')).body.result.data[0].phone).toBe(linkedPhone);
});

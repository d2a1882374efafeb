import { describe, expect, vi } from 'vitest';
import type { Act, InputFor, OutputOf } from '#contract/base/act.ts';
import {
  decideSetting,
  listSettings,
  resetSetting,
  saveSetting,
} from '#contract/operator/settings.ts';
import type { Person, Reauth } from '#server/infra/acts.ts';
import { readConfig } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { openLiveSettings } from '#server/infra/settings/live.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { rejectionOf } from '#tests/support/people/accounts-app.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { settingsActs } from './operator.ts';
import { makeAccount, makeUser } from '#tests/support/people/people.ts';

const at = new Date('2026-11-23T04:00:00Z');
const oka = '0193a000-0000-7000-8000-000000000001';
const ria = '0193a000-0000-7000-8000-000000000002';
const reason = 'Akhir tahun';

async function settingsApp(db: TestDatabase, env: Record<string, string> = {}) {
  const config = readConfig(env);
  const report = vi.fn<(trouble: unknown) => void>();
  const open = () => openLiveSettings({ allAccountsSql: db.allAccountsSql, config, report });
  const settings = await open();
  const reauth: Reauth = { inOwnBrowser: true, secondsAgo: 300 };
  const sent: { phone: string; text: string }[] = [];
  const handlers = settingsActs({
    allAccountsSql: db.allAccountsSql,
    now: () => at,
    settings,
    reauthOf: async () => reauth,
    sendSystemText: async (phone, text) => void sent.push({ phone, text }),
    report,
  });
  const ask = async <A extends Act>(act: A, input: InputFor<A>, userId = oka) => {
    const caller = { kind: 'person', userId } as Person;
    const handler = handlers.find((one) => one.act.name === act.name);
    const call = { caller, device: 'browser' } as never;
    return act.output.parse(
      await handler?.handle(call, act.input.parse(input) as never),
    ) as OutputOf<A>;
  };
  const save = (setting_id: string, value: string, version = 0) =>
    ask(saveSetting, { setting_id, value, version, reason });
  return { settings, config: settings.config, open, report, reauth, ask, save, sent };
}

const refused = (fields: string) =>
  expect.objectContaining({ code: 'input_invalid', facts: { fields: { value: fields } } });

describe('settings that are changed while it runs', () => {
  test('a change applies at once, overrides the environment, and ends with a reset', async ({
    db,
  }) => {
    const app = await settingsApp(db, { WELCOME_BONUS: '25000' });
    expect(app.config.WELCOME_BONUS).toBe(25_000);
    const saved = await app.save('WELCOME_BONUS', '5000');
    expect(app.config.WELCOME_BONUS).toBe(5_000);
    expect(saved).toMatchObject({ value: '5000', fallback: '25000', version: 1 });
    expect(saved.changed).toEqual({ by: 'Operator', at, reason, is_set: true });
    app.reauth.secondsAgo = 299;
    const back = { setting_id: 'WELCOME_BONUS', version: 1, reason };
    expect(await app.ask(resetSetting, back)).toMatchObject({ value: '5000', version: 2 });
    const approved = {
      setting_id: 'WELCOME_BONUS',
      version: 2,
      reason,
      decision: 'approve',
    } as const;
    expect(await app.ask(decideSetting, approved, ria)).toMatchObject({
      value: '25000',
      version: 3,
    });
    expect(app.config.WELCOME_BONUS).toBe(25_000);
    const history = await db.allAccountsSql`select version, value from settings order by version`;
    expect(history).toEqual([
      { version: 1, value: '5000' },
      { version: 2, value: null },
      { version: 3, value: null },
    ]);
  });

  test('another node applies it within two seconds, and notifies its listeners', async ({ db }) => {
    const app = await settingsApp(db);
    const other = await app.open();
    const changed = vi.fn<() => void>();
    other.onChange(changed);
    await app.save('SELLER_PHONE', '021-555-0101');
    await waitFor(() => other.config.SELLER_PHONE === '021-555-0101');
    expect(changed).toHaveBeenCalledTimes(1);
    other.close();
  });

  test('refuses the second of two changes to the same version', async ({ db }) => {
    const app = await settingsApp(db);
    const outcomes = await Promise.all([
      rejectionOf(app.save('SUPPORT_CLOSE_DAYS', '3')),
      rejectionOf(app.save('SUPPORT_CLOSE_DAYS', '4')),
    ]);
    expect(outcomes).toContainEqual(expect.objectContaining({ code: 'setting_changed' }));
    expect(outcomes).toContain('nothing was refused');
  });

  test('requires the password to raise the limit of a safeguard, and not to lower it', async ({
    db,
  }) => {
    const app = await settingsApp(db);
    await app.save('FOUR_EYES_ABOVE', '1000000');
    const raise = () => app.save('FOUR_EYES_ABOVE', '9000000', 1);
    expect(await rejectionOf(raise())).toMatchObject({ code: 'reauth_needed' });
    const reset = () =>
      app.ask(resetSetting, { setting_id: 'FOUR_EYES_ABOVE', version: 1, reason });
    expect(await rejectionOf(reset())).toMatchObject({ code: 'reauth_needed' });
    expect(app.config.FOUR_EYES_ABOVE).toBe(1_000_000);
    app.reauth.secondsAgo = 299;
    await raise();
    expect(app.config.FOUR_EYES_ABOVE).toBe(1_000_000);
    Object.assign(app.reauth, { inOwnBrowser: false });
    expect(await rejectionOf(app.save('FOUR_EYES_ABOVE', '9500000', 2))).toMatchObject({
      code: 'sign_in_needed',
    });
  });

  describe('a change that weakens a safeguard of money', () => {
    const waiting = async (db: TestDatabase) => {
      const app = await settingsApp(db);
      await openAccount(db.allAccountsSql);
      app.reauth.secondsAgo = 299;
      const row = await app.save('FOUR_EYES_ABOVE', '900000000');
      return { app, row };
    };
    const openAccount = (sql: TestDatabase['allAccountsSql']) =>
      sql.begin(async (tx) => {
        const accountId = await makeAccount(tx, { name: 'Kabari', isSystem: true });
        for (const [place, userId] of [oka, ria].entries()) {
          const phone = `62811000000${place}`;
          await makeUser(tx, accountId, {
            userId,
            name: `Admin ${place}`,
            phone,
            roles: ['admin'],
          });
        }
      });
    const decide = (
      app: Awaited<ReturnType<typeof settingsApp>>,
      decision: 'approve' | 'refuse',
      who: string,
    ) =>
      app.ask(decideSetting, { setting_id: 'FOUR_EYES_ABOVE', version: 1, reason, decision }, who);

    test('waits, is shown as waiting, and is announced to every operator', async ({ db }) => {
      const { app, row } = await waiting(db);
      expect(app.config.FOUR_EYES_ABOVE).toBe(5_000_000);
      expect(row).toMatchObject({
        value: '5000000',
        version: 1,
        waiting: { value: '900000000', by: 'Admin 0', can_approve: false },
      });
      await waitFor(() =>
        expect(app.sent.map(({ phone }) => phone)).toEqual(['628110000000', '628110000001']),
      );
      expect(app.sent[0]?.text).toContain('24 jam');
    });

    test('applies at once when a second admin approves it, and not by its proposer', async ({
      db,
    }) => {
      const { app } = await waiting(db);
      expect(await rejectionOf(decide(app, 'approve', oka))).toMatchObject({
        code: 'operator_not_independent',
      });
      expect(app.config.FOUR_EYES_ABOVE).toBe(5_000_000);
      expect(await decide(app, 'approve', ria)).toMatchObject({
        value: '900000000',
        waiting: null,
      });
      expect(app.config.FOUR_EYES_ABOVE).toBe(900_000_000);
      expect(await rejectionOf(decide(app, 'approve', ria))).toMatchObject({
        code: 'setting_not_waiting',
      });
    });

    test('cannot be approved by an admin whom its proposer invited', async ({ db }) => {
      const { app } = await waiting(db);
      await db.allAccountsSql`
        insert into operator_ties (tie_id, operator_id, by_operator, kind, at)
        values (${newId()}, ${ria}, ${oka}, 'invited', now() - interval '30 days')`;
      expect(await rejectionOf(decide(app, 'approve', ria))).toMatchObject({
        code: 'operator_not_independent',
      });
    });

    test('applies after 24 hours, unless an admin cancels it or a newer change replaces it', async ({
      db,
    }) => {
      const { app } = await waiting(db);
      expect(await decide(app, 'refuse', ria)).toMatchObject({ value: '5000000', waiting: null });
      const again = await app.save('FOUR_EYES_ABOVE', '800000000', 2);
      expect(again.waiting?.value).toBe('800000000');
      const lower = await app.save('FOUR_EYES_ABOVE', '4000000', 3);
      expect(lower).toMatchObject({ value: '4000000', waiting: null });
      await app.save('FOUR_EYES_ABOVE', '700000000', 4);
      const { owner } = db;
      await owner`update settings set effective_at = effective_at - interval '23 hours'`;
      await app.settings.refresh();
      expect(app.config.FOUR_EYES_ABOVE).toBe(4_000_000);
      await owner`update settings set effective_at = effective_at - interval '1 hour'`;
      await app.settings.refresh();
      expect(app.config.FOUR_EYES_ABOVE).toBe(700_000_000);
    });
  });

  test('rejects an invalid value with a sentence', async ({ db }) => {
    const app = await settingsApp(db);
    const cases: [string, string, string][] = [
      ['TOPUP_MINIMUM', '5000', 'Tulis angka bulat dari 10.000 sampai 100.000.000.'],
      ['TOPUP_MINIMUM', '-1', 'Tulis angka bulat dari 10.000 sampai 100.000.000.'],
      ['LANE_PACE_PER_SECOND', '1,5', 'Tulis angka dari 0 sampai 10.000, desimal dengan titik.'],
      ['REGISTRATION', 'ya', 'Pilih nyala atau mati.'],
      ['SELLER_NAME', '', 'Wajib diisi.'],
      ['SELLER_EMAIL', 'toko', 'Tulis alamat email, misalnya halo@toko.id.'],
      ['SELLER_NPWP', '01.234', 'Tulis NPWP dengan 15 atau 16 angka, tanpa titik.'],
      ['MAINTENANCE_TEXT', '<b>', 'Ada karakter yang tidak dapat dipakai.'],
      [
        'SUPPORT_HOURS',
        '{"days":[]}',
        'Periksa lagi jamnya: tujuh hari, jam tutup sesudah jam buka.',
      ],
    ];
    for (const [name, value, sentence] of cases)
      expect(await rejectionOf(app.save(name, value)), name).toEqual(refused(sentence));
    for (const name of ['SECRET_KEY', 'PORT', 'constructor'])
      expect(await rejectionOf(app.save(name, '1')), name).toMatchObject({ code: 'not_found' });
    await app.save('TOPUP_MINIMUM', '50000');
    expect(await rejectionOf(app.save('TOPUP_MAXIMUM', '40000'))).toEqual(
      refused('Nominal minimal tidak boleh di atas yang maksimal.'),
    );
    const ends = await Promise.allSettled([
      app.save('TOPUP_MINIMUM', '5000000', 1),
      app.save('TOPUP_MAXIMUM', '1000000'),
    ]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('opening hours are returned as entered', async ({ db }) => {
    const app = await settingsApp(db);
    const hours = {
      days: [...Array.from({ length: 6 }, () => ({ open: '09:00', close: '24:00' })), null],
      days_off: ['2026-12-25'],
      note: 'Libur Natal',
    };
    await app.save('SUPPORT_HOURS', JSON.stringify(hours));
    expect(app.config.SUPPORT_HOURS).toEqual(hours);
  });

  test('ignores and reports an invalid stored value', async ({ db }) => {
    const app = await settingsApp(db);
    await db.allAccountsSql`
      insert into settings values ('WELCOME_BONUS', 1, 'many', gen_random_uuid(), now(), 'x'),
        ('NO_SUCH', 1, '1', gen_random_uuid(), now(), 'x')`;
    await app.settings.refresh();
    expect(app.config.WELCOME_BONUS).toBe(10_000);
    expect(app.report).toHaveBeenCalledTimes(1);
  });

  test('shows every live setting, and no secret', async ({ db }) => {
    const app = await settingsApp(db);
    const { settings } = await app.ask(listSettings, {});
    expect(settings.map(({ name }) => name)).toContain('SUPPORT_HOURS');
    expect(settings.every(({ value, fallback, changed }) => value === fallback && !changed)).toBe(
      true,
    );
    expect(settings.some(({ name }) => /SECRET|KEY|URL|TOKEN$/.test(name))).toBe(false);
  });

  test('history is append-only', async ({ db }) => {
    const app = await settingsApp(db);
    await app.save('SUPPORT_CLOSE_DAYS', '3');
    const { allAccountsSql: sql } = db;
    expect(await rejectionOf(sql`update settings set value = '4'`)).toMatchObject({
      code: '42501',
    });
    expect(await rejectionOf(sql`delete from settings`)).toMatchObject({ code: '42501' });
  });
});

import type { InputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type LiveSetting as SettingRow,
  decideSetting,
  listSettings,
  resetSetting,
  saveSetting,
} from '#contract/operator/settings.ts';
import {
  isSecondFor,
  operatorNames,
  operatorPhones,
  tiesOf,
} from '#server/domains/accounts/accounts.ts';
import { requireIndependentOperator } from './adjustments/decide.ts';
import { type ActHandler, type Call, type Reauth, handle, isRecent } from '#server/infra/acts.ts';
import { type Config, isRangeEmpty } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import {
  type LiveName,
  type LiveSettings,
  SAFEGUARD_WAIT_HOURS,
  type SettingChange,
  latestOf,
  liveDefinitions,
  readLive,
  storeSetting,
  waitingChanges,
  wordsOf,
} from '#server/infra/settings/live.ts';
import type { LiveSetting } from '#server/infra/settings/setting.ts';

export type SettingsDeps = {
  allAccountsSql: Sql;
  now: () => Date;
  settings: Pick<LiveSettings, 'config' | 'given' | 'refresh'>;
  reauthOf: (sessionId: string, device: string) => Promise<Reauth>;
  sendSystemText: (phone: string, text: string) => Promise<void>;
  report: (trouble: unknown) => void;
};

export const settingsActs = (deps: SettingsDeps): readonly ActHandler[] => [
  handle(listSettings, async ({ caller }) => ({
    settings: await settingRows(deps, caller.userId),
  })),
  handle(saveSetting, (call, input) => changeSetting(deps, call, input)),
  handle(resetSetting, (call, input) => changeSetting(deps, call, { ...input, value: null })),
  handle(decideSetting, (call, input) => decideChange(deps, call, input)),
];

type Definition = readonly [string, LiveSetting<unknown>];

async function settingRows(
  { allAccountsSql, settings: { given } }: SettingsDeps,
  operatorId: string,
  only: readonly Definition[] = [...liveDefinitions],
): Promise<SettingRow[]> {
  const changes = new Map((await latestOf(allAccountsSql)).map((one) => [one.name, one]));
  const waiting = new Map((await waitingChanges(allAccountsSql)).map((one) => [one.name, one]));
  const people = [...changes.values(), ...waiting.values()].map(({ set_by }) => set_by);
  const names = await operatorNames(allAccountsSql, people);
  const ties = await tiesOf(allAccountsSql, operatorId);
  return only.map(([name, how]) => {
    const change = changes.get(name);
    const fallback = wordsOf(how, given[name as LiveName]);
    const { min = null, max = null, guarded = false, guardsMoney = false, ...facts } = how.live;
    const next = waiting.get(name);
    return {
      name,
      ...facts,
      min,
      max,
      guarded,
      guards_money: guardsMoney,
      waiting: next
        ? {
            value: next.value ?? fallback,
            by: names.get(next.set_by) ?? 'Operator',
            at: next.set_at,
            reason: next.reason,
            effective_at: next.effective_at,
            can_approve: isSecondFor(ties, next.set_by),
          }
        : null,
      optional: how.fallback === undefined,
      value: change?.value ?? fallback,
      fallback,
      version: next?.version ?? change?.version ?? 0,
      changed: change ? changedOf(change, names) : null,
    };
  });
}

const changedOf = (
  { set_by, set_at, reason, value }: SettingChange,
  names: ReadonlyMap<string, string>,
): SettingRow['changed'] => ({
  by: names.get(set_by) ?? 'Operator',
  at: set_at,
  reason,
  is_set: value !== null,
});

type Change = Omit<InputOf<typeof saveSetting>, 'value'> & { value: string | null };

/**
 * Sets or resets (null) a setting, on this node at once. A change that weakens a safeguard of money waits: it takes
 * effect once a second admin approves it, or after `SAFEGUARD_WAIT_HOURS`. All operators get a notice.
 *
 * @throws Refusal `input_invalid` for an invalid value, `setting_changed`, `reauth_needed` when it weakens a safeguard
 *   without a recent password.
 */
async function changeSetting(
  deps: SettingsDeps,
  call: Call<'operator'>,
  { setting_id: name, value, version, reason }: Change,
): Promise<SettingRow> {
  const { now, settings } = deps;
  const { userId } = call.caller;
  const how = liveDefinitions.get(name);
  if (!how) throw new Refusal('not_found', { what: 'Pengaturan' });
  await settings.refresh();
  const read = value === null ? { value: settings.given[name as LiveName] } : readLive(how, value);
  if ('no' in read) throw new Refusal('input_invalid', { fields: { value: read.no } });
  const after = { ...settings.config, [name]: read.value };
  const isRaise = isRaised(settings.config, after, name as LiveName);
  if (how.live.guarded && isRaise) await requireReauth(deps, call);
  const waits = how.live.guardsMoney === true && isRaise;
  const before = wordsOf(how, settings.config[name as LiveName]);
  const change = { name, version: version + 1, value, set_by: userId, set_at: now(), reason };
  await storeOrRefuse(deps, change, waits);
  if (how.live.guardsMoney) {
    const to = wordsOf(how, read.value);
    const outcome = waits
      ? `akan diubah dari ${before} menjadi ${to} dalam ${SAFEGUARD_WAIT_HOURS} jam, atau begitu admin lain menyetujuinya`
      : `diubah dari ${before} menjadi ${to}`;
    notifyOperators(deps, { label: how.live.label, outcome, reason, userId });
  }
  return rowOf(deps, userId, [name, how]);
}

/**
 * Approves a waiting change as a second admin, or cancels it as any admin.
 *
 * @throws Refusal `setting_not_waiting`, `setting_changed`, `operator_not_independent`, `reauth_needed`.
 */
async function decideChange(
  deps: SettingsDeps,
  call: Call<'operator'>,
  { setting_id: name, version, decision, reason }: InputOf<typeof decideSetting>,
): Promise<SettingRow> {
  const { allAccountsSql: sql, now } = deps;
  const { userId } = call.caller;
  const how = liveDefinitions.get(name);
  const waiting = (await waitingChanges(sql)).find((one) => one.name === name);
  if (!how || !waiting) throw new Refusal('setting_not_waiting', {});
  if (waiting.version !== version) throw new Refusal('setting_changed', {});
  if (decision === 'approve') {
    await requireIndependentOperator(sql, userId, waiting.set_by);
    await requireReauth(deps, call);
  }
  const latest = (await latestOf(sql)).find((one) => one.name === name);
  const value = decision === 'approve' ? waiting.value : (latest?.value ?? null);
  const change = { name, version: version + 1, value, set_by: userId, set_at: now(), reason };
  await storeOrRefuse(deps, change, false);
  const outcome = decision === 'approve' ? 'disetujui dan berlaku sekarang' : 'dibatalkan';
  notifyOperators(deps, { label: how.live.label, outcome, reason, userId });
  return rowOf(deps, userId, [name, how]);
}

async function requireReauth(
  { reauthOf }: SettingsDeps,
  { caller, device }: Call<'operator'>,
): Promise<void> {
  const reauth = await reauthOf(caller.sessionId, device);
  if (!reauth.inOwnBrowser) throw new Refusal('sign_in_needed', {});
  if (!isRecent(reauth, 'to_take')) throw new Refusal('reauth_needed', {});
}

async function storeOrRefuse(
  { allAccountsSql, settings }: SettingsDeps,
  change: SettingChange,
  waits: boolean,
): Promise<void> {
  const { given } = settings;
  const stored = await storeSetting(allAccountsSql, change, {
    given,
    refuse: refuseEmptyRange,
    waits,
  });
  if (!stored) throw new Refusal('setting_changed', {});
  await settings.refresh();
}

async function rowOf(
  deps: SettingsDeps,
  operatorId: string,
  definition: Definition,
): Promise<SettingRow> {
  const [row] = await settingRows(deps, operatorId, [definition]);
  if (!row) throw new Error('a setting without a row');
  return row;
}

type SafeguardNotice = { label: string; outcome: string; reason: string; userId: string };

/** Notifies all operators of a change of a safeguard; their pages show it even if a message fails. */
function notifyOperators(
  { allAccountsSql: sql, sendSystemText, report }: SettingsDeps,
  { label, outcome, reason, userId }: SafeguardNotice,
): void {
  const tell = async () => {
    const names = await operatorNames(sql, [userId]);
    const text =
      `Pengaman uang "${label}" ${outcome}. Oleh ${names.get(userId) ?? 'Operator'}, alasan: ${reason}. ` +
      'Bukan yang Anda harapkan? Buka Pengaturan di halaman operator.';
    for (const phone of await operatorPhones(sql)) await sendSystemText(phone, text).catch(report);
  };
  void tell().catch(report);
}

function refuseEmptyRange(after: Config): void {
  if (!isRangeEmpty(after)) return;
  const no = 'Nominal minimal tidak boleh di atas yang maksimal.';
  throw new Refusal('input_invalid', { fields: { value: no } });
}

const isRaised = (before: Config, after: Config, name: LiveName): boolean =>
  Number(after[name]) > Number(before[name]);

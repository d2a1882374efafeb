import type { InputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type LiveSetting as SettingRow,
  listSettings,
  resetSetting,
  saveSetting,
} from '#contract/operator/settings.ts';
import { operatorNames } from '#server/domains/accounts/accounts.ts';
import { type ActHandler, type Call, type Reauth, handle } from '#server/infra/acts/act.ts';
import { type Config, isRangeEmpty } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import {
  type LiveName,
  type LiveSettings,
  type SettingChange,
  latestOf,
  liveDefinitions,
  readLive,
  storeSetting,
  wordsOf,
} from '#server/infra/settings/live.ts';
import type { LiveSetting } from '#server/infra/settings/setting.ts';

/** What the page of settings needs. */
export type SettingsDeps = {
  allAccountsSql: Sql;
  now: () => Date;
  settings: Pick<LiveSettings, 'config' | 'given' | 'refresh'>;
  /** What a browser is to the session that calls from it. */
  reauthOf: (sessionId: string, device: string) => Promise<Reauth>;
};

/** The acts of settings that change while it runs. */
export const settingsActs = (deps: SettingsDeps): readonly ActHandler[] => [
  handle(listSettings, async () => ({ settings: await settingRows(deps) })),
  handle(saveSetting, (call, input) => changeSetting(deps, call, input)),
  handle(resetSetting, (call, input) => changeSetting(deps, call, { ...input, value: null })),
];

type Definition = readonly [string, LiveSetting<unknown>];

async function settingRows(
  { allAccountsSql, settings: { given } }: SettingsDeps,
  only: readonly Definition[] = [...liveDefinitions],
): Promise<SettingRow[]> {
  const changes = new Map((await latestOf(allAccountsSql)).map((one) => [one.name, one]));
  const people = [...changes.values()].map(({ set_by }) => set_by);
  const names = await operatorNames(allAccountsSql, people);
  return only.map(([name, how]) => {
    const change = changes.get(name);
    const fallback = wordsOf(how, given[name as LiveName]);
    const { min = null, max = null, guarded = false, ...facts } = how.live;
    return {
      name,
      ...facts,
      min,
      max,
      guarded,
      optional: how.fallback === undefined,
      value: change?.value ?? fallback,
      fallback,
      version: change?.version ?? 0,
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
 * Sets a setting, or resets it (null); this node has it at once.
 *
 * @throws Refusal `input_invalid` for a value that it cannot be, `setting_changed`, `reauth_needed` where a
 *   safeguard is taken away and the password was not given lately.
 */
async function changeSetting(
  deps: SettingsDeps,
  { caller, device }: Call<'operator'>,
  { setting_id: name, value, version, reason }: Change,
): Promise<SettingRow> {
  const { allAccountsSql, now, settings, reauthOf } = deps;
  const how = liveDefinitions.get(name);
  if (!how) throw new Refusal('not_found', { what: 'Pengaturan' });
  await settings.refresh();
  const read = value === null ? { value: settings.given[name as LiveName] } : readLive(how, value);
  if ('no' in read) throw new Refusal('input_invalid', { fields: { value: read.no } });
  const after = { ...settings.config, [name]: read.value };
  if (how.live.guarded && isRaised(settings.config, after, name as LiveName)) {
    const { inOwnBrowser, recent } = await reauthOf(caller.sessionId, device);
    if (!inOwnBrowser) throw new Refusal('sign_in_needed', {});
    if (!recent) throw new Refusal('reauth_needed', {});
  }
  const change = {
    name,
    version: version + 1,
    value,
    set_by: caller.userId,
    set_at: now(),
    reason,
  };
  const stored = await storeSetting(allAccountsSql, change, {
    given: settings.given,
    refuse: refuseEmptyRange,
  });
  if (!stored) throw new Refusal('setting_changed', {});
  await settings.refresh();
  const [row] = await settingRows(deps, [[name, how]]);
  if (!row) throw new Error('a setting without a row');
  return row;
}

function refuseEmptyRange(after: Config): void {
  if (!isRangeEmpty(after)) return;
  const no = 'Nominal paling sedikit tidak boleh di atas yang paling banyak.';
  throw new Refusal('input_invalid', { fields: { value: no } });
}

const isRaised = (before: Config, after: Config, name: LiveName): boolean =>
  Number(after[name]) > Number(before[name]);

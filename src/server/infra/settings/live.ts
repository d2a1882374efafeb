import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { LiveFacts, LiveSetting, Setting } from './setting.ts';
import { settings } from './settings.ts';

/** Refresh interval: an operator's change applies on every node within this time. */
const REFRESH_MS = 1_500;

type Defined = typeof settings;
export type LiveName = {
  [Name in keyof Defined]: Defined[Name] extends { live: LiveFacts } ? Name : never;
}[keyof Defined];

const isLive = (
  entry: [string, Setting<unknown> | LiveSetting<unknown>],
): entry is [LiveName, LiveSetting<unknown>] => 'live' in entry[1];

export const liveDefinitions: ReadonlyMap<string, LiveSetting<unknown>> = new Map(
  Object.entries<Setting<unknown> | LiveSetting<unknown>>(settings).filter(isLive),
);

export type LiveSettings = {
  /** The present settings. Read them each time they are needed: a copy does not change. */
  config: Config;
  /** The settings of the environment, which apply unless an operator has set a value. */
  given: Config;
  refresh(): Promise<void>;
  onChange(listener: () => void): void;
  close(): void;
};

type Deps = {
  allAccountsSql: Sql;
  config: Config;
  /** Receives errors of reloading, and unusable stored values; the former values remain. */
  report: (trouble: unknown) => void;
};

/** At most two seconds behind the operators' changes. */
export async function openLiveSettings(deps: Deps): Promise<LiveSettings> {
  const { allAccountsSql, config: given, report } = deps;
  const listeners: (() => void)[] = [];
  let seen = '';
  let values = new Map<string, unknown>();
  const refresh = async () => {
    const rows = await latestOf(allAccountsSql);
    const now = rows.map(({ name, version }) => `${name} ${version}`).join();
    if (now === seen) return;
    values = valuesOf(rows, report);
    seen = now;
    for (const listener of listeners) listener();
  };
  await refresh();
  const timer = setInterval(() => void refresh().catch(report), REFRESH_MS);
  timer.unref();
  return {
    config: overGiven(given, () => values),
    given,
    refresh,
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  };
}

/** Reads live settings on each access: the operator's value, else the given one. */
function overGiven(given: Config, values: () => ReadonlyMap<string, unknown>): Config {
  const config = { ...given };
  for (const name of liveDefinitions.keys()) {
    const get = () => (values().has(name) ? values().get(name) : given[name as LiveName]);
    Object.defineProperty(config, name, { enumerable: true, get });
  }
  return config;
}

/** A change of a setting: the text of its value, or null to return to the environment's. */
export type SettingChange = {
  name: string;
  version: number;
  value: string | null;
  set_by: string;
  set_at: Date;
  reason: string;
};

export const latestOf = (allAccountsSql: Sql | Tx): PromiseLike<SettingChange[]> =>
  allAccountsSql<SettingChange[]>`
    select distinct on (name) name, version, value, set_by, set_at, reason
    from settings where effective_at is null or effective_at <= clock_timestamp()
    order by name, version desc`;

type WaitingChange = SettingChange & { effective_at: Date };

/** Changes that are not effective yet; a newer version replaces one. */
export const waitingChanges = (allAccountsSql: Sql | Tx): PromiseLike<WaitingChange[]> =>
  allAccountsSql<WaitingChange[]>`
    select name, version, value, set_by, set_at, reason, effective_at from (
      select distinct on (name) * from settings order by name, version desc
    ) newest where effective_at > clock_timestamp() order by name`;

/** Delay of a change that weakens a financial safeguard, unless a second admin approves it. */
export const SAFEGUARD_WAIT_HOURS = 24;

function valuesOf(rows: readonly SettingChange[], report: Deps['report']): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { name, value } of rows) {
    const how = liveDefinitions.get(name);
    if (!how || value === null) continue;
    const read = readLive(how, value);
    if ('value' in read) values.set(name, read.value);
    else report(new Error(`the setting ${name} is stored as something that it cannot be`));
  }
  return values;
}

export function readLive(
  how: LiveSetting<unknown>,
  words: string,
): { value: unknown } | { no: string } {
  if (words === '' && how.fallback === undefined) return { value: undefined };
  const { max = Infinity, kind } = how.live;
  const isText = kind === 'text' || kind === 'sentence' || kind === 'email';
  if (isText && words.length > max) return { no: `Paling panjang ${max} karakter.` };
  if (kind === 'email' && !/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(words)) {
    return { no: 'Tulis alamat email, misalnya halo@toko.id.' };
  }
  if (isText && /[\p{Cc}<>]/u.test(words)) return { no: 'Ada karakter yang tidak dapat dipakai.' };
  const read = how.reads.safeParse(words);
  if (read.success) return { value: read.data };
  return { no: expectationOf(how) };
}

const NUMBERS = new Intl.NumberFormat('id-ID');

function expectationOf({
  live: { kind, min = 0, max = 0, expects },
}: LiveSetting<unknown>): string {
  if (expects !== undefined) return expects;
  const range = `dari ${NUMBERS.format(min)} sampai ${NUMBERS.format(max)}`;
  if (kind === 'decimal') return `Tulis angka ${range}, desimal dengan titik.`;
  if (kind === 'rupiah' || kind === 'whole') return `Tulis angka bulat ${range}.`;
  if (kind === 'hours') return 'Periksa lagi jamnya: tujuh hari, jam tutup sesudah jam buka.';
  return kind === 'switch' ? 'Pilih nyala atau mati.' : 'Wajib diisi.';
}

/** The text of a value, which `readLive` parses to the same. */
export function wordsOf(how: LiveSetting<unknown>, value: unknown): string {
  if (value === undefined) return '';
  if (how.live.kind === 'switch') return value === true ? 'on' : 'off';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The advisory lock of changes of settings; the number is arbitrary but the same on every node. */
const CHANGE_LOCK = 7_206_315;

/**
 * Stores a change; one at a time, because the check of combinations depends on all settings.
 *
 * @param change its `version` is one more than the version that was seen.
 * @param given the environment's values, for settings without a stored one.
 * @param refuse throws for settings that must not be combined.
 * @param waits whether it takes effect after `SAFEGUARD_WAIT_HOURS` only.
 * @returns false if the setting was changed in the meantime.
 */
export function storeSetting(
  allAccountsSql: Sql,
  change: SettingChange,
  {
    given,
    refuse,
    waits = false,
  }: { given: Config; refuse: (after: Config) => void; waits?: boolean },
): Promise<boolean> {
  const { name, version, value, set_by, set_at, reason } = change;
  return allAccountsSql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${CHANGE_LOCK})`;
    const others = (await latestOf(tx)).filter((one) => one.name !== name);
    const after = valuesOf([...others, change], () => undefined);
    refuse(overGiven(given, () => after));
    const { count } = await tx`
      insert into settings (name, version, value, set_by, set_at, reason, effective_at)
      select ${name}, ${version}, ${value}, ${set_by}, ${set_at}, ${reason},
        case when ${waits} then clock_timestamp() + make_interval(hours => ${SAFEGUARD_WAIT_HOURS}) end
      where ${version}::int = 1 + coalesce(
        (select max(version) from settings where name = ${name}), 0)
      on conflict (name, version) do nothing`;
    return count === 1;
  });
}

import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { LiveFacts, LiveSetting, Setting } from './setting.ts';
import { settings } from './settings.ts';

/** How old the settings of a node may be: what an operator sets holds on every node after this. */
const REFRESH_MS = 1_500;

type Defined = typeof settings;
/** The settings that may be changed while it runs. */
export type LiveName = {
  [Name in keyof Defined]: Defined[Name] extends { live: LiveFacts } ? Name : never;
}[keyof Defined];

const isLive = (
  entry: [string, Setting<unknown> | LiveSetting<unknown>],
): entry is [LiveName, LiveSetting<unknown>] => 'live' in entry[1];

/** Their definitions, in the order in which they are shown. */
export const liveDefinitions: ReadonlyMap<string, LiveSetting<unknown>> = new Map(
  Object.entries<Setting<unknown> | LiveSetting<unknown>>(settings).filter(isLive),
);

export type LiveSettings = {
  /**
   * The settings as they are at this moment. Read one where it is needed, each time: what was copied at the
   * start does not change.
   */
  config: Config;
  /** What the environment says, which counts for what nobody has set. */
  given: Config;
  /** Reads again now what operators have set. */
  refresh(): Promise<void>;
  /** Calls a listener after some have changed. */
  onChange(listener: () => void): void;
  close(): void;
};

type Deps = {
  allAccountsSql: Sql;
  config: Config;
  /** Receives trouble of reading them again, and what is stored and cannot be used; the former values stay. */
  report: (trouble: unknown) => void;
};

/** Settings over those of the environment, at most two seconds behind what operators have set. */
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

/** A copy of the settings whose live ones are asked for each time: what was set, else what was given. */
function overGiven(given: Config, values: () => ReadonlyMap<string, unknown>): Config {
  const config = { ...given };
  for (const name of liveDefinitions.keys()) {
    const get = () => (values().has(name) ? values().get(name) : given[name as LiveName]);
    Object.defineProperty(config, name, { enumerable: true, get });
  }
  return config;
}

/** A change of a setting: what was written, or null for what the environment says. */
export type SettingChange = {
  name: string;
  version: number;
  value: string | null;
  set_by: string;
  set_at: Date;
  reason: string;
};

/** The newest change that counts now, of every setting that has one. */
export const latestOf = (allAccountsSql: Sql | Tx): PromiseLike<SettingChange[]> =>
  allAccountsSql<SettingChange[]>`
    select distinct on (name) name, version, value, set_by, set_at, reason
    from settings where effective_at is null or effective_at <= clock_timestamp()
    order by name, version desc`;

/** A change that counts later. */
type WaitingChange = SettingChange & { effective_at: Date };

/** The changes that wait for their time: a newer version takes the place of one. */
export const waitingChanges = (allAccountsSql: Sql | Tx): PromiseLike<WaitingChange[]> =>
  allAccountsSql<WaitingChange[]>`
    select name, version, value, set_by, set_at, reason, effective_at from (
      select distinct on (name) * from settings order by name, version desc
    ) newest where effective_at > clock_timestamp() order by name`;

/** Time that a change which weakens a safeguard of money waits, unless a second admin approves it. */
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

/** What was written of a setting, as its reader reads it; else how it is refused. */
export function readLive(
  how: LiveSetting<unknown>,
  words: string,
): { value: unknown } | { no: string } {
  if (words === '' && how.fallback === undefined) return { value: undefined };
  const { max = Infinity, kind } = how.live;
  const isText = kind === 'text' || kind === 'sentence' || kind === 'email';
  if (isText && words.length > max) return { no: `Paling panjang ${max} karakter.` };
  if (kind === 'email' && !/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(words)) {
    return { no: 'Tulis alamat surel, misalnya halo@toko.id.' };
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

/** How a value is written: what `readLive` reads as the same. */
export function wordsOf(how: LiveSetting<unknown>, value: unknown): string {
  if (value === undefined) return '';
  if (how.live.kind === 'switch') return value === true ? 'on' : 'off';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Any number, the same on every node: who holds this advisory lock changes settings. */
const CHANGE_LOCK = 7_206_315;

/**
 * Writes a change down; one at a time, for what may be together depends on both.
 *
 * @param change its `version` is one more than the version that was seen.
 * @param given what counts for what nobody has set.
 * @param refuse throws for settings that must not stand together.
 * @param waits whether it counts after `SAFEGUARD_WAIT_HOURS` only.
 * @returns false when somebody else has changed the setting since then.
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

import { readFileSync, statSync } from 'node:fs';
import { refuseForeignBackup } from './settings/backup.ts';
import { refuseHalfKey } from './settings/files.ts';
import { refuseUnsafeGateways } from './settings/gateways.ts';
import { overlyWideProxies } from './settings/readers.ts';
import { type Setting, readSetting } from './settings/setting.ts';
import { settings } from './settings/settings.ts';
import { StartError } from './start-error.ts';

type Settings = {
  [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never;
};

const simulatedBank = {
  BANK_NAME: 'Bank Simulasi',
  BANK_NUMBER: '8800123456',
  BANK_HOLDER: 'PT Kabari Contoh',
};

/** True for the account of the simulated bank, where no real money moves. */
export const isSimulatedBank = (number: string): boolean => number === simulatedBank.BANK_NUMBER;

/** Differs from the default `PORT`, so that a web process and a worker fit on one machine. */
const WORKER_HEALTH_PORT = 9_464;

export type Config = Omit<
  Settings,
  | 'BACKUP'
  | 'CHANNEL_WEB'
  | 'DRAIN_SECONDS'
  | 'HEALTH_PORT'
  | 'OPERATOR_SECOND_FACTOR'
  | 'SIMULATOR'
  | 'PUBLIC_URL'
  | keyof typeof simulatedBank
> & {
  BACKUP: string;
  DRAIN_SECONDS: number;
  /** Undefined if only `PORT` serves health checks. */
  HEALTH_PORT: number | undefined;
  OPERATOR_SECOND_FACTOR: 'required' | 'optional';
  SIMULATOR: boolean;
  CHANNEL_WEB: boolean;
  /** Undefined until the port is known: a local installation without `PUBLIC_URL`. */
  PUBLIC_URL: string | undefined;
  production: boolean;
} & { [Name in keyof typeof simulatedBank]: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Larger than any secret; a file of this size is something else. */
const SECRET_BYTES_MAX = 65_536;

/**
 * A secret may be in a file named by `<name>_FILE`, as Docker, Kubernetes and systemd pass them.
 *
 * @throws StartError if both are set, or the file cannot be used.
 */
function valueOf(env: Environment, name: string, { secret }: Setting<unknown>): string | undefined {
  const path = secret ? env[`${name}_FILE`]?.trim() : undefined;
  if (!path) return env[name];
  if (env[name]?.trim()) throw new StartError(`Set ${name} or ${name}_FILE, not both.`);
  let value: string;
  try {
    if (statSync(path).size > SECRET_BYTES_MAX) throw new Error('it is too large');
    value = readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartError(`${name}_FILE names ${path}, which cannot be read (${why}).`);
  }
  if (value.trim() === '') throw new StartError(`${name}_FILE names ${path}, which is empty.`);
  return value;
}

export function misspeltSettings(env: Environment): { given: string; meant: string }[] {
  const names = Object.entries<Setting<unknown>>(settings).flatMap(([name, { secret }]) =>
    secret ? [name, `${name}_FILE`] : [name],
  );
  const known = new Set(names);
  return Object.keys(env)
    .filter((given) => !known.has(given) && /^[A-Za-z][A-Za-z0-9_-]*$/.test(given))
    .flatMap((given) => {
      const letters = lettersOf(given);
      const meant = names
        .filter((name) => !env[name])
        .map((name) => ({ name, apart: distance(letters, lettersOf(name)) }))
        .filter(({ name, apart }) => apart <= slipsIn(name))
        .toSorted((one, other) => one.apart - other.apart)[0];
      return meant ? [{ given, meant: meant.name }] : [];
    });
}

const lettersOf = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^KABARI(?!DATA$)/, '');

/** Number of letters that may differ: none in short names such as `HOST` and `HOME`. */
const slipsIn = (name: string): number => {
  const { length } = lettersOf(name);
  return length < 7 ? 0 : Math.min(3, Math.floor(length / 4));
};

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** @throws StartError with one sentence about the first invalid setting. */
export function readConfig(env: Environment): Config {
  const read: Record<string, unknown> = {};
  for (const [name, how] of Object.entries(settings))
    read[name] = readSetting(name, how, valueOf(env, name, how));
  const given = read as Settings;
  const production = given.NODE_ENV === 'production';
  if (production) refuseUnsafe(given);
  refuseKeyless(given);
  refuseShared(given);
  refuseUnsafeGateways(given, production);
  refuseForeignBackup(given);
  refuseHalfKey(given);
  if (isRangeEmpty(given)) {
    throw new StartError('TOPUP_MINIMUM must not be above TOPUP_MAXIMUM.');
  }
  if (given.ROLE !== 'all' && given.DATABASE_URL === undefined) {
    throw new StartError(
      `ROLE=${given.ROLE} needs DATABASE_URL: the embedded database serves one process only.`,
    );
  }
  if (given.DATABASE_REPLICA_URL !== undefined && given.DATABASE_URL === undefined) {
    throw new StartError(
      'DATABASE_REPLICA_URL needs DATABASE_URL, the database that it is a standby of.',
    );
  }
  return {
    ...given,
    BACKUP: given.BACKUP ?? (given.DATABASE_URL === undefined ? '03:15' : 'off'),
    DRAIN_SECONDS: given.DRAIN_SECONDS ?? (given.ROLE === 'web' ? 5 : 0),
    HEALTH_PORT: given.HEALTH_PORT ?? (given.ROLE === 'worker' ? WORKER_HEALTH_PORT : undefined),
    BANK_NAME: given.BANK_NAME ?? simulatedBank.BANK_NAME,
    BANK_NUMBER: given.BANK_NUMBER ?? simulatedBank.BANK_NUMBER,
    BANK_HOLDER: given.BANK_HOLDER ?? simulatedBank.BANK_HOLDER,
    OPERATOR_SECOND_FACTOR: given.OPERATOR_SECOND_FACTOR ?? (production ? 'required' : 'optional'),
    SIMULATOR: given.SIMULATOR ?? !production,
    CHANNEL_WEB: given.CHANNEL_WEB ?? !production,
    production,
  };
}

/** True if no amount satisfies both limits. */
export const isRangeEmpty = ({
  TOPUP_MINIMUM,
  TOPUP_MAXIMUM,
}: Pick<Settings, 'TOPUP_MINIMUM' | 'TOPUP_MAXIMUM'>): boolean => TOPUP_MINIMUM > TOPUP_MAXIMUM;

/** The test keys that captcha providers publish: every solution passes. */
const trialKeys =
  /^([123]x0{20}[A-Z]{2}|[123]x0{33}[A-Z]{2}|[123]0000000-ffff-ffff-ffff-000000000001|0x0{40}|6LeIxAcTAAAA)/i;

/** True if a captcha key is one of its provider's test keys. */
export const hasTrialKey = ({
  CAPTCHA_SITE_KEY = '',
  CAPTCHA_SECRET_KEY = '',
}: Pick<Settings, 'CAPTCHA_SITE_KEY' | 'CAPTCHA_SECRET_KEY'>): boolean =>
  [CAPTCHA_SITE_KEY, CAPTCHA_SECRET_KEY].some((key) => trialKeys.test(key));

/** MEDIA_ORIGIN protects only if it serves neither the portal nor acts. */
function refuseShared({ MEDIA_ORIGIN, PUBLIC_URL, API_URL, PORTAL_ORIGINS }: Settings): void {
  if (MEDIA_ORIGIN === undefined) return;
  const others = [PUBLIC_URL, API_URL, ...PORTAL_ORIGINS].filter((one) => one !== undefined);
  if (others.some((one) => new URL(one).host === new URL(MEDIA_ORIGIN).host)) {
    throw new StartError(
      'MEDIA_ORIGIN must be an address of its own, not that of PUBLIC_URL, API_URL or PORTAL_ORIGINS.',
    );
  }
}

/** Without keys a captcha would block everyone or no one (docs/threats.md, T7). */
function refuseKeyless(given: Settings): void {
  if (given.CAPTCHA_PROVIDER === 'altcha') return;
  for (const name of ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET_KEY'] as const) {
    if (given[name] === undefined) {
      throw new StartError(`CAPTCHA_PROVIDER=${given.CAPTCHA_PROVIDER} needs ${name}.`);
    }
  }
}

/** Requirements of production: docs/threats.md, T49. */
function refuseUnsafe(given: Settings): void {
  if (given.PUBLIC_URL === undefined) {
    throw new StartError('NODE_ENV=production needs PUBLIC_URL, the https address people use.');
  }
  for (const name of ['PUBLIC_URL', 'API_URL', 'MEDIA_ORIGIN'] as const) {
    if (given[name]?.startsWith('http:')) {
      throw new StartError(`${name} must begin with https:// when NODE_ENV=production.`);
    }
  }
  for (const name of [
    'PORTAL_ORIGINS',
    'RETURN_ORIGINS',
    'PUSH_SERVICES',
    'MEDIA_LISTED',
  ] as const) {
    if (given[name].some((one) => one.startsWith('http:'))) {
      throw new StartError(`${name} may name only https:// addresses when NODE_ENV=production.`);
    }
  }
  refuseTrials(given);
  if (given.SECRET_KEY === undefined) {
    throw new StartError(
      'NODE_ENV=production needs SECRET_KEY; make one with `openssl rand -base64 32` and keep it.',
    );
  }
  if (given.WEB_URL?.startsWith('ws:')) {
    throw new StartError('WEB_URL must begin with wss:// when NODE_ENV=production.');
  }
  for (const name of ['CAPTCHA_VERIFY_URL', 'CLOUD_URL'] as const) {
    if (given[name]?.startsWith('http:')) {
      throw new StartError(`${name} must begin with https:// when NODE_ENV=production.`);
    }
  }
  for (const name of ['BANK_NAME', 'BANK_NUMBER', 'BANK_HOLDER'] as const) {
    if (given[name] === undefined) {
      throw new StartError(
        `NODE_ENV=production needs ${name}: top-ups are transferred to BANK_NAME, BANK_NUMBER, BANK_HOLDER.`,
      );
    }
  }
  const wide = overlyWideProxies(given.TRUSTED_PROXIES);
  if (wide.length > 0) {
    throw new StartError(
      `TRUSTED_PROXIES=${wide.join(',')} lets callers choose their own address; name only the addresses of your proxy when NODE_ENV=production.`,
    );
  }
  if (given.TRUSTED_PROXIES.length === 0) {
    throw new StartError(
      'NODE_ENV=production needs TRUSTED_PROXIES, the proxy that speaks https for this installation.',
    );
  }
}

/** Test settings would let strangers in or create money in production. */
function refuseTrials(given: Settings): void {
  if (given.CAPTCHA_SCRIPT_URL !== undefined) {
    throw new StartError(
      'CAPTCHA_SCRIPT_URL is for trying things out; leave it away when NODE_ENV=production.',
    );
  }
  if (given.WEB_ENGINE === 'stand-in') {
    throw new StartError(
      'WEB_ENGINE=stand-in is for trying things out; leave it away when NODE_ENV=production.',
    );
  }
  if (given.CLOCK === 'movable') {
    throw new StartError(
      'CLOCK=movable is for trying things out; leave it away when NODE_ENV=production.',
    );
  }
  if (given.CAPTCHA_PROVIDER !== 'altcha' && hasTrialKey(given)) {
    throw new StartError(
      `CAPTCHA_SITE_KEY or CAPTCHA_SECRET_KEY is a trial key of ${given.CAPTCHA_PROVIDER}, which lets every program in; use keys of your own when NODE_ENV=production.`,
    );
  }
  if (given.BANK_NUMBER !== undefined && isSimulatedBank(given.BANK_NUMBER)) {
    throw new StartError(
      `BANK_NUMBER=${given.BANK_NUMBER} is the account of the simulated bank; name your own when NODE_ENV=production.`,
    );
  }
  if (given.SIMULATOR) {
    throw new StartError(
      'SIMULATOR=on shows one-time codes to everybody; remove it when NODE_ENV=production.',
    );
  }
}

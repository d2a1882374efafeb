import * as z from 'zod/mini';
import { canonicalAddress } from './postgres/address.ts';
import { type Setting, optional, readSetting, setting } from './setting.ts';
import { StartError } from './start-error.ts';

const text = z.string().check(z.minLength(1, 'a text'));

const whole = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,15}$/, `a whole number from ${min} to ${max}`)),
    z.pipe(
      z.transform(Number),
      z
        .number()
        .check(
          z.minimum(min, `a whole number from ${min} to ${max}`),
          z.maximum(max, `a whole number from ${min} to ${max}`),
        ),
    ),
  );

const decimal = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,9}(\.\d{1,6})?$/, `a number from ${min} to ${max}`)),
    z.pipe(
      z.transform(Number),
      z
        .number()
        .check(
          z.minimum(min, `a number from ${min} to ${max}`),
          z.maximum(max, `a number from ${min} to ${max}`),
        ),
    ),
  );

const oneOf = <const Choices extends readonly [string, ...string[]]>(...choices: Choices) =>
  z.enum(choices, `one of ${choices.join(', ')}`);

const switched = z.pipe(
  oneOf('on', 'off'),
  z.transform((word) => word === 'on'),
);

const listOf = (one: z.ZodMiniType<string, string>) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((words) => words.split(/[\s,]+/).filter((word) => word !== '')),
    ),
    z.array(one),
  );

function isOrigin(word: string): boolean {
  if (!URL.canParse(word)) return false;
  const { protocol, origin } = new URL(word);
  return (protocol === 'https:' || protocol === 'http:') && origin === word;
}

/** `https://portal.example`: scheme, host and port, nothing behind them. */
const origin = z
  .string()
  .check(z.refine(isOrigin, 'an address such as https://kabari.example, without a path'));

/** `https://provider.example/verify`: of http or https. */
const address = z
  .string()
  .check(
    z.refine(
      (word) => URL.canParse(word) && /^https?:$/.test(new URL(word).protocol),
      'an address such as https://captcha.example/siteverify',
    ),
  );

const postgresUrl = z.pipe(
  z.pipe(z.string(), z.transform(canonicalAddress)),
  z.string('an address such as postgres://user:password@host:5432/kabari'),
);

/** An address, or a range of them: `10.0.0.0/8`, `::1`. */
const proxy = z
  .string()
  .check(
    z.regex(
      /^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(\/[0-9]{1,3})?$|^loopback$/,
      'addresses or ranges such as 127.0.0.1, 10.0.0.0/8, or the word loopback',
    ),
  );

const clamd = z
  .string()
  .check(
    z.regex(
      /^(\/.+|(\[[0-9a-fA-F:.]+\]|[^\s:/]+):[0-9]{1,5})$/,
      'host:port, or the path of a socket, such as 127.0.0.1:3310 or /run/clamav/clamd.ctl',
    ),
  );

const contact = z
  .string()
  .check(
    z.regex(
      /^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*)$/,
      'an address such as mailto:admin@kabari.example',
    ),
  );

const secretKey = z
  .string()
  .check(
    z.refine(
      (word) => word.length >= 32 && new Set(word).size >= 12,
      'at least 32 characters of chance, as `openssl rand -base64 32` prints them',
    ),
  );

const operatorPhone = z
  .string()
  .check(z.regex(/^628[1-9][0-9]{6,10}$/, 'an Indonesian mobile number such as 6281234567890'));

/** Every setting: what it means, what is accepted, and what it is when nobody sets it. */
export const settings = {
  NODE_ENV: setting(
    'What this installation is. `production` turns the strict rules on: https, a key of its own, no simulator.',
    oneOf('development', 'test', 'production'),
    'development',
  ),
  HOST: setting('The address to listen on.', text, '127.0.0.1'),
  PORT: setting('The port to listen on; 0 takes any free one.', whole(0, 65_535), '3000'),
  HEALTH_PORT: setting(
    'Where `ROLE=worker` answers `/healthz`, `/readyz` and `/metrics`; 0 takes any free port. Other roles answer them on `PORT`.',
    whole(0, 65_535),
    '9464',
  ),
  ROLE: setting(
    'What this process does: answer requests (`web`), send and tidy (`worker`; needs DATABASE_URL), or both (`all`).',
    oneOf('all', 'web', 'worker'),
    'all',
  ),
  DATABASE_URL: optional(
    'The PostgreSQL (15 or newer) to use. Without it the application runs its own, in the data folder.',
    postgresUrl,
    { secret: true },
  ),
  KABARI_DATA: optional(
    'The folder for everything that lasts. Without it `/var/lib/kabari` for root, `.data` for others. As root it must be one that the user `kabari` can enter, so not below `/root`.',
    text,
  ),
  SECRET_KEY: optional(
    'Mixed into every secret of the installation, so that a copy of the database alone opens nothing: at least 32 characters of chance, the same on every node. Required in production.',
    secretKey,
    { secret: true },
  ),
  PUBLIC_URL: optional(
    'The address people use, such as `https://kabari.example`. Without it `http://localhost` and the port. Required in production, and https there.',
    origin,
  ),
  API_URL: optional(
    'The address of the API as the portal and the samples show it. Without it `PUBLIC_URL`.',
    origin,
  ),
  MEDIA_ORIGIN: optional(
    'Another address of this installation, where files that people sent are shown: nothing in one could ever reach the portal. Without it `PUBLIC_URL`.',
    origin,
  ),
  PORTAL_ORIGINS: setting(
    'Other addresses the portal is served from, separated by commas: allowed in CORS and in the origin check.',
    listOf(origin),
    '',
  ),
  RETURN_ORIGINS: setting(
    'Addresses beside our own that `from` and `callbackUrl` may lead back to, separated by commas.',
    listOf(origin),
    '',
  ),
  TRUSTED_PROXIES: setting(
    'The proxies whose `X-Forwarded-*` is believed: addresses, ranges, or `loopback`, separated by commas.',
    listOf(proxy),
    '',
  ),
  LOG_LEVEL: setting(
    'How much is logged.',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ),
  METRICS_TOKEN: optional(
    'Lets whoever sends it as a Bearer token read `/metrics`. Without it only this machine may.',
    text,
    { secret: true },
  ),
  SIMULATOR: optional(
    'The phone network inside the process. Without it on, except in production.',
    switched,
  ),
  SIMULATOR_SPEED: setting(
    'How fast simulated phones answer: 1 is lifelike, 2 twice as fast, 0 at once.',
    decimal(0, 1_000),
    '1',
  ),
  WELCOME_BONUS: setting(
    'Saldo a new account begins with, in whole rupiah; a number that had an account before gets none.',
    whole(0, 10_000_000),
    '10000',
  ),
  PPN: setting('Whether PPN is added to top-ups.', switched, 'off'),
  KODE_UNIK: setting(
    'Where the kode unik of a transfer goes: to the customer (`saldo`) or to us (`income`).',
    oneOf('saldo', 'income'),
    'saldo',
  ),
  BANK_NAME: optional(
    'The bank that top-ups are transferred to. Required in production, with its number and holder; without them a local installation names a simulated bank.',
    text,
  ),
  BANK_NUMBER: optional('The account number that top-ups are transferred to.', text),
  BANK_HOLDER: optional('In whose name that account is.', text),
  LANE_PACE_PER_SECOND: setting(
    'Messages a token sends in a second at most; 0 sets no pace.',
    decimal(0, 10_000),
    '0',
  ),
  BATCH_ACROSS_ACCOUNTS: setting('Whether one database call serves many accounts.', switched, 'on'),
  RATE_API_PER_SECOND: setting('API requests of a token in a second.', whole(1, 1_000_000), '50'),
  BUSY_DELAY_MS: setting(
    'How late a process may be on average, in milliseconds, before it sends callers away as busy (503); 0 sends nobody away, for tests on a machine with other work.',
    whole(0, 60_000),
    '250',
  ),
  OTP_DAILY_TOTAL: setting(
    'One-time codes sent in a day, all numbers together.',
    whole(0, 10_000_000),
    '2000',
  ),
  OTP_DAILY_PER_ADDRESS: setting(
    'One-time codes asked for in a day from one address; a network (/24, /64) may ask four times as many.',
    whole(0, 1_000_000),
    '50',
  ),
  RATE_AUTH_PER_ADDRESS: setting(
    'Sign-in and registration calls from one address in ten minutes.',
    whole(1, 1_000_000),
    '90',
  ),
  UPLOADS_OPEN_MB: setting(
    'Megabytes of an account that are being uploaded, or are uploaded and not used yet.',
    whole(1, 1_000_000),
    '200',
  ),
  FILES_PER_ACCOUNT_MB: setting(
    'Megabytes of files an account may keep.',
    whole(1, 100_000_000),
    '5000',
  ),
  CLAMD_HOST: optional(
    'Where clamd scans uploads for malware: `host:port`, or the path of its socket. Once it is set, nothing is accepted unscanned; its `StreamMaxLength` must be 100M or more.',
    clamd,
  ),
  PUSH_SERVICES: setting(
    'Push services of browsers beside those of Chrome, Firefox, Edge and Safari, separated by commas.',
    listOf(origin),
    '',
  ),
  PUSH_CONTACT: optional(
    'Whom a push service may write to about this installation: a `mailto:` or `https:` address. Without it `admin` at the host of `PUBLIC_URL`.',
    contact,
  ),
  OPERATOR_PHONE: setting(
    'The phone number the first operator signs in with; read at the first start only.',
    operatorPhone,
    '6281100000000',
  ),
  CAPTCHA_PROVIDER: setting(
    'Who tells people from programs. `altcha` runs here and asks nobody else; `turnstile`, `hcaptcha` and `recaptcha` (v2) need the two keys below, and open the policy of the pages for their widget.',
    oneOf('altcha', 'turnstile', 'hcaptcha', 'recaptcha'),
    'altcha',
  ),
  CAPTCHA_SITE_KEY: optional('The site key that the captcha’s provider gave.', text),
  CAPTCHA_SECRET_KEY: optional('The secret key beside it.', text, { secret: true }),
  CAPTCHA_VERIFY_URL: optional(
    'Where solved captchas are verified, when not at the provider’s usual address.',
    address,
  ),
  CAPTCHA_SCRIPT_URL: optional(
    'Where the captcha’s script is, when not at the provider’s usual address; refused in production.',
    address,
  ),
};

type Settings = {
  [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never;
};

/** Where top-ups go in a local installation: the simulated bank. */
const simulatedBank = {
  BANK_NAME: 'Bank Simulasi',
  BANK_NUMBER: '8800123456',
  BANK_HOLDER: 'PT Kabari Contoh',
};

/** The settings as read, and what follows from them. */
export type Config = Omit<Settings, 'SIMULATOR' | 'PUBLIC_URL' | keyof typeof simulatedBank> & {
  SIMULATOR: boolean;
  /** Undefined until the port is known: a local installation without `PUBLIC_URL`. */
  PUBLIC_URL: string | undefined;
  /** True in production, where the strict rules apply. */
  production: boolean;
} & { [Name in keyof typeof simulatedBank]: string };

/**
 * The settings, from an environment.
 *
 * @throws StartError with one sentence, about the first setting that cannot be used as it is.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const read: Record<string, unknown> = {};
  for (const [name, how] of Object.entries(settings))
    read[name] = readSetting(name, how, env[name]);
  const given = read as Settings;
  const production = given.NODE_ENV === 'production';
  if (production) refuseUnsafe(given);
  refuseKeyless(given);
  refuseShared(given);
  if (given.ROLE !== 'all' && given.DATABASE_URL === undefined) {
    throw new StartError(
      `ROLE=${given.ROLE} needs DATABASE_URL: the embedded database serves one process only.`,
    );
  }
  return {
    ...given,
    BANK_NAME: given.BANK_NAME ?? simulatedBank.BANK_NAME,
    BANK_NUMBER: given.BANK_NUMBER ?? simulatedBank.BANK_NUMBER,
    BANK_HOLDER: given.BANK_HOLDER ?? simulatedBank.BANK_HOLDER,
    SIMULATOR: given.SIMULATOR ?? !production,
    production,
  };
}

/** Apart means apart: an address that also shows the portal, or answers acts, would protect nobody. */
function refuseShared({ MEDIA_ORIGIN, PUBLIC_URL, API_URL, PORTAL_ORIGINS }: Settings): void {
  if (MEDIA_ORIGIN === undefined) return;
  const others = [PUBLIC_URL, API_URL, ...PORTAL_ORIGINS].filter((one) => one !== undefined);
  if (others.some((one) => new URL(one).host === new URL(MEDIA_ORIGIN).host)) {
    throw new StartError(
      'MEDIA_ORIGIN must be an address of its own, not that of PUBLIC_URL, API_URL or PORTAL_ORIGINS.',
    );
  }
}

/** A captcha without its keys would let nobody in, or everybody (docs/threats.md, T7). */
function refuseKeyless(given: Settings): void {
  if (given.CAPTCHA_PROVIDER === 'altcha') return;
  for (const name of ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET_KEY'] as const) {
    if (given[name] === undefined) {
      throw new StartError(`CAPTCHA_PROVIDER=${given.CAPTCHA_PROVIDER} needs ${name}.`);
    }
  }
}

/** What production never does (docs/threats.md, T49): plain http, no key of its own, no proxy to trust. */
function refuseUnsafe(given: Settings): void {
  if (given.PUBLIC_URL === undefined) {
    throw new StartError('NODE_ENV=production needs PUBLIC_URL, the https address people use.');
  }
  for (const name of ['PUBLIC_URL', 'API_URL', 'MEDIA_ORIGIN'] as const) {
    if (given[name]?.startsWith('http:')) {
      throw new StartError(`${name} must begin with https:// when NODE_ENV=production.`);
    }
  }
  for (const name of ['PORTAL_ORIGINS', 'RETURN_ORIGINS', 'PUSH_SERVICES'] as const) {
    if (given[name].some((one) => one.startsWith('http:'))) {
      throw new StartError(`${name} may name only https:// addresses when NODE_ENV=production.`);
    }
  }
  if (given.SECRET_KEY === undefined) {
    throw new StartError(
      'NODE_ENV=production needs SECRET_KEY; make one with `openssl rand -base64 32` and keep it.',
    );
  }
  if (given.CAPTCHA_SCRIPT_URL !== undefined) {
    throw new StartError(
      'CAPTCHA_SCRIPT_URL is for trying things out; leave it away when NODE_ENV=production.',
    );
  }
  if (given.CAPTCHA_VERIFY_URL?.startsWith('http:')) {
    throw new StartError('CAPTCHA_VERIFY_URL must begin with https:// when NODE_ENV=production.');
  }
  for (const name of ['BANK_NAME', 'BANK_NUMBER', 'BANK_HOLDER'] as const) {
    if (given[name] === undefined) {
      throw new StartError(
        `NODE_ENV=production needs ${name}: top-ups are transferred to BANK_NAME, BANK_NUMBER, BANK_HOLDER.`,
      );
    }
  }
  if (given.TRUSTED_PROXIES.length === 0) {
    throw new StartError(
      'NODE_ENV=production needs TRUSTED_PROXIES, the proxy that speaks https for this installation.',
    );
  }
}

import { backupSettings } from './backup.ts';
import { channelSettings } from './channels.ts';
import { fileSettings } from './files.ts';
import { moneySettings } from './money.ts';
import { serviceSettings } from './service.ts';
import { traceSettings } from './traces.ts';
import {
  address,
  clamd,
  contact,
  decimal,
  listOf,
  oneOf,
  operatorPhone,
  origin,
  postgresUrl,
  proxy,
  replicaUrl,
  secretKey,
  switched,
  text,
  whole,
} from './readers.ts';
import { optional, setting } from './setting.ts';

/** Every setting: what it means, what is accepted, and what it is when nobody sets it. */
export const settings = {
  NODE_ENV: setting(
    'What this installation is. `production` turns the strict rules on: https, a key of its own, no simulator.',
    oneOf('development', 'test', 'production'),
    'development',
  ),
  HOST: setting('The address to listen on.', text, '127.0.0.1'),
  PORT: setting('The port to listen on; 0 takes any free one.', whole(0, 65_535), '3000'),
  HEALTH_PORT: optional(
    'A port of its own for `/healthz`, `/readyz` and `/metrics`, answered however many callers wait at `PORT`, which answers them as well; 0 takes any free port. Without it 9464 with `ROLE=worker`, which has no other port, otherwise none.',
    whole(0, 65_535),
  ),
  ROLE: setting(
    'What this process does: answer requests (`web`), send and tidy (`worker`; needs DATABASE_URL), or both (`all`).',
    oneOf('all', 'web', 'worker'),
    'all',
  ),
  DRAIN_SECONDS: optional(
    'So many seconds a process that was sent SIGTERM goes on answering while `/readyz` says 503: longer than the balancer needs to take it out. Without it 5 with `ROLE=web`, otherwise 0.',
    whole(0, 600),
  ),
  DATABASE_URL: optional(
    'The PostgreSQL (15 or newer) to use. Several servers, a primary and its standbys, may be named with commas (`host:port,host:port`): the one that takes writes is used. Without it the application runs its own, in the data folder.',
    postgresUrl,
    { secret: true },
  ),
  DATABASE_REPLICA_URL: optional(
    'A standby of the PostgreSQL at `DATABASE_URL`, entered by the same role. Long work that only reads goes there: files and archives that people take along, and the checks of the night. While it is away or too far behind, the database itself is read.',
    replicaUrl,
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
  ...traceSettings,
  OPERATOR_SECOND_FACTOR: optional(
    'Whether operators need a second factor beside their password: `required`, or `optional`. Without it required in production, optional otherwise.',
    oneOf('required', 'optional'),
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
  ...channelSettings,
  ...backupSettings,
  ...fileSettings,
  ...moneySettings,
  ...serviceSettings,
  RATE_API_PER_SECOND: setting('API requests of a token in a second.', whole(1, 1_000_000), '50'),
  BUSY_DELAY_MS: setting(
    'How late a process may be on average, in milliseconds, before it sends callers away as busy (503); 0 sends nobody away, for tests on a machine with other work.',
    whole(0, 60_000),
    '250',
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
  MEDIA_LISTED: setting(
    'Origins inside our own network from which the links of messages may be fetched, separated by commas. All others are fetched from public addresses only.',
    listOf(origin),
    '',
  ),
  WEBHOOK_ORIGINS: setting(
    'Origins of webhooks that are asked although they are no public https addresses, such as `http://127.0.0.1:4000`, separated by commas: for programs inside our own network, and for trying things out. All others are asked at public https addresses only.',
    listOf(origin),
    '',
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

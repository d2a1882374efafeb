import { type Config, hasTrialKey, misspeltSettings } from '#server/infra/config.ts';
import type { SealedCounts } from '#server/infra/security/secrets.ts';
import { overlyWideProxies } from '#server/infra/settings/readers.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const NODE_MAJOR_MIN = 26;

/** Node runs TypeScript directly only from 26 on. */
export function nodeVersion(version: string): Finding {
  const major = Number(/^v?(\d+)/.exec(version)?.[1]);
  return major >= NODE_MAJOR_MIN
    ? ok(`Node ${version}`)
    : wrong(
        `Node ${version} is too old: ${NODE_MAJOR_MIN} or newer is needed.`,
        'Run npm ci; it brings the right one.',
      );
}

export function production({ production: isOn, PUBLIC_URL }: Config): Finding {
  if (!isOn) {
    return warning(
      'This is a local installation: plain http, simulated phones and bank, no strict rules.',
      'For customers set NODE_ENV=production, and what it then asks for.',
    );
  }
  return PUBLIC_URL?.startsWith('https://')
    ? ok(`People reach it at ${PUBLIC_URL}.`)
    : wrong('PUBLIC_URL is no https address.', 'Set PUBLIC_URL to the https address people use.');
}

/** Simulated phones show one-time codes to everybody, so production refuses them. */
export const simulator = ({ SIMULATOR }: Config): Finding =>
  ok(`Simulated phones are ${SIMULATOR ? 'on' : 'off'}.`);

/** Changes of money safeguards that take effect by themselves unless an admin decides before. */
export function waitingSettings(changes: readonly { name: string; effective_at: Date }[]): Finding {
  if (changes.length === 0) return ok('No change of a safeguard of money waits.');
  const each = changes.map(({ name, effective_at: at }) => `${name} from ${at.toISOString()} on`);
  return warning(
    `Changes of safeguards of money wait for a second admin, and count by themselves: ${each.join(', ')}.`,
    'Approve or end each under Pengaturan in the operator pages.',
  );
}

/** Names variables that are probably misspelt settings, which would be ignored. */
export function settingNames(env: Readonly<Record<string, string | undefined>>): Finding {
  const found = misspeltSettings(env);
  return found.length === 0
    ? ok('No variable resembles a setting without being one.')
    : warning(
        `Ignored, as Kabari has no such settings: ${found.map(({ given, meant }) => `${given} (${meant}?)`).join(', ')}.`,
        'Correct their names; docs/settings.md lists them all.',
      );
}

/** A captcha with the keys of its documentation stops nothing. */
export function captcha(config: Config): Finding {
  const { CAPTCHA_PROVIDER } = config;
  if (CAPTCHA_PROVIDER === 'altcha') return ok('The captcha is our own (altcha).');
  return hasTrialKey(config)
    ? wrong(
        `The keys of ${CAPTCHA_PROVIDER} are those for trying things out: everybody passes.`,
        'Set CAPTCHA_SITE_KEY and CAPTCHA_SECRET_KEY to your own.',
      )
    : ok(`The captcha is ${CAPTCHA_PROVIDER}, with keys of your own.`);
}

/** A client that can spoof its address evades every limit. */
export function proxies({ TRUSTED_PROXIES }: Config): Finding {
  const all = overlyWideProxies(TRUSTED_PROXIES);
  return all.length === 0
    ? ok(
        `${TRUSTED_PROXIES.length === 0 ? 'No proxy is' : `${TRUSTED_PROXIES.join(', ')} may be`} believed.`,
      )
    : wrong(
        `TRUSTED_PROXIES ${all.join(', ')} believes everybody where a request came from.`,
        'Name the addresses of your own proxy only.',
      );
}

/** Whether sealed data in the database opens, and its key is not in the database. */
export function secretKey(
  { SECRET_KEY, SECRET_KEY_SECOND }: Config,
  { sealed, opened, outdated }: SealedCounts,
): Finding {
  if (opened < sealed) {
    return wrong(
      'What is sealed in the database does not open with this SECRET_KEY: codes, keys of push and drafts of answers are lost.',
      'Set SECRET_KEY to the one in use; if there was none before, SECRET_KEY_SECOND=none (docs/operating.md, Another SECRET_KEY).',
    );
  }
  if (SECRET_KEY_SECOND !== undefined && outdated > 0) {
    return warning(
      'Some values are sealed with SECRET_KEY_SECOND only.',
      'npm run operator -- rotate-key seals them with SECRET_KEY.',
    );
  }
  return SECRET_KEY === undefined
    ? warning(
        'There is no SECRET_KEY: a copy of the database alone opens everything in it.',
        'Set SECRET_KEY, with SECRET_KEY_SECOND=none at the first start (docs/operating.md, Another SECRET_KEY), and keep it apart from the backups.',
      )
    : ok('Secrets are sealed with SECRET_KEY.');
}

/** Whether invoices with PPN can be issued: they contain the seller's NPWP and address. */
export function seller({
  missing,
  invoices_waiting: waiting,
}: {
  missing: readonly ('npwp' | 'address')[];
  invoices_waiting: number;
}): Finding {
  if (missing.length === 0) return ok('Invoices have what they must name of the seller.');
  const names = missing.map((fact) => (fact === 'npwp' ? 'SELLER_NPWP' : 'SELLER_ADDRESS'));
  return warning(
    `PPN is on without ${names.join(' and ')}: ${waiting} invoices of paid top-ups wait.`,
    'Enter both at Pengaturan, or in the environment; waiting invoices are then issued within a minute.',
  );
}

/** Operators without a second factor, who depend on their password alone. */
export function secondFactors(
  { OPERATOR_SECOND_FACTOR }: Pick<Config, 'OPERATOR_SECOND_FACTOR'>,
  operators: readonly { name: string; hasFactor: boolean }[],
): Finding {
  const without = operators.filter(({ hasFactor }) => !hasFactor).map(({ name }) => name);
  if (without.length === 0) return ok('Every operator has a second factor.');
  return OPERATOR_SECOND_FACTOR === 'required'
    ? warning(
        `Operators without a second factor: ${without.join(', ')}. They set one up when they sign in.`,
        'Ask them to, or take the operators away who never do.',
      )
    : warning(
        `Operators without a second factor: ${without.join(', ')}. A stolen password is enough.`,
        'Ask them to set one up, at Keamanan; or leave OPERATOR_SECOND_FACTOR away in production.',
      );
}

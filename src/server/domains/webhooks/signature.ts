import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookDeps } from './deps.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const HINT_LENGTH = 4;

/** A secret as its owner stores it: `whsec_` and 32 random bytes in base64. */
export const makeSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export const hintOf = (secret: string): string => secret.replace(/=+$/, '').slice(-HINT_LENGTH);

/** A secret that is not to be seen: its last characters. */
export const maskOf = (hint: string): string => `${PREFIX}…${hint}`;

/** A character as a program may write it: itself, escaped in JSON, or as in a URL. */
const spellingsOf = (character: string): string => {
  const code = character.charCodeAt(0).toString(16);
  return `(?:\\\\?[${character}]|%${code}|\\\\u00${code})`;
};

/** Text of others in which each secret is replaced by its mask, also where it was escaped. */
export function coverSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((covered, secret) => {
    const key = secret.slice(PREFIX.length).replace(/=+$/, '');
    // Most answers are empty or a word: no spelling is shorter than the key.
    if (key === '' || covered.length < key.length) return covered;
    const spelled = new RegExp(`(?:${PREFIX})?${[...key].map(spellingsOf).join('')}=*`, 'gi');
    return covered.replace(spelled, maskOf(hintOf(secret)));
  }, text);
}

/**
 * What the handshake of the Cloud API names as `hub.verify_token`: of each webhook another one, always the
 * same. It opens nothing, and tells a receiver that the one who asks is who was told of its address.
 */
export const verifyTokenOf = (
  { secrets }: Pick<WebhookDeps, 'secrets'>,
  webhookId: string,
): string =>
  createHmac('sha256', secrets.key('webhooks')).update(webhookId).digest('base64url').slice(0, 32);

const contextOf = (webhookId: string): string => `webhook ${webhookId}`;

/** The secrets of webhooks, as they are sealed. */
export const sealedWebhooks: readonly SealedColumn[] = ['secret', 'previous_secret'].map(
  (column) => ({
    table: 'webhooks',
    column,
    key: ['account_id', 'webhook_id'],
    context: ({ webhook_id = '' }) => contextOf(webhook_id),
  }),
);

export const sealSecret = (secrets: Secrets, webhookId: string, secret: string): Buffer =>
  secrets.seal(secret, contextOf(webhookId));

/** @throws Error when it was sealed elsewhere, or under another SECRET_KEY. */
function openSecret(secrets: Secrets, webhookId: string, sealed: Uint8Array): string {
  const opened = secrets.open(sealed, contextOf(webhookId));
  if (!opened) throw new Error('the secret of a webhook cannot be opened');
  return opened.toString('utf8');
}

/** The secrets of a webhook as they are stored; those from before are sealed as one text, the newest first. */
export type SealedSecrets = {
  webhook_id: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: Date | null;
};

/** So many sign at once at most: the present one, the newest from before, and the oldest that is valid. */
const SIGNING_MAX = 5;

/**
 * Those from before, once there is another secret: all that sign now, for whoever replaces secrets twice may
 * have given a receiver any of them. Of too many, the oldest one stays: a receiver has that for certain.
 */
export function sealPrevious(
  deps: Pick<WebhookDeps, 'secrets' | 'now'>,
  row: SealedSecrets,
): Buffer {
  const signing = secretsOf(deps, row);
  const kept =
    signing.length < SIGNING_MAX
      ? signing
      : [...signing.slice(0, SIGNING_MAX - 2), ...signing.slice(-1)];
  return sealSecret(deps.secrets, row.webhook_id, kept.join(' '));
}

/** The secrets that sign now: the present one, and those before while they are valid. */
export function secretsOf(
  { secrets, now }: Pick<WebhookDeps, 'secrets' | 'now'>,
  row: SealedSecrets,
): string[] {
  const { webhook_id: id, secret, previous_secret: previous, previous_until: until } = row;
  const current = openSecret(secrets, id, secret);
  return previous && until && until > now()
    ? [current, ...openSecret(secrets, id, previous).split(' ')]
    : [current];
}

type Signed = { id: string; at: Date; body: string; secrets: readonly string[] };

/**
 * The headers of Standard Webhooks: what is signed is `id.timestamp.body`, HMAC-SHA256 under each secret.
 *
 * @param at the instant of this try; its whole seconds are the timestamp.
 */
export function standardHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8');
    return `v1,${mac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

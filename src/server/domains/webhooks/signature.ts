import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookDeps } from './deps.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const HINT_LENGTH = 4;

/** A secret as shown to its owner: `whsec_` and 32 random bytes in base64. */
export const makeSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export const hintOf = (secret: string): string => secret.replace(/=+$/, '').slice(-HINT_LENGTH);

export const maskOf = (hint: string): string => `${PREFIX}…${hint}`;

/** The spellings of a character in a response: itself, escaped in JSON, or percent-encoded. */
const spellingsOf = (character: string): string => {
  const code = character.charCodeAt(0).toString(16);
  return `(?:\\\\?[${character}]|%${code}|\\\\u00${code})`;
};

/** Replaces each secret in a foreign text by its mask, also in escaped form. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((covered, secret) => {
    const key = secret.slice(PREFIX.length).replace(/=+$/, '');
    // Most responses are empty or a word: no spelling is shorter than the key.
    if (key === '' || covered.length < key.length) return covered;
    const spelled = new RegExp(`(?:${PREFIX})?${[...key].map(spellingsOf).join('')}=*`, 'gi');
    return covered.replace(spelled, maskOf(hintOf(secret)));
  }, text);
}

/**
 * The `hub.verify_token` of the Cloud API's handshake: constant, and different for each webhook. It grants nothing;
 * it shows the receiver that the caller was given its address.
 */
export const verifyTokenOf = (
  { secrets }: Pick<WebhookDeps, 'secrets'>,
  webhookId: string,
): string =>
  createHmac('sha256', secrets.key('webhooks')).update(webhookId).digest('base64url').slice(0, 32);

const contextOf = (webhookId: string): string => `webhook ${webhookId}`;

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

/** @throws Error when it was sealed for another webhook, or under another SECRET_KEY. */
function openSecret(secrets: Secrets, webhookId: string, sealed: Uint8Array): string {
  const opened = secrets.open(sealed, contextOf(webhookId));
  if (!opened) throw new Error('the secret of a webhook cannot be opened');
  return opened.toString('utf8');
}

/** A webhook's secrets as stored; the previous ones are sealed as one text, newest first. */
export type SealedSecrets = {
  webhook_id: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: Date | null;
};

/** Signing secrets at most: the current one, the newest previous ones, and the oldest valid one. */
const SIGNING_MAX = 5;

/**
 * The previous secrets after a rotation: all that sign now, since after two rotations a receiver may have any of
 * them. Above the limit the oldest one stays, because a receiver certainly has it.
 */
export function sealPrevious(
  deps: Pick<WebhookDeps, 'secrets' | 'now'>,
  row: SealedSecrets,
): Buffer {
  const signing = secretsOf(deps, row);
  const retained =
    signing.length < SIGNING_MAX
      ? signing
      : [...signing.slice(0, SIGNING_MAX - 2), ...signing.slice(-1)];
  return sealSecret(deps.secrets, row.webhook_id, retained.join(' '));
}

/** The secrets that sign now: the current one, and the previous ones while they are valid. */
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
 * The Standard Webhooks headers: `id.timestamp.body`, signed with HMAC-SHA256 under each secret.
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

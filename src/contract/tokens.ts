import * as z from 'zod/mini';
import { act, paging } from './base/act.ts';
import { Id, IdInput } from './base/ids.ts';
import { PublicName } from './base/names.ts';
import { WholeNumber } from './base/numbers.ts';
import { Phone } from './base/phone.ts';
import { type Output, schema } from './base/schema.ts';
import { channelNames } from './scan.ts';

export const ChannelName = schema(() => z.enum(channelNames));
export type ChannelName = Output<typeof ChannelName>;

export const TokenStatus = schema(() =>
  z.enum(['unlinked', 'linking', 'linked', 'disconnected', 'suspended']),
);
export type TokenStatus = Output<typeof TokenStatus>;

export const tokenStatusLabel: Record<TokenStatus, string> = {
  unlinked: 'Belum tersambung',
  linking: 'Menghubungkan',
  linked: 'Tersambung',
  disconnected: 'Terputus',
  suspended: 'Ditangguhkan',
};

export const TokenAccess = schema(() =>
  z.object({
    scopes: z.array(z.enum(scopes)),
    /** Allowed addresses and ranges (CIDR) of callers; empty: any. */
    addresses: z.array(z.string()),
    /** The last day, `YYYY-MM-DD` in WIB; null: it does not expire. */
    expires_on: z.nullable(z.string()),
    /** Whether calls may carry its key in the URL, which proxies and browsers log. */
    key_in_address: z.boolean(),
  }),
);
export type TokenAccess = Output<typeof TokenAccess>;

export const Token = schema(() =>
  z.object({
    id: Id('token'),
    name: z.string(),
    channel: ChannelName(),
    status: TokenStatus(),
    phone: z.nullable(Phone()),
    /** The API key's last four characters, '' without a key; the key itself is shown once, at creation. */
    key_hint: z.string(),
    sent_today: z.int(),
    daily_limit: z.int(),
    last_used_at: z.nullable(z.coerce.date()),
    created_at: z.coerce.date(),
    /**
     * Set if the password was reset by code, or the number changed, after its creation, and its owner has not confirmed
     * it since. It works meanwhile.
     */
    review: z.nullable(
      z.object({ since: z.coerce.date(), cause: z.enum(['password_reset', 'phone_changed']) }),
    ),
    access: TokenAccess(),
  }),
);
export type Token = Output<typeof Token>;

/** Characters of a token's name. */
export const TOKEN_NAME_MAX = 60;

/** Strangers read it where they link a phone. */
const TokenName = schema(() =>
  PublicName({ min: 1, max: TOKEN_NAME_MAX, missing: 'Beri nama token ini.' }),
);

/** `kbr_live_` or `kbr_test_`, 43 base62 characters, 6 of CRC32 (docs/threats.md#api-keys). */
export const API_KEY_PATTERN = /^kbr_(live|test)_[0-9A-Za-z]{49}$/;

export const listTokens = act({
  name: 'token_list',
  by: 'customer',
  list: 'default',
  input: () => ({ ...paging(['name', 'created_at', 'last_used_at'] as const) }),
  output: Token,
});

export const getToken = act({
  name: 'token_get',
  by: 'customer',
  input: () => ({ token_id: IdInput('token') }),
  output: Token,
});

export const createToken = act({
  name: 'token_create',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_make',
  exceptFirstToken: true,
  input: () => ({ name: TokenName(), channel: ChannelName() }),
  output: () => z.object({ token: Token(), key: z.string() }),
  refuses: ['tokens_full', 'account_suspended', 'cooling_down', 'channel_off'],
});

/**
 * The account's oldest token. An account without one gets it, named after the account and without an API key, which
 * `token_rotate` makes later; calls at the same time create one.
 */
export const firstToken = act({
  name: 'token_first',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ channel: ChannelName() }),
  output: Token,
  refuses: ['account_suspended', 'channel_off'],
});

export const updateToken = act({
  name: 'token_update',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({
    token_id: IdInput('token'),
    name: z.optional(TokenName()),
    daily_limit: z.optional(
      WholeNumber({
        minimum: 1,
        tooSmall: 'Minimal 1 pesan.',
        maximum: 1_000_000,
        tooBig: 'Paling banyak 1.000.000 pesan.',
      }),
    ),
  }),
  output: Token,
});

/** Creates a new key; an old one works for another 24 hours. */
export const rotateToken = act({
  name: 'token_rotate',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ token_id: IdInput('token') }),
  output: () => z.object({ token: Token(), key: z.string() }),
  refuses: ['cooling_down'],
});

export const deleteToken = act({
  name: 'token_delete',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ token_id: IdInput('token') }),
  output: () => z.object({}),
});

export const confirmToken = act({
  name: 'token_confirm',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ token_id: IdInput('token') }),
  output: Token,
});

/** Creates the one-time public address where the phone's owner scans the QR. */
export const linkToken = act({
  name: 'token_link',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ token_id: IdInput('token') }),
  output: () => z.object({ path: z.string(), expires_at: z.coerce.date() }),
  refuses: ['account_suspended', 'channel_other'],
});

export const unlinkToken = act({
  name: 'token_unlink',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ token_id: IdInput('token') }),
  output: Token,
});

export const scopes = [
  'messages.send',
  'messages.read',
  'media',
  'account.read',
  'link',
  'webhooks',
  'opt_outs',
  'agent',
] as const;
export type Scope = (typeof scopes)[number];

/** All scopes but sending by an assistant (MCP), which the owner must grant explicitly. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'agent');

import * as z from 'zod/mini';
import { SecondFactorChallenge, SignedIn } from '#contract/accounts.ts';
import { act, operatorRoles } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { TypedName } from '#contract/base/names.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** Any operator: what somebody signs in with is their own, whatever else they may do. */
const everyOperator = { by: 'operator', roles: operatorRoles } as const;

/** Six digits of an authenticator app, which shows them with a blank between. */
const TotpCode = schema(() =>
  z.string().check(
    z.overwrite((text) => text.replaceAll(/\s/g, '')),
    z.regex(/^[0-9]{6}$/, 'Tulis enam angka dari aplikasi autentikator.'),
  ),
);

/** What the browser's passkey answered (WebAuthn), as JSON. */
const PasskeyAnswer = schema(() => z.string().check(z.minLength(1), z.maxLength(20_000)));

const RecoveryCode = schema(() =>
  z.string().check(
    z.overwrite((text) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')),
    z.regex(/^[a-z0-9]{10}$/, 'Tulis kode cadangan yang lengkap, sepuluh huruf dan angka.'),
  ),
);

/** A challenge, and one of the three answers to it. */
const answer = () => ({
  challenge: IdInput('challenge'),
  code: z.optional(TotpCode()),
  passkey: z.optional(PasskeyAnswer()),
  recovery_code: z.optional(RecoveryCode()),
});

/** Signs in whom the right password (or code to the phone) alone does not let in. */
export const verifySecondFactor = act({
  name: 'user_second_factor',
  by: 'public',
  changes: true,
  limit: 'auth',
  audited: true,
  input: answer,
  output: SignedIn,
  refuses: ['second_factor_wrong', 'second_factor_expired', 'account_suspended'],
});

/** A second factor of one's own: an authenticator app, or a passkey. */
export const SecondFactor = schema(() =>
  z.object({
    id: Id('factor'),
    kind: z.enum(['totp', 'passkey']),
    /** What its owner calls a passkey; of an authenticator app ''. */
    name: z.string(),
    created_at: z.iso.datetime(),
    used_at: z.nullable(z.iso.datetime()),
  }),
);
export type SecondFactor = Output<typeof SecondFactor>;

export const SecondFactors = schema(() =>
  z.object({
    /** True when this installation asks every operator for one. */
    required: z.boolean(),
    factors: z.array(SecondFactor()),
    /** Recovery codes that were not used yet; null while there are none at all. */
    recovery: z.nullable(z.object({ left: z.int(), made_at: z.iso.datetime() })),
  }),
);
export type SecondFactors = Output<typeof SecondFactors>;

/** One's own second factors. */
export const getSecondFactors = act({
  ...everyOperator,
  name: 'second_factor_get',
  withoutSecondFactor: true,
  output: SecondFactors,
});

/** What both ways of adding a factor have in common; with another one set up, it is asked for first. */
const adding = {
  ...everyOperator,
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  withoutSecondFactor: true,
} as const;

const Added = schema(() =>
  z.object({
    factor: SecondFactor(),
    /** Shown this once: with the first factor. Null when there are some already. */
    recovery_codes: z.nullable(z.array(z.string())),
    /** Other sessions of the person that ended: with the first factor all do. */
    ended: z.int(),
  }),
);

/** A secret for an authenticator app; it counts once a code of it was given (`second_factor_totp_add`). */
export const beginTotp = act({
  ...adding,
  name: 'second_factor_totp_begin',
  output: () =>
    z.object({
      challenge: Id('challenge'),
      /** Base32, to type where no camera is. */
      secret: z.string(),
      /** The same with who it is for: the text of the QR. */
      uri: z.string(),
      expires_in_seconds: z.int(),
    }),
  refuses: ['second_factor_again', 'second_factor_exists'],
});

export const addTotp = act({
  ...adding,
  name: 'second_factor_totp_add',
  input: () => ({ challenge: IdInput('challenge'), code: TotpCode() }),
  output: Added,
  refuses: [
    'second_factor_again',
    'second_factor_exists',
    'second_factor_wrong',
    'second_factor_expired',
  ],
});

/** What the browser needs to make a passkey (WebAuthn, as JSON). */
export const beginPasskey = act({
  ...adding,
  name: 'second_factor_passkey_begin',
  output: () =>
    z.object({
      challenge: Id('challenge'),
      options: z.record(z.string(), z.unknown()),
      expires_in_seconds: z.int(),
    }),
  refuses: ['second_factor_again'],
});

export const addPasskey = act({
  ...adding,
  name: 'second_factor_passkey_add',
  input: () => ({
    challenge: IdInput('challenge'),
    name: TypedName({ min: 1, max: 60, missing: 'Tulis nama passkey ini.' }),
    passkey: PasskeyAnswer(),
  }),
  output: Added,
  refuses: ['second_factor_again', 'second_factor_expired', 'second_factor_exists'],
});

/** Takes a factor away; with the last one the recovery codes go too. */
export const removeSecondFactor = act({
  ...everyOperator,
  name: 'second_factor_remove',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({ factor_id: IdInput('factor') }),
  output: SecondFactors,
  refuses: ['second_factor_again', 'second_factor_last'],
});

/** Ten new recovery codes, shown this once; those of before end. */
export const renewRecoveryCodes = act({
  ...everyOperator,
  name: 'second_factor_codes_renew',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  output: () => z.object({ recovery_codes: z.array(z.string()) }),
  refuses: ['second_factor_again'],
});

/** Asks for the second factor within a session, where `second_factor_again` was the answer. */
export const askSecondFactor = act({
  ...everyOperator,
  name: 'second_factor_ask',
  changes: true,
  outlivesSession: false,
  withoutSecondFactor: true,
  output: SecondFactorChallenge,
});

/** The second factor given once more: for five minutes it opens what asks for it. */
export const confirmSecondFactor = act({
  ...everyOperator,
  name: 'second_factor_confirm',
  changes: true,
  outlivesSession: false,
  withoutSecondFactor: true,
  limit: 'auth',
  audited: true,
  input: answer,
  output: () => z.object({ seconds: z.int(), token: z.string() }),
  refuses: ['second_factor_wrong', 'second_factor_expired'],
});

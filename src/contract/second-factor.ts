import * as z from 'zod/mini';
import { SecondFactorChallenge, SignedIn } from '#contract/accounts.ts';
import { act, operatorRoles } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { TypedName } from '#contract/base/names.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** Any operator, because sign-in methods are personal. */
const everyOperator = { by: 'operator', roles: operatorRoles } as const;

/** Six digits of an authenticator app, which shows them with a blank between. */
const TotpCode = schema(() =>
  z.string().check(
    z.overwrite((text) => text.replaceAll(/\s/g, '')),
    z.regex(/^[0-9]{6}$/, 'Tulis enam angka dari aplikasi autentikator.'),
  ),
);

const PasskeyAnswer = schema(() => z.string().check(z.minLength(1), z.maxLength(20_000)));

const RecoveryCode = schema(() =>
  z.string().check(
    z.overwrite((text) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')),
    z.regex(/^[a-z0-9]{10}$/, 'Tulis kode cadangan yang lengkap, sepuluh huruf dan angka.'),
  ),
);

const answer = () => ({
  challenge: IdInput('challenge'),
  code: z.optional(TotpCode()),
  passkey: z.optional(PasskeyAnswer()),
  recovery_code: z.optional(RecoveryCode()),
});

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

export const SecondFactor = schema(() =>
  z.object({
    id: Id('factor'),
    kind: z.enum(['totp', 'passkey']),
    /** The name of a passkey; '' for an authenticator app. */
    name: z.string(),
    created_at: z.iso.datetime(),
    used_at: z.nullable(z.iso.datetime()),
  }),
);
export type SecondFactor = Output<typeof SecondFactor>;

export const SecondFactors = schema(() =>
  z.object({
    required: z.boolean(),
    factors: z.array(SecondFactor()),
    /** Unused recovery codes; null if none were created. */
    recovery: z.nullable(z.object({ left: z.int(), made_at: z.iso.datetime() })),
  }),
);
export type SecondFactors = Output<typeof SecondFactors>;

export const getSecondFactors = act({
  ...everyOperator,
  name: 'second_factor_get',
  withoutSecondFactor: true,
  output: SecondFactors,
});

/** Fields of both ways to add a factor; an existing one is verified first. */
const addFields = {
  ...everyOperator,
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  withoutSecondFactor: true,
} as const;

const AddedFactor = schema(() =>
  z.object({
    factor: SecondFactor(),
    /** Shown once, with the first factor. Null if there are some already. */
    recovery_codes: z.nullable(z.array(z.string())),
    ended: z.int(),
  }),
);

/**
 * Creates a secret for an authenticator app; it takes effect once a code of it was given (`second_factor_totp_add`).
 */
export const beginTotp = act({
  ...addFields,
  name: 'second_factor_totp_begin',
  output: () =>
    z.object({
      challenge: Id('challenge'),
      /** Base32, for manual entry. */
      secret: z.string(),
      uri: z.string(),
      expires_in_seconds: z.int(),
    }),
  refuses: ['second_factor_again', 'second_factor_exists'],
});

export const addTotp = act({
  ...addFields,
  name: 'second_factor_totp_add',
  input: () => ({ challenge: IdInput('challenge'), code: TotpCode() }),
  output: AddedFactor,
  refuses: [
    'second_factor_again',
    'second_factor_exists',
    'second_factor_wrong',
    'second_factor_expired',
  ],
});

export const beginPasskey = act({
  ...addFields,
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
  ...addFields,
  name: 'second_factor_passkey_add',
  input: () => ({
    challenge: IdInput('challenge'),
    name: TypedName({ min: 1, max: 60, missing: 'Tulis nama passkey ini.' }),
    passkey: PasskeyAnswer(),
  }),
  output: AddedFactor,
  refuses: ['second_factor_again', 'second_factor_expired', 'second_factor_exists'],
});

/** Removes a factor; the last one removes the recovery codes too. */
export const removeSecondFactor = act({
  ...everyOperator,
  name: 'second_factor_remove',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({ factor_id: IdInput('factor') }),
  output: SecondFactors,
  refuses: ['second_factor_again', 'second_factor_last'],
});

/** Creates ten new recovery codes, shown once; the old ones become invalid. */
export const renewRecoveryCodes = act({
  ...everyOperator,
  name: 'second_factor_codes_renew',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  output: () => z.object({ recovery_codes: z.array(z.string()) }),
  refuses: ['second_factor_again'],
});

export const requestSecondFactor = act({
  ...everyOperator,
  name: 'second_factor_ask',
  changes: true,
  outlivesSession: false,
  withoutSecondFactor: true,
  output: SecondFactorChallenge,
});

/** Re-authenticates with the second factor: for five minutes acts that require it are allowed. */
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

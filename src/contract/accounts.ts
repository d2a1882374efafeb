import * as z from 'zod/mini';
import { act, operatorRoles } from './base/act.ts';
import { Id, IdInput } from './base/ids.ts';
import { PublicName } from './base/names.ts';
import { WholeNumber } from './base/numbers.ts';
import { IndonesianMobile, Phone, TypedPhone } from './base/phone.ts';
import { type Output, schema } from './base/schema.ts';

export const Role = schema(() => z.enum(['customer', 'operator']));
export type Role = Output<typeof Role>;

export const OperatorRole = schema(() => z.enum(operatorRoles));

export const Suspension = schema(() => z.object({ reason: z.string(), at: z.iso.datetime() }));
export type Suspension = Output<typeof Suspension>;

export const User = schema(() =>
  z.object({
    id: Id('user'),
    account_id: Id('account'),
    name: z.string(),
    phone: Phone(),
    role: Role(),
    operator_roles: z.array(OperatorRole()),
    timezone: z.string(),
    email: z.nullable(z.string()),
    /** A signed, short-lived address of the picture. */
    avatar: z.nullable(z.string()),
    theme: z.enum(['system', 'light', 'dark']),
    sound_on: z.boolean(),
    sound: z.string(),
    push_on: z.boolean(),
    push_text: z.boolean(),
    keys_on: z.boolean(),
    /** When the account will be erased; null if no deletion is scheduled. */
    erased_at: z.nullable(z.iso.datetime()),
    /** Set while the session must first set up the required second factor. */
    needs_second_factor: z.optional(z.literal(true)),
    /** Changes whenever the broadcasts shown to this customer change. */
    broadcasts: z.optional(z.string()),
    suspension: z.optional(Suspension()),
  }),
);
export type User = Output<typeof User>;

/** NIST allows 8 characters if there is a second factor (here the OTP). */
export const PASSWORD_MIN = 8;
/** In UTF-8 bytes (docs/threats.md, T5). */
export const PASSWORD_MAX_BYTES = 256;

export const NewPassword = schema(() =>
  z.string().check(
    z.minLength(PASSWORD_MIN, `Kata sandi minimal ${PASSWORD_MIN} karakter.`),
    z.refine(
      (text) => new TextEncoder().encode(text).length <= PASSWORD_MAX_BYTES,
      'Kata sandi terlalu panjang.',
    ),
  ),
);

export const PersonName = schema(() =>
  PublicName({ min: 2, max: 100, missing: 'Tulis nama Anda atau nama usaha.' }),
);

export const CaptchaProvider = schema(() =>
  z.enum(['altcha', 'turnstile', 'hcaptcha', 'recaptcha']),
);
export type CaptchaProvider = Output<typeof CaptchaProvider>;

export const CaptchaAct = schema(() =>
  z.enum(['user_register', 'user_login', 'user_forgot_password']),
);
export type CaptchaAct = Output<typeof CaptchaAct>;

/** PBKDF2 rounds of one step of a usual ALTCHA challenge. */
export const CAPTCHA_ROUNDS = 5_000;

const Captcha = schema(() =>
  z.string().check(z.minLength(1, 'Tunggu pemeriksaan keamanan selesai.'), z.maxLength(8000)),
);

/** The shape is the same whether or not the number is known. */
export const Challenge = schema(() =>
  z.object({
    challenge: Id('challenge'),
    /** Masked: `+62 812-••••-7890`. */
    sent_to: z.string(),
    resend_in_seconds: z.int(),
    expires_in_seconds: z.int(),
  }),
);
export type Challenge = Output<typeof Challenge>;

export const SignedIn = schema(() => z.object({ token: z.string(), user: User() }));
export type SignedIn = Output<typeof SignedIn>;

/** Answer to a correct password from an unknown browser: a code is sent as well. */
export const CodeRequired = schema(() => z.object({ challenge: Challenge() }));
export type CodeRequired = Output<typeof CodeRequired>;

export const SecondFactorMethod = schema(() => z.enum(['totp', 'passkey', 'recovery_code']));
export type SecondFactorMethod = Output<typeof SecondFactorMethod>;

/** Single use and bound to this browser: for `user_second_factor`, or within a session. */
export const SecondFactorChallenge = schema(() =>
  z.object({
    challenge: Id('challenge'),
    methods: z.array(SecondFactorMethod()),
    /** WebAuthn request options as JSON; null if the user has no passkey. */
    passkey: z.nullable(z.record(z.string(), z.unknown())),
    expires_in_seconds: z.int(),
  }),
);
export type SecondFactorChallenge = Output<typeof SecondFactorChallenge>;

/** Answer to a correct password or code of a user who has a second factor. */
export const SecondFactorRequired = schema(() =>
  z.object({ second_factor: SecondFactorChallenge() }),
);
export type SecondFactorRequired = Output<typeof SecondFactorRequired>;

export const registerUser = act({
  name: 'user_register',
  by: 'public',
  changes: true,
  limit: 'otp',
  audited: true,
  input: () => ({
    name: PersonName(),
    phone: IndonesianMobile(),
    password: NewPassword(),
    agree: z.literal('1', 'Setujui syarat layanan untuk mendaftar.'),
    captcha: Captcha(),
  }),
  output: Challenge,
  refuses: [
    'registration_closed',
    'captcha_failed',
    'captcha_unreachable',
    'password_common',
    'otp_too_soon',
    'otp_limit',
    'otp_unsendable',
  ],
});

export const verifyOtp = act({
  name: 'user_verify_otp',
  by: 'public',
  changes: true,
  limit: 'auth',
  audited: true,
  input: () => ({
    challenge: IdInput('challenge'),
    code: z.string().check(z.trim(), z.regex(/^[0-9]{6}$/, 'Tulis enam angka dari pesan.')),
  }),
  output: () => z.union([SignedIn(), SecondFactorRequired()]),
  refuses: ['otp_wrong', 'otp_expired', 'account_suspended'],
});

export const resendOtp = act({
  name: 'user_resend_otp',
  by: 'public',
  changes: true,
  limit: 'otp',
  input: () => ({ challenge: IdInput('challenge') }),
  output: Challenge,
  refuses: ['otp_too_soon', 'otp_expired', 'otp_limit', 'otp_unsendable'],
});

export const loginUser = act({
  name: 'user_login',
  by: 'public',
  changes: true,
  limit: 'auth',
  audited: true,
  input: () => ({
    phone: TypedPhone(),
    password: z.string().check(z.minLength(1, 'Tulis kata sandi Anda.'), z.maxLength(1000)),
    captcha: Captcha(),
  }),
  output: () => z.union([SignedIn(), CodeRequired(), SecondFactorRequired()]),
  refuses: [
    'captcha_failed',
    'captcha_unreachable',
    'credentials_wrong',
    'account_suspended',
    'otp_too_soon',
    'otp_limit',
    'otp_unsendable',
  ],
});

export const logoutUser = act({
  name: 'user_logout',
  by: 'anyone_signed_in',
  whileSuspended: true,
  changes: true,
  outlivesSession: false,
  withoutSecondFactor: true,
  audited: true,
  output: () => z.object({}),
});

export const checkToken = act({
  name: 'user_check_token',
  by: 'anyone_signed_in',
  withoutSecondFactor: true,
  whileSuspended: true,
  output: User,
});

export const captchaChallenge = act({
  name: 'captcha_challenge',
  by: 'public',
  limit: 'auth',
  input: () => ({
    for: CaptchaAct(),
    /** Steps of `CAPTCHA_ROUNDS` that the device makes in a second; a slow one gets fewer, unless it is suspicious. */
    pace: z.optional(WholeNumber({ minimum: 0, maximum: 1_000_000 })),
  }),
  output: () =>
    z.object({
      provider: CaptchaProvider(),
      /** The ALTCHA challenge; empty for other providers, whose widget loads its own. */
      challenge: z.record(z.string(), z.unknown()),
      /** Site key and script of the widget; '' for ALTCHA. */
      site_key: z.string(),
      script_url: z.string(),
      /** The largest number of steps of this ALTCHA challenge, for its progress; 0 for the others. */
      steps_max: z.int(),
    }),
});

export const AppConfig = schema(() =>
  z.object({
    product: z.string(),
    simulator: z.boolean(),
    /** Whether one-time codes go to the simulated phones; another channel may carry them too. */
    codes_in_simulator: z.boolean(),
    production: z.boolean(),
    return_origins: z.array(z.string()),
    api_url: z.string(),
    captcha: z.object({ provider: CaptchaProvider(), site_key: z.string() }),
    build: z.string(),
    /** The text for visitors while registration is closed; null while it is open. */
    registration_closed: z.nullable(z.string()),
  }),
);
export type AppConfig = Output<typeof AppConfig>;

export const appConfig = act({ name: 'app_config', by: 'public', output: AppConfig });

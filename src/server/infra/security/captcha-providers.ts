import type { Config } from '#server/infra/config.ts';

/** Additions to the content security policy for a captcha's widget. */
export type CaptchaSources = {
  script: readonly string[];
  frame: readonly string[];
  style: readonly string[];
  connect: readonly string[];
  policies: readonly string[];
};

export type CaptchaPlace = {
  verifyUrl: string;
  scriptUrl: string;
  sources: CaptchaSources;
};

/** Our own Trusted Types policy, which loads the widget's script. */
const OURS = 'captcha';

const turnstile = ['https://challenges.cloudflare.com'];
const hcaptcha = ['https://hcaptcha.com', 'https://*.hcaptcha.com'];

const places = {
  turnstile: {
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    scriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    sources: { script: turnstile, frame: turnstile, style: [], connect: [], policies: [OURS] },
  },
  hcaptcha: {
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    scriptUrl: 'https://js.hcaptcha.com/1/api.js',
    sources: {
      script: hcaptcha,
      frame: hcaptcha,
      style: hcaptcha,
      connect: hcaptcha,
      policies: [OURS],
    },
  },
  recaptcha: {
    verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
    // Without `trustedtypes` it loads its second script in a way that Trusted Types block.
    scriptUrl: 'https://www.google.com/recaptcha/api.js?trustedtypes=true',
    sources: {
      script: ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/'],
      frame: ['https://www.google.com/recaptcha/', 'https://recaptcha.google.com/recaptcha/'],
      style: [],
      connect: ['https://www.google.com/recaptcha/'],
      // Its own policies change their names with its releases.
      policies: ['*'],
    },
  },
} satisfies Record<string, CaptchaPlace>;

type CaptchaConfig = Pick<Config, 'CAPTCHA_PROVIDER' | 'CAPTCHA_SCRIPT_URL' | 'CAPTCHA_VERIFY_URL'>;

/** Undefined for ALTCHA, which this server provides itself. */
export function captchaPlaceOf(config: CaptchaConfig): CaptchaPlace | undefined {
  if (config.CAPTCHA_PROVIDER === 'altcha') return undefined;
  const usual = places[config.CAPTCHA_PROVIDER];
  const { CAPTCHA_SCRIPT_URL: elsewhere, CAPTCHA_VERIFY_URL: verifyUrl = usual.verifyUrl } = config;
  if (elsewhere === undefined) return { ...usual, verifyUrl };
  const { origin } = new URL(elsewhere);
  const sources: CaptchaSources = {
    script: [origin],
    frame: [origin],
    style: [],
    connect: [],
    policies: usual.sources.policies,
  };
  return { verifyUrl, scriptUrl: elsewhere, sources };
}

/** Undefined for ALTCHA, which needs no extra sources. */
export const captchaSourcesOf = (config: CaptchaConfig): CaptchaSources | undefined =>
  captchaPlaceOf(config)?.sources;

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { misspeltSettings, readConfig } from './config.ts';
import { settings } from './settings/settings.ts';
import { StartError } from './start-error.ts';

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://kabari.example',
  SECRET_KEY: 'q8v3ZkT0c1WmYx7nR5uBsLd2EfGh4JpA',
  TRUSTED_PROXIES: '10.0.0.0/8, loopback',
  BANK_NAME: 'BCA',
  BANK_NUMBER: '5270012345',
  BANK_HOLDER: 'PT Kabari',
};

function refusal(env: Record<string, string | undefined>): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    return error instanceof Error ? error.message : '';
  }
  return 'accepted';
}

describe('without any setting', () => {
  test('runs a local installation: loopback, port 3000, simulator on', () => {
    expect(readConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 3000,
      ROLE: 'all',
      SIMULATOR: true,
      WELCOME_BONUS: 10_000,
      PPN: false,
      KODE_UNIK: 'saldo',
      production: false,
    });
  });

  test('treats an empty setting as absent', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '  ' })).toEqual(readConfig({}));
  });
});

describe('a captcha from elsewhere', () => {
  const keys = { CAPTCHA_SITE_KEY: 'site-1', CAPTCHA_SECRET_KEY: 'secret-1' };

  test.for(['turnstile', 'hcaptcha', 'recaptcha'])('%s needs both of its keys', (provider) => {
    const chosen = { ...production, CAPTCHA_PROVIDER: provider };
    expect(refusal(chosen)).toMatch('CAPTCHA_SITE_KEY');
    expect(refusal({ ...chosen, CAPTCHA_SITE_KEY: 'site-1' })).toMatch('CAPTCHA_SECRET_KEY');
    expect(refusal({ CAPTCHA_PROVIDER: provider })).toMatch('CAPTCHA_SITE_KEY');
    expect(refusal({ ...chosen, ...keys })).toBe('accepted');
  });

  test('is loaded from its provider and asked over https in production', () => {
    const chosen = { ...production, ...keys, CAPTCHA_PROVIDER: 'turnstile' };
    const script = { CAPTCHA_SCRIPT_URL: 'https://captcha.example/api.js' };
    expect(refusal({ ...chosen, ...script })).toMatch('CAPTCHA_SCRIPT_URL');
    const verify = { CAPTCHA_VERIFY_URL: 'http://captcha.example/siteverify' };
    expect(refusal({ ...chosen, ...verify })).toMatch('CAPTCHA_VERIFY_URL');
    expect(refusal({ CAPTCHA_VERIFY_URL: 'ftp://captcha.example' })).toMatch('CAPTCHA_VERIFY_URL');
  });
});

describe('invalid values are refused with one sentence that names the setting', () => {
  test.each([
    [{ PORT: 'web' }, 'PORT must be a whole number from 0 to 65535, not "web".'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535, not "65536".'],
    [{ SIMULATOR: 'yes' }, 'SIMULATOR must be one of on, off, not "yes".'],
    [{ ROLE: 'boss' }, 'ROLE must be one of all, web, worker, not "boss".'],
    [{ WELCOME_BONUS: '-1' }, 'WELCOME_BONUS must be a whole number from 0 to 10000000, not "-1".'],
    [
      { PUBLIC_URL: 'https://kabari.example/portal' },
      'PUBLIC_URL must be an address such as https://kabari.example, without a path, not "https://kabari.example/portal".',
    ],
    [
      { RETURN_ORIGINS: 'https://a.example, javascript:alert(1)' },
      'RETURN_ORIGINS must be an address such as https://kabari.example, without a path, not "https://a.example, javascript:alert(1)".',
    ],
    [
      { PUBLIC_URL: 'https://a.example', MEDIA_ORIGIN: 'https://a.example' },
      'MEDIA_ORIGIN must be an address of its own, not that of PUBLIC_URL, API_URL or PORTAL_ORIGINS.',
    ],
    [
      { TRUSTED_PROXIES: 'everyone' },
      'TRUSTED_PROXIES must be addresses or ranges such as 127.0.0.1, 10.0.0.0/8, or the word loopback, not "everyone".',
    ],
    [
      { ROLE: 'worker' },
      'ROLE=worker needs DATABASE_URL: the embedded database serves one process only.',
    ],
    [
      { DATABASE_REPLICA_URL: 'postgres://ani@standby/kabari' },
      'DATABASE_REPLICA_URL needs DATABASE_URL, the database that it is a standby of.',
    ],
    [
      { DATABASE_REPLICA_URL: 'standby' },
      'DATABASE_REPLICA_URL must be an address such as postgres://user:password@standby:5432/kabari.',
    ],
  ])('%o', (env, sentence) => {
    expect(refusal(env)).toBe(sentence);
  });

  test('and never repeats a password', () => {
    const sentence = refusal({ DATABASE_URL: 'mysql://root:hunter2@db/kabari' });
    expect(sentence).toContain('DATABASE_URL must be');
    expect(sentence).not.toContain('hunter2');
    expect(refusal({ SECRET_KEY: 'short-secret' })).not.toContain('short-secret');
  });
});

describe('production', () => {
  test('starts with all required settings, simulator off', () => {
    expect(readConfig(production)).toMatchObject({
      production: true,
      SIMULATOR: false,
      TRUSTED_PROXIES: ['10.0.0.0/8', 'loopback'],
    });
  });

  test('refuses the simulator, which shows one-time codes to anyone', () => {
    expect(refusal({ ...production, SIMULATOR: 'on' })).toMatch(/^SIMULATOR=on /);
    expect(readConfig({ SIMULATOR: 'on' }).SIMULATOR).toBe(true);
  });

  test.for([
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1,128.0.0.0/1',
    '10.0.0.0/8, 0.0.0.0/4',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/96',
    '::/64',
    '2000::/3',
    '2400::/12',
    Array.from({ length: 32 }, (_, at) => `${at + 1}.0.0.0/8`).join(),
  ])('refuses TRUSTED_PROXIES=%s, which lets callers choose their own address', (proxies) => {
    expect(refusal({ ...production, TRUSTED_PROXIES: proxies })).toMatch(/^TRUSTED_PROXIES=/);
    expect(refusal({ TRUSTED_PROXIES: proxies })).toBe('accepted');
  });

  test.for([
    'loopback',
    '127.0.0.1, ::1',
    '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7, fe80::/10',
    '104.16.0.0/13,104.24.0.0/14,172.64.0.0/13,131.0.72.0/22,2606:4700::/32,2a06:98c0::/29',
    '::ffff:10.0.0.0/104',
  ])('takes TRUSTED_PROXIES=%s', (proxies) => {
    expect(refusal({ ...production, TRUSTED_PROXIES: proxies })).toBe('accepted');
  });

  test.for(['10.0.0.0/33', '300.1.1.1', '::1/129', '10.0.0.0/', '10.0.0.0/8/8', 'proxy'])(
    'refuses %s, which is no address or range',
    (proxies) => {
      expect(refusal({ TRUSTED_PROXIES: proxies })).toMatch(/^TRUSTED_PROXIES must be /);
    },
  );

  test('refuses the simulated bank and trial keys of a captcha', () => {
    expect(refusal({ ...production, BANK_NUMBER: '8800123456' })).toMatch(/^BANK_NUMBER=/);
    const trial = {
      CAPTCHA_PROVIDER: 'turnstile',
      CAPTCHA_SITE_KEY: '1x00000000000000000000AA',
      CAPTCHA_SECRET_KEY: '1x0000000000000000000000000000000AA',
    };
    expect(refusal({ ...production, ...trial })).toMatch('trial key of turnstile');
    expect(refusal(trial)).toBe('accepted');
  });

  test('requires a second factor of operators unless set otherwise', () => {
    const of = (env: Record<string, string>) => readConfig(env).OPERATOR_SECOND_FACTOR;
    expect([of({}), of(production)]).toEqual(['optional', 'required']);
    expect(of({ ...production, OPERATOR_SECOND_FACTOR: 'optional' })).toBe('optional');
    expect(of({ OPERATOR_SECOND_FACTOR: 'required' })).toBe('required');
  });

  test.each([
    ['PUBLIC_URL', undefined, 'NODE_ENV=production needs PUBLIC_URL'],
    ['PUBLIC_URL', 'http://kabari.example', 'PUBLIC_URL must begin with https://'],
    ['API_URL', 'http://api.kabari.example', 'API_URL must begin with https://'],
    ['MEDIA_ORIGIN', 'http://berkas.example', 'MEDIA_ORIGIN must begin with https://'],
    ['PORTAL_ORIGINS', 'http://portal.example', 'PORTAL_ORIGINS may name only https://'],
    ['RETURN_ORIGINS', 'http://shop.example', 'RETURN_ORIGINS may name only https://'],
    ['PUSH_SERVICES', 'http://push.example', 'PUSH_SERVICES may name only https://'],
    ['MEDIA_LISTED', 'http://berkas.example', 'MEDIA_LISTED may name only https://'],
    ['SECRET_KEY', undefined, 'NODE_ENV=production needs SECRET_KEY'],
    ['SECRET_KEY', 'changeme', 'SECRET_KEY must be at least 32 characters of chance'],
    ['SECRET_KEY', 'secret'.repeat(8), 'SECRET_KEY must be at least 32 characters of chance'],
    ['TRUSTED_PROXIES', undefined, 'NODE_ENV=production needs TRUSTED_PROXIES'],
    ['CLOCK', 'movable', 'CLOCK=movable is for trying things out'],
    ['BANK_NUMBER', undefined, 'NODE_ENV=production needs BANK_NUMBER'],
    ['MIDTRANS_URL', 'http://gateway.example', 'MIDTRANS_URL must begin with https://'],
    ['WEB_URL', 'ws://127.0.0.1:9/', 'WEB_URL must begin with wss://'],
    ['WEB_URL', 'WS://127.0.0.1:9/', 'an address such as wss://'],
    ['CLOUD_URL', 'HTTP://127.0.0.1:9/', 'an address such as https://'],
    ['XENDIT_SECRET_KEY', 'xnd_production_x', 'XENDIT_SECRET_KEY needs XENDIT_CALLBACK_TOKEN'],
  ])('does not start with %s %s', (name, value, sentence) => {
    expect(refusal({ ...production, [name]: value })).toContain(sentence);
  });
});

test('every setting has a description and a valid default', () => {
  for (const [name, { means, fallback, reads }] of Object.entries(settings)) {
    expect(means, name).toMatch(/^[A-Z].*\.$/);
    if (fallback !== undefined) expect(reads.safeParse(fallback).success, name).toBe(true);
  }
});

describe('the store of files', () => {
  const key = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'very-secret' };

  test('accepts buckets of AWS and of other endpoints', () => {
    const read = (FILES_URL: string) => readConfig({ FILES_URL, ...key }).FILES_URL;
    expect(readConfig({}).FILES_URL).toBeUndefined();
    expect(read('s3://kabari?region=ap-southeast-3')).toEqual({
      bucket: 'kabari',
      prefix: '',
      endpoint: undefined,
      region: 'ap-southeast-3',
      pathStyle: false,
    });
    expect(read('s3://kabari/toko/berkas?endpoint=https://s3.example:9000')).toEqual({
      bucket: 'kabari',
      prefix: 'toko/berkas/',
      endpoint: 'https://s3.example:9000',
      region: 'us-east-1',
      pathStyle: true,
    });
    expect(read('s3://kabari/a/?endpoint=https://s3.example&pathStyle=false')).toMatchObject({
      prefix: 'a/',
      pathStyle: false,
    });
  });

  test.for([
    ['https://kabari', /such as s3:\/\//],
    ['s3://kabari', /the region/],
    ['s3://Kabari_1?region=a', /such as s3:\/\//],
    ['s3://kabari/../x?region=a', /such as s3:\/\/|^accepted/],
    ['s3://kabari/a%20b?region=a', /such as s3:\/\//],
    ['s3://AKIAEXAMPLE:very-secret@kabari?region=a', /AWS_ACCESS_KEY_ID/],
    ['s3://kabari?region=a&secret=very-secret', /endpoint, region and pathStyle/],
    ['s3://kabari?region=a&region=b', /once each/],
    ['s3://kabari?endpoint=minio:9000', /endpoint is one such as/],
    ['s3://kabari?endpoint=https://a:very-secret@s3.example', /endpoint is one such as/],
    ['s3://kabari?endpoint=https://s3.example&pathStyle=yes', /true or false/],
  ] as const)('%s is refused in one sentence, without what it says', ([FILES_URL, why]) => {
    const said = refusal({ FILES_URL, ...key });
    expect(said).toMatch(why);
    expect(said).not.toContain('very-secret');
  });

  test('needs both parts of a key, or none', () => {
    const FILES_URL = 's3://kabari?region=ap-southeast-3';
    expect(refusal({ FILES_URL })).toBe('accepted');
    expect(refusal({ FILES_URL, AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE' })).toMatch(
      'AWS_SECRET_ACCESS_KEY',
    );
    expect(refusal({ FILES_URL, AWS_SECRET_ACCESS_KEY: 'very-secret' })).toMatch(
      'AWS_ACCESS_KEY_ID',
    );
    expect(refusal({ AWS_ACCESS_KEY_ID: 'of something else' })).toBe('accepted');
  });
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kabari-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'secret');
  const key = 'q8v3ZkT0c1WmYx7nR5uBsLd2EfGh4JpA';

  test('replaces the variable, without its final line break', () => {
    writeFileSync(path, `${key}\n`);
    expect(readConfig({ SECRET_KEY_FILE: path }).SECRET_KEY).toBe(key);
    expect(refusal({ ...production, SECRET_KEY: undefined, SECRET_KEY_FILE: path })).toBe(
      'accepted',
    );
  });

  test('is accepted for every secret setting, and for no other', () => {
    writeFileSync(path, 'x');
    for (const [name, { secret }] of Object.entries(settings)) {
      const missing = refusal({ [`${name}_FILE`]: join(folder, 'nothing') });
      expect([name, missing.startsWith(`${name}_FILE names `)]).toEqual([name, secret]);
    }
  });

  test('is refused beside the variable, or if unreadable, empty or too large', () => {
    writeFileSync(path, key);
    expect(refusal({ SECRET_KEY: key, SECRET_KEY_FILE: path })).toBe(
      'Set SECRET_KEY or SECRET_KEY_FILE, not both.',
    );
    expect(refusal({ SECRET_KEY_FILE: join(folder, 'nothing') })).toMatch('ENOENT');
    expect(refusal({ SECRET_KEY_FILE: folder })).toMatch('EISDIR');
    writeFileSync(path, '\n');
    expect(refusal({ SECRET_KEY_FILE: path })).toMatch('is empty');
    writeFileSync(path, key.repeat(3_000));
    expect(refusal({ SECRET_KEY_FILE: path })).toMatch('too large');
  });

  test('never appears in the error message', () => {
    writeFileSync(path, 'mysql://root:hunter2@db/kabari');
    expect(refusal({ DATABASE_URL_FILE: path })).toMatch(/^DATABASE_URL must be /);
    expect(refusal({ DATABASE_URL_FILE: path })).not.toContain('hunter2');
  });
});

describe('a variable that resembles a setting', () => {
  test.for([
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['trusted_proxies', 'TRUSTED_PROXIES'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['PUBLICURL', 'PUBLIC_URL'],
    ['KABARI_PUBLIC_URL', 'PUBLIC_URL'],
    ['KABARI_PORT', 'PORT'],
    ['SECRET_KEYS', 'SECRET_KEY'],
    ['SECRETKEY_FILE', 'SECRET_KEY_FILE'],
    ['AWS_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'],
    ['OPERATOR_PHONES', 'OPERATOR_PHONE'],
    ['FOUR_EYE_ABOVE', 'FOUR_EYES_ABOVE'],
  ])('%s is named as a misspelt %s', ([given = '', meant = '']) => {
    expect(misspeltSettings({ [given]: 'x' })).toEqual([{ given, meant }]);
  });

  test('excludes system variables, settings, and variants of a setting that is set', () => {
    const usual =
      'HOME HOSTNAME HOSTTYPE LANG LOGNAME MAIL OLDPWD PATH POSTGRES_PASSWORD PWD SHELL SHLVL TERM TMPDIR TZ USER INVOCATION_ID JOURNAL_STREAM CREDENTIALS_DIRECTORY NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE npm_config_loglevel MALLOC_ARENA_MAX KABARI_HOST_IP DEBIAN_FRONTEND KABARI_GALLERY';
    const env = Object.fromEntries(usual.split(' ').map((name) => [name, 'x']));
    expect(misspeltSettings({ ...env, ...production })).toEqual([]);
    expect(misspeltSettings({ PUBLIC_URL: 'x', KABARI_PUBLIC_URL: 'x' })).toEqual([]);
  });
});

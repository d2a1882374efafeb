import { describe, expect, test } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { countedWarnings, errorForLog, maskPhone, openLog } from './log.ts';

function listening() {
  const lines: string[] = [];
  const log = openLog({ level: 'trace' }, { write: (line) => lines.push(line) });
  return { log, said: () => lines.join('') };
}

const apiKey = `kbr_live_${'A1b2C3d4'.repeat(6)}x`;
const session = 'Zx9'.repeat(15);

describe('a phone number', () => {
  test.each([
    ['6281234567890', '62812****90'],
    ['+62 812-3456-7890', '62812****90'],
    ['6281100', '****'],
    ['', '****'],
  ])('%s is shown as %s', (phone, masked) => {
    expect(maskPhone(phone)).toBe(masked);
  });

  test('is masked in its own field and in a sentence', () => {
    const { log, said } = listening();
    log.info({ phone: '6281234567890' }, 'asked for 6281234567890');
    expect(said()).toContain('62812****90');
    expect(said()).not.toContain('6281234567890');
  });

  test('is hidden if represented by a user id', () => {
    const { log, said } = listening();
    log.info({ peer: 'ID.6281234567890' }, 'asked for ID.dd752605096029a73495');
    expect(said()).toContain('asked for [hidden]');
    expect(said()).not.toContain('1234567890');
  });
});

describe('fields that are not on the list stay out of the log', () => {
  test.each([
    ['text', 'Halo Ani, pesanan Anda sudah siap'],
    ['otp', '482913'],
    ['body', { password: 'rahasia-sekali' }],
    ['headers', { authorization: `Bearer ${apiKey}` }],
    ['req', { url: `/api?token=${session}` }],
  ])('%s', (field, value) => {
    const { log, said } = listening();
    log.info({ [field]: value, act: 'message_send' }, 'done');
    expect(JSON.parse(said())).toMatchObject({ act: 'message_send', msg: 'done', level: 'info' });
    expect(said()).not.toContain(field === 'otp' ? '482913' : `"${field}"`);
  });

  test('also in a child log', () => {
    const { log, said } = listening();
    log.child({ request: 'req_1', cookie: session }).info('done');
    expect(JSON.parse(said())).toMatchObject({ request: 'req_1' });
    expect(said()).not.toContain(session);
  });
});

test('keys and session tokens are hidden even in a sentence', () => {
  const { log, said } = listening();
  log.warn(`refused ${apiKey} and ${session}`);
  log.warn({ reason: `the key ${apiKey} is gone` }, 'refused');
  expect(said()).not.toContain(apiKey);
  expect(said()).not.toContain(session);
});

describe('an error', () => {
  test('is logged with kind, message and stack, and without its fields', () => {
    const { log, said } = listening();
    const error = Object.assign(new Error('cannot send to 6281234567890'), {
      code: 'ECONNRESET',
      config: { headers: { authorization: apiKey } },
    });
    log.error({ err: error }, 'failed');
    expect(JSON.parse(said()).err).toMatchObject({
      name: 'Error',
      code: 'ECONNRESET',
      words: 'cannot send to 62812****90',
    });
    expect(said()).not.toContain(apiKey);
  });

  test('is logged the same way in place of fields', () => {
    const { log, said } = listening();
    log.error(new Error('boom'));
    expect(JSON.parse(said()).err).toMatchObject({ name: 'Error', words: 'boom' });
  });

  test('of the database is logged without its message, which quotes values', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "Halo Ani"'), {
      severity: 'ERROR',
      code: '22P02',
      detail: 'Key (phone)=(6281234567890) already exists.',
      constraint: 'users_phone_key',
    });
    const told = JSON.stringify(errorForLog(error));
    expect(told).toContain('22P02');
    expect(told).toContain('users_phone_key');
    expect(told).not.toContain('Halo Ani');
    expect(told).not.toContain('6281234567890');
  });
});

test('cleans a long unbroken text quickly', () => {
  const { log, said } = listening();
  log.warn('.a'.repeat(2_000_000));
  expect(said().length).toBeLessThan(1_000);
});

test('hides the keys of a file store, but not paths', () => {
  const { log, said } = listening();
  log.warn('refused wJalrXUtnFEMI/K7MDENG/bPxRfiCY2XAMPLEKEY of AKIAIOSFODNN7EXAMPLE');
  log.warn('at /var/lib/kabari/files/Ab1/Ab1cdef0123456789.x');
  expect(said()).not.toMatch(/wJalr|AKIA/);
  expect(said()).toContain('/var/lib/kabari/files/Ab1/Ab1cdef0123456789.x');
});

test('merges frequent warnings into one line a second, with their count', async () => {
  const lines: { msg: string; status: number; count?: number; request: string }[] = [];
  const log = openLog({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const warn = countedWarnings(log);
  expect(countedWarnings(log)).toBe(warn);
  for (let n = 0; n < 500; n++)
    warn({ status: 503, route: '/api', request: `req_${n}` }, 'answered');
  warn({ status: 503, route: '/v1/messages', request: 'req_x' }, 'answered');
  expect(lines).toMatchObject([{ request: 'req_0' }, { request: 'req_x' }]);
  await waitFor(() => expect(lines).toHaveLength(3));
  expect(lines[2]).toMatchObject({ msg: 'answered', status: 503, count: 499, request: 'req_499' });
});

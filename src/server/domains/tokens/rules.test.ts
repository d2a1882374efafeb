import { expect, test } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { defaultScopes, scopes } from '#contract/tokens.ts';
import { type HeldAccess, allowScope, checkAccess } from '#server/domains/tokens/access.ts';

const open: HeldAccess = {
  scopes: defaultScopes,
  allowedAddresses: [],
  expiresOn: null,
  keyInAddress: true,
};
const noon = new Date('2026-11-23T05:00:00Z');

const refusedFrom = (address: string, allowedAddresses: readonly string[]) => {
  try {
    checkAccess({ ...open, allowedAddresses }, { address, now: noon });
    return undefined;
  } catch (no) {
    return no;
  }
};

test('allows a token without a list from any address', () => {
  expect(refusedFrom('203.0.113.7', [])).toBeUndefined();
  expect(refusedFrom('anything', [])).toBeUndefined();
});

test('recognises a caller by any spelling of its address', () => {
  const list = ['203.0.113.0/24', '2001:db8::/32'];
  const inside = [
    '203.0.113.7',
    '::ffff:203.0.113.7',
    '::ffff:cb00:7107',
    '2001:db8::1',
    '2001:0DB8:0:0:0:0:0:1',
    '2001:db8::1%eth0',
  ];
  expect(inside.map((one) => refusedFrom(one, list))).toEqual(inside.map(() => undefined));
  const outside = ['203.0.114.7', '::ffff:203.0.114.7', '2001:db9::1', '64:ff9b::203.0.113.7'];
  for (const address of outside) {
    expect(refusedFrom(address, list), address).toMatchObject({ code: 'address_not_allowed' });
  }
});

test('refuses an invalid address from a proxy without repeating it', () => {
  for (const address of ['', 'unknown', '203.0.113.7:443', '<script>', '0xcb007107']) {
    expect(refusedFrom(address, ['0.0.0.0/0', '::/0'])).toEqual(
      new Refusal('address_not_allowed', { address: '?' }),
    );
  }
});

test('ends the last day at midnight in WIB in any time zone of the machine', () => {
  const until = { ...open, expiresOn: '2026-11-30' };
  const at = (iso: string) => () =>
    checkAccess(until, { address: '203.0.113.7', now: new Date(iso) });
  expect(at('2026-11-30T16:59:59.999Z')).not.toThrow();
  expect(at('2026-11-30T17:00:00.000Z')).toThrow(
    new Refusal('token_expired', { day: '2026-11-30' }),
  );
  expect(at('2031-01-01T00:00:00Z')).toThrow('token_expired');
});

test('reports the expiry of a token before its allowed addresses', () => {
  const both = { ...open, expiresOn: '2026-11-22', allowedAddresses: ['10.0.0.0/8'] };
  expect(() => checkAccess(both, { address: '203.0.113.7', now: noon })).toThrow('token_expired');
});

test('allows a token its scopes only', () => {
  for (const scope of scopes) {
    expect(() => allowScope({ scopes: [scope] }, scope)).not.toThrow();
    const others = scopes.filter((one) => one !== scope);
    expect(() => allowScope({ scopes: others }, scope)).toThrow(
      new Refusal('scope_missing', { scope }),
    );
  }
  expect(() => allowScope({ scopes: defaultScopes }, 'agent')).toThrow('scope_missing');
});

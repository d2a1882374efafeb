import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithin, readAddress, readRange, showRange } from '#contract/token-access.ts';

const shown = (text: string): string | undefined => {
  const range = readRange(text);
  return range && showRange(range);
};

test('normalises every spelling of an address or a network', () => {
  const spellings: readonly [string, string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:CB00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7/128', '203.0.113.7'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:ffff::/32', '2001:db8::/32'],
    ['::', '::'],
    ['::/0', '::/0'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ];
  expect(spellings.map(([given]) => [given, shown(given)])).toEqual(spellings);
});

test('rejects invalid addresses, also those that some programs accept', () => {
  const wrong = [
    '',
    ' ',
    '203.0.113',
    '203.0.113.256',
    '203.0.113.07',
    '0x7f.0.0.1',
    '2130706433',
    '203.0.113.7/33',
    '203.0.113.7/',
    '203.0.113.7/08',
    '203.0.113.7/-1',
    '203.0.113.7/8/8',
    '203.0.113.7:8080',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '12345::',
    '::1.2.3.4.5',
    '1.2.3.4::',
    '2001:db8::/129',
    '[::1]',
    'localhost',
    '１.2.3.4',
    '1'.repeat(5_000),
  ];
  expect(wrong.filter((one) => readRange(one) !== undefined)).toEqual([]);
});

test("accepts a zone in a caller's address but no network", () => {
  expect(readAddress('fe80::1%eth0')).toEqual(readRange('fe80::1'));
  expect(readAddress('10.0.0.0/8')).toBeUndefined();
});

const four = fc.ipV4();
const six = fc.ipV6();

test('agrees with Node on what lies within a range', () => {
  const cases = fc.oneof(
    fc.tuple(four, four, fc.integer({ min: 0, max: 32 }), fc.constant('ipv4' as const)),
    fc.tuple(six, six, fc.integer({ min: 0, max: 128 }), fc.constant('ipv6' as const)),
  );
  fc.assert(
    fc.property(cases, ([address, network, prefix, family]) => {
      const list = new BlockList();
      list.addSubnet(network, prefix, family);
      const [caller, range] = [readAddress(address)!, readRange(`${network}/${prefix}`)!];
      // IPv4 within IPv6 counts as IPv4 here, unlike in Node.
      fc.pre(caller.version === range.version);
      fc.pre(family === 'ipv4' || caller.version === 6);
      expect(isWithin(caller, range)).toBe(list.check(address, family));
    }),
  );
});

test('reads a shown range as the same range, which contains itself', () => {
  fc.assert(
    fc.property(fc.oneof(four, six), fc.integer({ min: 0, max: 32 }), (address, prefix) => {
      const range = readRange(`${address}/${prefix}`)!;
      expect(readRange(showRange(range))).toEqual(range);
      expect(isWithin(range, range)).toBe(true);
    }),
  );
});

import { BlockList, isIP } from 'node:net';

/** Nobody's, ours alone, or everybody's at once (IANA's special-purpose registry). */
const closed4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Of 2000::/3: protocol assignments with Teredo, documentation, 6to4, AS112. */
const closed6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

/** Everything else of IPv6 is not public, the spellings of IPv4 addresses (mapped, NAT64) included. */
const open6 = ['2000::/3'];

const closed = listOf(closed4, closed6);
const public6 = listOf([], open6);

function listOf(ranges4: readonly string[], ranges6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (range: string, family: 'ipv4' | 'ipv6') => {
    const [address = '', bits = ''] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  };
  for (const range of ranges4) add(range, 'ipv4');
  for (const range of ranges6) add(range, 'ipv6');
  return list;
}

/** True for an address of the open internet; false for ours, for special ones, and for no address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !closed.check(address, 'ipv4');
  return version === 6 && public6.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

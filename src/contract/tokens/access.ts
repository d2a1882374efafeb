import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { CivilDay } from '#contract/base/days.ts';
import { IdInput } from '#contract/base/ids.ts';
import { schema } from '#contract/base/schema.ts';
import { scopes } from '#contract/rest/scopes.ts';
import { Token } from '#contract/tokens.ts';
import { readRange, showRange } from './addresses.ts';

export const ACCESS_LIMITS = {
  /** Addresses and ranges of one token. */
  addresses: 50,
  /** A token may be given so many years, at most. */
  years: 10,
} as const;

const PLACES_LENGTH_MAX = 5_000;

/** Addresses as they are typed: one on each line, or with commas or spaces between. Empty: from anywhere. */
const Addresses = schema(() =>
  z.pipe(
    z.string().check(
      z.maxLength(PLACES_LENGTH_MAX, 'Terlalu panjang.'),
      z.check<string>(({ value, issues }) => {
        const given = splitAddresses(value);
        const wrong = given.find((one) => readRange(one) === undefined);
        const say = (message: string) =>
          void issues.push({ code: 'custom', message, input: value });
        if (wrong !== undefined) {
          say(`"${wrong.slice(0, 64)}" bukan alamat IP. Contoh: 203.0.113.7 atau 2001:db8::/32.`);
        } else if (uniqueAddresses(given).length > ACCESS_LIMITS.addresses) {
          say(`Paling banyak ${ACCESS_LIMITS.addresses} alamat.`);
        }
      }),
    ),
    z.transform((text: string) => uniqueAddresses(splitAddresses(text))),
  ),
);

const splitAddresses = (text: string): string[] =>
  text.split(/[\s,;]+/).filter((one) => one !== '');

/** Each range once, in its one spelling; what is none was refused before. */
const uniqueAddresses = (given: readonly string[]): string[] => [
  ...new Set(
    given.flatMap((one) => {
      const range = readRange(one);
      return range ? [showRange(range)] : [];
    }),
  ),
];

/** Says what a token may do, from where, and until when: all of it each time. */
export const updateTokenAccess = act({
  name: 'token_access_update',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({
    token_id: IdInput('token'),
    scopes: z
      .array(z.enum(scopes))
      .check(
        z.minLength(1, 'Pilih paling sedikit satu izin.'),
        z.maxLength(scopes.length, 'Terlalu banyak izin.'),
      ),
    addresses: Addresses(),
    /** Its last day, in WIB; empty: it does not expire. */
    expires_on: z.union([z.literal(''), CivilDay()]),
    /** Whether calls may carry its key in their address; left out: as before. */
    key_in_address: z.optional(z.enum(['1', '0'])),
  }),
  output: Token,
  refuses: ['cooling_down'],
});

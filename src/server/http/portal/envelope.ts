import type { Fields } from '#contract/base/form.ts';
import { Refusal } from '#contract/base/refusals.ts';

/** What every call carries beside its act's own fields (docs/wire.md#envelope). */
export type Envelope = {
  act: string;
  /** The session's token; empty when signed out. */
  token: string;
  /** The device's push token; empty until the browser has one. */
  fcm: string;
  /** The key of this mutation: a repeat with the same key is the same request. */
  key: string | undefined;
  own: Fields;
};

const TOKEN_MAX = 200;
const FCM_MAX = 4096;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const printable = /^[ -~]*$/;

/** Takes the envelope off. @throws Refusal `request_malformed` */
export function envelopeOf(fields: Fields): Envelope {
  const own = new Map(fields);
  const take = (name: string): string => {
    const value = own.get(name) ?? '';
    own.delete(name);
    if (Array.isArray(value)) malformed(`${name} bukan daftar`);
    return value;
  };
  const [act, token, fcm, key] = [take('act'), take('token'), take('fcm'), take('key')];
  if (token.length > TOKEN_MAX) malformed('token terlalu panjang');
  if (fcm.length > FCM_MAX || !printable.test(fcm)) malformed('fcm tidak dikenali');
  if (key !== '' && !uuid.test(key)) malformed('key bukan UUID');
  return { act, token, fcm, key: key === '' ? undefined : key.toLowerCase(), own };
}

function malformed(why: string): never {
  throw new Refusal('request_malformed', { why });
}

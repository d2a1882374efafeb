import * as z from 'zod/mini';
import { isolated } from '#contract/base/names.ts';
import { Phone, formatPhone } from '#contract/base/phone.ts';
import { schema } from '#contract/base/schema.ts';
import { cleanNumber, normalizePhone, visibleText } from '#contract/base/written-number.ts';

/** The letters of a user id that distinguish peers where it is shown. */
const SHOWN_LETTERS = 6;

/** With `ENT.` the id is the same for all numbers of a business portfolio. */
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;
const STORED_PHONE = /^[1-9][0-9]{7,14}$/;

/**
 * Whether a peer is identified by an id because WhatsApp hides their number: the one that Meta assigns per business, as
 * `ID.1A2B3C4D`, or that of WhatsApp Web (docs/channels.md#hidden-numbers).
 */
export const isHiddenPeer = (peer: string): boolean => USER_ID.test(peer);

/**
 * The only channel that reaches a peer with a hidden number; undefined for a number. `XL`, which is not a country code,
 * precedes a LID of WhatsApp Web.
 */
export const channelOfHidden = (peer: string): 'cloud' | 'web' | undefined =>
  isHiddenPeer(peer) ? (/^XL\.[0-9]+$/.test(peer) ? 'web' : 'cloud') : undefined;

const UNKNOWN = 'Nomor tidak dikenali. Tulis dengan kode negara, misalnya 6281234567890.';

/** The other side of a conversation: a stored phone number, or a user id of Meta's. */
export const Peer = schema(() =>
  z.string().check(z.regex(/^([1-9][0-9]{7,14}|[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128})$/, UNKNOWN)),
);

/** Normalises a typed peer: a user id is unchanged, else the digits of a number. */
export function normalizePeer(typed: string): string {
  const visible = visibleText(typed);
  return isHiddenPeer(visible) ? visible : normalizePhone(typed);
}

/**
 * The digits of a number exactly as written, if `normalizePhone` makes another number of them: `85291234567` may be a
 * phone in Hong Kong, or `0852-9123-4567`. Undefined for an unambiguous number.
 */
export function exactNumber(typed: string): string | undefined {
  const digits = cleanNumber(typed);
  return STORED_PHONE.test(digits) && digits !== normalizePhone(digits) ? digits : undefined;
}

/** Adds `+` to a written number whose bare digits begin with the country code; other text is unchanged. */
export const international = (written: string): string =>
  STORED_PHONE.test(cleanNumber(written)) ? `+${cleanNumber(written)}` : written;

let isKnown = (_digits: string): boolean => false;

/**
 * Runs a synchronous `read` in which `TypedPeer` and `CardPhone` take the exact digits of a number if `known` is true
 * of them. Elsewhere, as in the web app, only the specified normalisation applies.
 */
export function readWithKnown<T>(known: (digits: string) => boolean, read: () => T): T {
  const before = isKnown;
  isKnown = known;
  try {
    return read();
  } finally {
    isKnown = before;
  }
}

function readPeer(typed: string): string {
  const exact = exactNumber(typed);
  return exact !== undefined && isKnown(exact) ? exact : normalizePeer(typed);
}

/** A typed peer; a number is normalised, or taken exactly as the account knows it. */
export const TypedPeer = schema(() =>
  z.pipe(z.pipe(z.string().check(z.maxLength(140)), z.transform(readPeer)), Peer()),
);

/** A number on a contact card, read as `TypedPeer` reads it. */
export const CardPhone = schema(() =>
  z.pipe(z.pipe(z.string().check(z.maxLength(40)), z.transform(readPeer)), Phone()),
);

/** A stored peer in a form that `TypedPeer` returns unchanged: a foreign number may begin with 8. */
export const writtenPeer = (peer: string): string => (isHiddenPeer(peer) ? peer : `+${peer}`);

/**
 * A stored peer as the public API, exports and webhooks show it: a foreign number that begins with 8 has a `+`, because
 * without it the digits also read as an Indonesian number. Other peers are unchanged.
 */
export const shownPeer = (peer: string): string => (peer.startsWith('8') ? `+${peer}` : peer);

export const storedPeer = (shown: string): string => shown.replace(/^\+/, '');

/** A peer as `shownPeer` writes it. */
export const ShownPeer = schema(() =>
  z
    .string()
    .check(z.regex(/^([1-79][0-9]{7,14}|\+8[0-9]{7,14}|[A-Z]{2}\.[A-Za-z0-9]{1,128})$/, UNKNOWN)),
);

export const ShownPhone = schema(() =>
  z.string().check(z.regex(/^([1-79][0-9]{7,14}|\+8[0-9]{7,14})$/, UNKNOWN)),
);

/** `6281234567890` → `+62 812-3456-7890`; `ID.1A2B3C4D5E` → `Tanpa nomor · 3C4D5E`. */
export const formatPeer = (peer: string): string =>
  isHiddenPeer(peer) ? `Tanpa nomor · ${peer.slice(3).slice(-SHOWN_LETTERS)}` : formatPhone(peer);

/** A name with its number beside it, where one line of text names a peer. */
export const nameAndNumberOf = (of: { peer: string; peer_name: string | null }): string =>
  of.peer_name === null
    ? formatPeer(of.peer)
    : `${isolated(of.peer_name)} (${formatPeer(of.peer)})`;

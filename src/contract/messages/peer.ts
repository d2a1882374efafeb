import * as z from 'zod/mini';
import { formatPhone, normalizePhone } from '#contract/base/phone.ts';
import { schema } from '#contract/base/schema.ts';

/** The letters of a user id that tell people apart where it is shown. */
const SHOWN_LETTERS = 6;

const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9]{1,128}$/;

/**
 * Whether a peer is known by the id that Meta gives them towards one business, as `ID.1A2B3C4D`, because WhatsApp
 * does not show their number. Only the Cloud API reaches them (docs/channels.md#hidden-numbers).
 */
export const isUserId = (peer: string): boolean => USER_ID.test(peer);

/** The other side of a conversation: a phone number as stored, or a user id of Meta's. */
export const Peer = schema(() =>
  z
    .string()
    .check(
      z.regex(
        /^([1-9][0-9]{7,14}|[A-Z]{2}\.[A-Za-z0-9]{1,128})$/,
        'Nomor tidak dikenali. Tulis dengan kode negara, misalnya 6281234567890.',
      ),
    ),
);

/** What people and programs write for a peer: a user id as it is, else the digits of a number. */
export const normalizePeer = (typed: string): string =>
  isUserId(typed.trim()) ? typed.trim() : normalizePhone(typed);

/** A peer as people and programs write it; a number comes out normalised. */
export const TypedPeer = schema(() =>
  z.pipe(z.pipe(z.string().check(z.maxLength(140)), z.transform(normalizePeer)), Peer()),
);

/** A stored peer as `TypedPeer` takes it unchanged: a number abroad may begin with 8. */
export const writtenPeer = (peer: string): string => (isUserId(peer) ? peer : `+${peer}`);

/** `6281234567890` → `+62 812-3456-7890`; `ID.1A2B3C4D5E` → `Tanpa nomor · 3C4D5E`. */
export const formatPeer = (peer: string): string =>
  isUserId(peer) ? `Tanpa nomor · ${peer.slice(3).slice(-SHOWN_LETTERS)}` : formatPhone(peer);

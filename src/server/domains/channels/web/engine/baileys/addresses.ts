import { idOfText } from '#server/infra/ids.ts';

const PHONE_HOST = '@s.whatsapp.net';
const LID_HOST = '@lid';
/** See `channelOfHidden` (src/contract/messages/peer.ts). */
const HIDDEN = 'XL.';

export const addressOf = (peer: string): string =>
  peer.startsWith(HIDDEN) ? `${peer.slice(HIDDEN.length)}${LID_HOST}` : `${peer}${PHONE_HOST}`;

export const peerOfLid = (lid: string): string => HIDDEN + lid.slice(0, -LID_HOST.length);

/** The number in an address, without its device; undefined for other addresses. */
export function phoneIn(address: string | null | undefined): string | undefined {
  return /^(\d{5,20})(?:[:_]\d+)*@(?:s\.whatsapp\.net|c\.us)$/.exec(address ?? '')?.[1];
}

/** The anonymous address (LID), without its device; undefined for other addresses. */
export function lidIn(address: string | null | undefined): string | undefined {
  const digits = /^(\d{1,20})(?:[:_]\d+)*@lid$/.exec(address ?? '')?.[1];
  return digits && `${digits}${LID_HOST}`;
}

const WIRE_ID_MAX = 512;

/** A message's id as stored. Its sender chooses it: one that cannot be stored becomes its hash. */
export const wireIdIn = (id: string): string =>
  id.length > WIRE_ID_MAX || !id.isWellFormed() || /\p{Cc}/u.test(id)
    ? `hash-${idOfText(`wire id:${id}`)}`
    : id;

/** Whether an address is a one-to-one chat: no group, broadcast, channel or system chat. */
export const isPerson = (address: string | null | undefined): boolean =>
  phoneIn(address) !== undefined || lidIn(address) !== undefined;

const PHONE_HOST = '@s.whatsapp.net';
const LID_HOST = '@lid';
/** See `channelOfHidden` (src/contract/messages/peer.ts). */
const HIDDEN = 'XL.';

/** The network's address of a number, or of a peer whose number is hidden. */
export const addressOf = (peer: string): string =>
  peer.startsWith(HIDDEN) ? `${peer.slice(HIDDEN.length)}${LID_HOST}` : `${peer}${PHONE_HOST}`;

/** The peer id of a sender with a hidden number. */
export const peerOfLid = (lid: string): string => HIDDEN + lid.slice(0, -LID_HOST.length);

/** The number in an address, without its device; undefined when it is no number's. */
export function phoneIn(address: string | null | undefined): string | undefined {
  return /^(\d{5,20})(?:[:_]\d+)*@(?:s\.whatsapp\.net|c\.us)$/.exec(address ?? '')?.[1];
}

/** The anonymous address, without its device; undefined when it is another kind. */
export function lidIn(address: string | null | undefined): string | undefined {
  const digits = /^(\d+)(?:[:_]\d+)*@lid$/.exec(address ?? '')?.[1];
  return digits && `${digits}${LID_HOST}`;
}

/** A chat of two: groups, broadcasts, channels and the network's own are not for us. */
export const isPerson = (address: string | null | undefined): boolean =>
  phoneIn(address) !== undefined || lidIn(address) !== undefined;

/**
 * Opus in WebM (RFC 8794, as Chromium records) remuxed to Ogg (RFC 7845, which phones play as a voice message and from
 * which the server draws a waveform). The audio is copied, not re-encoded.
 */

/** The content of a WebM file with one Opus track: its OpusHead, and its packets in order. */
export type OpusTrack = {
  head: Uint8Array<ArrayBuffer>;
  packets: readonly Uint8Array<ArrayBuffer>[];
};

// EBML element ids: containers, and elements that are read.
const PARENTS: ReadonlySet<number> = new Set([
  0x18_53_80_67, // Segment
  0x16_54_ae_6b, // Tracks
  0xae, // TrackEntry
  0x1f_43_b6_75, // Cluster
  0xa0, // BlockGroup
]);
const CODEC_PRIVATE = 0x63_a2;
const BLOCKS: ReadonlySet<number> = new Set([0xa1, 0xa3]);
/** Flags of a block with several packets, which no browser's recorder writes. */
const LACED = 0x06;

/**
 * Reads a recording; of a truncated one, the complete packets.
 *
 * @returns undefined for bytes that are not WebM with one unlaced Opus track.
 */
export function readWebm(bytes: Uint8Array<ArrayBuffer>): OpusTrack | undefined {
  let head: Uint8Array<ArrayBuffer> | undefined;
  const packets: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  while (at < bytes.length) {
    const id = vint(bytes, at, false);
    const size = id && vint(bytes, at + id.length, true);
    if (!id || !size) break;
    at += id.length + size.length;
    // The clusters of a recording have no size: their elements follow one after the other.
    if (PARENTS.has(id.value)) continue;
    const end = at + size.value;
    if (end > bytes.length) break;
    if (id.value === CODEC_PRIVATE) head = bytes.subarray(at, end);
    if (BLOCKS.has(id.value)) {
      const track = vint(bytes, at, true);
      const flags = track && bytes[at + track.length + 2];
      if (!track || flags === undefined || (flags & LACED) !== 0) return undefined;
      packets.push(bytes.subarray(at + track.length + 3, end));
    }
    at = end;
  }
  const isOpus = head && new TextDecoder().decode(head.subarray(0, 8)) === 'OpusHead';
  return head && isOpus && packets.length > 0 ? { head, packets } : undefined;
}

/** An EBML number; its length bit is part of an id, not of a size. */
function vint(bytes: Uint8Array, at: number, isSize: boolean) {
  const first = bytes[at];
  if (!first) return undefined;
  const length = Math.clz32(first) - 23;
  if (at + length > bytes.length) return undefined;
  let value = isSize ? first & (0xff >> length) : first;
  for (let nth = 1; nth < length; nth++) value = value * 256 + (bytes[at + nth] ?? 0);
  return { value, length };
}

/** Samples of a packet at 48 kHz, by its first byte (RFC 6716, section 3.1). */
export function samplesOf(packet: Uint8Array): number {
  const [toc = 0, second = 0] = packet;
  const config = toc >> 3;
  const silk = [480, 960, 1_920, 2_880];
  const celt = [120, 240, 480, 960];
  const hybrid = [480, 960];
  const frame =
    config < 12 ? silk[config & 3] : config < 16 ? hybrid[config & 1] : celt[config & 3];
  const frames = [1, 2, 2, second & 63][toc & 3];
  return (frame ?? 0) * (frames ?? 0);
}

const BEGIN = 2;
const END = 4;
/** Packets per page: about a second of 20 ms each. */
const PAGE_PACKETS = 50;
/** The maximum entries of a page's lacing table. */
const PAGE_LACES = 255;

/** @returns the bytes of an Ogg file. */
export function writeOgg({ head, packets }: OpusTrack): Blob {
  const serial = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const pages: Uint8Array<ArrayBuffer>[] = [];
  const add = (page: Omit<Page, 'serial' | 'nth'>) =>
    pages.push(pageOf({ ...page, serial, nth: pages.length }));
  add({ packets: [head], granule: 0, flags: BEGIN });
  add({ packets: [tags()], granule: 0, flags: 0 });
  let granule = 0;
  let [page, laces]: [Uint8Array<ArrayBuffer>[], number] = [[], 0];
  for (const packet of packets) {
    const more = lacesOf(packet);
    if (page.length === PAGE_PACKETS || laces + more > PAGE_LACES) {
      add({ packets: page, granule, flags: 0 });
      [page, laces] = [[], 0];
    }
    page.push(packet);
    laces += more;
    granule += samplesOf(packet);
  }
  add({ packets: page, granule, flags: END });
  return new Blob(pages, { type: 'audio/ogg' });
}

/** OpusTags with a vendor and no comments. */
function tags(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(22);
  bytes.set(new TextEncoder().encode('OpusTags'));
  bytes[8] = 6;
  bytes.set(new TextEncoder().encode('Kabari'), 12);
  return bytes;
}

const lacesOf = ({ length }: Uint8Array): number => Math.floor(length / 255) + 1;

type Page = {
  packets: readonly Uint8Array<ArrayBuffer>[];
  /** The sample position at its end. */
  granule: number;
  flags: number;
  serial: number;
  nth: number;
};

function pageOf({ packets, granule, flags, serial, nth }: Page): Uint8Array<ArrayBuffer> {
  const laces = packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / 255) }, () => 255),
    length % 255,
  ]);
  const size = packets.reduce((sum, { length }) => sum + length, 27 + laces.length);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('OggS'));
  view.setUint8(5, flags);
  view.setBigUint64(6, BigInt(granule), true);
  view.setUint32(14, serial, true);
  view.setUint32(18, nth, true);
  view.setUint8(26, laces.length);
  bytes.set(laces, 27);
  let at = 27 + laces.length;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.length;
  }
  view.setUint32(22, checksum(bytes), true);
  return bytes;
}

/** The CRC of Ogg pages: polynomial 0x04c11db7, neither reflected nor inverted. */
export function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04_c1_1d_b7 : crc << 1;
  }
  return crc >>> 0;
}

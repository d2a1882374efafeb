import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { type WAMessage, getMediaKeys, proto } from 'baileys';
import { type MediaKind, bytesMaxOfKind } from '#contract/media.ts';
import type { Download } from '#server/domains/channels/web/engine/engine.ts';
import { FetchError, type FileClient, openFileClient } from '#server/infra/net/outbound-file.ts';

/** The host of WhatsApp's files. The `url` of a message may name another one, and is never read. */
const FILES = 'https://mmg.whatsapp.net';
/** Limit of history and contact lists, which the library fetches by itself. */
const LIBRARY_BYTES_MAX = 64_000_000;
/** An encrypted file ends with the first bytes of its HMAC. */
const MAC_BYTES = 10;
const BLOCK_BYTES = 16;

/** The client for WhatsApp's files: only its hosts, over https, public addresses, 2 minutes. */
export const openNetworkFiles = (): FileClient =>
  openFileClient({
    listed: [],
    hosts: /^(?:[a-z0-9-]+\.)+whatsapp\.net$/,
    headers: { origin: 'https://web.whatsapp.com' },
    limits: { totalMs: 120_000 },
  });

/**
 * Replaces the global `fetch` for the library, which calls it with addresses from messages and limits neither host,
 * bytes nor time.
 */
export const libraryFetch =
  (files: FileClient): typeof fetch =>
  async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if ((init?.method ?? 'GET') !== 'GET') throw new Error('the library may only read');
    try {
      const bytes = await files.read({ url, bytesMax: LIBRARY_BYTES_MAX });
      return new Response(new Uint8Array(bytes));
    } catch (error) {
      if (isGone(error)) return new Response(null, { status: 404 });
      throw error;
    }
  };

type FileRef = Pick<
  proto.Message.IImageMessage,
  'directPath' | 'mediaKey' | 'fileLength' | 'mimetype' | 'fileEncSha256' | 'fileSha256'
>;

type Media = { kind: MediaKind; file: FileRef };

const fieldOf = {
  image: 'imageMessage',
  video: 'videoMessage',
  audio: 'audioMessage',
  document: 'documentMessage',
  sticker: 'stickerMessage',
} as const satisfies Record<MediaKind, keyof proto.IMessage>;

/** A message's file as a reference for `download`: nothing else of the message, no `url`. */
export function referenceOf({ key }: WAMessage, { kind, file }: Media): string {
  const { directPath = null, mediaKey = null, fileLength = null, mimetype = null } = file;
  const { fileEncSha256 = null, fileSha256 = null } = file;
  const { remoteJid = null, id = null, fromMe = null } = key;
  const own = { directPath, mediaKey, fileLength, mimetype, fileEncSha256, fileSha256 };
  const message = { key: { remoteJid, id, fromMe }, message: { [fieldOf[kind]]: own } };
  return Buffer.from(proto.WebMessageInfo.encode(message).finish()).toString('base64');
}

/**
 * Downloads the file of a message.
 *
 * @param requestAgain requests a new upload by the sender's phone of a file that WhatsApp no longer has
 * @throws temporary errors
 */
export async function download(
  files: FileClient,
  reference: string,
  requestAgain: (message: WAMessage) => Promise<WAMessage>,
): Promise<Download> {
  const message = proto.WebMessageInfo.decode(Buffer.from(reference, 'base64')) as WAMessage;
  try {
    return await read(files, message);
  } catch (error) {
    if (isTooLarge(error)) return 'refused';
    if (!isGone(error)) throw error;
  }
  try {
    return await read(files, await requestAgain(message));
  } catch (error) {
    if (isTooLarge(error)) return 'refused';
    if (isGone(error)) return 'gone';
    throw error;
  }
}

async function read(files: FileClient, { message }: WAMessage): Promise<Download> {
  const media = mediaIn(message);
  if (!media) return 'refused';
  const { kind, file } = media;
  const { directPath, mediaKey } = file;
  if (!directPath?.startsWith('/') || !mediaKey) return 'refused';
  const bytesMax = bytesMaxOfKind(kind);
  const announced = Number(file.fileLength ?? 0) || bytesMax;
  if (announced > bytesMax) return 'refused';
  const sealed = await files.read({
    url: `${FILES}${directPath}`,
    bytesMax: announced + BLOCK_BYTES + MAC_BYTES,
  });
  return unsealed(sealed, await getMediaKeys(mediaKey, kind));
}

function mediaIn(message: proto.IMessage | null | undefined): Media | undefined {
  for (const [kind, field] of Object.entries(fieldOf)) {
    const file = message?.[field];
    if (file) return { kind: kind as MediaKind, file };
  }
  return undefined;
}

/** @throws when the bytes are not the sender's. */
function unsealed(
  sealed: Buffer,
  { iv, cipherKey, macKey }: Awaited<ReturnType<typeof getMediaKeys>>,
): Buffer {
  const body = sealed.subarray(0, -MAC_BYTES);
  const mac = createHmac('sha256', macKey ?? '')
    .update(iv)
    .update(body)
    .digest();
  const isWhole = sealed.length > MAC_BYTES;
  if (!isWhole || !timingSafeEqual(mac.subarray(0, MAC_BYTES), sealed.subarray(-MAC_BYTES))) {
    throw new Error('the file of a message is not the one that was sent');
  }
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof FetchError && error.reason === 'too_large';

/** WhatsApp, or the phone that was to upload it again, no longer has it. */
const isGone = (error: unknown): boolean =>
  (error instanceof FetchError && error.reason === 'missing') ||
  (error instanceof Error &&
    'output' in error &&
    (error.output as { statusCode?: unknown } | undefined)?.statusCode === 404);

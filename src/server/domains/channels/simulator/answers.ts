import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessageType } from '#contract/messages.ts';
import type { MessageBody } from '#server/domains/channels/channels.ts';
import { takeInbound } from '#server/domains/channels/inbound-file.ts';
import { type MediaKind } from '#contract/media/kinds.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { AnswerKind } from './outcomes.ts';
import { picture } from './picture.ts';

/** What the owner of a phone answers with. */
export type Answer = { type: MessageType; body: MessageBody & Record<string, unknown> };

type AnswerRequest = {
  accountId: string;
  what: AnswerKind;
  /** What they typed. */
  text?: string | undefined;
  /** The id under which a file is kept: the same twice is the same file. */
  fileId?: string | undefined;
};

type Sample = { type: MediaKind; name: string; bytes: () => Promise<Buffer>; more?: object };

/** Files as people send them: small ones of each kind, which any program opens. */
const sample = (name: string) => () => readFile(join(import.meta.dirname, 'samples', name));

const files: Partial<Record<AnswerKind, Sample>> = {
  picture: {
    type: 'image',
    name: 'bukti.png',
    bytes: async () => picture(),
    more: { caption: 'Ini buktinya' },
  },
  video: { type: 'video', name: 'film.mp4', bytes: sample('film.mp4') },
  audio: { type: 'audio', name: 'suara.ogg', bytes: sample('suara.ogg'), more: { voice: true } },
  document: {
    type: 'document',
    name: 'pesanan.pdf',
    bytes: sample('pesanan.pdf'),
    more: { filename: 'pesanan.pdf' },
  },
  sticker: { type: 'sticker', name: 'stiker.webp', bytes: sample('stiker.webp') },
};

/** The content of an answer; its file, if it has one, is kept for the account that receives it. */
export async function answerOf(
  library: Pick<Library, 'take'>,
  { accountId, what, text, fileId }: AnswerRequest,
): Promise<Answer> {
  const file = files[what];
  if (file) {
    const { type, name, more } = file;
    const bytes = await file.bytes();
    const taken = await takeInbound(library, {
      accountId,
      kind: type,
      said: { name, type: '' },
      bytes,
      ...(fileId && { fileId }),
    });
    return { type, body: { ...taken, ...more } };
  }
  switch (what) {
    case 'reaction':
      return { type: 'reaction', body: { emoji: '👍' } };
    case 'location':
      return {
        type: 'location',
        body: { latitude: -6.1754, longitude: 106.8272, name: 'Monas', address: 'Jakarta Pusat' },
      };
    case 'contact':
      return { type: 'contact', body: { name: 'Bu Sari', phone: '6281234567899' } };
    case 'quote':
      return { type: 'text', body: { text: 'Baik, yang ini ya' } };
    default:
      return { type: 'text', body: { text: text ?? 'STOP' } };
  }
}

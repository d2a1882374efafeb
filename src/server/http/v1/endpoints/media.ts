import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { FILE_NAME_MAX } from '#contract/uploads.ts';
import type { ApiMedia } from '#contract/rest/media.ts';
import type { ApiSender } from '#server/http/access.ts';
import { withinPace } from '#server/http/body-timeout.ts';
import { refuseUnstorable } from '#server/http/input.ts';
import { LARGEST, bytesIn, fileFormOf } from '#server/http/uploads/uploads-form.ts';
import { FORM_BYTES, PACE, openTurns } from '#server/http/uploads/uploads.ts';
import { phrases } from '#server/http/v1/answers.ts';
import { type ApiReader, type Call, type Handlers, idempotencyKey } from '#server/http/v1/call.ts';
import { type FirstAnswers, remember } from '#server/http/v1/remember.ts';

/** A file of the account's library. */
export type StoredMedia = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  sha256: Buffer;
  width: number | null;
  height: number | null;
  seconds: number | null;
  createdAt: Date;
  expiresAt: Date;
};

/** A file as it comes; what is said of it is known once its bytes have come. */
export type NewMediaFile = {
  said: () => { name: string; type: string };
  bytes: AsyncIterable<Uint8Array>;
};

/** What these endpoints need of the library of media. */
export type MediaCalls = {
  /** Takes a file in, looked into. By the hash of the bytes that came, `once` may know it from an earlier call. */
  takeOnce: <T>(
    sender: ApiSender,
    file: NewMediaFile,
    once: (sha256: Buffer, take: () => Promise<StoredMedia>) => Promise<T>,
  ) => Promise<T>;
  find: (sender: ApiSender, fileId: string) => Promise<StoredMedia | undefined>;
  /** @throws Refusal `not_found` */
  remove: (sender: ApiSender, fileId: string) => Promise<void>;
  /** Where its bytes are read, by whoever has the address, and until when. */
  offer: (sender: ApiSender, fileId: string) => { link: string; expiresAt: Date };
};

type Deps = { media: MediaCalls; firstAnswer: FirstAnswers };

/** Files: given, described and taken back. */
export function mediaHandlers({
  media,
  firstAnswer,
}: Deps): Handlers<'addMedia' | 'getMedia' | 'removeMedia'> {
  const turns = openTurns();
  return {
    addMedia: (call) =>
      turns(call.sender.tokenId, () =>
        withinPace(call.request, PACE, () => add({ media, firstAnswer }, call)),
      ),
    getMedia: async ({ sender, id, reader }) => {
      const file = await media.find(sender, uuidIn(id));
      if (!file) throw notFound();
      return mediaOf(file, media.offer(sender, file.fileId), reader);
    },
    removeMedia: async ({ sender, id, reply }) => {
      await media.remove(sender, uuidIn(id));
      return reply.code(204).send();
    },
  };
}

const notFound = () => new Refusal('not_found', { what: 'Media' });

function uuidIn(id: string): string {
  const uuid = uuidOf('media', id);
  if (uuid === undefined) throw notFound();
  return uuid;
}

async function add({ media, firstAnswer }: Deps, call: Call<'addMedia'>) {
  const { sender, reader, request, reply } = call;
  const key = idempotencyKey(request);
  const given = bytesIn(request, 'Content-Length');
  if (given !== undefined && given > LARGEST + FORM_BYTES) {
    throw new Refusal('upload_too_large', { bytesMax: LARGEST });
  }
  const form = await fileFormOf(request, {
    checkName: (name, isFile) => checkPart(name, isFile, reader),
    why: { broken: phrases.form[reader.language], manyFiles: phrases.manyFiles[reader.language] },
  });
  const said = () => ({ name: form.text('name') ?? form.filename, type: form.mimetype });
  return media.takeOnce(sender, { said, bytes: form.bytes }, async (sha256, take) => {
    checkNameField(form.text('name'), reader);
    const input = JSON.stringify([sha256.toString('hex'), said()]);
    const asked = { tokenId: sender.tokenId, key, endpoint: 'POST /v1/media', input };
    const text = await remember(firstAnswer, asked, reply, async () => {
      const file = await take();
      return mediaOf(file, media.offer(sender, file.fileId), reader);
    });
    return reply.code(201).type('application/json; charset=utf-8').send(text);
  });
}

/** @throws Refusal `input_invalid` for a part that is not known here */
function checkPart(name: string, isFile: boolean, { language }: ApiReader): void {
  if (isFile ? name === 'file' : name === 'name') return;
  const shown = name === 'file' ? name : name.slice(0, 100);
  const sentence = name === 'file' ? phrases.notAFile : phrases.unknownPart;
  throw (
    refuseUnstorable(shown, language, 'name') ??
    new Refusal('input_invalid', { fields: { [shown]: sentence[language] } })
  );
}

/** @throws Refusal `input_invalid` */
function checkNameField(name: string | undefined, { language }: ApiReader): void {
  if (name === undefined) return;
  const no = refuseUnstorable(name, language, 'name');
  if (no) throw no;
  const isName = name.trim() !== '' && [...name].length <= FILE_NAME_MAX;
  if (!isName) {
    throw new Refusal('input_invalid', { fields: { name: phrases.fileName[language] } });
  }
}

const mediaOf = (
  file: StoredMedia,
  { link, expiresAt }: ReturnType<MediaCalls['offer']>,
  { origin }: ApiReader,
): ApiMedia => ({
  id: publicId('media', file.fileId),
  name: file.name,
  mime_type: file.mime,
  size: file.sizeBytes,
  sha256: file.sha256.toString('hex'),
  width: file.width,
  height: file.height,
  duration: file.seconds,
  created_at: file.createdAt,
  expires_at: file.expiresAt,
  url: new URL(link, origin).href,
  url_expires_at: expiresAt,
});

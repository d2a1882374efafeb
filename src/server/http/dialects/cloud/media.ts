import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { ApiSender } from '#server/http/access.ts';
import { withinPace } from '#server/http/connections.ts';
import {
  type ServedFile,
  sendFile,
  FORM_BYTES,
  PACE,
  openBodyLimiter,
  LARGEST,
  bytesIn,
  fileFormOf,
} from '#server/http/uploads.ts';
import { phrases as apiPhrases } from '#server/http/v1/answers.ts';
import type { NewMediaFile } from '#server/http/v1/endpoints.ts';
import type { CloudCall, CloudRoute } from './route.ts';
import { textAt } from '#server/infra/net/json-values.ts';

const CONTENT = '/content';

type Facts = { fileId: string; mime: string; sizeBytes: number; sha256: Buffer };

export type MediaDeps = {
  media: {
    /** Inspects and stores a file in the account's library. */
    take: (sender: ApiSender, file: NewMediaFile) => Promise<Facts>;
    find: (sender: ApiSender, fileId: string) => Promise<Facts | undefined>;
    /** @throws Refusal `not_found` */
    remove: (sender: ApiSender, fileId: string) => Promise<void>;
    /** `med_…?k=…`: opens a file for five minutes, together with a key of the account. */
    sign: (sender: ApiSender, fileId: string) => string;
    /** Undefined when the address is not signed by us, or has expired. */
    open: (
      sender: ApiSender,
      address: { id: string; key: string },
    ) => Promise<ServedFile | undefined>;
  };
};

export function mediaRoutes(deps: MediaDeps): readonly CloudRoute[] {
  const turns = openBodyLimiter();
  return [
    {
      method: 'POST',
      path: '/media',
      scope: 'media',
      takesFile: true,
      handler: async (call) => {
        if (call.id !== call.numberId) throw new Refusal('not_found', { what: 'Nomor telepon' });
        return turns(call.sender.tokenId, () =>
          withinPace(call.request, PACE, () => upload(deps, call)),
        );
      },
    },
    {
      method: 'GET',
      path: CONTENT,
      scope: 'media',
      handler: async (call) => {
        const key = textAt(call.request.query, 'k') ?? '';
        const file = await deps.media.open(call.sender, { id: call.id, key });
        if (!file) throw notFound();
        return sendFile(call.request, call.reply, file);
      },
    },
    {
      method: 'DELETE',
      path: '',
      scope: 'media',
      handler: async (call) => {
        await deps.media.remove(call.sender, fileIdOf(call));
        return { success: true };
      },
    },
  ];
}

/** `GET /{media-id}`: the address of its bytes is valid for five minutes, with the same key. */
export async function describeMedia({ media }: MediaDeps, call: CloudCall) {
  const { sender, id, reader } = call;
  const fileId = fileIdOf(call);
  const file = await media.find(sender, fileId);
  if (!file) throw notFound();
  return {
    messaging_product: 'whatsapp',
    url: `${reader.origin}/${media.sign(sender, fileId).replace('?', `${CONTENT}?`)}`,
    mime_type: file.mime,
    sha256: file.sha256.toString('hex'),
    file_size: file.sizeBytes,
    id,
  };
}

const notFound = () => new Refusal('not_found', { what: 'Media' });

/** @throws Refusal `not_found` for an invalid id, or if a number other than the key's own is named. */
function fileIdOf({ id, numberId, request }: CloudCall): string {
  const number = textAt(request.query, 'phone_number_id');
  const fileId = uuidOf('media', id);
  if (fileId === undefined || (number ?? numberId) !== numberId) throw notFound();
  return fileId;
}

async function upload({ media }: MediaDeps, { sender, request, reader }: CloudCall) {
  const given = bytesIn(request, 'Content-Length');
  if (given !== undefined && given > LARGEST + FORM_BYTES) throw new Refusal('body_too_large', {});
  const form = await fileFormOf(request, {
    why: {
      broken: apiPhrases.form[reader.language],
      manyFiles: apiPhrases.manyFiles[reader.language],
    },
  });
  // A client that does not know a file's type may declare it in a separate field.
  const isSilent = form.mimetype === '' || form.mimetype === 'application/octet-stream';
  const taken = await media.take(sender, {
    declared: () => ({
      name: form.filename,
      type: isSilent ? (form.text('type') ?? '') : form.mimetype,
    }),
    bytes: form.bytes,
  });
  return { id: publicId('media', taken.fileId) };
}

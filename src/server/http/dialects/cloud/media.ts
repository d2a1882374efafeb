import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { withinPace } from '#server/http/connections.ts';
import {
  sendFile,
  FORM_BYTES,
  PACE,
  openBodyLimiter,
  LARGEST,
  bytesIn,
  fileFormOf,
} from '#server/http/uploads.ts';
import { phrases as apiPhrases } from '#server/http/v1/answers.ts';
import type { Files, Library } from '#server/domains/media/media.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import type { CloudCall, CloudRoute } from './route.ts';
import { textAt } from '#server/infra/net/json-values.ts';

const CONTENT = '/content';

/** Validity of a signed file address, in milliseconds. */
const LINK_MS = 5 * 60_000;

export type MediaDeps = {
  library: Pick<Library, 'take' | 'find' | 'remove'>;
  files: Pick<Files, 'open'>;
  secrets: Secrets;
  now: () => Date;
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
        const { accountId } = call.sender;
        const address = { id: call.id, key: textAt(call.request.query, 'k') ?? '' };
        const known = verifySigned(deps.secrets, 'media', address, deps.now().getTime());
        const file =
          known?.accountId === accountId ? await deps.files.open(accountId, known.id) : undefined;
        if (!file) throw notFound();
        return sendFile(call.request, call.reply, file);
      },
    },
    {
      method: 'DELETE',
      path: '',
      scope: 'media',
      handler: async (call) => {
        await deps.library.remove(call.sender.accountId, fileIdOf(call));
        return { success: true };
      },
    },
  ];
}

/** `GET /{media-id}`: the address of its bytes is valid for five minutes, with the same key. */
export async function describeMedia({ library, secrets, now }: MediaDeps, call: CloudCall) {
  const { id, reader } = call;
  const { accountId } = call.sender;
  const fileId = fileIdOf(call);
  const file = (await library.find(accountId, [fileId])).get(fileId);
  if (!file) throw notFound();
  const address = signed(secrets, 'media', { accountId, id: fileId }, now().getTime() + LINK_MS);
  return {
    messaging_product: 'whatsapp',
    url: `${reader.origin}/${address.replace('?', `${CONTENT}?`)}`,
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

async function upload({ library }: MediaDeps, { sender, request, reader }: CloudCall) {
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
  const taken = await library.take({
    accountId: sender.accountId,
    source: 'api',
    declared: () => ({
      name: form.filename,
      type: isSilent ? (form.text('type') ?? '') : form.mimetype,
    }),
    bytes: form.bytes,
  });
  return { id: publicId('media', taken.fileId) };
}

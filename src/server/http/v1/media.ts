import { Refusal } from '#contract/base/refusals.ts';
import type { AnswerOf } from '#contract/rest.ts';
import { FILE_NAME_MAX } from '#contract/uploads.ts';
import { apiMediaOf, type Files, type Library } from '#server/domains/media/media.ts';
import { withinPace } from '#server/http/connections.ts';
import { refuseUnstorable } from '#server/http/input.ts';
import {
  LARGEST,
  bytesIn,
  fileFormOf,
  FORM_BYTES,
  PACE,
  openBodyLimiter,
} from '#server/http/uploads.ts';
import { phrases } from '#server/http/v1/answers.ts';
import type { ApiReader } from '#server/infra/endpoints.ts';
import { type HttpCall, idempotencyKey, type RunIdempotent, answerIdempotent } from './send.ts';

type Deps = {
  library: Pick<Library, 'takeOnce'>;
  files: Pick<Files, 'offer'>;
  runIdempotent: RunIdempotent;
};

/** `POST /v1/media`: stores a file from a form, once per key. */
export function mediaReceiver(deps: Deps): (call: HttpCall) => Promise<unknown> {
  const turns = openBodyLimiter();
  return (call) =>
    turns(call.sender.tokenId, () => withinPace(call.request, PACE, () => receive(deps, call)));
}

async function receive({ library, files, runIdempotent }: Deps, call: HttpCall) {
  const { sender, reader, request, reply } = call;
  const { accountId, tokenId } = sender;
  const key = idempotencyKey(request);
  const given = bytesIn(request, 'Content-Length');
  if (given !== undefined && given > LARGEST + FORM_BYTES) {
    throw new Refusal('upload_too_large', { bytesMax: LARGEST });
  }
  const form = await fileFormOf(request, {
    checkName: (name, isFile) => checkPart(name, isFile, reader),
    why: { broken: phrases.form[reader.language], manyFiles: phrases.manyFiles[reader.language] },
  });
  const declared = () => ({ name: form.text('name') ?? form.filename, type: form.mimetype });
  const media = { accountId, declared, bytes: form.bytes, source: 'api' } as const;
  return library.takeOnce(media, async (sha256, take) => {
    checkNameField(form.text('name'), reader);
    const input = JSON.stringify([sha256.toString('hex'), declared()]);
    const idempotentCall = { tokenId, key, endpoint: 'POST /v1/media', input };
    const text = await answerIdempotent(
      runIdempotent,
      idempotentCall,
      reply,
      async (): Promise<AnswerOf<'addMedia'>> => {
        const file = await take();
        return apiMediaOf(file, files.offer(accountId, file.fileId), reader);
      },
    );
    return reply.code(201).type('application/json; charset=utf-8').send(text);
  });
}

/** @throws Refusal `input_invalid` for an unknown part */
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

import { Refusal } from '#contract/base/refusals.ts';
import { claimUpload } from '#server/domains/media/uploads/uploads.ts';
import type { Owner } from '#server/domains/media/uploads/uploads-rows.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { ANSWER_MS_MAX, type IntakeDeps, describe, keep, withDraftFolder } from './intake.ts';
import { type MediaFacts, readMedia } from './row.ts';

/**
 * Takes a finished upload of a person into the library. Its bytes stay where they are: they were looked into when
 * they came. Safe to repeat, also while the first call is still at work: an upload is one file.
 *
 * @throws Refusal `upload_gone` when it is not this person's, is for something else or not finished, or its file was
 *   forgotten since; `storage_full`.
 */
export async function adoptUpload(
  deps: IntakeDeps,
  { accountId, userId, uploadId }: Owner & { uploadId: string },
): Promise<MediaFacts> {
  const { fileId, taken } = await findAdopted(deps, { accountId, userId, uploadId });
  if (taken) return taken;
  const stored = await deps.files.open(accountId, fileId);
  if (!stored) throw new Refusal('upload_gone', {});
  const answerBeforeMs = performance.now() + ANSWER_MS_MAX;
  const { name, mime } = stored;
  return withDraftFolder(deps.dataFolder, (folder) =>
    stored.withFile(async (path) => {
      const described = await describe({ path, name, mime, accountId }, folder, answerBeforeMs);
      const adopted = keep(deps, { accountId, fileId, source: 'portal' }, described, (tx) =>
        claimUpload(tx, { accountId, userId, uploadId, purpose: 'media' }),
      );
      return adopted.catch(async (error: unknown) => {
        if (!(error instanceof Refusal) || error.code !== 'upload_gone') throw error;
        const first = await findAdopted(deps, { accountId, userId, uploadId });
        if (!first.taken) throw error;
        return first.taken;
      });
    }),
  );
}

/** An upload's file, and what the library knows of it. @throws Refusal `upload_gone` */
function findAdopted(
  { sql }: IntakeDeps,
  { accountId, userId, uploadId }: Owner & { uploadId: string },
): Promise<{ fileId: string; taken: MediaFacts | undefined }> {
  return asAccount(sql, accountId, async (tx) => {
    const [upload] = await tx<{ fileId: string }[]>`
      select file_id as "fileId" from uploads
      where account_id = ${accountId} and upload_id = ${uploadId} and user_id = ${userId}
        and purpose = 'media' and state in ('finished', 'claimed')`;
    if (!upload) throw new Refusal('upload_gone', {});
    const [taken] = await readMedia(tx, accountId, [upload.fileId]);
    return { fileId: upload.fileId, taken };
  });
}

import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { MessageBody } from './channels.ts';

type Given = Omit<Parameters<Library['take']>[0], 'source'>;

/** What may be otherwise in a minute: the channel brings the message again. */
const passing: ReadonlySet<RefusalCode> = new Set(['busy', 'upload_unscanned']);

/**
 * Takes the file of a message that came in into the library.
 *
 * A message is not lost for its file: where that cannot be kept, its body says why (`missing`).
 *
 * @param given with a `fileId` of the channel's own, so that the same message twice has one file.
 * @throws what passes: the message is brought again.
 */
export async function takeInbound(
  library: Pick<Library, 'take'>,
  given: Given,
): Promise<MessageBody> {
  try {
    const { fileId, mime } = await library.take({ ...given, source: 'channel' });
    return { file: fileId, mime };
  } catch (error) {
    if (!(error instanceof Refusal) || passing.has(error.code)) throw error;
    return { missing: error.code === 'storage_full' ? 'storage_full' : 'refused' };
  }
}

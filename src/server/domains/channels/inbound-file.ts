import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import type { Library } from '#server/domains/media/media.ts';
import type { MessageBody } from './channels.ts';

type Given = Omit<Parameters<Library['take']>[0], 'source'>;

/** Temporary refusals: the channel delivers the message again. */
const passing: ReadonlySet<RefusalCode> = new Set(['busy', 'upload_unscanned']);

/**
 * Stores the file of an inbound message in the library. If the file cannot be stored, the body has the reason
 * (`missing`), so that the message is not lost.
 *
 * @param given with a `fileId` from the channel, so that a repeated message has one file
 * @throws temporary errors: the message is delivered again
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

import { isMediaKind } from '#contract/media/kinds.ts';
import type { Inbound } from '#server/domains/channels/channels.ts';
import { fileFacts } from '#server/domains/messages/content.ts';
import type { MediaOfMessages } from './prepare.ts';

/** A message that comes in, with what is known of its file: for all channels alike. */
export async function withFileFacts(
  media: Pick<MediaOfMessages, 'find'>,
  inbound: Inbound,
): Promise<Inbound> {
  const { accountId, type, body } = inbound;
  const { file: fileId } = body;
  if (!isMediaKind(type) || typeof fileId !== 'string') return inbound;
  const file = (await media.find(accountId, [fileId])).get(fileId);
  return file ? { ...inbound, body: { ...body, ...fileFacts(file, type, body) } } : inbound;
}

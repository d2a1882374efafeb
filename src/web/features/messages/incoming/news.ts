import { uuidOf } from '#contract/base/ids.ts';

/** An older message is not new: it came while the connection was down. */
const NEWS_MS = 60_000;

/** When an id was made, in milliseconds, by the server's clock: UUIDv7 begins with it. */
function madeAt(messageId: string): number {
  const uuid = uuidOf('message', messageId) ?? '';
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

export const isNews = (messageId: string, serverNow: number): boolean =>
  serverNow - madeAt(messageId) < NEWS_MS;

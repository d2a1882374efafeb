// The parts of this feature that other features may import. The chat is loaded when it is shown: others only link to
// it.
import { later } from '#web/browser/lazyComponent.ts';

export { AskSupport, SupportLink } from '#web/features/support/AskSupport.tsx';
export { addLine, linesKey } from '#web/features/support/lines.ts';
export { closeSupportNotices } from '#web/features/support/notices.ts';
export { followOutbox, waitingThreads } from '#web/features/support/outbox/outbox.ts';
export { draftFields } from '#web/features/support/queries.ts';
export type { SupportDraft, SupportPort } from '#web/features/support/port.ts';

export const SupportChat = later(() => import('#web/features/support/chat/SupportChat.tsx'));

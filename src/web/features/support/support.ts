// The parts of this feature that other features may import. The chat is loaded when it is shown: others only link to
// it.
import { later } from '#web/browser/lazyComponent.ts';

export { AskSupport, SupportLink } from '#web/features/support/AskSupport.tsx';
export { linesKey } from '#web/features/support/lines.ts';
export { closeSupportNotices } from '#web/features/support/notices.ts';
export type { SupportPort } from '#web/features/support/port.ts';
export { startSupportOutbox } from '#web/features/support/sending.ts';

export const SupportChat = later(() => import('#web/features/support/chat/SupportChat.tsx'));

import type { ActHandler } from '#server/infra/acts.ts';
import type { SupportDeps } from './deps.ts';
import { inboxActs } from './inbox/acts.ts';
import { customerActs } from './thread/customer-acts.ts';

export { supportAccountData } from './account-data.ts';
export type { SupportDeps } from './deps.ts';
export { openUsualAnswer } from './hours.ts';
export { supportFigures } from './inbox/list.ts';
export { openTranscript } from './transcript.ts';
export { tendThreads } from './upkeep.ts';

/** The acts of customer service, of both sides. */
export const supportActs = (deps: SupportDeps): readonly ActHandler[] => [
  ...customerActs(deps),
  ...inboxActs(deps),
];

import { billingPatches } from '#web/features/billing/livePatches.ts';
import { broadcastPatches } from '#web/features/broadcasts/livePatches.ts';
import { campaignPatches } from '#web/features/campaigns/livePatches.ts';
import { exportPatches } from '#web/features/exports/livePatches.ts';
import { homePatches } from '#web/features/home/livePatches.ts';
import { messagePatches } from '#web/features/messages/livePatches.ts';
import { saldoPatches } from '#web/features/saldo/livePatches.ts';
import { supportPatches } from '#web/features/support/unread.ts';
import { tokenPatches } from '#web/features/tokens/livePatches.ts';
import { webhookPatches } from '#web/features/webhooks/livePatches.ts';
import type { LivePatches } from '#web/live/patches.ts';

/**
 * The live patches of all features. All are registered from the start, so that cached queries stay current before their
 * page's code is loaded again.
 */
export const livePatches: readonly LivePatches[] = [
  messagePatches,
  tokenPatches,
  saldoPatches,
  billingPatches,
  supportPatches,
  homePatches,
  broadcastPatches,
  webhookPatches,
  campaignPatches,
  exportPatches,
];

import { sealedChallenges, sealedFactors } from '#server/domains/accounts/accounts.ts';
import { sealedNumbers } from '#server/domains/channels/cloud/cloud.ts';
import { sealedWeb } from '#server/domains/channels/web/web.ts';
import { sealedSubscriptions } from '#server/domains/push/push.ts';
import { sealedWebhooks } from '#server/domains/webhooks/webhooks.ts';
import { sealedAnswers } from '#server/infra/acts.ts';
import { type SealedColumn, installationSecrets } from '#server/infra/security/secrets.ts';

/** All columns of sealed values: what a rotation of SECRET_KEY seals anew. */
export const sealedColumns: readonly SealedColumn[] = [
  installationSecrets,
  sealedAnswers,
  sealedChallenges,
  sealedFactors,
  ...sealedNumbers,
  ...sealedWeb,
  sealedSubscriptions,
  ...sealedWebhooks,
];

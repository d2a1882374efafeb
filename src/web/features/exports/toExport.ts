import type { InputFor } from '#contract/base/act.ts';
import type { exportMessages } from '#contract/exports.ts';

type Messages = Omit<InputFor<typeof exportMessages>, 'format'>;

export type ToExport =
  | {
      kind: 'messages';
      input: Messages;
      /** The maximum number of rows, if known. */
      count?: number;
    }
  | { kind: 'campaign'; campaignId: string };

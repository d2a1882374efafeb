import type { InputOf } from '#contract/base/act.ts';
import type { exportMessages } from '#contract/exports/exports.ts';
import type { RowSource } from '#server/infra/sheets/row-source.ts';

/** What is asked for, by kind, as it is stored. */
export type ExportParams = {
  messages: Omit<InputOf<typeof exportMessages>, 'format'>;
  campaign: { campaign_id: string };
};
export type ExportKind = keyof ExportParams;

/** Who holds the rows of each kind. */
export type RowSources = { [Kind in ExportKind]: RowSource<ExportParams[Kind]> };

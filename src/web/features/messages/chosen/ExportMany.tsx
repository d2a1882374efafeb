import type { ChosenProps } from '#web/features/messages/chosen/chosenProps.ts';
import { ExportDialog } from '#web/features/exports/exports.ts';

export const ExportMany = ({ messages, onClose }: ChosenProps) => (
  <ExportDialog
    what={{ kind: 'messages', input: { message_ids: messages.map(({ id }) => id) } }}
    onClose={() => onClose(false)}
  />
);

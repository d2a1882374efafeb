import type { SelectionProps } from '#web/features/messages/selection/selectionProps.ts';
import { ExportDialog } from '#web/features/exports/exports.ts';

export const ExportMany = ({ messages, onClose }: SelectionProps) => (
  <ExportDialog
    what={{ kind: 'messages', input: { message_ids: messages.map(({ id }) => id) } }}
    onClose={() => onClose(false)}
  />
);

import type { TemplateStatus } from '#contract/messages/templates.ts';
import { statusLook } from '#web/features/tokens/templates/labels.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export const TemplateStatusChip = ({ status }: { status: TemplateStatus }) => (
  <StatusChip tone={statusLook[status].tone}>{statusLook[status].words}</StatusChip>
);

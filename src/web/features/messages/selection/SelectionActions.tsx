import { Ban, Download, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { MessageRow } from '#contract/messages.ts';
import { CancelMany } from '#web/features/messages/selection/CancelMany.tsx';
import { ExportMany } from '#web/features/messages/selection/ExportMany.tsx';
import { ResendMany } from '#web/features/messages/selection/ResendMany.tsx';
import { manyActions } from '#web/features/messages/labels.ts';
import { Button } from '#web/ui/button/Button.tsx';

const actions = [
  { name: 'Kirim ulang', kind: 'resend', icon: RotateCw, tone: 'primary', Dialog: ResendMany },
  { name: 'Batalkan', kind: 'cancel', icon: Ban, tone: 'danger', Dialog: CancelMany },
  { name: 'Ekspor', kind: 'export', icon: Download, tone: 'neutral', Dialog: ExportMany },
] as const;

type Props = { messages: readonly MessageRow[]; onDone: () => void };

export function SelectionActions({ messages, onDone }: Props) {
  const [name, setName] = useState<string>();
  const offered = manyActions(messages);
  const Asking = actions.find((one) => one.name === name)?.Dialog;
  const close = (isDone: boolean) => {
    setName(undefined);
    if (isDone) onDone();
  };
  return (
    <>
      {actions
        .filter(({ kind }) => offered.includes(kind))
        .map((one) => (
          <Button
            key={one.name}
            size="sm"
            variant="subtle"
            tone={one.tone}
            icon={<one.icon size={16} />}
            onClick={() => setName(one.name)}
          >
            {one.name}
          </Button>
        ))}
      {Asking && <Asking messages={messages} onClose={close} />}
    </>
  );
}

import type { BroadcastTone } from '#contract/operator/broadcasts.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Caption } from '#web/ui/chat/Caption.tsx';

type Props = {
  title: string;
  text: string;
  tone: BroadcastTone;
  onClose?: (() => void) | undefined;
};

export const BroadcastNotice = ({ title, text, tone, onClose }: Props) => (
  <Alert visible variant="pro" state={tone} label={title} {...(onClose && { onClose })}>
    <p>
      <Caption text={text} />
    </p>
  </Alert>
);

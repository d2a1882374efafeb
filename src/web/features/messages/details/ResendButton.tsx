import { navigate } from '#web/browser/router/navigation.ts';
import { RotateCw } from 'lucide-react';
import type { MessageDetail } from '#contract/messages.ts';
import { checkResend, resendMessage } from '#contract/messages/history.ts';
import { perform } from '#web/api/act.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { useState } from 'react';

export function ResendButton({ message }: { message: MessageDetail }) {
  const send = useAct(resendMessage);
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    const cost = await perform(checkResend, { message_ids: [message.id] })
      .catch((error: unknown) => toast(sentenceOf(error), { tone: 'danger' }))
      .finally(() => setBusy(false));
    if (!cost) return;
    const [refused] = cost.refused;
    if (refused) {
      toast(refused.error.msg, { tone: 'danger' });
      return;
    }
    const done = await confirm({
      title: 'Kirim ulang pesan ini?',
      children: (
        <p>
          Pesan yang sama dikirim sebagai pesan baru ke {nameAndNumberOf(message)}
          {cost.by_quota > 0 ? (
            ', termasuk kuota paket'
          ) : (
            <>
              {' '}
              dengan biaya <Money amount={cost.price} />
            </>
          )}
          .
        </p>
      ),
      tone: 'primary',
      cancelText: 'Batal',
      confirmText: 'Kirim ulang',
      sentenceOf,
      onConfirm: async () => void (await send.perform({ message_id: message.id })),
    });
    if (!done) return;
    await navigate({
      to: '/message-history',
      search: { view: 'percakapan', open: message.token.id, peer: message.peer },
    });
  };
  return (
    <Button variant="subtle" icon={<RotateCw size={18} />} busy={busy} onClick={() => void ask()}>
      Kirim ulang
    </Button>
  );
}

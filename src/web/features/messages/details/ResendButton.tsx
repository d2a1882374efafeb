import { writtenPeer } from '#contract/messages/peer.ts';
import { useQuery } from '@tanstack/react-query';
import { navigate } from '#web/browser/router/navigation.ts';
import { RotateCw } from 'lucide-react';
import { sendMessage, type MessageDetail } from '#contract/messages.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { nameOf } from '#web/features/messages/labels.ts';
import { useMessagePrice } from '#web/features/messages/send/useMessagePrice.ts';
import { allTokensQuery } from '#web/features/tokens/tokens.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Money } from '#web/ui/money/Money.tsx';

/** Sends a text that failed or ran out of time once more, as a new message. */
export function ResendButton({ message }: { message: MessageDetail }) {
  const { data: tokens } = useQuery(allTokensQuery);
  const { data: saldo } = useQuery(saldoQuery);
  const channel = tokens?.find(({ id }) => id === message.token.id)?.channel;
  const price = useMessagePrice(channel, saldo);
  const send = useAct(sendMessage);

  const ask = async () => {
    const done = await confirm({
      title: 'Kirim ulang pesan ini?',
      children: (
        <p>
          Pesan yang sama dikirim sebagai pesan baru ke {nameOf(message)}
          {price === 'quota' && ', termasuk kuota paket'}
          {typeof price === 'number' && (
            <>
              {' '}
              dengan biaya <Money amount={price} />
            </>
          )}
          .
        </p>
      ),
      tone: 'primary',
      cancelText: 'Batal',
      confirmText: 'Kirim ulang',
      sentenceOf,
      onConfirm: async () => {
        const { token, peer, content } = message;
        await send.perform({ token_id: token.id, to: writtenPeer(peer), text: content.caption });
      },
    });
    if (!done) return;
    await navigate({
      to: '/message-history',
      search: { view: 'percakapan', open: message.token.id, peer: message.peer },
    });
  };
  return (
    <Button variant="subtle" icon={<RotateCw size={18} />} onClick={() => void ask()}>
      Kirim ulang
    </Button>
  );
}

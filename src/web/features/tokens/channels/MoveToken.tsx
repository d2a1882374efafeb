import { isolated } from '#contract/base/names.ts';
import { useState } from 'react';
import { moveToken } from '#contract/channels.ts';
import type { ChannelName, Token } from '#contract/tokens.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { useAct } from '#web/api/query.ts';
import { ChannelChoice } from '#web/features/tokens/channels/ChannelChoice.tsx';
import { channelLabel } from '#web/features/tokens/labels.ts';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  token: Token;
  onClose: () => void;
  /** Called when it is on its new channel, without a number. */
  onMoved: () => void;
};

export function MoveToken({ token, onClose, onMoved }: Props) {
  const [channel, setChannel] = useState<ChannelName>();
  const [isMissing, setMissing] = useState(false);
  const changed = useTokenChanged();
  const move = useAct(moveToken, {
    onSuccess: (moved) => {
      changed();
      changed(moved);
      toast(`Token ${isolated(moved.name)} sekarang memakai ${channelLabel[moved.channel]}.`, {
        tone: 'success',
      });
      onMoved();
    },
  });
  const submit = () => {
    setMissing(channel === undefined);
    if (channel && !move.busy) move.mutate({ token_id: token.id, channel });
  };
  return (
    <FormModal
      onClose={() => move.busy || onClose()}
      title="Pindah kanal"
      submit="Pindahkan"
      busy={move.busy}
      onSubmit={submit}
    >
      <p>
        Token <bdi>{token.name}</bdi> sekarang memakai {channelLabel[token.channel]}. Kunci API,
        batas, dan riwayatnya tetap.
        {token.phone !== null &&
          ' Nomornya dilepas dan harus disambungkan lagi di kanal baru.'}{' '}
        Pesan yang antre menunggu sampai tersambung, dengan harga saat diterima.
      </p>
      <RefusalAlert error={move.error} />
      <ChannelChoice
        legend="Kanal baru"
        without={token.channel}
        value={channel}
        error={isMissing && !channel ? 'Pilih kanalnya.' : undefined}
        onChange={setChannel}
      />
      <PasswordQuestion of={moveToken} />
    </FormModal>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type SystemToken, moveSystemToken } from '#contract/operator/settings.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { useAct } from '#web/api/query.ts';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import { AboutChannel, channelLabel } from '#web/features/tokens/tokens.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { ChoiceCards } from '#web/ui/choice/ChoiceCards.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Stack } from '#web/ui/panel/Panel.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const FORM = 'pindah-token-sistem';

type Props = { token: SystemToken; onClose: () => void };

export function MoveSystemToken({ token, onClose }: Props) {
  const client = useQueryClient();
  const [channel, setChannel] = useState<ChannelName | undefined>(token.others[0]);
  const move = useAct(moveSystemToken, {
    onSuccess: async (moved) => {
      await client.invalidateQueries({ predicate: isOperatorQuery });
      toast(`Token sistem sekarang memakai ${channelLabel[moved.channel]}.`, { tone: 'success' });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (channel && !move.busy) move.mutate({ channel });
  };
  return (
    <Modal
      open
      onClose={() => move.busy || onClose()}
      title="Pindah kanal token sistem"
      footer={
        <>
          <Button variant="outline" tone="neutral" onClick={onClose}>
            Batal
          </Button>
          {token.others.length > 0 && (
            <Button type="submit" form={FORM} tone="danger" busy={move.busy}>
              Pindahkan
            </Button>
          )}
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={submit}>
        <Stack>
          <Alert
            visible
            state="warning"
            label="Sampai nomornya tersambung di kanal baru, tidak ada kode yang sampai: tidak ada yang dapat mendaftar atau masuk dari browser baru. Jangan keluar dari sesi ini."
          />
          <RefusalAlert error={move.error} />
          {token.others.length > 0 ? (
            <ChoiceCards
              legend="Kanal baru"
              name="channel"
              value={channel}
              onChange={setChannel}
              choices={token.others.map((value) => ({
                value,
                title: channelLabel[value],
                children: <AboutChannel channel={value} />,
              }))}
            />
          ) : (
            <p>Tidak ada kanal lain yang tersedia untuk token sistem.</p>
          )}
          <PasswordQuestion of={moveSystemToken} />
          {channel === 'cloud' && (
            <p>
              Lewat Cloud API kode dikirim sebagai templat autentikasi: buat satu di WhatsApp
              Manager dan tunggu persetujuan Meta. Pemberitahuan lain hanya sampai kepada orang yang
              menulis ke nomor ini dalam 24 jam terakhir.
            </p>
          )}
        </Stack>
      </form>
    </Modal>
  );
}

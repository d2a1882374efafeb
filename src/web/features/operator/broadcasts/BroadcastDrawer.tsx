import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Broadcast,
  broadcastStateLabel,
  stopBroadcast,
} from '#contract/operator/broadcasts.ts';
import { formatNumber } from '#contract/base/money.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { BroadcastNotice } from '#web/features/broadcasts/broadcasts.ts';
import { BroadcastForm } from '#web/features/operator/broadcasts/BroadcastForm.tsx';
import {
  audienceWords,
  broadcastTones,
  deliveryWords,
  wayWords,
} from '#web/features/operator/broadcasts/broadcastWords.ts';
import styles from '#web/features/operator/form/form.module.css';
import { useGuardedClose } from '#web/ui/overlay/useGuardedClose.ts';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Facts, Row } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  broadcast: Broadcast | undefined;
  onClose: () => void;
};

export function BroadcastDrawer({ broadcast, onClose }: Props) {
  const [isDirty, setDirty] = useState(false);
  const close = useGuardedClose(isDirty, onClose);
  return (
    <Drawer addressed open onClose={close} title={broadcast?.title ?? 'Pengumuman baru'}>
      <div className={styles['drawer']}>
        {broadcast && <BroadcastDetails broadcast={broadcast} />}
        {(!broadcast || broadcast.state === 'scheduled') && (
          <BroadcastForm broadcast={broadcast} onDone={onClose} onDirty={setDirty} />
        )}
      </div>
    </Drawer>
  );
}

function BroadcastDetails({ broadcast }: { broadcast: Broadcast }) {
  const { state, from, until, told, created_by, created_at, stopped_by, stopped_at } = broadcast;
  const isSent = broadcast.by_push || broadcast.by_message;
  const number = (value: number) => <span className="num">{formatNumber(value)}</span>;
  return (
    <>
      <Row>
        <StatusChip tone={broadcastTones[state]}>{broadcastStateLabel[state]}</StatusChip>
      </Row>
      {state !== 'scheduled' && <BroadcastNotice {...broadcast} />}
      <Facts
        facts={[
          { term: 'Untuk', is: audienceWords(broadcast) },
          { term: 'Lewat', is: wayWords(broadcast) },
          { term: 'Mulai', is: <DateTime at={from} /> },
          { term: 'Sampai', is: <DateTime at={until} /> },
          {
            term: 'Dibuat',
            is: (
              <>
                {created_by}, <DateTime at={created_at} />
              </>
            ),
          },
          ...(stopped_at
            ? [
                {
                  term: 'Dihentikan',
                  is: (
                    <>
                      {stopped_by}, <DateTime at={stopped_at} />
                    </>
                  ),
                },
              ]
            : []),
          { term: 'Menutupnya', is: number(broadcast.closed) },
          ...(isSent && state !== 'scheduled'
            ? [
                { term: 'Diberi tahu', is: deliveryWords(told) },
                { term: 'Push', is: number(told.pushed) },
                { term: 'Pesan terkirim', is: number(told.sent) },
                { term: 'Menolak pesan (STOP)', is: number(told.opted_out) },
                { term: 'Pesan gagal', is: number(told.failed) },
              ]
            : []),
        ]}
      />
      {(state === 'shown' || state === 'scheduled') && <Stop broadcast={broadcast} />}
    </>
  );
}

function Stop({ broadcast: { id, state } }: { broadcast: Broadcast }) {
  const client = useQueryClient();
  const stop = useAct(stopBroadcast);
  const ask = () =>
    void confirm({
      title: 'Hentikan pengumuman ini?',
      children:
        state === 'scheduled'
          ? 'Pengumuman ini tidak akan tayang.'
          : 'Spanduknya hilang dari semua pelanggan, dan yang belum diberi tahu tidak diberi tahu lagi.',
      cancelText: 'Batal',
      confirmText: 'Hentikan',
      tone: 'danger',
      sentenceOf,
      onConfirm: async () => {
        try {
          await stop.perform({ broadcast_id: id });
          toast('Pengumuman dihentikan.', { tone: 'success' });
        } finally {
          void client.invalidateQueries({ predicate: isOperatorQuery });
        }
      },
    });
  return (
    <Row>
      <Button variant="outline" tone="danger" onClick={ask}>
        Hentikan sekarang
      </Button>
    </Row>
  );
}

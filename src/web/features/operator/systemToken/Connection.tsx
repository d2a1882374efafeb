import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type SystemToken,
  linkSystemToken,
  testSystemToken,
  unlinkSystemToken,
} from '#contract/operator/settings.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { isOperatorQuery } from '#web/features/operator/form/useOperatorForm.tsx';
import { CloudNumber } from '#web/features/operator/systemToken/CloudNumber.tsx';
import { MoveSystemToken } from '#web/features/operator/systemToken/MoveSystemToken.tsx';
import { channelLabel } from '#web/features/tokens/tokens.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { AnchorButton, Button } from '#web/ui/button/Button.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import type { Question } from '#web/ui/overlay/question.ts';
import { Facts, Panel, Row, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function Connection({ token }: { token: SystemToken }) {
  const { status, channel, phone, own_phone, code_template: template } = token;
  const isConnected = status === 'linked';
  const client = useQueryClient();
  const [link, setLink] = useState<{ path: string; expires_at: Date }>();
  const make = useAct(linkSystemToken, { onSuccess: setLink });
  const test = useAct(testSystemToken, {
    onSuccess: ({ to }) => toast(`Pesan uji dikirim ke ${to}.`, { tone: 'success' }),
  });
  const part = useAct(unlinkSystemToken);
  const askToPart = () =>
    void confirm({
      ...unlinkWords,
      sentenceOf,
      onConfirm: async () => {
        await part.perform({});
        void client.invalidateQueries({ predicate: isOperatorQuery });
      },
    });
  return (
    <Panel title="Sambungan">
      <Stack>
        <Facts
          facts={[
            { term: 'Status', is: <Status token={token} /> },
            { term: 'Nomor', is: <span className="num">{phone ?? '—'}</span> },
            { term: 'Kanal', is: channelLabel[channel] },
            ...(template ? [{ term: 'Templat kode', is: <code>{template.name}</code> }] : []),
            { term: 'Nomor Anda', is: <span className="num">{own_phone}</span> },
          ]}
        />
        <RefusalAlert error={make.error ?? test.error} />
        {link && !isConnected && (
          <Scan key={link.path} link={link} onEnd={() => setLink(undefined)} />
        )}
        {channel === 'cloud' && <CloudNumber token={token} />}
        <Row>
          {isConnected ? (
            <>
              <Button busy={test.busy} onClick={() => test.busy || test.mutate({})}>
                Kirim pesan uji ke nomor saya
              </Button>
              <Button variant="outline" tone="danger" onClick={askToPart}>
                Putuskan
              </Button>
            </>
          ) : channel === 'cloud' ? null : (
            <Button
              variant={link ? 'outline' : 'solid'}
              busy={make.busy}
              onClick={() => make.busy || make.mutate({})}
            >
              {link ? 'Buat tautan baru' : 'Sambungkan ponsel'}
            </Button>
          )}
          <Move token={token} />
        </Row>
      </Stack>
    </Panel>
  );
}

const unlinkWords: Question = {
  title: 'Putuskan token sistem?',
  children: (
    <>
      <p>
        Sampai tersambung lagi tidak ada yang dapat mendaftar, mengganti kata sandi, atau masuk dari
        browser baru, termasuk operator.
      </p>
      <PasswordQuestion of={unlinkSystemToken} />
    </>
  ),
  cancelText: 'Batal',
  confirmText: 'Putuskan',
  tone: 'danger',
};

const Status = ({ token: { status } }: { token: SystemToken }) => (
  <StatusChip tone={status === 'linked' ? 'success' : 'danger'}>
    {tokenStatusLabel[status]}
  </StatusChip>
);

function Move({ token }: { token: SystemToken }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="outline" tone="neutral" onClick={() => setOpen(true)}>
        Pindah kanal
      </Button>
      {isOpen && <MoveSystemToken token={token} onClose={() => setOpen(false)} />}
    </>
  );
}

type ScanProps = { link: { path: string; expires_at: Date }; onEnd: () => void };

/** The page with the QR: opened here, or sent to the phone's owner. */
const Scan = ({ link: { path, expires_at }, onEnd }: ScanProps) => (
  <Stack gap={12}>
    <p>
      Buka halaman pindai, lalu pindai QR-nya dengan ponsel pengirim. Tautan ini berlaku{' '}
      <Countdown until={expires_at} onEnd={onEnd} /> lagi, untuk satu browser.
    </p>
    <Row>
      <AnchorButton href={path} target="_blank" rel="noopener">
        Buka halaman pindai
      </AnchorButton>
    </Row>
    <CopyField label="Tautan pindai" value={new URL(path, window.location.origin).href} />
  </Stack>
);

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messageStatusLabel } from '#contract/messages.ts';
import { failures } from '#contract/messages/failures.ts';
import { percentOf } from '#contract/messages/counts.ts';
import { formatNumber } from '#contract/base/money.ts';
import {
  type SystemToken,
  getSystemToken,
  connectSystemToken,
  linkSystemToken,
  moveSystemToken,
  testSystemToken,
  unlinkSystemToken,
} from '#contract/operator/settings.ts';
import { partings } from '#contract/channels.ts';
import { tokenStatusLabel, type ChannelName } from '#contract/tokens.ts';
import { Entry, Loaded, OperatorFrame, Rows } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery, isOperatorQuery } from '#web/features/operator/operatorQuery.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { Panel, Facts, Row, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { useAct } from '#web/api/query.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { useConfirmedAct } from '#web/features/operator/OperatorForm.tsx';
import {
  AboutChannel,
  channelLabel,
  CloudForm,
  CloudSetup,
  NewAccessButton,
} from '#web/features/tokens/tokens.ts';
import { FormModal } from '#web/ui/form/FormModal.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { AnchorButton, Button } from '#web/ui/button/Button.tsx';
import { ChoiceCards } from '#web/ui/choice/ChoiceCards.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** The poll interval: linking waits for the phone. */
const LOOK_MS = 4_000;

/** Route `/operator/token`: the token that sends one-time codes and notices. */
export function SystemTokenPage() {
  const token = useQuery({ ...actQuery(getSystemToken, {}), refetchInterval: LOOK_MS });
  return (
    <OperatorFrame
      title="Token sistem"
      context="Mengirim kode verifikasi dan pemberitahuan. Isi pesan dan kode tidak ditampilkan."
    >
      <Loaded query={token} lines={10}>
        {(data) => <Shown token={data} />}
      </Loaded>
    </OperatorFrame>
  );
}

function Shown({ token }: { token: SystemToken }) {
  const { status, parted, today, codes, address } = token;
  const isConnected = status === 'linked';
  return (
    <>
      <Alert
        state="danger"
        variant="pro"
        visible={!isConnected}
        label={`Token sistem ${tokenStatusLabel[status].toLowerCase()}: tidak ada kode yang sampai.`}
      >
        {parted && (
          <p>
            Sejak <DateTime at={parted.at} />. {partings[parted.reason]}
          </p>
        )}
        <p>
          Tidak ada yang dapat mendaftar, mengganti kata sandi, atau masuk dari browser baru sampai
          token ini tersambung lagi. Jangan keluar dari sesi ini.
        </p>
      </Alert>
      <Connection token={token} />
      <Panel title="Hari ini">
        <Stats>
          <Stat label="Terkirim" value={count(today.sent)}>
            {count(today.waiting)} menunggu
          </Stat>
          <Stat label="Sampai" value={count(today.delivered)}>
            {ofSent(today.delivered, today)}
          </Stat>
          <Stat label="Dibaca" value={count(today.read)}>
            {ofSent(today.read, today)}
          </Stat>
          <Stat label="Gagal" value={count(today.failed)}>
            {count(today.expired)} kedaluwarsa sebelum terkirim
          </Stat>
          <Stat label="Kode diminta" value={count(codes.asked)}>
            {count(codes.fullest)} dari paling banyak {count(codes.cap)} untuk satu keperluan
          </Stat>
          <Stat label="Kode dimasukkan" value={count(codes.entered)}>
            {shareOf(codes)}
          </Stat>
          <Stat label="Alamat IP yang paling banyak meminta" value={count(address.asked)}>
            dari paling banyak {count(address.cap)}
          </Stat>
        </Stats>
      </Panel>
      <Panel title="Sebab gagal, 24 jam terakhir">
        <Rows label="Sebab gagal" none="Tidak ada pesan yang gagal.">
          {token.failures.map(({ failure, count: n }) => (
            <Entry key={failure} end={count(n)}>
              {failure ? failures[failure] : 'Tidak diketahui'}
            </Entry>
          ))}
        </Rows>
      </Panel>
      <Panel title="Pesan terakhir">
        <Last rows={token.last} />
      </Panel>
    </>
  );
}

const count = (value: number): ReactNode => <span className="num">{formatNumber(value)}</span>;

const ofSent = (n: number, { sent }: SystemToken['today']): string | undefined =>
  sent === 0 ? undefined : `${percentOf(n, sent)} dari yang terkirim`;

const shareOf = ({ asked, entered }: SystemToken['codes']): string =>
  asked === 0 ? 'Belum ada yang diminta' : `${percentOf(entered, asked)} dari yang diminta`;

const Last = ({ rows }: { rows: SystemToken['last'] }) => (
  <Rows label="Pesan terakhir" none="Belum ada yang dikirim.">
    {rows.map(({ to, status, failure, at }, place) => (
      <Entry
        key={place}
        small={
          <>
            <DateTime at={at} />
            {failure && `: ${failures[failure]}`}
          </>
        }
        end={
          <StatusChip tone={status === 'failed' || status === 'expired' ? 'danger' : 'neutral'}>
            {messageStatusLabel[status]}
          </StatusChip>
        }
      >
        <span className="num">{to}</span>
      </Entry>
    ))}
  </Rows>
);

function Connection({ token }: { token: SystemToken }) {
  const { status, channel, phone, own_phone, code_template: template } = token;
  const isConnected = status === 'linked';
  const [link, setLink] = useState<{ path: string; expires_at: Date }>();
  const make = useAct(linkSystemToken, { onSuccess: setLink });
  const test = useAct(testSystemToken, {
    onSuccess: ({ to }) => toast(`Pesan uji dikirim ke ${to}.`, { tone: 'success' }),
  });
  const disconnect = useConfirmedAct(unlinkSystemToken);
  return (
    <Panel title="Sambungan">
      <Stack>
        <Facts
          facts={[
            { term: 'Status', is: <Status token={token} /> },
            { term: 'Nomor', is: <span className="num">{phone ?? '—'}</span> },
            { term: 'Kanal', is: channelLabel[channel] },
            template && { term: 'Templat kode', is: <code>{template.name}</code> },
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
              <Button variant="outline" tone="danger" onClick={() => disconnect({}, unlinkWords)}>
                Putuskan
              </Button>
            </>
          ) : channel === 'cloud' ? null : (
            <Button
              variant={link ? 'outline' : 'solid'}
              tone="primary"
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

const unlinkWords = {
  title: 'Putuskan token sistem?',
  text: 'Sampai tersambung lagi tidak ada yang dapat mendaftar, mengganti kata sandi, atau masuk dari browser baru, termasuk operator.',
  button: 'Putuskan',
  tone: 'danger',
} as const;

const Status = ({ token: { status } }: { token: SystemToken }) => (
  <StatusChip tone={status === 'linked' ? 'success' : 'danger'}>
    {tokenStatusLabel[status]}
  </StatusChip>
);

function Move({ token }: { token: SystemToken }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="outline" onClick={() => setOpen(true)}>
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

function CloudNumber({ token }: { token: SystemToken }) {
  const { cloud, code_template: template } = token;
  const [isEditing, setEditing] = useState(false);
  const client = useQueryClient();
  if (token.phone === null || cloud === null || isEditing) {
    return (
      <CloudForm
        act={connectSystemToken}
        inputOf={(entered) => entered}
        known={cloud}
        isFirst={isEditing}
        {...(cloud && { onCancel: () => setEditing(false) })}
        onDone={() => {
          void client.invalidateQueries({ predicate: isOperatorQuery });
          setEditing(false);
          toast('Nomor token sistem tersambung.', { tone: 'success' });
        }}
      />
    );
  }
  return (
    <Stack>
      <Alert
        visible={template === null}
        state="danger"
        label="Belum ada templat autentikasi yang disetujui Meta: tidak ada kode yang terkirim."
      >
        <p>
          Di WhatsApp Manager buat templat kategori Autentikasi dengan tombol Salin kode. Setelah
          Meta menyetujuinya, Kabari memakainya tanpa pengaturan lain.
        </p>
      </Alert>
      <h3>Nomor di Meta</h3>
      <CloudSetup cloud={cloud} />
      <Row>
        <NewAccessButton status={token.status} onClick={() => setEditing(true)} />
      </Row>
    </Stack>
  );
}

type MoveProps = { token: SystemToken; onClose: () => void };

function MoveSystemToken({ token, onClose }: MoveProps) {
  const client = useQueryClient();
  const [channel, setChannel] = useState<ChannelName | undefined>(token.others[0]);
  const move = useAct(moveSystemToken, {
    onSuccess: async (moved) => {
      await client.invalidateQueries({ predicate: isOperatorQuery });
      toast(`Token sistem sekarang memakai ${channelLabel[moved.channel]}.`, { tone: 'success' });
      onClose();
    },
  });
  return (
    <FormModal
      onClose={() => move.busy || onClose()}
      title="Pindah kanal token sistem"
      submit={token.others.length > 0 ? 'Pindahkan' : undefined}
      tone="danger"
      busy={move.busy}
      onSubmit={() => channel && !move.busy && move.mutate({ channel })}
    >
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
          Lewat Cloud API kode dikirim sebagai templat autentikasi: buat satu di WhatsApp Manager
          dan tunggu persetujuan Meta. Pemberitahuan lain hanya sampai kepada orang yang menulis ke
          nomor ini dalam 24 jam terakhir.
        </p>
      )}
    </FormModal>
  );
}

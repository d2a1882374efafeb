import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageStatusLabel } from '#contract/messages.ts';
import { failures } from '#contract/messages/failures.ts';
import { percentOf } from '#contract/messages/counts.ts';
import { formatNumber } from '#contract/base/money.ts';
import { type SystemToken, getSystemToken } from '#contract/operator/settings.ts';
import { partings } from '#contract/channels.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { Entry, Loaded, OperatorFrame, Rows } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { Connection } from '#web/features/operator/system-token/Connection.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

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

import { useQuery } from '@tanstack/react-query';
import { Ban, Pause, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  cancelCampaign,
  deleteCampaign,
  pauseCampaign,
  resumeCampaign,
  type Campaign,
  type PauseReason,
} from '#contract/campaigns.ts';
import { percentOf } from '#contract/messages/counts.ts';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTimeZone } from '#contract/base/time.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { missingOf, paysNone, type CostFigures } from '#web/features/campaigns/draft/cost.ts';
import { draftValues } from '#web/features/campaigns/draft/content.ts';
import { TopupLink } from '#web/features/campaigns/draft/TopupLink.tsx';
import { useCost } from '#web/features/campaigns/draft/useCost.ts';
import {
  beginningOf,
  contentWords,
  durationWords,
  measuredPace,
  paceOf,
  pauseSentence,
  scheduledAt,
} from '#web/features/campaigns/labels.ts';
import { ProgressBar, failedOf } from '#web/features/campaigns/progress/ProgressBar.tsx';
import { RecipientList } from '#web/features/campaigns/progress/RecipientList.tsx';
import { ExportButton } from '#web/features/exports/exports.ts';
import { canSend, DisconnectedNumber, statusSegments } from '#web/features/messages/messages.ts';
import { campaignQuery, isUnderWay, useCampaignChanged } from '#web/features/campaigns/queries.ts';
import styles from '#web/features/campaigns/campaigns.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert, type AlertState } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Legend } from '#web/ui/chart/SmallBars.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Facts, Panel, Row, Stack } from '#web/ui/panel/Panel.tsx';

export function CampaignProgress({ campaign }: { campaign: Campaign }) {
  return (
    <Stack gap={32}>
      <Stack gap={16}>
        <CampaignStatus campaign={campaign} />
        <Stack gap={8}>
          <ProgressBar campaign={campaign} />
          <Legend series={statusSegments} />
        </Stack>
        <Counts campaign={campaign} />
        <Actions campaign={campaign} />
      </Stack>
      <Panel title="Rincian">
        <FactsOf campaign={campaign} />
      </Panel>
      <Panel title="Penerima">
        <RecipientList campaign={campaign} />
      </Panel>
    </Stack>
  );
}

type Props = { campaign: Campaign };

/** Of its waiting recipients; only a paused campaign needs them. */
function useFigures(campaign: Campaign): CostFigures {
  const zone = useUser().timezone;
  return useCost(campaign, draftValues(campaign, zone))(campaign.recipients.waiting);
}

const PAUSED = 'kiriman-dijeda';

function CampaignStatus({ campaign }: Props) {
  const zone = useUser().timezone;
  const { status, rests_until } = campaign;
  const now = new Date();
  if (status === 'paused') return <Paused campaign={campaign} />;
  if (status !== 'running') return null;
  const at = scheduledAt(campaign, now);
  if (at) return <Alert visible state="info" label={`Mulai ${formatDateTimeZone(at, zone)}.`} />;
  if (rests_until !== null && rests_until > now) {
    return (
      <Alert
        visible
        state="warning"
        label={`Batas harian nomor ini sudah tercapai. Kiriman berlanjut otomatis ${formatDateTimeZone(rests_until, zone)}.`}
      />
    );
  }
  return null;
}

const pauseState: Partial<Record<PauseReason, AlertState>> = {
  wanted: 'info',
  token_not_linked: 'success',
};

/** Why it is paused and, where that is known, why it cannot be resumed yet. */
function Paused({ campaign }: Props) {
  const { id, token, pause_reason: reason } = campaign;
  const figures = useFigures(campaign);
  if (!canSend(token)) {
    const label = <DisconnectedNumber token={token} />;
    return <Alert id={PAUSED} visible state="warning" label={label} />;
  }
  if (reason === 'saldo_short' || reason === 'bonus_only')
    return <SaldoShort reason={reason} campaignId={id} figures={figures} />;
  if (paysNone(figures)) {
    const short = figures.isBonus ? 'bonus_only' : 'saldo_short';
    return <SaldoShort reason={short} campaignId={id} figures={figures} />;
  }
  return (
    reason !== null && (
      <Alert visible state={pauseState[reason] ?? 'warning'} label={pauseSentence[reason]} />
    )
  );
}

type ShortProps = {
  reason: 'saldo_short' | 'bonus_only';
  campaignId: string;
  figures: CostFigures;
};

/** Shows the cost of the waiting recipients and the missing amount; once the saldo suffices, the next step. */
function SaldoShort({ reason, campaignId, figures }: ShortProps) {
  const { messages, cost, available } = figures;
  const missing = missingOf(figures);
  if (cost === undefined || available === undefined)
    return <Alert id={PAUSED} visible state="warning" label={pauseSentence[reason]} />;
  if (missing === 0)
    return (
      <Alert
        visible
        state="success"
        label={`Saldo sudah cukup untuk ${formatNumber(messages)} penerima yang menunggu. Lanjutkan kiriman ini.`}
      />
    );
  return (
    <Alert id={PAUSED} visible state="warning" label={pauseSentence[reason]}>
      <p>
        {formatNumber(messages)} penerima menunggu, biayanya <Money amount={cost} />. Saldo tersedia{' '}
        <Money amount={available} />. <TopupLink figures={figures} campaignId={campaignId} />
      </p>
    </Alert>
  );
}

type Figure = { label: string; n: number; of?: { whole: number; words: string } };

function Counts({ campaign }: { campaign: Campaign }) {
  const { recipients, messages } = campaign;
  const ofSent = { whole: messages.sent, words: 'dari yang terkirim' };
  const accepted = recipients.placed + recipients.refused;
  const figures: readonly Figure[] = [
    { label: 'Menunggu giliran', n: recipients.waiting },
    { label: 'Dalam antrean', n: messages.waiting },
    { label: 'Terkirim', n: messages.sent },
    { label: 'Sampai', n: messages.delivered, of: ofSent },
    { label: 'Dibaca', n: messages.read, of: ofSent },
    {
      label: 'Gagal',
      n: failedOf(campaign),
      of: { whole: accepted, words: `dari ${formatNumber(accepted)} penerima` },
    },
    ...(recipients.cancelled > 0 ? [{ label: 'Dibatalkan', n: recipients.cancelled }] : []),
  ];
  return (
    <dl className={classes('grid gap-16', styles['counts'])}>
      {figures.map(({ label, n, of }) => (
        <div key={label}>
          <dt className="small faint">{label}</dt>
          <dd className="larger strong">
            <span className="num">{formatNumber(n)}</span>
            {of && of.whole > 0 && (
              <span className="block tiny faint regular">
                {percentOf(n, of.whole)} {of.words}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Actions({ campaign }: Props) {
  const changed = useCampaignChanged();
  const onSuccess = (next: Campaign) => changed(next);
  const pause = useAct(pauseCampaign, { onSuccess });
  const resume = useAct(resumeCampaign, { onSuccess });
  const { id, status, becoming } = campaign;
  const isOver = status === 'done' || status === 'cancelled';
  const end = useEnding(campaign);
  return (
    <>
      <RefusalAlert error={pause.error ?? resume.error} />
      <Row>
        {status === 'running' && (
          <Button
            variant="subtle"
            icon={<Pause size={18} />}
            busy={pause.busy || becoming === 'paused'}
            onClick={() => pause.mutate({ campaign_id: id })}
          >
            Jeda
          </Button>
        )}
        {status === 'paused' && (
          <ResumeButton
            campaign={campaign}
            busy={resume.busy}
            onResume={() => resume.mutate({ campaign_id: id })}
          />
        )}
        {!isOver && (
          <Button
            variant="outline"
            tone="danger"
            icon={<Ban size={18} />}
            busy={becoming === 'cancelled'}
            onClick={() => void end.cancel()}
          >
            Batalkan kiriman
          </Button>
        )}
        <ExportButton what={{ kind: 'campaign', campaignId: id }} words="Unduh hasil" hasKey />
        {isOver && (
          <Button
            variant="outline"
            tone="danger"
            icon={<Trash2 size={18} />}
            onClick={() => void end.remove()}
          >
            Hapus dari daftar
          </Button>
        )}
      </Row>
    </>
  );
}

type ResumeProps = Props & { busy: boolean; onResume: () => void };

/** Disabled while the campaign would pause again at once; the notice above says why. */
function ResumeButton({ campaign, busy, onResume }: ResumeProps) {
  const isVain = paysNone(useFigures(campaign)) || !canSend(campaign.token);
  return (
    <Button
      icon={<Play size={18} />}
      busy={busy}
      disabled={isVain}
      aria-describedby={isVain ? PAUSED : undefined}
      onClick={onResume}
    >
      Lanjutkan
    </Button>
  );
}

function useEnding({ id, recipients }: Campaign) {
  const changed = useCampaignChanged();
  const cancel = useAct(cancelCampaign);
  const remove = useAct(deleteCampaign);
  return {
    cancel: () =>
      confirm({
        title: 'Batalkan kiriman ini?',
        children: (
          <p>
            {formatNumber(recipients.waiting)} penerima yang masih menunggu tidak akan dikirimi.
            Yang sudah dikirim tidak dapat ditarik.
          </p>
        ),
        cancelText: 'Tidak',
        confirmText: 'Batalkan kiriman',
        onConfirm: async () => changed(await cancel.perform({ campaign_id: id })),
      }),
    remove: () =>
      confirm({
        title: 'Hapus kiriman ini dari daftar?',
        children: <p>Daftar penerimanya ikut terhapus. Pesannya tetap ada di riwayat.</p>,
        confirmText: 'Hapus',
        onConfirm: async () => {
          await remove.perform({ campaign_id: id });
          changed();
          await navigate({ to: '/message-history/kiriman', replace: true });
        },
      }),
  };
}

/** Recipients per minute: as measured since the page was opened, else its limit; undefined without both. */
function usePace(campaign: Campaign): number | undefined {
  const { dataUpdatedAt: atMs } = useQuery(campaignQuery(campaign.id));
  const now = { done: campaign.recipients.placed + campaign.recipients.refused, atMs };
  const [first] = useState(now);
  return measuredPace(first, now) ?? paceOf(campaign);
}

function FactsOf({ campaign }: { campaign: Campaign }) {
  const zone = useUser().timezone;
  const { token, content, cost, ended_at, recipients, status } = campaign;
  const beganAt = beginningOf(campaign, new Date());
  const pace = usePace(campaign);
  return (
    <Facts
      facts={[
        { term: 'Dari nomor', is: <bdi>{token.name}</bdi> },
        ...(content === null
          ? []
          : [
              {
                term: 'Pesan',
                is: <bdi className="pre-line">{contentWords(content)}</bdi>,
              },
            ]),
        {
          term: isUnderWay(campaign) ? 'Biaya sampai sekarang' : 'Biaya',
          is: <Money amount={cost} />,
        },
        ...(beganAt === undefined
          ? []
          : [{ term: 'Dimulai', is: formatDateTimeZone(beganAt, zone) }]),
        ...(ended_at === null
          ? []
          : [{ term: 'Berakhir', is: formatDateTimeZone(ended_at, zone) }]),
        ...(status === 'running' && pace !== undefined
          ? [{ term: 'Sisa waktu', is: durationWords(recipients.waiting, pace) }]
          : []),
      ]}
    />
  );
}

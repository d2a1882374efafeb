import { FlaskConical, Pencil, Power } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTime } from '#contract/base/time.ts';
import {
  eventTypeLabel,
  switchWebhook,
  testWebhook,
  type SavedWebhook,
  type Webhook,
  type WebhookTest,
} from '#contract/webhooks.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { formatLabel, webhookStatus, webhookStatusWord } from '#web/features/webhooks/labels.ts';
import { EditDialog } from '#web/features/webhooks/manage/EditDialog.tsx';
import { WebhookStatusNotice } from '#web/features/webhooks/manage/WebhookStatusNotice.tsx';
import { TestResult } from '#web/features/webhooks/manage/TestResult.tsx';
import { WebhookMenu } from '#web/features/webhooks/manage/WebhookMenu.tsx';
import { useWebhookChanged } from '#web/features/webhooks/queries.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { CopyButton } from '#web/ui/copy/CopyField.tsx';
import { Facts, Panel, type Fact } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

function useManaging(token_id: string) {
  const [editing, setEditing] = useState(false);
  const [test, setTest] = useState<WebhookTest>();
  const changed = useWebhookChanged(token_id);
  const trial = useAct(testWebhook, {
    onSuccess: (answer) => {
      setTest(answer);
      changed();
    },
  });
  const power = useAct(switchWebhook, {
    onSuccess: (next) => {
      setTest(undefined);
      changed(next);
      toast(next.state === 'on' ? 'Webhook menyala.' : 'Webhook dimatikan.', { tone: 'success' });
    },
  });
  const saved = (next: SavedWebhook) => {
    changed(next.webhook);
    setEditing(false);
    setTest(next.test ?? undefined);
    toast('Webhook disimpan.', { tone: 'success' });
  };
  return { editing, setEditing, test, setTest, trial, power, saved };
}

export function WebhookSummary({ webhook }: { webhook: Webhook }) {
  const { token_id } = webhook;
  const { timezone } = useUser();
  const { editing, setEditing, test, setTest, trial, power, saved } = useManaging(token_id);
  const off = webhook.state === 'off';
  return (
    <Panel
      title={<bdi className="break-anywhere">{webhook.url}</bdi>}
      look="card"
      tools={
        <StatusChip tone={webhookStatus(webhook, timezone).tone}>
          {webhookStatusWord(webhook)}
        </StatusChip>
      }
    >
      <div className="stack gap-12">
        <WebhookStatusNotice webhook={webhook} />
        <RefusalAlert error={power.error ?? trial.error} />
        {test && <TestResult test={test} onClose={() => setTest(undefined)} />}
        <Facts facts={factsOf(webhook, timezone)} />
        <div className="row wrap gap-8">
          {off && (
            <Button
              icon={<Power size={18} aria-hidden="true" />}
              busy={power.busy}
              onClick={() => power.mutate({ token_id, state: 'on' })}
            >
              Nyalakan
            </Button>
          )}
          <Button
            variant="subtle"
            icon={<FlaskConical size={18} aria-hidden="true" />}
            busy={trial.busy}
            onClick={() => trial.mutate({ token_id })}
          >
            Kirim uji coba
          </Button>
          <Button
            variant="outline"
            tone="neutral"
            icon={<Pencil size={18} aria-hidden="true" />}
            onClick={() => setEditing(true)}
          >
            Ubah
          </Button>
          <WebhookMenu webhook={webhook} onOff={() => power.mutate({ token_id, state: 'off' })} />
        </div>
      </div>
      {editing && (
        <EditDialog webhook={webhook} onClose={() => setEditing(false)} onSaved={saved} />
      )}
    </Panel>
  );
}

function factsOf({ format, kinds, secret_hint, ...webhook }: Webhook, zone: string): Fact[] {
  const { previous_secret_until: until, verify_token: verifyToken } = webhook;
  return [
    { term: 'Format', is: formatLabel[format] },
    {
      term: 'Peristiwa',
      is:
        kinds === null
          ? 'Semua, juga yang baru nanti'
          : kinds.map((one) => eventTypeLabel[one]).join(', '),
    },
    {
      term: 'Kunci',
      is: (
        <>
          <code aria-label={`Berakhir dengan ${secret_hint}`}>••••{secret_hint}</code>
          {until && (
            <span className="small faint">
              {' '}
              kunci lama berlaku sampai {formatDateTime(until, zone)}
            </span>
          )}
        </>
      ),
    },
    ...(format !== 'cloud'
      ? []
      : [
          {
            term: <span id="verify-token">Verify token</span>,
            is: (
              <span className={classes('row wrap gap-4 gap-x-8', styles['id'])}>
                <code>{verifyToken}</code>
                <CopyButton value={verifyToken} describes="verify-token" />
              </span>
            ),
          },
        ]),
    { term: 'Menunggu dikirim', is: <span className="num">{pendingWords(webhook.pending)}</span> },
  ];
}

/** The server's count ends here. */
const PENDING_MAX = 10_000;

const pendingWords = (pending: number): string =>
  pending >= PENDING_MAX ? `${formatNumber(PENDING_MAX)} atau lebih` : formatNumber(pending);

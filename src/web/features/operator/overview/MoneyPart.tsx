import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { formatNumber, rupiah } from '#contract/base/money.ts';
import type { MoneyOverview } from '#contract/operator/books.ts';
import { TopupMethod, topupMethodLabel } from '#contract/saldo.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { dayInWords } from '#web/features/operator/bank/statement.ts';
import { Findings } from '#web/features/operator/books/Findings.tsx';
import styles from '#web/features/operator/form/form.module.css';
import { LinkButton } from '#web/ui/button/Button.tsx';
import { Stat, Stats } from '#web/ui/chart/Stat.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

const methodLabel = (method: string): string => {
  const known = TopupMethod().safeParse(method);
  return known.success ? topupMethodLabel[known.data] : method;
};

export function MoneyPart({ data }: { data: MoneyOverview }) {
  const { float, held, proposals } = data;
  const { topups, bank_lines: lines, suspense } = data.waiting;
  return (
    <>
      <Panel title="Saldo pelanggan">
        <Stats>
          <Stat
            label={<Link to="/operator/pelanggan">Saldo semua pelanggan</Link>}
            value={<Money amount={float} />}
          >
            Termasuk <Money amount={held} /> yang tertahan untuk pesan
          </Stat>
          <Stat
            label={<Link to="/operator/isi-saldo">Isi saldo menunggu tindakan</Link>}
            value={formatNumber(topups.count)}
          >
            {topups.oldest ? (
              <>
                Paling lama sejak <DateTime at={topups.oldest} />
              </>
            ) : (
              'Tidak ada yang menunggu'
            )}
          </Stat>
          <Stat
            label="Dana belum dikenali"
            value={<Money amount={rupiah(lines.amount + suspense.amount)} />}
          >
            <Link to="/operator/mutasi-bank">
              {formatNumber(lines.count)} transfer tanpa pemilik
            </Link>
            {', '}
            <Link to="/operator/suspense">{formatNumber(suspense.count)} pembayaran ganda</Link>
          </Stat>
          <Stat
            label={<Link to="/operator/penyesuaian">Usulan menunggu operator kedua</Link>}
            value={formatNumber(proposals.count)}
          >
            {proposals.for_you === 0
              ? 'Tidak ada yang dapat Anda putuskan'
              : `${formatNumber(proposals.for_you)} dapat Anda putuskan`}
          </Stat>
        </Stats>
      </Panel>
      <Today topups={data.topups_today} />
      <Books data={data} />
    </>
  );
}

const Today = ({ topups }: { topups: MoneyOverview['topups_today'] }) => (
  <Panel title="Isi saldo lunas hari ini">
    {topups.length === 0 ? (
      <p className={styles['note']}>Belum ada isi saldo yang lunas sejak tengah malam (WIB).</p>
    ) : (
      <ul className={styles['rows']}>
        {topups.map(({ method, count, amount }) => (
          <li key={method}>
            <span className={styles['what']}>
              {methodLabel(method)}
              <span className={styles['small']}>{formatNumber(count)} kali</span>
            </span>
            <Money amount={amount} />
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

function Books({ data: { check, audit, seal, reconciliation } }: { data: MoneyOverview }) {
  return (
    <Panel
      title="Pembukuan"
      tools={
        <LinkButton to="/operator/pembukuan" variant="subtle" size="sm">
          Buka pembukuan
        </LinkButton>
      }
    >
      <ul className={styles['rows']}>
        <li>
          <span className={styles['what']}>
            Pemeriksaan semua aturan
            <span className={styles['small']}>
              {check ? <DateTime at={check.at} /> : 'Pertama kali pukul 00.10 WIB'}
            </span>
          </span>
          {check && <Health ok={check.ok} />}
        </li>
        <li>
          <span className={styles['what']}>
            Rekonsiliasi dengan bank dan gerbang pembayaran
            <span className={styles['small']}>
              {reconciliation ? (
                <DateTime at={reconciliation.at} />
              ) : (
                'Pertama kali pukul 02.30 WIB'
              )}
            </span>
          </span>
          {reconciliation && <Health ok={reconciliation.ok} />}
        </li>
        <li>
          <span className={styles['what']}>
            Rantai catatan audit
            <span className={styles['small']}>
              {audit ? <DateTime at={audit.at} /> : 'Pertama kali pukul 00.10 WIB'}
            </span>
          </span>
          {audit && <Health ok={audit.ok} />}
        </li>
        <li>
          <span className={styles['what']}>
            Segel terakhir
            <span className={styles['small']}>
              {seal ? dayInWords(seal.day) : 'Belum ada hari yang disegel'}
            </span>
          </span>
          {seal && <span className={styles['hash']}>{seal.hash.slice(0, 12)}…</span>}
        </li>
      </ul>
      {reconciliation && reconciliation.findings.length > 0 && (
        <Findings findings={reconciliation.findings} />
      )}
    </Panel>
  );
}

const Health = ({ ok }: { ok: boolean }) => (
  <StatusChip
    tone={ok ? 'success' : 'danger'}
    icon={
      ok ? (
        <ShieldCheck size={14} aria-hidden="true" />
      ) : (
        <ShieldAlert size={14} aria-hidden="true" />
      )
    }
  >
    {ok ? 'Cocok' : 'Ada selisih'}
  </StatusChip>
);

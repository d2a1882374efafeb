import { later } from '#web/browser/lazyComponent.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { useSearch } from '#web/browser/router/Router.tsx';
import { CircleCheck, ExternalLink, Download, FileCheck } from 'lucide-react';
import { useEffect, useRef, Suspense, useState } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import {
  cancelTopup,
  type Topup,
  topupMethodLabel,
  topupStatusLabel,
  checkTopup,
  uploadTransferProof,
} from '#contract/saldo.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { recentTopupsQuery, topupQuery } from '#web/features/saldo/queries.ts';
import { saldoQuery } from '#web/features/saldo/saldoQuery.ts';
import { configQuery } from '#web/api/configQuery.ts';
import { AskSupport } from '#web/features/support/support.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { TopupButton } from '#web/features/saldo/topups/TopupButton.tsx';
import { topupTone, inFours, splitTotal } from '#web/features/saldo/topups/topups.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button, LinkButton, AnchorButton } from '#web/ui/button/Button.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { type FactList, Facts } from '#web/ui/panel/Panel.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { Countdown } from '#web/ui/time/Countdown.tsx';
import { saveFile } from '#web/ui/copy/saveFile.ts';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { Accordion, AccordionPart } from '#web/ui/disclosure/Accordion.tsx';
import { endingsFor } from '#contract/uploads.ts';
import { typeNames } from '#web/api/uploads/fileTypes.ts';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

type Props = { topup: Topup; onClose: () => void };

export function TopupDetail({ topup, onClose }: Props) {
  const client = useQueryClient();
  const pending = topup.status === 'pending';
  const justPaid = useJustPaid(topup);
  const cancel = useAct(cancelTopup, {
    onSuccess: (after) => {
      client.setQueryData(topupQuery(after.id).queryKey, after);
      void client.invalidateQueries({ queryKey: recentTopupsQuery.queryKey });
      void client.invalidateQueries({ queryKey: saldoQuery.queryKey });
    },
  });
  const askCancel = () =>
    confirm({
      title: 'Batalkan isi saldo ini?',
      children:
        'Jika Anda sudah mentransfer, jangan dibatalkan: saldo bertambah begitu transfer masuk.',
      cancelText: 'Kembali',
      confirmText: 'Batalkan isi saldo',
      onConfirm: async () => {
        try {
          await cancel.perform({ topup_id: topup.id });
        } finally {
          // A refusal means that its state has changed: show the current one.
          void client.invalidateQueries({ queryKey: topupQuery(topup.id).queryKey });
        }
      },
    });
  const foot = (
    <>
      {pending && (
        <Button variant="outline" tone="danger" onClick={() => void askCancel()}>
          Batalkan
        </Button>
      )}
      {(topup.status === 'expired' || topup.status === 'cancelled') && (
        <TopupButton onSaldo variant="outline" tone="primary">
          Buat isi saldo baru
        </TopupButton>
      )}
      {topup.status === 'paid' ? (
        <Paid onClose={onClose} />
      ) : (
        <Button onClick={onClose}>Tutup</Button>
      )}
    </>
  );
  return (
    <Modal addressed open onClose={onClose} title="Isi saldo" footer={foot}>
      {/* The page's live region is out of reach behind a dialog. */}
      <p role="status" className="sr-only">
        {justPaid && `Isi saldo lunas. ${formatRupiah(topup.credited)} masuk ke saldo Anda.`}
      </p>
      {pending ? <Instruction topup={topup} /> : <Outcome topup={topup} />}
      {pending && <SimulatedPaymentLink topup={topup} />}
      <p className="mt-16 text-center">
        <AskSupport about="topup" id={topup.id} />
      </p>
    </Modal>
  );
}

/** Ends a paid top-up: back to the campaign or the plan that it was for. */
function Paid({ onClose }: Pick<Props, 'onClose'>) {
  const { campaign, plan } = useSearch('/saldo');
  if (campaign !== undefined)
    return (
      <LinkButton to="/message-history/kiriman" search={{ open: campaign }}>
        Kembali ke kiriman
      </LinkButton>
    );
  if (plan !== undefined)
    return (
      <LinkButton to="/billing" search={{ change: plan }}>
        Kembali ke paket
      </LinkButton>
    );
  return <Button onClick={onClose}>Selesai</Button>;
}

/** Whether it was paid while the dialog was open; then the saldo is refetched. */
function useJustPaid({ status }: Topup): boolean {
  const client = useQueryClient();
  const first = useRef(status);
  const justPaid = status === 'paid' && first.current !== 'paid';
  useEffect(() => {
    if (!justPaid) return;
    void client.invalidateQueries({ queryKey: saldoQuery.queryKey });
    void client.invalidateQueries({ queryKey: ['saldo_mutation_list'] });
    void client.invalidateQueries({ queryKey: recentTopupsQuery.queryKey });
  }, [justPaid, client]);
  return justPaid;
}

const meaning: Record<Exclude<Topup['status'], 'pending' | 'paid'>, string> = {
  creating: 'Cara bayarnya sedang disiapkan. Halaman ini berubah otomatis begitu siap.',
  expired:
    'Waktu bayarnya sudah habis. Jika Anda telanjur membayar jumlah yang tepat, saldo tetap bertambah.',
  cancelled:
    'Isi saldo ini dibatalkan. Jika Anda telanjur membayar jumlah yang tepat, saldo tetap bertambah.',
  review: 'Pembayaran Anda sedang kami periksa. Anda tidak perlu melakukan apa-apa.',
  rejected: 'Isi saldo ini ditolak. Hubungi layanan pelanggan bila menurut Anda ini keliru.',
};

function Outcome({ topup }: { topup: Topup }) {
  const { status, note } = topup;
  return (
    <div className="grid gap-16">
      {status === 'paid' ? (
        <div
          className={classes(
            'grid justify-items-center gap-4 text-success text-center rounded-lg soft-success',
            styles['paid'],
          )}
        >
          <CircleCheck size={44} strokeWidth={1.75} />
          <p className="mt-4 heading title">{topupStatusLabel.paid}</p>
          <p>
            <strong>
              <Money amount={topup.credited} />
            </strong>{' '}
            sudah masuk ke saldo Anda.
          </p>
        </div>
      ) : (
        status !== 'pending' && (
          <div className="grid justify-items-start gap-10">
            <StatusChip tone={topupTone[status]}>{topupStatusLabel[status]}</StatusChip>
            <p>{meaning[status]}</p>
          </div>
        )
      )}
      {note && (
        <p className="note-box">
          <span className="block small faint">Catatan</span> {note}
        </p>
      )}
      <Facts facts={factsOf(topup)} />
    </div>
  );
}

const factsOf = (topup: Topup): FactList => [
  { term: 'Nominal', is: <Money amount={topup.base} /> },
  topup.ppn > 0 && { term: 'PPN', is: <Money amount={topup.ppn} /> },
  topup.unique_code > 0 && { term: 'Kode unik', is: <Money amount={topup.unique_code} /> },
  {
    term: topup.status === 'paid' ? 'Jumlah dibayar' : 'Jumlah',
    is: <Money amount={topup.total} />,
  },
  { term: 'Cara bayar', is: topupMethodLabel[topup.method] },
  { term: 'Dibuat', is: <DateTime at={topup.created_at} /> },
  topup.paid_at !== null && { term: 'Lunas', is: <DateTime at={topup.paid_at} /> },
  { term: 'Nomor', is: topup.id },
];

function SimulatedPaymentLink({ topup: { method, total, simulated } }: { topup: Topup }) {
  const { data: config } = useQuery(configQuery);
  const isBank = method === 'bank';
  if (!config?.simulator || !(isBank || simulated)) return null;
  const search = isBank ? { bank: '1' as const, amount: total } : { bank: '1' as const };
  return (
    <p className="mt-16 small text-center">
      <Link to="/simulator" search={search} target="_blank" rel="noopener">
        {isBank ? 'Bayar lewat bank simulasi' : 'Buka pembayaran simulasi'}
        <span className="sr-only"> (tab baru)</span>
      </Link>
    </p>
  );
}

function Instruction({ topup }: { topup: Topup }) {
  const client = useQueryClient();
  const { method, simulated } = topup;
  return (
    <div className="grid gap-16">
      <div className="row wrap justify-between gap-8 gap-x-16">
        <StatusChip tone="warning">Menunggu pembayaran</StatusChip>
        <span className="muted">
          Sisa waktu{' '}
          <strong>
            <Countdown
              until={topup.expires_at}
              ended="habis"
              onEnd={() =>
                void client.invalidateQueries({ queryKey: topupQuery(topup.id).queryKey })
              }
            />
          </strong>
        </span>
      </div>
      {method !== 'bank' && (
        <p className="row wrap gap-6 gap-x-10 larger strong">
          {topupMethodLabel[method]}
          {simulated && <StatusChip tone="info">Pembayaran simulasi</StatusChip>}
        </p>
      )}
      <Payment topup={topup} />
      <Sum topup={topup} />
    </div>
  );
}

function Payment({ topup }: { topup: Topup }) {
  if (topup.method === 'bank') return <BankTransfer topup={topup} />;
  if (topup.qr !== null) return <QrisPayment topup={topup} qr={topup.qr} />;
  if (topup.va) return <VirtualAccount topup={topup} va={topup.va} />;
  if (topup.page_url !== null) return <GatewayPage topup={topup} url={topup.page_url} />;
  return <p>Cara bayarnya sedang disiapkan. Halaman ini berubah otomatis begitu siap.</p>;
}

const Sum = ({ topup }: { topup: Topup }) => (
  <dl className={classes('grid gap-6 py-12 border-y sums', styles['sum'])}>
    <div>
      <dt>Nominal</dt>
      <dd>
        <Money amount={topup.base} />
      </dd>
    </div>
    {topup.ppn > 0 && (
      <div>
        <dt>PPN</dt>
        <dd>
          <Money amount={topup.ppn} />
        </dd>
      </div>
    )}
    {topup.unique_code > 0 && (
      <div>
        <dt>Kode unik</dt>
        <dd>
          <Money amount={topup.unique_code} />
        </dd>
      </div>
    )}
    <div className={styles['credited']}>
      <dt>Masuk ke saldo</dt>
      <dd>
        <Money amount={topup.credited} />
      </dd>
    </div>
  </dl>
);

const GatewayPage = ({ topup, url }: { topup: Topup; url: string }) => (
  <>
    <Amount topup={topup} />
    <AnchorButton
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      size="lg"
      block
      icon={<ExternalLink size={18} />}
    >
      Buka halaman pembayaran<span className="sr-only"> (tab baru)</span>
    </AnchorButton>
    <ol className={styles['next']}>
      <li>Pilih cara bayar di halaman itu: kartu, dompet digital, gerai, dan lainnya.</li>
      <li>Sesudah membayar, kembali ke sini. Halaman ini otomatis menjadi Lunas.</li>
    </ol>
    <CheckPaid topup={topup} />
  </>
);

// Loaded with its drawing code as a chunk of its own.
const QrImage = later(() => import('#web/ui/qr/QrImage.tsx'));

/** In px: large enough for a camera at arm's length. */
const SIDE = 280;

/** The code on screen; on the paying phone itself, as a picture to open in the bank's app. */
function QrisPayment({ topup, qr }: { topup: Topup; qr: string }) {
  const save = async () => {
    const { qrPicture } = await import('#web/ui/qr/qrPicture.ts');
    saveFile(`QRIS ${topup.id}.png`, await qrPicture(qr));
  };
  return (
    <>
      <div className="grid justify-items-center gap-12">
        <Suspense fallback={<Skeleton width={SIDE} height={SIDE} />}>
          <QrImage
            size={SIDE}
            text={qr}
            alt={`Kode QRIS untuk membayar ${formatRupiah(topup.total)}`}
          />
        </Suspense>
        <Button variant="outline" icon={<Download size={18} />} onClick={() => void save()}>
          Simpan gambar QR
        </Button>
      </div>
      <Amount topup={topup} />
      <ol className={styles['next']}>
        <li>Buka aplikasi bank atau dompet digital, lalu pilih Bayar atau QRIS.</li>
        <li>
          Pindai kodenya. Di ponsel yang sama: simpan gambarnya, lalu pilih dari galeri di aplikasi
          itu.
        </li>
        <li>Periksa jumlahnya, lalu bayar. Halaman ini otomatis menjadi Lunas.</li>
      </ol>
      <CheckPaid topup={topup} />
    </>
  );
}

const bankNames: Readonly<Record<string, string>> = { cimb: 'CIMB Niaga', permata: 'Permata' };

type VirtualAccountProps = { topup: Topup; va: NonNullable<Topup['va']> };

const VirtualAccount = ({ topup, va }: VirtualAccountProps) => (
  <>
    <CopyField
      label={`Nomor virtual account ${bankNames[va.bank] ?? va.bank.toUpperCase()}`}
      value={va.number}
      look="amount"
      shown={inFours(va.number)}
    />
    <Amount topup={topup} />
    <Accordion exclusive>
      <AccordionPart title="Lewat m-banking" open>
        <ol className={styles['next']}>
          <li>Masuk ke aplikasi bank Anda, lalu pilih Transfer atau Bayar, dan Virtual Account.</li>
          <li>
            Tempel nomor di atas. Jumlahnya muncul otomatis, atau ketik tepat seperti di atas.
          </li>
          <li>Periksa jumlahnya, lalu setujui dengan PIN Anda.</li>
        </ol>
      </AccordionPart>
      <AccordionPart title="Lewat ATM">
        <ol className={styles['next']}>
          <li>
            Masukkan kartu dan PIN, pilih Transaksi lainnya, Transfer, lalu Virtual Account{' '}
            {va.bank}.
          </li>
          <li>Ketik nomor di atas, lalu pilih Benar.</li>
          <li>Periksa jumlahnya, lalu pilih Ya. Simpan struknya sampai saldo bertambah.</li>
        </ol>
      </AccordionPart>
      <AccordionPart title="Dari bank lain">
        <ol className={styles['next']}>
          <li>Pilih Transfer antarbank (bukan BI-FAST), tujuan {va.bank}.</li>
          <li>Ketik nomor di atas sebagai rekening tujuan, dan jumlah tepat seperti di atas.</li>
          <li>Biaya transfer antarbank ditentukan bank Anda.</li>
        </ol>
      </AccordionPart>
    </Accordion>
    <CheckPaid topup={topup} />
  </>
);

/** The amount due at a gateway, which accepts no other. */
const Amount = ({ topup }: { topup: Topup }) => (
  <CopyField
    label="Jumlah yang dibayar"
    value={String(topup.total)}
    look="amount"
    shown={formatRupiah(topup.total)}
  />
);

/** Queries the gateway at once, for people who do not want to wait for its notice. */
function CheckPaid({ topup }: { topup: Topup }) {
  const client = useQueryClient();
  const check = useAct(checkTopup, {
    onSuccess: (after) => void client.setQueryData(topupQuery(after.id).queryKey, after),
  });
  const isUnpaid = check.data?.status === 'pending' && !check.busy;
  return (
    <div className="grid gap-8">
      <Button
        variant="subtle"
        block
        busy={check.busy}
        onClick={() => check.mutate({ topup_id: topup.id })}
      >
        Saya sudah bayar
      </Button>
      <p role="status" className="small muted pretty text-center hide-empty">
        {check.error && !check.busy && sentenceOf(check.error)}
        {isUnpaid &&
          'Pembayarannya belum kami terima. Biasanya masuk dalam satu menit; halaman ini berubah otomatis.'}
      </p>
    </div>
  );
}

/** The exact amount and the account; takes a slip for a manual review. */
function BankTransfer({ topup }: { topup: Topup }) {
  const { head, tail } = splitTotal(topup.total);
  const { bank } = topup;
  return (
    <>
      <CopyField
        label="Transfer tepat sejumlah"
        value={String(topup.total)}
        look="amount"
        shown={
          <>
            {head}
            <mark className={classes('rounded-sm solid-warning', styles['code'])}>{tail}</mark>
          </>
        }
        help="Tiga angka terakhir harus sama persis: itulah tanda transfer Anda."
      />
      {bank && (
        <CopyField
          label={`Nomor rekening ${bank.name}`}
          value={bank.number}
          look="amount"
          shown={inFours(bank.number)}
          help={
            <>
              Atas nama <strong>{bank.holder}</strong>
            </>
          }
        />
      )}
      <ol className={styles['next']}>
        <li>
          Transfer dari bank atau dompet digital mana pun, sebelum{' '}
          <DateTime at={topup.expires_at} />.
        </li>
        <li>
          Saldo bertambah begitu transfer Anda kami temukan di mutasi bank. Bila terasa lama, kirim
          bukti transfernya di bawah.
        </li>
        <li>Halaman ini otomatis menjadi Lunas, dan boleh Anda tutup.</li>
      </ol>
      <Proof topup={topup} />
    </>
  );
}

/** Uploads a slip for a manual review, in case the automatic match takes too long. */
function Proof({ topup }: { topup: Topup }) {
  const [open, setOpen] = useState(false);
  const { proof } = topup;
  return (
    <>
      {proof && (
        <p className="flex gap-8 text-success rounded soft-success py-10 px-12" role="status">
          <FileCheck size={18} className="mt-2" />
          <span>
            Bukti transfer terkirim <DateTime at={proof.at} />. Kami akan memeriksanya.
          </span>
        </p>
      )}
      <Accordion>
        <AccordionPart
          title={proof ? 'Ganti bukti transfer' : 'Sudah transfer tetapi belum lunas?'}
          open={open}
          onToggle={setOpen}
        >
          {open && <ProofUpload topup={topup} onSent={() => setOpen(false)} />}
        </AccordionPart>
      </Accordion>
    </>
  );
}

function ProofUpload({ topup, onSent }: { topup: Topup; onSent: () => void }) {
  const client = useQueryClient();
  const [ids, setIds] = useState<readonly string[]>([]);
  const prove = useAct(uploadTransferProof, {
    onSuccess: (after) => {
      client.setQueryData(topupQuery(after.id).queryKey, after);
      onSent();
    },
    onError: () => void client.invalidateQueries({ queryKey: topupQuery(topup.id).queryKey }),
  });
  return (
    <div aria-busy={prove.busy || undefined}>
      <FileUpload
        label="Bukti transfer"
        purpose="proof"
        labels={indonesianUploads}
        typeLabels={typeNames}
        help={`${endingsFor('proof')}, paling besar 10 MB. Jumlah dan waktunya harus terbaca.`}
        error={prove.error ? sentenceOf(prove.error) : undefined}
        maxFiles={1}
        value={ids}
        onChange={(next) => {
          setIds(next);
          const [id] = next;
          if (id !== undefined) prove.mutate({ topup_id: topup.id, upload: id });
        }}
      />
    </div>
  );
}

import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { formatDateTime } from '#contract/base/time.ts';
import type { MoneyOverview } from '#contract/operator/books.ts';
import type { OperatorOverview } from '#contract/operator/overview.ts';
import type { Path } from '#web/browser/router/routes.ts';
import { SUPPORT_INBOX } from '#web/features/operator/operator.ts';

export type Problem = {
  key: string;
  /** `danger`: something does not work. `warning`: a person has to look. */
  severity: 'danger' | 'warning';
  says: string;
  /** Left out: it is fixed outside this page, as `says` explains. */
  act?: { to: Path; label: string };
};

/** A queue is old when a lane has been due for so long: a phone may be off for a while. */
const QUEUE_OLD_S = 300;
const EVENTS_LATE_S = 60;
const TRANSACTION_OLD_S = 600;
const CONNECTIONS_FULL = 0.85;
const GB = 1_000_000_000;
const DISK_LOW = 2 * GB;
/** The ledger is checked each night; backups are daily. */
const DAY_OLD_MS = 26 * 3_600_000;
const THREAD_OLD_MS = 4 * 3_600_000;
const TOPUP_OLD_MS = 4 * 3_600_000;
/** A gateway may take a day to pay a refund out. */
const REFUND_OLD_MS = 26 * 3_600_000;

export function problemsOf(
  overview: OperatorOverview,
  money: MoneyOverview | undefined,
): readonly Problem[] {
  const found = [
    ...ofInstallation(overview),
    ...(money ? ofMoney(money, overview.at) : []),
    ...ofSettings(overview),
    ...ofJobs(overview),
    ...ofWork(overview),
  ];
  const all = found.filter((problem) => problem !== false);
  return [
    ...all.filter(({ severity }) => severity === 'danger'),
    ...all.filter(({ severity }) => severity === 'warning'),
  ];
}

type Found = readonly (Problem | false)[];

function ofInstallation(overview: OperatorOverview): Found {
  const { disk, lanes, database, events, backup } = overview;
  const full = database.connections / Math.max(1, database.connections_max);
  return [
    disk.full.length > 0 && {
      key: 'disk-full',
      severity: 'danger',
      says: 'Disk penuh: tidak ada pesan baru yang diterima. Kosongkan ruang di server.',
    },
    !overview.codes_go_out && {
      key: 'codes',
      severity: 'danger',
      says: 'Kode masuk tidak terkirim, dan tidak ada yang dapat mendaftar: token sistem terputus, atau belum punya templat kode.',
      act: { to: '/operator/token', label: 'Periksa' },
    },
    lanes.unowned > 0 && {
      key: 'lanes',
      severity: 'danger',
      says: `${formatNumber(lanes.unowned)} antrean punya pesan yang harus dikirim, tetapi tidak ada proses yang mengerjakannya. Periksa apakah proses worker berjalan.`,
    },
    events.lag_seconds > EVENTS_LATE_S && {
      key: 'events',
      severity: 'danger',
      says: `Kabar ke layar dan webhook terlambat ${inWords(events.lag_seconds)}. Periksa log proses worker.`,
    },
    backup?.is_ok === false &&
      (backup.error === 'overdue'
        ? {
            key: 'backup-old',
            severity: 'warning',
            says: 'Cadangan terakhir sudah lebih dari sehari. Periksa jadwal cadangan.',
          }
        : {
            key: 'backup',
            severity: 'danger',
            says: 'Cadangan terakhir gagal. Jalankan npm run operator backup di server, lalu baca sebabnya.',
          }),
    disk.full.length === 0 &&
      disk.free_bytes !== null &&
      disk.free_bytes < DISK_LOW && {
        key: 'disk-low',
        severity: 'warning',
        says: `Ruang disk tinggal ${inBytes(disk.free_bytes)}. Kosongkan sebelum penuh.`,
      },
    full > CONNECTIONS_FULL && {
      key: 'connections',
      severity: 'warning',
      says: 'Sambungan ke basis data hampir habis. Kurangi proses, atau naikkan max_connections.',
    },
    database.oldest_transaction_seconds > TRANSACTION_OLD_S && {
      key: 'transaction',
      severity: 'warning',
      says: `Sebuah transaksi terbuka selama ${inWords(database.oldest_transaction_seconds)} dan menahan pembersihan basis data.`,
    },
  ];
}

function ofChecks(money: MoneyOverview, at: Date): Found {
  const { check, audit, reconciliation, seller } = money;
  const books = { to: '/operator/pembukuan', label: 'Buka pembukuan' } as const;
  return [
    check?.ok === false && {
      key: 'books',
      severity: 'danger',
      says: 'Pembukuan tidak cocok, dan uang keluar ditahan.',
      act: { to: '/operator/pembukuan', label: 'Lihat apa yang salah' },
    },
    audit?.ok === false && {
      key: 'audit',
      severity: 'danger',
      says: 'Catatan audit berubah di luar Kabari: ada baris yang tidak seperti saat ditulis.',
      act: { to: '/operator/audit', label: 'Lihat rantainya' },
    },
    reconciliation?.ok === false && {
      key: 'reconciliation',
      severity: 'danger',
      says: 'Pembukuan dan bank atau gerbang pembayaran berbeda.',
      act: books,
    },
    check?.ok === true &&
      at.getTime() - check.at.getTime() > DAY_OLD_MS && {
        key: 'check-old',
        severity: 'warning',
        says: 'Pembukuan lebih dari sehari tidak diperiksa.',
        act: books,
      },
    seller.missing.length > 0 && {
      key: 'seller',
      severity: 'warning',
      says: sellerGapWords(seller),
      act: { to: '/operator/pengaturan', label: 'Lengkapi' },
    },
  ];
}

function ofMoney(money: MoneyOverview, at: Date): Found {
  const { waiting, proposals } = money;
  const isOlder = (ms: number, { oldest }: { oldest: Date | null }): boolean =>
    oldest !== null && at.getTime() - oldest.getTime() > ms;
  return [
    ...ofChecks(money, at),
    money.topups_for_you > 0 && {
      key: 'topups-proposed',
      severity: 'warning',
      says: `${formatNumber(money.topups_for_you)} isi saldo menunggu keputusan Anda sebagai operator kedua.`,
      act: { to: '/operator/isi-saldo', label: 'Buka isi saldo' },
    },
    proposals.for_you > 0 && {
      key: 'proposals',
      severity: 'warning',
      says: `${formatNumber(proposals.for_you)} usulan menunggu keputusan Anda.`,
      act: { to: '/operator/penyesuaian', label: 'Putuskan' },
    },
    isOlder(TOPUP_OLD_MS, waiting.topups) && {
      key: 'topups',
      severity: 'warning',
      says: `${formatNumber(waiting.topups.count)} isi saldo menunggu tindakan, yang terlama lebih dari 4 jam.`,
      act: { to: '/operator/isi-saldo', label: 'Buka isi saldo' },
    },
    waiting.bank_lines.count > 0 && {
      key: 'bank-lines',
      severity: 'warning',
      says: `${formatNumber(waiting.bank_lines.count)} transfer masuk (${formatRupiah(waiting.bank_lines.amount)}) belum punya pemilik.`,
      act: { to: '/operator/mutasi-bank', label: 'Cocokkan' },
    },
    waiting.suspense.count > 0 && {
      key: 'suspense',
      severity: 'warning',
      says: `${formatNumber(waiting.suspense.count)} pembayaran (${formatRupiah(waiting.suspense.amount)}) datang setelah isi saldonya lunas.`,
      act: { to: '/operator/suspense', label: 'Selesaikan' },
    },
    waiting.withdrawn.count > 0 && {
      key: 'withdrawn',
      severity: 'warning',
      says: `${formatNumber(waiting.withdrawn.count)} pembayaran ditarik kembali oleh gerbang pembayaran.`,
      act: { to: '/operator/suspense', label: 'Selesaikan' },
    },
    isOlder(REFUND_OLD_MS, waiting.refunds) && {
      key: 'refunds',
      severity: 'warning',
      says: `${formatNumber(waiting.refunds.count)} pengembalian dana belum sampai, yang terlama lebih dari sehari.`,
      act: { to: '/operator/suspense', label: 'Buka pengembalian' },
    },
  ];
}

function ofJobs({ jobs, jobs_late }: OperatorOverview): Found {
  const failing = jobs.filter(({ is_over }) => !is_over).map(({ name }) => name);
  const late = jobs_late.filter((name) => !failing.includes(name));
  return [
    failing.length > 0 && {
      key: 'jobs',
      severity: 'warning',
      says: `Pekerjaan terjadwal gagal: ${failing.join(', ')}. Sebabnya ada di log.`,
    },
    late.length > 0 && {
      key: 'jobs-late',
      severity: 'warning',
      says: `Pekerjaan terjadwal terlambat: ${late.join(', ')}. Periksa apakah proses worker berjalan.`,
    },
  ];
}

function ofSettings({ settings_waiting }: OperatorOverview): Found {
  const [first] = (settings_waiting ?? []).toSorted(
    (one, other) => one.effective_at.getTime() - other.effective_at.getTime(),
  );
  if (settings_waiting === null || first === undefined) return [];
  const labels = settings_waiting.map(({ label }) => label).join(', ');
  return [
    {
      key: 'settings',
      severity: 'warning',
      says: `Perubahan pengaman uang menunggu admin kedua: ${labels}. Tanpa keputusan, perubahan berlaku otomatis ${formatDateTime(first.effective_at)}.`,
      act: { to: '/operator/pengaturan', label: 'Lihat' },
    },
  ];
}

const pauseWords: Record<OperatorOverview['pauses'][number]['reason'], string> = {
  silent: 'WhatsApp tidak menjawab',
  refused: 'Meta menolak pesannya, walaupun token aksesnya berlaku',
  restricted: 'Meta membatasi akunnya',
  billing: 'Meta belum dapat menagih akunnya',
};

function ofWork({ support, queue, events, dead_notices, pauses, at }: OperatorOverview): Found {
  return [
    support !== null &&
      support.oldest !== null &&
      at.getTime() - support.oldest.getTime() > THREAD_OLD_MS && {
        key: 'support',
        severity: 'warning',
        says: `${formatNumber(support.waiting)} percakapan menunggu jawaban, yang terlama lebih dari 4 jam.`,
        act: { to: SUPPORT_INBOX, label: 'Jawab' },
      },
    queue.age_seconds > QUEUE_OLD_S && {
      key: 'queue',
      severity: 'warning',
      says: `Pesan tertua menunggu ${inWords(queue.age_seconds)}. Biasanya token pengirimnya terputus dari ponsel.`,
    },
    ...pauses.map(({ reason, numbers }) => ({
      key: `pause-${reason}`,
      severity: reason === 'silent' ? ('danger' as const) : ('warning' as const),
      says: `${formatNumber(numbers)} nomor dijeda: ${pauseWords[reason]}. Pesannya menunggu dan dicoba lagi otomatis.`,
      act: { to: '/operator/kanal' as const, label: 'Buka kanal' },
    })),
    events.set_aside > 0 && {
      key: 'set-aside',
      severity: 'warning',
      says: `${formatNumber(events.set_aside)} kabar tidak dapat diterbitkan dan dicoba lagi. Sebabnya ada di log.`,
    },
    dead_notices > 0 && {
      key: 'notices',
      severity: 'warning',
      says: `${formatNumber(dead_notices)} pemberitahuan gerbang pembayaran tidak dapat diproses. Cocokkan di Pembukuan.`,
      act: { to: '/operator/pembukuan', label: 'Buka pembukuan' },
    },
  ];
}

export function sellerGapWords({
  missing,
  invoices_waiting: count,
}: MoneyOverview['seller']): string {
  const names = missing.map((fact) => (fact === 'npwp' ? 'NPWP' : 'alamat')).join(' dan ');
  const waiting =
    count === 0
      ? 'Faktur isi saldo akan menunggu sampai dilengkapi.'
      : `${formatNumber(count)} faktur isi saldo menunggu, dan terbit otomatis setelah dilengkapi.`;
  return `PPN dipungut, tetapi ${names} penjual belum diisi. ${waiting}`;
}

/** `95` → `1 menit`; seconds below a minute, hours from an hour on, days from two days on. */
export function inWords(seconds: number): string {
  if (seconds < 60) return `${formatNumber(Math.round(seconds))} detik`;
  if (seconds < 3_600) return `${formatNumber(Math.floor(seconds / 60))} menit`;
  if (seconds < 172_800) return `${formatNumber(Math.floor(seconds / 3_600))} jam`;
  return `${formatNumber(Math.floor(seconds / 86_400))} hari`;
}

/** `12_345_678_900` → `12,3 GB`. */
export function inBytes(bytes: number): string {
  const [size, unit] = bytes >= GB ? [bytes / GB, 'GB'] : [bytes / 1_000_000, 'MB'];
  return `${size.toFixed(size < 100 ? 1 : 0).replace('.', ',')} ${unit}`;
}

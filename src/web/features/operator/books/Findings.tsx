import { formatNumber } from '#contract/base/money.ts';
import type { FindingCode, ReconciliationFinding } from '#contract/operator/books.ts';
import { Entry, Rows } from '#web/features/operator/OperatorFrame.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

const words: Record<FindingCode, { what: string; todo: string }> = {
  transfer_without_line: {
    what: 'Isi saldo dikonfirmasi tanpa mutasi bank',
    todo: 'Impor mutasi bank terbaru. Bila uangnya memang tidak masuk, kurangi saldo pelanggan lewat penyesuaian.',
  },
  line_amount_differs: {
    what: 'Mutasi bank berbeda dari yang dimasukkan ke saldo',
    todo: 'Bandingkan mutasi dengan isi saldonya, lalu betulkan selisihnya lewat penyesuaian.',
  },
  line_unused: {
    what: 'Transfer masuk yang belum dipakai lebih dari sehari',
    todo: 'Cocokkan dengan isi saldo pelanggan, atau kembalikan ke pengirimnya.',
  },
  statements_differ: {
    what: 'Dua mutasi yang diimpor menyebut saldo berbeda untuk hari yang sama',
    todo: 'Bandingkan dengan situs bank: salah satu berkasnya diubah. Periksa siapa yang mengimpornya di catatan audit.',
  },
  statement_gap: {
    what: 'Saldo awal suatu hari bukan saldo akhir hari sebelumnya',
    todo: 'Impor mutasi yang kurang di antaranya. Bila tidak ada yang kurang, bandingkan berkasnya dengan situs bank.',
  },
  lines_exceed_statement: {
    what: 'Mutasi yang diimpor melebihi uang masuk menurut bank',
    todo: 'Cari mutasi hari itu yang tidak ada di bank, lalu kesampingkan atau betulkan saldonya.',
  },
  payment_unverified: {
    what: 'Isi saldo lunas tanpa catatan pembayaran',
    todo: 'Periksa di gerbang pembayaran apakah uangnya masuk. Bila tidak, bekukan saldo pelanggan dan betulkan.',
  },
  gateway_differs: {
    what: 'Gerbang pembayaran tidak mengakui pembayaran ini lunas',
    todo: 'Periksa di dasbor gerbang pembayaran. Bila dibatalkan, bekukan saldo pelanggan dan betulkan.',
  },
  gateway_silent: {
    what: 'Pembayaran yang belum dapat dibandingkan dengan gerbangnya',
    todo: 'Gerbangnya tidak menjawab, atau tidak lagi ada di pengaturan. Jalankan rekonsiliasi sekali lagi nanti.',
  },
  clearing_open: {
    what: 'Kliring pembayaran tidak nol',
    todo: 'Ada pembukuan yang setengah jalan. Hubungi pengelola server sebelum mengubah apa pun.',
  },
  suspense_open: {
    what: 'Dana yang belum dikenali',
    todo: 'Selesaikan di Dana belum dikenali: masukkan ke saldo atau kembalikan ke pengirim.',
  },
  holds_old: {
    what: 'Biaya pesan tertahan lebih dari 24 jam',
    todo: 'Hasil pesannya belum diketahui. Periksa sambungan pengirimnya; dana kembali otomatis bila pesan kedaluwarsa.',
  },
};

const SHOWN = 32;

/** The beginning of a reference identifies it; the full one is on the page that deals with it. */
const shortened = (reference: string): string =>
  reference.length > SHOWN ? `${reference.slice(0, SHOWN - 1)}…` : reference;

export const Findings = ({ findings }: { findings: readonly ReconciliationFinding[] }) => (
  <Rows label="Temuan rekonsiliasi">
    {findings.map(({ code, severity, count, amount, examples }) => (
      <Entry
        key={code}
        note={words[code].todo}
        small={`${examples.slice(0, 3).map(shortened).join(', ')}${examples.length > 3 ? ' …' : ''}`}
        end={
          <StatusChip tone={severity === 'red' ? 'danger' : 'warning'}>
            <span>
              {formatNumber(count)} · <Money amount={amount} />
            </span>
          </StatusChip>
        }
      >
        <strong>{words[code].what}</strong>
      </Entry>
    ))}
  </Rows>
);

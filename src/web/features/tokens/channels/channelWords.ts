import { formatRupiah } from '#contract/base/money.ts';
import { type OfferedChannel, categoryLabel } from '#contract/channels.ts';
import type { ChannelName } from '#contract/tokens.ts';

type About = {
  can: string;
  needs: string;
  /** When it is charged, if that is not obvious. */
  pays?: string;
  risk?: string;
};

export const aboutChannel: Record<ChannelName, About> = {
  simulator: {
    can: 'Jaringan ponsel simulasi di server ini: semua langkahnya sama, tetapi tidak ada pesan yang sampai ke ponsel sungguhan.',
    needs: 'Langsung bisa dipakai.',
  },
  cloud: {
    can: 'Jalur resmi dari Meta. Templat yang disetujui dapat dikirim kapan saja; pesan lain hanya dalam 24 jam sejak penerima terakhir menulis.',
    needs:
      'Perlu nomor di akun WhatsApp Business Anda di Meta, beserta token aksesnya. Meta menagih tarifnya sendiri kepada akun itu.',
    pays: 'Biaya di Kabari dipotong saat Meta menerima pesan, juga bila Meta kemudian tidak menyampaikannya.',
  },
  web: {
    can: 'Nomor WhatsApp yang sudah Anda pakai, ditautkan dengan memindai QR. Teks dan berkas dapat dikirim kapan saja.',
    needs: 'Perlu ponsel dengan nomor itu, sesekali tersambung ke internet.',
    risk: 'Bukan jalur resmi: WhatsApp dapat membatasi atau memblokir nomor yang mengirim lewat cara ini.',
  },
};

export const pricesOf = ({ channel, prices }: OfferedChannel): readonly string[] =>
  channel === 'cloud'
    ? prices.map(({ category, price }) => `${categoryLabel[category]} ${formatRupiah(price)}`)
    : prices.map(({ price }) => `${formatRupiah(price)} per pesan di luar kuota paket`);

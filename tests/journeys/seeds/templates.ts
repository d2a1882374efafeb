import { createTemplate } from '#contract/messages/templates.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';
import { ask, type Customer } from '#tests/journeys/support/portal.ts';

const templates = [
  {
    name: 'kode_masuk',
    language: 'id',
    category: 'authentication',
    body: 'Kode masuk Anda {{1}}. Berlaku 5 menit, jangan berikan kepada siapa pun.',
    buttons: [],
  },
  {
    name: 'pesanan_siap',
    language: 'id',
    category: 'utility',
    header: 'Pesanan siap diambil',
    body: 'Halo {{1}}, pesanan {{2}} sudah selesai dan siap diambil di toko sampai pukul 20.00.',
    footer: 'Batik Kenanga, Jl. Malioboro 118',
    buttons: ['Saya ambil sore ini', 'Antar ke alamat saya'],
  },
  {
    name: 'pesanan_siap',
    language: 'en',
    category: 'utility',
    header: 'Your order is ready',
    body: 'Hello {{1}}, your order {{2}} can be picked up until 8 pm.',
    footer: 'Batik Kenanga, Jl. Malioboro 118',
    buttons: [],
  },
  {
    name: 'resi_pengiriman',
    language: 'id',
    category: 'utility',
    body: 'Halo {{nama}}, paket Anda dikirim hari ini lewat {{kurir}} dengan resi {{resi}}.',
    buttons: [],
  },
  {
    name: 'tagihan_jatuh_tempo',
    language: 'id',
    category: 'utility',
    body: 'Halo {{1}}, tagihan {{2}} sebesar {{3}} jatuh tempo besok. Abaikan bila sudah dibayar.',
    buttons: ['Sudah saya bayar'],
  },
  {
    name: 'undangan_pameran',
    language: 'id',
    category: 'marketing',
    body: 'Halo {{1}}, kami mengundang Anda ke pameran batik tulis hari Sabtu ini, gratis.',
    footer: 'Balas STOP untuk berhenti',
    buttons: ['Saya datang'],
  },
] as const;

export async function openTemplates(address: string, { session }: Customer): Promise<void> {
  for (const { buttons, ...template } of templates) {
    await ask(address, createTemplate, { ...template, buttons: [...buttons] }, session);
  }
}

export const templatePictures = ({ session }: Customer): readonly Picture[] => [
  {
    name: 'templat',
    options: { session },
    path: '/token/templat',
    before: (tab) => tab.getByRole('row', { name: /undangan_pameran/ }).waitFor(),
  },
  {
    name: 'templat-baru',
    options: { session, height: 1_080 },
    path: '/token/templat?view=new',
    before: async (tab) => {
      await tab.getByLabel('Nama templat').fill('fitting_jas');
      await tab.getByLabel('Judul (opsional)').fill('Pengingat fitting');
      await tab
        .getByLabel('Isi pesan')
        .fill(
          'Selamat sore {{1}}, fitting jas Anda {{2}} di toko kami. Bila berhalangan, balas pesan ini.',
        );
      await tab.getByLabel('Catatan kaki (opsional)').fill('Batik Kenanga, Jl. Malioboro 118');
      await tab.getByLabel('Tombol balasan (opsional)').fill('Saya datang\nGanti jadwal');
      await tab.getByLabel('{{1}}', { exact: true }).fill('Mas Agus');
      await tab.getByLabel('{{2}}', { exact: true }).fill('Sabtu pukul 10.00');
    },
  },
  {
    name: 'templat-ponsel',
    options: { session, width: 390, dark: true, height: 1_180 },
    path: '/token/templat?open=pesanan_siap:id',
    before: async (tab) => {
      await tab.getByLabel('{{1}}', { exact: true }).fill('Bu Sri');
      await tab.getByLabel('{{2}}', { exact: true }).fill('batik tulis motif parang');
    },
  },
];

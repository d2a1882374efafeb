import * as z from 'zod/mini';
import { switched, text } from './readers.ts';
import { live, optional, setting } from './setting.ts';

const npwp = z.string().check(z.regex(/^(\d{15}|\d{16})$/, 'an NPWP of 15 or 16 digits'));

/** Who sells, and what the documents say of it. */
export const sellerSettings = {
  SELLER_NAME: live(setting('Who sells, as invoices name it.', text, 'Kabari'), {
    group: 'seller',
    label: 'Nama penjual',
    help: 'Tertulis di faktur yang terbit sesudah diubah; faktur lama tetap.',
    kind: 'text',
    max: 100,
  }),
  SELLER_ADDRESS: live(
    optional('The address of the seller, on invoices: without it invoices with PPN wait.', text),
    {
      group: 'seller',
      label: 'Alamat penjual',
      help: 'Wajib di faktur dengan PPN: tanpa alamat, faktur itu menunggu.',
      kind: 'text',
      max: 200,
    },
  ),
  SELLER_NPWP: live(
    optional('The NPWP of the seller, 15 or 16 digits: without it invoices with PPN wait.', npwp),
    {
      group: 'seller',
      label: 'NPWP penjual',
      help: 'Wajib di faktur dengan PPN: tanpa NPWP, faktur itu menunggu. 15 atau 16 angka.',
      kind: 'text',
      max: 16,
      expects: 'Tulis NPWP dengan 15 atau 16 angka, tanpa titik.',
    },
  ),
  SELLER_EMAIL: live(optional('The e-mail address of the seller, on invoices.', text), {
    group: 'seller',
    label: 'Surel penjual',
    help: 'Tertulis di faktur sebagai kontak bagi pelanggan. Kosong: tidak ditulis.',
    kind: 'email',
    max: 200,
  }),
  SELLER_PHONE: live(optional('The telephone number of the seller, on invoices.', text), {
    group: 'seller',
    label: 'Telepon penjual',
    help: 'Tertulis di faktur sebagai kontak bagi pelanggan. Kosong: tidak ditulis.',
    kind: 'text',
    max: 40,
  }),
  PAID_STAMP_OVER_5M: setting(
    'Whether documents above Rp 5,000,000 say LUNAS too: as receipts they need an e-Meterai, which is not put on them here.',
    switched,
    'off',
  ),
};

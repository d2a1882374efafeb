/** The pages of the operator's desk, in the order of their tabs: a page more is a line more. */
export const operatorPages = [
  { to: '/operator', label: 'Ringkasan' },
  { to: '/operator/isi-saldo', label: 'Isi saldo' },
  { to: '/operator/mutasi-bank', label: 'Mutasi bank' },
  { to: '/operator/pelanggan', label: 'Pelanggan & penyesuaian' },
  { to: '/operator/suspense', label: 'Dana belum dikenali' },
  { to: '/operator/pembukuan', label: 'Pembukuan' },
  { to: '/operator/harga', label: 'Harga & paket' },
] as const;

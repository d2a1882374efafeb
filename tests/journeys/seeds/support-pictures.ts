import type { OperatorWork } from '#tests/journeys/seeds/desk.ts';
import type { Threads } from '#tests/journeys/seeds/threads.ts';
import type { Picture } from '#tests/journeys/support/api-pictures.ts';

export const supportPictures = (
  { operator }: OperatorWork,
  { shop, accountId }: Threads,
): Picture[] => [
  {
    name: 'layanan-pelanggan',
    options: { session: shop.session },
    path: '/customer-service',
    before: (tab) => tab.getByText('Baik, ditunggu', { exact: false }).waitFor(),
  },
  {
    name: 'layanan-pelanggan-ponsel',
    options: { session: shop.session, width: 390, dark: true },
    path: '/customer-service',
    before: (tab) => tab.getByText('Baik, ditunggu', { exact: false }).waitFor(),
  },
  {
    name: 'operator-layanan',
    options: { session: operator },
    path: `/operator/layanan?open=${accountId}`,
    before: (tab) => tab.getByText('Minta bukti dulu', { exact: false }).waitFor(),
  },
];

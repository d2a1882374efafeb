import type { OperatorRole } from '#contract/base/act.ts';
import type { Path } from '#web/browser/router/routes.ts';

export type OperatorPage = {
  to: string;
  label: string;
  short?: string;
  /** Roles with access besides `admin`; left out: every operator. */
  roles?: readonly OperatorRole[];
};

/** The operator's side in menu order; the tabs of a section stand above its pages. */
export const operatorSections = [
  { label: 'Ringkasan', pages: [{ to: '/operator', label: 'Ringkasan' }] },
  {
    label: 'Layanan Pelanggan',
    pages: [
      {
        to: '/operator/layanan',
        label: 'Layanan Pelanggan',
        short: 'Layanan',
        roles: ['support'],
      },
    ],
  },
  {
    label: 'Pelanggan',
    pages: [{ to: '/operator/pelanggan', label: 'Pelanggan', roles: ['support', 'money'] }],
  },
  {
    label: 'Uang',
    pages: [
      { to: '/operator/isi-saldo', label: 'Isi saldo', roles: ['money'] },
      { to: '/operator/mutasi-bank', label: 'Mutasi bank', roles: ['money'] },
      { to: '/operator/suspense', label: 'Dana belum dikenali', roles: ['money'] },
      { to: '/operator/penyesuaian', label: 'Penyesuaian', roles: ['money'] },
      { to: '/operator/pembukuan', label: 'Pembukuan', roles: ['money'] },
      { to: '/operator/harga', label: 'Harga & paket', roles: ['money'] },
    ],
  },
  {
    label: 'Sistem',
    pages: [
      { to: '/operator/pengumuman', label: 'Pengumuman', roles: ['support'] },
      { to: '/operator/kanal', label: 'Kanal', roles: ['support'] },
      { to: '/operator/token', label: 'Token sistem', roles: [] },
      { to: '/operator/operator', label: 'Operator', roles: [] },
      { to: '/operator/audit', label: 'Catatan audit', roles: [] },
      { to: '/operator/pengaturan', label: 'Pengaturan', roles: [] },
      { to: '/operator/keamanan', label: 'Keamanan' },
    ],
  },
] as const satisfies readonly { label: string; pages: readonly OperatorPage[] }[];

/** The support inbox; with `open`, one customer. Its page is part of the support feature. */
export const SUPPORT_INBOX = '/operator/layanan' as string as Path;

export const maySee = (
  { roles }: Pick<OperatorPage, 'roles'>,
  own: readonly OperatorRole[],
): boolean => !roles || own.some((role) => role === 'admin' || roles.includes(role));

/** Whether an operator of these roles may open a path; a path without a tab is open to all. */
export const mayOpen = (path: string, own: readonly OperatorRole[]): boolean =>
  operatorSections
    .flatMap(({ pages }): readonly OperatorPage[] => pages)
    .filter(({ to }) => path === to || (to !== '/operator' && path.startsWith(`${to}/`)))
    .every((page) => maySee(page, own));

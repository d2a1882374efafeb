import { useQuery } from '@tanstack/react-query';
import { goTo, navigate } from '#web/browser/router/navigation.ts';
import {
  Download,
  FileText,
  Keyboard,
  LogOut,
  MessageSquareText,
  Monitor,
  Moon,
  Plus,
  Search,
  Send,
  Smartphone,
  Sun,
  Wallet,
  Webhook,
} from 'lucide-react';
import type { OperatorRole } from '#contract/base/act.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { useChooseTheme } from '#web/features/profile/preferences/preferences.ts';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { saldoQuery, type TopupLimit, topupLimitOf } from '#web/features/saldo/saldo.ts';
import { fullTokens } from '#web/features/tokens/tokens.ts';
import type { Theme } from '#web/browser/theme.ts';
import { signOut, useUser } from '#web/api/user.ts';
import { findId, isNumber, type Command } from '#web/app/palette/commands.ts';
import { openOverlay } from '#web/app/palette/overlay.ts';
import { screensFor } from '#web/app/navigation/menu.ts';
import { operatorMenuFor } from '#web/app/navigation/operatorMenu.ts';
import { entriesOf } from '#web/ui/layout/Sidebar.tsx';
import { configQuery } from '#web/api/configQuery.ts';

type Known = {
  commands: readonly Command[];
  /** Searches the messages for a number or a name; operators have no such command. */
  find: ((text: string) => Command) | undefined;
};

export function useCommands(): Known {
  const { role, operator_roles: roles } = useUser();
  const operator = role === 'operator';
  const { data: config } = useQuery(configQuery);
  const { data: saldo } = useQuery({ ...saldoQuery, enabled: !operator });
  const limit = topupLimitOf(saldo);
  const { data: subscription } = useQuery({ ...subscriptionQuery, enabled: !operator });
  const chooseTheme = useChooseTheme();
  const screens = screensFor(operator).map(({ href, label, Icon, key }): Command => {
    const run = () => navigate({ to: href });
    return {
      id: href,
      label,
      words: wordsFor[href],
      group: 'Halaman',
      Icon,
      keys: `g ${key}`,
      run,
    };
  });
  const simulator: Command = {
    id: 'simulator',
    label: 'Simulator ponsel',
    words: 'bank tiruan',
    group: 'Halaman',
    Icon: Smartphone,
    run: () => navigate({ to: '/simulator' }),
  };
  return {
    commands: [
      ...screens,
      ...operatorCommands(roles),
      ...(config?.simulator ? [simulator] : []),
      ...(operator
        ? []
        : [sending, toppingUp(limit), addingToken(fullTokens(subscription)), ...doing]),
      ...looks(chooseTheme),
      ...always,
    ],
    find: operator ? undefined : finding,
  };
}

const operatorCommands = (roles: readonly OperatorRole[]): readonly Command[] =>
  entriesOf(operatorMenuFor(roles))
    .filter(({ href }) => href !== '/operator')
    .map(({ href, label, Icon }) => ({
      id: href,
      label,
      group: 'Halaman',
      Icon,
      run: () => goTo(href),
    }));

const wordsFor: Record<ReturnType<typeof screensFor>[number]['href'], string> = {
  '/': 'home dasbor ringkasan',
  '/message-history': 'riwayat pesan terkirim masuk',
  '/token': 'token kunci api pengirim',
  '/saldo': 'mutasi uang',
  '/billing': 'paket langganan kuota invoice faktur harga npwp',
  '/customer-service': 'bantuan chat tanya support cs hubungi keluhan',
  '/operator': 'isi saldo pelanggan bank',
  '/profile': 'akun kata sandi sesi foto nomor setelan pemberitahuan zona waktu',
};

/** At a limit, its address shows the reason, and lists the unpaid top-ups. */
const toppingUp = (limit: TopupLimit | undefined): Command => ({
  id: 'topup',
  label: topupLabel(limit),
  words: 'top up topup bayar transfer',
  group: 'Tindakan',
  Icon: Wallet,
  run: () => navigate({ to: '/saldo', search: { new: '1' } }),
});

function topupLabel(limit: TopupLimit | undefined): string {
  if (limit === undefined) return 'Isi saldo';
  return limit.hasOpen
    ? 'Isi saldo: lihat dulu yang menunggu'
    : 'Isi saldo: belum bisa, lihat sebabnya';
}

const sending: Command = {
  id: 'send',
  label: 'Kirim pesan',
  words: 'tulis baru broadcast',
  group: 'Tindakan',
  Icon: Send,
  run: () => navigate({ to: '/message-history', search: { new: '1' } }),
};

/** Leads to the plans if the plan has no room for another token. */
const addingToken = (full: number | undefined): Command => ({
  id: 'token',
  label: full === undefined ? 'Tambah token' : `Tambah token: paket hanya ${full}, lihat paket`,
  words: 'token baru buat nomor',
  group: 'Tindakan',
  Icon: Plus,
  run: () =>
    full === undefined
      ? navigate({ to: '/token', search: { view: 'new' } })
      : navigate({ to: '/billing' }),
});

const doing: readonly Command[] = [
  {
    id: 'templates',
    label: 'Templat',
    words: 'template variabel teks siap kirim',
    group: 'Halaman',
    Icon: FileText,
    run: () => navigate({ to: '/token/templat' }),
  },
  {
    id: 'webhook',
    label: 'Webhook',
    words: 'callback peristiwa kejadian pengiriman kirim ulang integrasi',
    group: 'Halaman',
    Icon: Webhook,
    run: () => navigate({ to: '/token/webhook' }),
  },
  {
    id: 'conversations',
    label: 'Buka percakapan',
    words: 'chat balas kotak masuk inbox',
    group: 'Tindakan',
    Icon: MessageSquareText,
    run: () => navigate({ to: '/message-history', search: { view: 'percakapan' } }),
  },
  {
    id: 'exports',
    label: 'Berkas ekspor',
    words: 'unduh download csv excel xlsx hasil',
    group: 'Tindakan',
    Icon: Download,
    run: () => openOverlay('exports'),
  },
];

const finding = (text: string): Command => ({
  id: findId(text),
  label: isNumber(text) ? `Cari pesan dengan nomor ${numberIn(text)}` : `Cari pesan “${text}”`,
  group: 'Pesan',
  Icon: Search,
  run: () => navigate({ to: '/message-history', search: { q: text } }),
});

function numberIn(text: string): string {
  const digits = normalizePhone(text);
  return /^62\d{9,}$/.test(digits) ? formatPhone(digits) : text;
}

const looks = (choose: (theme: Theme) => void): readonly Command[] =>
  (
    [
      ['light', 'Tema terang', Sun],
      ['dark', 'Tema gelap', Moon],
      ['system', 'Tema ikut perangkat', Monitor],
    ] as const
  ).map(([theme, label, Icon]) => ({
    id: theme,
    label,
    words: 'tampilan warna mode',
    group: 'Tampilan',
    Icon,
    run: () => choose(theme),
  }));

const always: readonly Command[] = [
  {
    id: 'help',
    label: 'Pintasan papan ketik',
    words: 'bantuan keyboard tombol shortcut',
    group: 'Tampilan',
    Icon: Keyboard,
    keys: '?',
    run: () => openOverlay('help'),
  },
  {
    id: 'leave',
    label: 'Keluar',
    words: 'logout sign out',
    group: 'Akun',
    Icon: LogOut,
    run: signOut,
  },
];

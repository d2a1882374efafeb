import {
  Search,
  Download,
  FileText,
  Keyboard,
  LogOut,
  MessageSquareText,
  Monitor,
  Moon,
  Plus,
  Send,
  Smartphone,
  Sun,
  Wallet,
  Webhook,
} from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { readJson } from '#web/browser/json.ts';
import { painted } from '#web/browser/scheduling/painted.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { hasCommandKey, matchPress } from '#web/app/shortcuts/shortcuts.ts';
import {
  arrange,
  findable,
  withRecent,
  type Command,
  findId,
  isNumber,
} from '#web/app/palette/commands.ts';
import { Keys } from '#web/app/shortcuts/Keys.tsx';
import styles from '#web/app/palette/palette.module.css';
import { classes } from '#web/ui/classes.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { stepRound } from '#web/ui/menu/menus.ts';
import { useQuery } from '@tanstack/react-query';
import { goTo, navigate } from '#web/browser/router/navigation.ts';
import type { OperatorRole } from '#contract/base/act.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { useChooseTheme } from '#web/features/profile/preferences/preferences.ts';
import { subscriptionQuery } from '#web/features/billing/billing.ts';
import { saldoQuery, type TopupLimit, topupLimitOf } from '#web/features/saldo/saldo.ts';
import { fullTokens } from '#web/features/tokens/tokens.ts';
import type { Theme } from '#web/browser/theme.ts';
import { signOut, useUser } from '#web/api/user.ts';
import { openOverlay } from '#web/app/palette/overlay.ts';
import { screensFor } from '#web/app/navigation/menu.ts';
import { operatorMenuFor } from '#web/app/navigation/operatorMenu.ts';
import { entriesOf } from '#web/ui/layout/Sidebar.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { isolated } from '#contract/base/names.ts';
import type { Conversation } from '#contract/messages/conversations.ts';
import { formatPeer } from '#contract/messages/peer.ts';
import { conversationsQuery } from '#web/features/messages/messages.ts';

/** The command palette (Ctrl K or ⌘ K): opens screens and runs common actions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const listId = useId();
  const { typed, type, groups, shown, active, point, take, press } = usePalette(onClose);
  const none = shown.length === 0;
  return (
    <Modal open holds onClose={onClose} title="Cari atau lompat">
      <div
        className={classes(
          'row gap-10 faint px-12 border-control rounded surface',
          styles['field'],
        )}
      >
        <Search size={20} />
        <input
          ref={(field) => field?.setAttribute('autofocus', '')}
          className={classes('fill ink no-outline', styles['input'])}
          role="combobox"
          aria-label="Cari atau lompat ke"
          aria-autocomplete="list"
          aria-expanded={!none}
          aria-controls={listId}
          aria-activedescendant={active && `${listId}-${shown.indexOf(active)}`}
          placeholder="Cari atau lompat ke …"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          value={typed}
          onChange={({ target }) => type(target.value)}
          onKeyDown={press}
        />
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label="Perintah"
        className={classes('scroll-y', styles['list'])}
      >
        {groups.map(({ title, commands }) => (
          <div key={title} role="group" aria-label={title} className={styles['group']}>
            <p className="tiny faint strong py-4 px-12" aria-hidden="true">
              {title}
            </p>
            {commands.map((command) => (
              <Row
                key={command.id}
                id={`${listId}-${shown.indexOf(command)}`}
                command={command}
                active={command === active}
                onPoint={() => point(command)}
                onTake={() => take(command)}
              />
            ))}
          </div>
        ))}
      </div>
      {none && (
        <p className={classes('faint text-center', styles['none'])}>Tidak ada yang cocok.</p>
      )}
      <p role="status" className="sr-only">
        {typed.trim() !== '' && (none ? 'Tidak ada yang cocok.' : `${shown.length} hasil`)}
      </p>
    </Modal>
  );
}

function usePalette(onClose: () => void) {
  const { commands, find } = useCommands();
  const [recent] = useState(recentIds);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const people = usePeople(find && findable(typed));
  // Last: rows that arrive later move no other row.
  const groups = [
    ...arrange(commands, typed, recent, find),
    ...(people.length === 0 ? [] : [{ title: 'Percakapan', commands: people }]),
  ];
  const shown = groups.flatMap((group) => group.commands);
  const active = shown[Math.min(at, shown.length - 1)];
  const take = (command: Command) => {
    if (command.group !== 'Percakapan')
      storageSet('browser', RECENT, JSON.stringify(withRecent(recent, command.id)));
    onClose();
    // Closes first: making the page behind interactive again recomputes all styles.
    void painted().then(command.run);
  };
  const doing: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setAt(stepRound(at, 1, shown.length)),
    ArrowUp: () => setAt(stepRound(at, -1, shown.length)),
    Enter: () => active && take(active),
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const toggle = matchPress(['Mod+k'], event, undefined, { at: 0, mac: hasCommandKey() });
    const own = Object.hasOwn(doing, event.key) ? doing[event.key] : undefined;
    const does = toggle.keys ? onClose : own;
    if (!does) return;
    event.preventDefault();
    does();
  };
  const type = (text: string) => {
    setTyped(text);
    setAt(0);
  };
  const point = (command: Command) => setAt(shown.indexOf(command));
  return { typed, type, groups, shown, active, point, take, press };
}

type RowProps = {
  id: string;
  command: Command;
  active: boolean;
  onPoint: () => void;
  onTake: () => void;
};

function Row({ id, command: { label, Icon, keys }, active, onPoint, onTake }: RowProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // The focus never leaves the field, which handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={active}
      className={classes(
        'row gap-12 leading-ui pointer py-6 px-12 rounded min-h-40 selectable touch',
        styles['row'],
      )}
      onPointerMove={() => active || onPoint()}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      <Icon size={18} className={classes(!active && 'faint')} aria-hidden="true" />
      <span className="fill break-anywhere">{label}</span>
      {keys && (
        <span className="fine-only" aria-hidden="true">
          <Keys keys={keys} />
        </span>
      )}
    </div>
  );
}

const RECENT = 'palette';

/** The commands used last, in this browser, since sign-in. */
function recentIds(): readonly string[] {
  const ids = readJson(storageGet('browser', RECENT));
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

type Known = {
  commands: readonly Command[];
  /** Searches the messages for a number or a name; operators have no such command. */
  find: ((text: string) => Command) | undefined;
};

function useCommands(): Known {
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

const DEBOUNCE_MS = 200;
const SHOWN_MAX = 5;

/** The conversations whose name or number matches a text, as commands that open them; none without a text. */
function usePeople(text: string | undefined): readonly Command[] {
  const [settled, settle] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => settle(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    ...conversationsQuery({ q: settled ?? '' }),
    enabled: settled !== undefined,
  });
  if (text === undefined || settled !== text) return [];
  return (data?.rows ?? []).slice(0, SHOWN_MAX).map(commandOf);
}

const commandOf = ({ token, peer, peer_name: name }: Conversation): Command => ({
  id: `conversation ${token.id} ${peer}`,
  label: name === null ? formatPeer(peer) : `${isolated(name)}, ${formatPeer(peer)}`,
  group: 'Percakapan',
  Icon: MessageSquareText,
  run: () =>
    navigate({
      to: '/message-history',
      search: { view: 'percakapan', open: token.id, peer },
    }),
});

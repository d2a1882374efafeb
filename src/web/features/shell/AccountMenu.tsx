import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LogOut, Monitor, Moon, Smartphone, Sun } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatPhone } from '#contract/phone.ts';
import { setTheme, useTheme, type Theme } from '#web/client/theme.ts';
import { signOut, useUser } from '#web/client/user.ts';
import styles from '#web/features/shell/AccountMenu.module.css';
import { configQuery } from '#web/features/shell/queries.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Modal } from '#web/ui/Modal.tsx';

const themes: Record<Theme, { next: Theme; label: string; Icon: typeof Sun }> = {
  system: { next: 'light', label: 'Tema: ikut perangkat', Icon: Monitor },
  light: { next: 'dark', label: 'Tema: terang', Icon: Sun },
  dark: { next: 'system', label: 'Tema: gelap', Icon: Moon },
};

/** The foot of the sidebar: who is signed in, the theme, the way out. */
export function SidebarFoot() {
  const user = useUser();
  return (
    <div className={styles['foot']}>
      <Avatar name={user.name} size="sm" decorative />
      <span className={styles['who']}>
        <span className={styles['name']}>{user.name}</span>
        <span className={styles['phone']}>{formatPhone(user.phone)}</span>
      </span>
      <span className={styles['tools']}>
        <SimulatorLink />
        <ThemeButton />
        <SignOutButton />
      </span>
    </div>
  );
}

/** On phones the same, behind the avatar. */
export function AccountSheet() {
  const user = useUser();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  useEffect(() => {
    if (!open) return;
    // Where the sidebar stands, the sheet is out of sight, and the page behind it would stay inert.
    const wide = window.matchMedia('(min-width: 768px)');
    const look = () => setOpen(!wide.matches);
    wide.addEventListener('change', look);
    return () => wide.removeEventListener('change', look);
  }, [open]);
  return (
    <>
      <button
        type="button"
        className={styles['avatar']}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Avatar name={user.name} size="sm" decorative />
        <span className="sr-only">Akun {user.name}</span>
      </button>
      <Modal open={open} onClose={close} title={user.name} size="sm">
        <p className={styles['phone']}>{formatPhone(user.phone)}</p>
        <div className={styles['sheet']}>
          <ThemeButton wide />
          <SimulatorLink wide />
          <SignOutButton wide />
        </div>
      </Modal>
    </>
  );
}

function ThemeButton({ wide = false }: { wide?: boolean }) {
  const { next, label, Icon } = themes[useTheme()];
  return (
    <button
      type="button"
      className={wide ? styles['wide'] : styles['tool']}
      onClick={() => setTheme(next)}
      {...(wide ? {} : { 'aria-label': label, title: label })}
    >
      <Icon size={18} aria-hidden="true" />
      {wide && label}
    </button>
  );
}

function SignOutButton({ wide = false }: { wide?: boolean }) {
  const [busy, setBusy] = useState(false);
  const leave = () => {
    setBusy(true);
    void signOut();
  };
  if (!wide) {
    return (
      <button
        type="button"
        className={styles['tool']}
        aria-label="Keluar"
        title="Keluar"
        aria-busy={busy || undefined}
        onClick={() => busy || leave()}
      >
        <LogOut size={18} aria-hidden="true" />
      </button>
    );
  }
  return (
    <Button
      variant="outline"
      tone="neutral"
      size="lg"
      block
      busy={busy}
      icon={<LogOut size={18} />}
      onClick={leave}
    >
      Keluar
    </Button>
  );
}

/** Only where this installation has a simulated phone network. */
function SimulatorLink({ wide = false }: { wide?: boolean }) {
  const { data: config } = useQuery(configQuery);
  if (!config?.simulator) return null;
  return (
    <Link
      to="/simulator"
      className={wide ? styles['wide'] : styles['tool']}
      {...(wide ? {} : { 'aria-label': 'Simulator ponsel', title: 'Simulator ponsel' })}
    >
      <Smartphone size={18} aria-hidden="true" />
      {wide && 'Simulator ponsel'}
    </Link>
  );
}

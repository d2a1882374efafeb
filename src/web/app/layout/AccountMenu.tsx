import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '#web/browser/router/Link.tsx';
import { Keyboard, LogOut, Monitor, Moon, Smartphone, Sun, UserRound } from 'lucide-react';
import { useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { useChooseTheme } from '#web/features/profile/preferences/preferences.ts';
import type { Theme } from '#web/browser/theme.ts';
import { signOut, useUser } from '#web/api/user.ts';
import styles from '#web/app/layout/frame.module.css';
import { classes } from '#web/ui/classes.ts';
import { OverlayButton } from '#web/app/palette/OverlayButton.tsx';
import { configQuery } from '#web/api/configQuery.ts';
import { Avatar } from '#web/ui/avatar/Avatar.tsx';
import { useSheet } from '#web/ui/layout/BottomBar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Tooltip } from '#web/ui/overlay/Tooltip.tsx';

const themes: Record<Theme, { next: Theme; label: string; Icon: typeof Sun }> = {
  system: { next: 'light', label: 'Tema: ikut perangkat', Icon: Monitor },
  light: { next: 'dark', label: 'Tema: terang', Icon: Sun },
  dark: { next: 'system', label: 'Tema: gelap', Icon: Moon },
};

/** The sidebar's foot: the account, the theme and sign-out. With `icons`, names are tooltips. */
export function SidebarFoot({ icons }: { icons: boolean }) {
  const user = useUser();
  return (
    <div
      className={classes('grid align-center gap-8 gap-x-10 columns-start border-t', styles['foot'])}
    >
      <Tooltip text={`Profil ${isolated(user.name)}`} off={!icons}>
        <Link
          to="/profile"
          className={classes(
            'grid align-center gap-10 ink no-underline min-h-44 columns-start col-all py-4 px-6 rounded',
            styles['me'],
          )}
        >
          <span className="sr-only">Profil </span>
          <Portrait />
          <span className={classes('grid leading-14', styles['who'])}>
            <span className="truncate strong">{user.name}</span>
            <span className={classes('tiny faint num', styles['phone'])}>
              {formatPhone(user.phone)}
            </span>
          </span>
        </Link>
      </Tooltip>
      <span className={classes('flex gap-2 col-all', styles['tools'])}>
        <SimulatorLink />
        <ThemeButton />
        <HelpButton />
        <SignOutButton />
      </span>
    </div>
  );
}

function Portrait() {
  const { name, avatar } = useUser();
  return <Avatar name={name} size="sm" decorative {...(avatar !== null && { src: avatar })} />;
}

export function AccountSheet() {
  const user = useUser();
  const [open, setOpen] = useSheet();
  return (
    <>
      <button
        type="button"
        className="place-center size-44 rounded-full"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Portrait />
        <span className="sr-only">Akun {isolated(user.name)}</span>
      </button>
      <Modal open={open} onClose={() => setOpen(false)} title={user.name} size="sm" shape="sheet">
        <p className={classes('tiny faint num', styles['phone'])}>{formatPhone(user.phone)}</p>
        <AccountTools />
      </Modal>
    </>
  );
}

/** A line of the sheet on phones. */
const wideLook = classes(
  'row gap-12 ink strong no-underline min-h-44 px-12 rounded hover',
  styles['wide'],
);

/** A button at the foot of the sidebar. */
const ICON_LOOK = 'place-center size-36 rounded faint hover-line-ink';

export const AccountTools = () => (
  <div className={classes('grid gap-8', styles['sheet'])}>
    <Link to="/profile" className={wideLook}>
      <UserRound size={18} />
      Profil
    </Link>
    <ThemeButton wide />
    <SimulatorLink wide />
    <SignOutButton wide />
  </div>
);

function ThemeButton({ wide = false }: { wide?: boolean }) {
  const { next, label, Icon } = themes[useUser().theme];
  const chooseTheme = useChooseTheme();
  return (
    <Tooltip text={label} off={wide}>
      <button
        type="button"
        className={wide ? wideLook : ICON_LOOK}
        onClick={() => chooseTheme(next)}
        aria-label={wide ? undefined : label}
      >
        <Icon size={18} aria-hidden="true" />
        {wide && label}
      </button>
    </Tooltip>
  );
}

/** In the sidebar only: phones have no keyboard shortcuts. */
const HelpButton = () => (
  <OverlayButton
    opens="help"
    label="Pintasan papan ketik"
    keys="?"
    Icon={Keyboard}
    className={ICON_LOOK}
  />
);

function SignOutButton({ wide = false }: { wide?: boolean }) {
  const [busy, setBusy] = useState(false);
  const leave = () => {
    setBusy(true);
    void signOut();
  };
  if (!wide) {
    return (
      <Tooltip text="Keluar">
        <button
          type="button"
          className={ICON_LOOK}
          aria-label="Keluar"
          aria-busy={busy || undefined}
          onClick={() => busy || leave()}
        >
          <LogOut size={18} />
        </button>
      </Tooltip>
    );
  }
  return (
    <Button
      variant="outline"
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

/** Only in installations with a simulated phone network. */
function SimulatorLink({ wide = false }: { wide?: boolean }) {
  const { data: config } = useQuery(configQuery);
  if (!config?.simulator) return null;
  return (
    <Tooltip text="Simulator ponsel" off={wide}>
      <Link
        to="/simulator"
        className={wide ? wideLook : ICON_LOOK}
        aria-label={wide ? undefined : 'Simulator ponsel'}
      >
        <Smartphone size={18} />
        {wide && 'Simulator ponsel'}
      </Link>
    </Tooltip>
  );
}

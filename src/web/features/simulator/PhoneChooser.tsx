import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { type FormEvent, useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import styles from '#web/features/simulator/simulator.module.css';
import { classes } from '#web/ui/classes.ts';
import { writtenPeer } from '#contract/messages/peer.ts';
import { readPhone, rememberedPhones, withPhone } from '#web/features/simulator/phones.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';

export function PhoneChooser({ phone }: { phone: string }) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const open = (event: FormEvent) => {
    event.preventDefault();
    const selected = readPhone(typed);
    if (selected)
      void navigate({
        to: '/simulator',
        search: { phone: writtenPeer(selected) },
        resetScroll: false,
      });
    else setError('Tulis nomor ponsel, misalnya 0812-3456-7890.');
  };
  return (
    <Panel title="Pilih ponsel">
      <form
        noValidate
        className={classes('grid align-start gap-8 columns-end', styles['form'])}
        onSubmit={open}
      >
        <HomeTelephoneField
          label="Nomor ponsel mana saja"
          name="phone"
          autoComplete="off"
          value={typed}
          error={error}
          onChange={(digits) => {
            setTyped(digits);
            setError(undefined);
          }}
        />
        <Button type="submit" variant="subtle">
          Buka
        </Button>
      </form>
      <ul className="flex wrap gap-6 mt-12" aria-label="Ponsel yang pernah dibuka">
        {withPhone(rememberedPhones(), phone).map((one) => (
          <li key={one}>
            <Link
              to="/simulator"
              search={{ phone: writtenPeer(one) }}
              resetScroll={false}
              className={classes(
                'inline-flex align-center small muted num no-underline min-h-32 px-12 border rounded-full surface',
                styles['one'],
              )}
              aria-current={one === phone ? 'true' : undefined}
            >
              {formatPhone(one)}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

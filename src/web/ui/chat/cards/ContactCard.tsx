import { Check, Copy, MessageCircle, UserRound, UserRoundPlus } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { Button } from '#web/ui/button/Button.tsx';
import styles from '#web/ui/chat/cards/cards.module.css';
import { classes } from '#web/ui/classes.ts';
import { useCopy } from '#web/ui/copy/copyText.ts';
import { contactDigits, phoneHref, shortName } from '#web/ui/chat/chat.ts';
import { vcardFileName, vcardOf } from '#web/ui/chat/cards/vcard.ts';
import { saveFile } from '#web/ui/copy/saveFile.ts';

type Props = {
  name: string;
  /** In any notation; used in its 62 form. */
  phone: string;
  /** All numbers, if there are several; the first is `phone`. */
  phones?: readonly string[] | undefined;
  organization?: string | undefined;
  email?: string | undefined;
  onMessage?: ((digits: string) => void) | undefined;
};

export function ContactCard(props: Props) {
  const { name, phone, phones = [], organization = '', email = '', onMessage } = props;
  const id = useId();
  const digits = contactDigits(phone);
  const shown = shortName(name).trim();
  const [copied, copy] = useCopy(`+${digits}`);
  const save = () =>
    saveFile(
      vcardFileName(shown),
      new Blob([vcardOf({ name, phone, phones, organization, email })], { type: 'text/vcard' }),
    );
  return (
    <div
      role="group"
      aria-labelledby={id}
      className={classes('grid align-center gap-10 max-w-full columns-start', styles['card'])}
    >
      <span className={classes('place-center text-accent size-40 rounded-full', styles['icon'])}>
        <UserRound size={20} />
      </span>
      <span className="grid justify-items-start">
        <bdi id={id} className="max-w-full truncate strong" title={shown}>
          {shown || 'Kontak tanpa nama'}
        </bdi>
        {organization !== '' && (
          <bdi className="max-w-full truncate small muted">{shortName(organization)}</bdi>
        )}
        {digits === '' ? (
          <span className="small faint">Tanpa nomor</span>
        ) : (
          <a href={phoneHref(phone)} className={classes('min-h-24 num', styles['phone'])}>
            {formatPhone(digits)}
          </a>
        )}
        {phones.slice(1).map((other) => (
          <a
            key={other}
            href={phoneHref(other)}
            className={classes('min-h-24 num', styles['phone'])}
          >
            {formatPhone(contactDigits(other))}
          </a>
        ))}
        {email !== '' && <bdi className="max-w-full truncate small muted">{email}</bdi>}
      </span>
      {(digits !== '' || email !== '') && (
        <span className="flex wrap gap-8 col-all">
          {digits !== '' && (
            <Action icon={copied ? Check : Copy} about={id} onClick={copy}>
              <span aria-live="polite">{copied ? 'Tersalin' : 'Salin'}</span>
            </Action>
          )}
          {digits !== '' && onMessage && (
            <Action icon={MessageCircle} about={id} onClick={() => onMessage(digits)}>
              Kirim pesan
            </Action>
          )}
          <Action icon={UserRoundPlus} about={id} onClick={save}>
            Simpan kontak
          </Action>
        </span>
      )}
    </div>
  );
}

type ActionProps = {
  icon: typeof Copy;
  about: string;
  onClick: () => void;
  children: ReactNode;
};

const Action = ({ icon: Icon, about, onClick, children }: ActionProps) => (
  <Button
    size="sm"
    variant="outline"
    icon={<Icon size={16} aria-hidden="true" />}
    aria-describedby={about}
    onClick={onClick}
  >
    {children}
  </Button>
);

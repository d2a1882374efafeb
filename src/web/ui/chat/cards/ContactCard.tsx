import { Check, Copy, MessageCircle, UserRound, UserRoundPlus } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { Button } from '#web/ui/button/Button.tsx';
import styles from '#web/ui/chat/cards/ContactCard.module.css';
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
    <div role="group" aria-labelledby={id} className={styles['card']}>
      <span className={styles['icon']}>
        <UserRound size={20} aria-hidden="true" />
      </span>
      <span className={styles['who']}>
        <bdi id={id} className={styles['name']} title={shown}>
          {shown || 'Kontak tanpa nama'}
        </bdi>
        {organization !== '' && (
          <bdi className={styles['organization']}>{shortName(organization)}</bdi>
        )}
        {digits === '' ? (
          <span className={styles['none']}>Tanpa nomor</span>
        ) : (
          <a href={phoneHref(phone)} className={styles['phone']}>
            {formatPhone(digits)}
          </a>
        )}
        {phones.slice(1).map((other) => (
          <a key={other} href={phoneHref(other)} className={styles['phone']}>
            {formatPhone(contactDigits(other))}
          </a>
        ))}
        {email !== '' && <bdi className={styles['organization']}>{email}</bdi>}
      </span>
      {(digits !== '' || email !== '') && (
        <span className={styles['actions']}>
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
    tone="neutral"
    icon={<Icon size={16} aria-hidden="true" />}
    aria-describedby={about}
    onClick={onClick}
  >
    {children}
  </Button>
);

import { useEffect, useRef, useState } from 'react';
import { normalizePhone } from '#contract/base/written-number.ts';
import styles from '#web/features/support/support.module.css';
import { classes } from '#web/ui/classes.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { readVcard, type Contact } from '#web/ui/chat/cards/vcard.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { PhoneField } from '#web/ui/phone/PhoneField.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = { onSend: (contact: Contact) => void; onClose: () => void };

const NAME_MAX = 100;
const NO_CONTACT = 'Berkas ini bukan kartu kontak. Tulis nama dan nomornya di sini.';

const check = ({ name, phone }: Contact) => ({
  ...(name.trim() === '' && { name: 'Tulis namanya.' }),
  ...(phone.length < 8 && { phone: 'Tulis nomornya, minimal delapan angka.' }),
});

export function ContactForm({ onSend, onClose }: Props) {
  const form = useForm<Contact>({ name: '', phone: '' }, check);
  const { ref, set, submit } = form;
  useEffect(() => ref.current?.querySelector('input')?.focus(), [ref]);
  return (
    // Escape anywhere inside leaves the form, as its button does.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={ref}
      noValidate
      aria-label="Kirim kontak"
      className={classes('grid gap-12 border-t', styles['form'])}
      onSubmit={submit(({ name, phone }) => onSend({ name: name.trim(), phone }))}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className={classes('grid gap-12', styles['fields'])}>
        <TextField label="Nama" maxLength={NAME_MAX} {...form.field('name')} />
        <PhoneField label="Nomor" {...form.field('phone')} />
      </div>
      <div className="row wrap gap-8">
        <CardFile
          onRead={({ name, phone }) => {
            set('name', name.slice(0, NAME_MAX));
            set('phone', normalizePhone(phone));
          }}
        />
        <Button size="sm" variant="outline" onClick={onClose}>
          Batal
        </Button>
        <Button size="sm" type="submit">
          Kirim kontak
        </Button>
      </div>
    </form>
  );
}

function CardFile({ onRead }: { onRead: (contact: Contact) => void }) {
  const [fault, setFault] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const read = async (card: File | undefined) => {
    if (!card) return;
    const contact = readVcard(await card.text().catch(() => ''));
    setFault(contact ? '' : NO_CONTACT);
    if (contact) onRead(contact);
  };
  return (
    <span className="row wrap gap-8 grow">
      <input
        ref={file}
        type="file"
        accept=".vcf,text/vcard"
        aria-label="Kartu kontak (.vcf)"
        hidden
        onChange={({ target }) => {
          void read(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button size="sm" variant="link" tone="neutral" onClick={() => file.current?.click()}>
        Pilih berkas .vcf
      </Button>
      {fault && (
        <span role="alert" className="small text-danger">
          {fault}
        </span>
      )}
    </span>
  );
}

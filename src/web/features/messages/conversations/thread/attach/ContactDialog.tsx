import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatPhone } from '#contract/base/phone.ts';
import { formatPeer, isHiddenPeer } from '#contract/messages/peer.ts';
import { sendContact } from '#contract/messages/sending.ts';
import { CARD_MAX } from '#contract/rest/endpoint.ts';
import { MESSAGE_QUERY_MAX } from '#contract/messages.ts';
import { conversationsQuery } from '#web/features/messages/conversations/queries.ts';
import type { CardToSend } from '#web/features/messages/conversations/thread/sending.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { useForm, type Form } from '#web/ui/form/useForm.ts';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { SearchField } from '#web/ui/text/SearchField.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  to: { token_id: string; to: string };
  onSend: (card: CardToSend) => void;
  onClose: () => void;
};

const initial = { name: '', phone: '', organization: '' };
type Values = typeof initial;

export function ContactDialog({ to, onSend, onClose }: Props) {
  const form = useForm(initial, (values) =>
    fieldErrors(sendContact, { ...to, ...values, phone: `+${values.phone}` }),
  );
  const { ref, submit } = form;
  const [isChoosing, setChoosing] = useState(false);
  const send = submit(({ name, phone, organization }) => {
    onSend({ name: name.trim(), phone, organization: organization.trim() || undefined });
    onClose();
  });
  return (
    <Modal open onClose={onClose} title="Kirim kontak">
      <form ref={ref} noValidate className="stack gap-16" onSubmit={send}>
        <TextField
          label="Nama"
          required
          autoComplete="off"
          maxLength={CARD_MAX.name}
          {...form.field('name')}
        />
        <HomeTelephoneField label="Nomor telepon" required {...form.field('phone')} />
        <TextField
          label="Organisasi (opsional)"
          autoComplete="off"
          placeholder="Toko Ani"
          maxLength={CARD_MAX.organization}
          {...form.field('organization')}
        />
        {isChoosing ? (
          <FromConversations form={form} onChosen={() => setChoosing(false)} />
        ) : (
          <div>
            <Button
              variant="outline"
              size="sm"
              aria-expanded="false"
              onClick={() => setChoosing(true)}
            >
              Pilih dari percakapan
            </Button>
          </div>
        )}
        <div className="flex wrap justify-end gap-8">
          <Button variant="outline" onClick={onClose}>
            Batal
          </Button>
          <Button type="submit">Kirim kontak</Button>
        </div>
      </form>
    </Modal>
  );
}

type FromProps = { form: Form<Values>; onChosen: () => void };

function FromConversations({ form: { set, ref }, onChosen }: FromProps) {
  const [q, setQ] = useState('');
  const { data } = useQuery(conversationsQuery({ q }));
  const people = new Map(
    (data?.rows ?? [])
      .filter(({ peer }) => !isHiddenPeer(peer))
      .map(({ peer, peer_name }) => [peer, peer_name]),
  );
  const choose = (peer: string, name: string | null) => {
    set('name', name ?? formatPhone(peer));
    set('phone', peer);
    onChosen();
    ref.current?.querySelector('input')?.focus();
  };
  return (
    <>
      <SearchField
        label="Cari percakapan"
        placeholder="Nama atau nomor"
        maxLength={MESSAGE_QUERY_MAX}
        value={q}
        onSearch={setQ}
      />
      {people.size === 0 ? (
        <p className="small muted" role="status">
          {data ? 'Tidak ada percakapan yang cocok.' : 'Memuat percakapan…'}
        </p>
      ) : (
        <ul
          className="stack plain-list border rounded-lg overflow-y divided max-h-list"
          aria-label="Percakapan"
        >
          {[...people].map(([peer, name]) => (
            <li key={peer}>
              <button
                type="button"
                className="stack gap-2 w-full text-start min-h-52 py-8 px-12 hover ring-inset"
                onClick={() => choose(peer, name)}
              >
                <bdi className="truncate strong">{name ?? formatPeer(peer)}</bdi>
                {name !== null && <span className="tiny faint">{formatPeer(peer)}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

import { writtenPeer } from '#contract/messages/peer.ts';
import { useQueryClient } from '@tanstack/react-query';
import { TEXT_MAX } from '#contract/messages.ts';
import { simulatedReply } from '#contract/simulator.ts';
import { fieldsOf, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { PhoneHead } from '#web/features/simulator/phone/PhoneHead.tsx';
import { readPhone } from '#web/features/simulator/phones.ts';
import { phoneQuery } from '#web/features/simulator/queries.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { HomeTelephoneField } from '#web/ui/phone/TelephoneField.tsx';
import { TextArea } from '#web/ui/text/TextField.tsx';

type Props = { phone: string; onBack: () => void; onSent: (peer: string) => void };

export function NewChat({ phone, onBack, onSent }: Props) {
  const client = useQueryClient();
  const form = useForm({ to: '', text: '' }, (values) =>
    fieldErrors(simulatedReply, {
      ...values,
      phone: writtenPeer(phone),
      to: writtenPeer(values.to),
    }),
  );
  const send = useAct(simulatedReply, {
    onSuccess: (after) => {
      client.setQueryData(phoneQuery(phone).queryKey, after);
      onSent(readPhone(form.values.to) ?? form.values.to);
    },
    onError: form.refuse,
  });
  const above = send.error && Object.keys(fieldsOf(send.error)).length === 0;
  return (
    <>
      <PhoneHead title="Pesan baru" onBack={onBack} />
      <form
        ref={form.ref}
        noValidate
        className="grid content-start gap-16 grow p-20 overflow-y"
        onSubmit={form.submit((values) => {
          if (!send.busy)
            send.mutate({ ...values, phone: writtenPeer(phone), to: writtenPeer(values.to) });
        })}
      >
        <Alert
          state="danger"
          visible={Boolean(above)}
          label={send.error ? sentenceOf(send.error) : ''}
        />
        <HomeTelephoneField
          label="Kepada"
          required
          name="to"
          autoComplete="off"
          help="Nomor yang tersambung ke sebuah token."
          value={form.values.to}
          error={form.errors.to}
          onChange={(digits) => form.set('to', digits)}
          onBlur={() => form.leave('to')}
        />
        <TextArea
          label="Pesan"
          required
          name="text"
          maxLength={TEXT_MAX}
          value={form.values.text}
          error={form.errors.text}
          onChange={(event) => form.set('text', event.target.value)}
          onBlur={() => form.leave('text')}
        />
        <Button type="submit" size="lg" block busy={send.busy}>
          Kirim
        </Button>
      </form>
    </>
  );
}

import type { Act, InputFor } from '#contract/base/act.ts';
import type { CloudAccess, CloudConnection } from '#contract/channels.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import type { AnswerOf } from '#web/api/answer.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { TextField } from '#web/ui/text/TextField.tsx';

const fields = [
  {
    name: 'phone_number_id',
    label: 'Phone number ID',
    help: 'Di Meta for Developers: App Anda › WhatsApp › API Setup. Bukan nomor teleponnya.',
    secret: false,
  },
  {
    name: 'waba_id',
    label: 'WhatsApp Business Account ID',
    help: 'Di halaman yang sama, di bawah Phone number ID.',
    secret: false,
  },
  {
    name: 'access_token',
    label: 'Access token',
    help: 'Pakai token permanen dari System user, dengan izin whatsapp_business_messaging dan whatsapp_business_management.',
    secret: true,
  },
  {
    name: 'app_secret',
    label: 'App secret',
    help: 'Di App Anda › App settings › Basic. Dipakai Kabari untuk memastikan bahwa kabar benar-benar datang dari Meta.',
    secret: true,
  },
] as const;
const names = fields.map(({ name }) => name);

type Props<A extends Act> = {
  act: A;
  inputOf: (entered: CloudAccess) => InputFor<A>;
  known: CloudConnection | null;
  /** The form starts with focus on its first field. */
  isFirst: boolean;
  onDone: (answer: AnswerOf<A>) => void;
  /** Cancels the change; left out: there is nothing to go back to. */
  onCancel?: () => void;
};

// React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute.
const startHere = (input: HTMLInputElement | null) => {
  input?.setAttribute('autofocus', '');
  input?.focus();
};

/** Both secrets are entered again each time, and never shown afterwards. */
export function CloudForm<A extends Act>({
  act,
  inputOf,
  known,
  isFirst,
  onDone,
  onCancel,
}: Props<A>) {
  const { form, onSubmit, busy, error } = useActForm(act, {
    initial: {
      phone_number_id: known?.phone_number_id ?? '',
      waba_id: known?.waba_id ?? '',
      access_token: '',
      app_secret: '',
    },
    inputOf,
    onDone: (answer) => onDone(answer),
    fieldOf: { phone_taken: 'phone_number_id' },
  });
  const first = known ? 'access_token' : 'phone_number_id';
  return (
    <form ref={form.ref} noValidate autoComplete="off" className="stack gap-16" onSubmit={onSubmit}>
      <RefusalAlert error={error} fields={names} />
      {fields.map(({ name, label, help, secret }) => (
        <TextField
          key={name}
          {...(isFirst && name === first && { ref: startHere })}
          label={label}
          name={name}
          required
          type={secret ? 'password' : 'text'}
          {...(!secret && { inputMode: 'numeric' as const })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          help={help}
          value={form.values[name]}
          error={form.errors[name]}
          onChange={(event) => form.set(name, event.target.value)}
          onBlur={() => form.leave(name)}
        />
      ))}
      <p className="small faint">
        Access token dan app secret disimpan terenkripsi dan tidak pernah ditampilkan lagi.
      </p>
      <PasswordQuestion quiet of={act} />
      <div className="flex wrap gap-8">
        <Button type="submit" busy={busy}>
          {known ? 'Simpan dan sambungkan' : 'Sambungkan nomor'}
        </Button>
        {onCancel && (
          <Button variant="outline" onClick={onCancel}>
            Batal
          </Button>
        )}
      </div>
    </form>
  );
}

import { useState } from 'react';
import { civilDate } from '#contract/base/time.ts';
import { scopes, type Token } from '#contract/tokens.ts';
import { ACCESS_LIMITS, updateTokenAccess } from '#contract/token-access.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { expiryOf, scopeLabel, showDay } from '#web/features/tokens/access/labels.ts';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { DatePicker } from '#web/ui/date/DatePicker.tsx';
import { dateWords } from '#web/ui/date/dates.ts';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import { CheckboxGroup } from '#web/ui/form/CheckboxGroup.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { TextArea } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

const options = scopes.map((value) => ({
  value,
  label: scopeLabel[value].title,
  help: scopeLabel[value].means,
}));

/** Adds years to a civil date; 29 February becomes the day before it. */
const yearsAfter = (day: string, years: number): string => {
  const later = `${Number(day.slice(0, 4)) + years}${day.slice(4)}`;
  return later.endsWith('-02-29') ? later.replace(/29$/, '28') : later;
};

const valuesOf = ({ access }: Token) => ({
  scopes: access.scopes as readonly string[],
  addresses: access.addresses.join('\n'),
  expires_on: access.expires_on ?? '',
  key_in_address: access.key_in_address,
});

const inputOf = (token: Token, values: ReturnType<typeof valuesOf>) => ({
  token_id: token.id,
  ...values,
  scopes: scopes.filter((one) => values.scopes.includes(one)),
  key_in_address: values.key_in_address ? ('1' as const) : ('0' as const),
});

export function TokenAccessPart({ token }: { token: Token }) {
  const changed = useTokenChanged();
  const [today] = useState(() => civilDate(new Date()));
  const { form, onSubmit, busy, error } = useActForm(updateTokenAccess, {
    initial: valuesOf(token),
    inputOf: (values) => inputOf(token, values),
    onDone: (saved, { set }) => {
      changed(saved);
      set('addresses', saved.access.addresses.join('\n'));
      toast('Izin dan batas akses disimpan.', { tone: 'success' });
    },
  });
  return (
    <section className={styles['part']}>
      <h4>Izin &amp; batas akses</h4>
      <Expiry token={token} today={today} />
      <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
        <RefusalAlert error={error} fields={['scopes', 'addresses', 'expires_on']} />
        <CheckboxGroup
          legend="Izin"
          required
          name="scopes"
          help="Permintaan di luar izin ini ditolak."
          options={options}
          value={form.values.scopes}
          error={form.errors.scopes}
          onChange={(next) => form.set('scopes', next)}
        />
        <TextArea
          label="Alamat yang diizinkan"
          rows={3}
          spellCheck={false}
          autoComplete="off"
          placeholder={'203.0.113.7\n2001:db8::/32'}
          help="Satu alamat IP atau rentang (CIDR) per baris. Kosongkan bila boleh dari mana saja."
          {...form.field('addresses')}
        />
        <DatePicker
          single
          autoApply
          label="Berlaku sampai"
          labels={dateWords}
          placeholder="Tanpa batas waktu"
          help="Sampai akhir hari itu (WIB). Sesudahnya semua permintaan ditolak."
          min={today}
          max={yearsAfter(today, ACCESS_LIMITS.years)}
          value={form.values.expires_on || null}
          error={form.errors.expires_on}
          onChange={(day) => form.set('expires_on', day ?? '')}
        />
        <Checkbox
          name="key_in_address"
          label="Terima kunci di alamat (URL)"
          help="Sebagian sistem hanya dapat mengirim ?token= atau ?access_token=. Bila sistem Anda memakai header, matikan: alamat tersimpan di log dan riwayat."
          checked={form.values.key_in_address}
          onChange={(event) => form.set('key_in_address', event.target.checked)}
        />
        <Save busy={busy} />
      </form>
    </section>
  );
}

const Save = ({ busy }: { busy: boolean }) => (
  <>
    <PasswordQuestion quiet of={updateTokenAccess} />
    <div>
      <Button type="submit" variant="subtle" busy={busy}>
        Simpan izin
      </Button>
    </div>
  </>
);

function Expiry({ token, today }: { token: Token; today: string }) {
  const state = expiryOf(token, today);
  const day = token.access.expires_on;
  if (day === null || (state !== 'over' && state !== 'soon')) return null;
  return (
    <Alert
      visible
      state={state === 'over' ? 'danger' : 'warning'}
      label={
        state === 'over'
          ? `Masa berlaku token ini habis pada ${showDay(day)}.`
          : `Token ini berlaku sampai ${showDay(day)}.`
      }
    >
      <p>
        {state === 'over'
          ? 'Semua permintaan dengan kuncinya ditolak. Pilih tanggal baru untuk memakainya lagi.'
          : 'Sesudah itu permintaan dengan kuncinya ditolak. Perpanjang bila masih dipakai.'}
      </p>
    </Alert>
  );
}

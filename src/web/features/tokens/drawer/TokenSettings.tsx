import { updateToken, type Token } from '#contract/tokens.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

export function TokenSettings({ token }: { token: Token }) {
  const changed = useTokenChanged();
  const { form, onSubmit, busy, error } = useActForm(updateToken, {
    initial: { name: token.name, daily_limit: String(token.daily_limit) },
    // An unchanged name is not validated again: it may be older than the rules for names.
    inputOf: ({ name, ...values }) => ({
      token_id: token.id,
      ...(name !== token.name && { name }),
      ...values,
    }),
    onDone: (saved) => {
      changed(saved);
      toast('Perubahan disimpan.', { tone: 'success' });
    },
  });
  return (
    <section className={styles['part']}>
      <h4>Pengaturan</h4>
      <form ref={form.ref} noValidate className="stack gap-16" onSubmit={onSubmit}>
        <RefusalAlert error={error} fields={['name', 'daily_limit']} />
        <TextField
          label="Nama"
          required
          name="name"
          autoComplete="off"
          value={form.values.name}
          error={form.errors.name}
          onChange={(event) => form.set('name', event.target.value)}
          onBlur={() => form.leave('name')}
        />
        <TextField
          label="Batas harian"
          required
          name="daily_limit"
          inputMode="numeric"
          autoComplete="off"
          suffix="pesan"
          help="Pesan di atas batas ini ditolak sampai hari berganti."
          value={form.values.daily_limit}
          error={form.errors.daily_limit}
          onChange={(event) => form.set('daily_limit', event.target.value.replace(/\D/g, ''))}
          onBlur={() => form.leave('daily_limit')}
        />
        <div>
          <Button type="submit" variant="subtle" busy={busy}>
            Simpan
          </Button>
        </div>
      </form>
    </section>
  );
}

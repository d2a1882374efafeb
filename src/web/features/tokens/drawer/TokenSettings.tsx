import { updateToken, type Token } from '#contract/tokens.ts';
import { useAct } from '#web/api/query.ts';
import { useForm } from '#web/ui/form/useForm.ts';
import { fieldErrors } from '#web/ui/form/fieldErrors.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { useTokenChanged } from '#web/features/tokens/queries.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { toast } from '#web/ui/toast/toasts.ts';

/** A token's name and how many messages it may send in a day. */
export function TokenSettings({ token }: { token: Token }) {
  const changed = useTokenChanged();
  const update = useAct(updateToken);
  const form = useForm({ name: token.name, daily_limit: String(token.daily_limit) }, (values) =>
    fieldErrors(updateToken, { token_id: token.id, ...values }),
  );
  const save = async (values: typeof form.values) => {
    if (update.busy) return;
    try {
      changed(await update.perform({ token_id: token.id, ...values }));
      toast('Perubahan disimpan.', { tone: 'success' });
    } catch (no) {
      form.refuse(no);
    }
  };
  return (
    <section className={styles['part']}>
      <h3>Pengaturan</h3>
      <form ref={form.ref} noValidate className={styles['settings']} onSubmit={form.submit(save)}>
        <RefusalAlert error={update.error} fields={['name', 'daily_limit']} />
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
          <Button type="submit" variant="subtle" busy={update.busy}>
            Simpan
          </Button>
        </div>
      </form>
    </section>
  );
}

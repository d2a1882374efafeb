import type { ReactNode } from 'react';
import {
  eventTypes,
  saveWebhook,
  WEBHOOK_LIMITS,
  webhookFormats,
  type SavedWebhook,
  type Webhook,
} from '#contract/webhooks.ts';
import { PasswordQuestion } from '#web/features/auth/auth.ts';
import { formatLabel } from '#web/features/webhooks/labels.ts';
import {
  selectedIn,
  formatIn,
  kindsIn,
  offeredIn,
  withSelection,
} from '#web/features/webhooks/manage/kinds.ts';
import styles from '#web/features/webhooks/webhooks.module.css';
import { classes } from '#web/ui/classes.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { CheckboxGroup } from '#web/ui/form/CheckboxGroup.tsx';
import { useActForm } from '#web/ui/form/useActForm.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Values = { url: string; format: string; kinds: readonly string[]; verify_token: string };

const valuesOf = (webhook: Webhook | undefined): Values => ({
  url: webhook?.url ?? '',
  format: webhook?.format ?? 'kabari',
  kinds: webhook?.kinds ?? eventTypes,
  verify_token: webhook?.verify_token ?? '',
});

function inputOf(
  tokenId: string,
  webhook: Webhook | undefined,
  { url, format: given, kinds, verify_token: typed }: Values,
) {
  const format = formatIn(given);
  const verifyToken = typed.trim();
  const isNew = format === 'cloud' && verifyToken !== (webhook?.verify_token ?? '');
  return {
    token_id: tokenId,
    url,
    format,
    ...kindsIn(format, kinds),
    ...(isNew && { verify_token: verifyToken === '' ? null : verifyToken }),
  };
}

const formatOptions = webhookFormats.map((value) => ({ value, label: formatLabel[value] }));

/** The state of a `WebhookForm`. @param webhook as it is saved; undefined for a new one. */
export const useWebhookForm = (
  tokenId: string,
  webhook: Webhook | undefined,
  onSaved: (saved: SavedWebhook) => void,
) =>
  useActForm(saveWebhook, {
    initial: valuesOf(webhook),
    inputOf: (values) => inputOf(tokenId, webhook, values),
    onDone: onSaved,
  });

type Props = ReturnType<typeof useWebhookForm> & {
  id?: string;
  children?: ReactNode;
};

export function WebhookForm({ id, form, onSubmit, error, children }: Props) {
  const format = formatIn(form.values.format);
  return (
    <form
      id={id}
      ref={form.ref}
      noValidate
      className={classes('stack gap-16', styles['form'])}
      onSubmit={onSubmit}
    >
      <RefusalAlert error={error} fields={['url', 'format', 'kinds', 'verify_token']} />
      <TextField
        label="Alamat webhook"
        required
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://toko.example/kabari"
        help="Alamat https umum. Saat disimpan, Kabari mengirim uji coba ke sana."
        {...form.field('url')}
      />
      <Select
        label="Format"
        name="format"
        options={formatOptions}
        help="Format isi yang dikirim. Pilih layanan lain bila kode Anda sudah dibuat untuknya."
        value={form.values.format}
        error={form.errors.format}
        onChange={(event) => form.set('format', event.target.value)}
      />
      {format === 'cloud' && (
        <TextField
          label="Verify token"
          autoComplete="off"
          spellCheck={false}
          maxLength={WEBHOOK_LIMITS.verifyTokenLength}
          help="Kata yang diharapkan program Anda saat alamatnya diperiksa. Kosongkan untuk memakai buatan Kabari."
          {...form.field('verify_token')}
        />
      )}
      <div className={styles['kinds']}>
        <CheckboxGroup
          legend="Peristiwa"
          required
          name="kinds"
          all="Semua peristiwa, juga yang baru nanti"
          options={offeredIn(format).map((one) => ({ ...one, help: <code>{one.value}</code> }))}
          value={selectedIn(format, form.values.kinds)}
          error={form.errors.kinds}
          onChange={(next) => form.set('kinds', withSelection(format, form.values.kinds, next))}
        />
      </div>
      <PasswordQuestion of={saveWebhook} quiet={id === undefined} />
      {children}
    </form>
  );
}

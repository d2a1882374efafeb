import { PACE_MAX, type Campaign } from '#contract/campaigns.ts';
import { formatNumber } from '#contract/base/money.ts';
import type { DraftValues } from '#web/features/campaigns/draft/content.ts';
import layout from '#web/ui/layout/layout.module.css';
import { formatDateTimeZone } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const whens = [
  { value: 'now', label: 'Langsung dikirim' },
  { value: 'later', label: 'Pada waktu tertentu' },
];

const mostWords = ({ token_pace: most }: Campaign): string =>
  most === null
    ? 'secepat jaringannya menerima'
    : `${formatNumber(Math.min(most, PACE_MAX))} per menit`;

export function TimeFields({ form, campaign }: { form: Form<DraftValues>; campaign: Campaign }) {
  const { values, errors } = form;
  const zoneName = formatDateTimeZone(new Date(), useUser().timezone).split(' ').at(-1);
  return (
    <>
      <div className={layout['pair']}>
        <Select
          label="Mulai"
          options={whens}
          value={values.when}
          onChange={({ target }) => form.set('when', target.value)}
        />
        {values.when === 'later' && (
          <TextField
            label={`Tanggal dan jam (${zoneName})`}
            required
            type="datetime-local"
            value={values.at}
            error={errors.at}
            onChange={({ target }) => form.set('at', target.value)}
            onBlur={() => form.leave('at')}
          />
        )}
      </div>
      <TextField
        label="Batas kecepatan (opsional)"
        inputMode="numeric"
        autoComplete="off"
        suffix="pesan per menit"
        help={`Dikosongkan: ${mostWords(campaign)}. Kecepatan yang lebih pelan lebih aman bagi nomor WhatsApp.`}
        value={values.pace}
        error={errors.pace}
        onChange={({ target }) => form.set('pace', target.value)}
        onBlur={() => form.leave('pace')}
      />
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  type Broadcast,
  BroadcastAudience,
  broadcastAudienceLabel,
  broadcastAudiences,
  changeBroadcast,
  createBroadcast,
} from '#contract/operator/broadcasts.ts';
import { formatNumber } from '#contract/base/money.ts';
import { BroadcastNotice } from '#web/features/broadcasts/broadcasts.ts';
import {
  type Typed,
  inputOf,
  peopleOf,
  typedFrom,
} from '#web/features/operator/broadcasts/broadcastForm.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import styles from '#web/features/operator/form/form.module.css';
import { MomentField } from '#web/features/operator/form/MomentField.tsx';
import { useOperatorForm } from '#web/features/operator/form/useOperatorForm.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  broadcast: Broadcast | undefined;
  onDone: () => void;
  onDirty: (isDirty: boolean) => void;
};

export const BroadcastForm = ({ broadcast, ...rest }: Props) =>
  broadcast ? <Change broadcast={broadcast} {...rest} /> : <Create {...rest} />;

function Create({ onDone, onDirty }: Omit<Props, 'broadcast'>) {
  const { data } = useQuery(actQuery(broadcastAudiences, {}));
  const { form, onSubmit } = useOperatorForm(createBroadcast, {
    initial: typedFrom(undefined),
    inputOf,
    question: (typed) => ({
      title: typed.from === '' ? 'Tayangkan sekarang?' : 'Jadwalkan pengumuman ini?',
      text: `Dibaca ${formatNumber(peopleOf(typed, data))} orang${waysOf(typed)}.`,
      button: typed.from === '' ? 'Tayangkan' : 'Jadwalkan',
    }),
    said: ({ state }) => (state === 'shown' ? 'Pengumuman tayang.' : 'Pengumuman dijadwalkan.'),
    onDone,
  });
  return <Fields form={form} onSubmit={onSubmit} onDirty={onDirty} button="Tayangkan" />;
}

function Change({ broadcast, onDone, onDirty }: Props & { broadcast: Broadcast }) {
  const { form, onSubmit } = useOperatorForm(changeBroadcast, {
    initial: typedFrom(broadcast),
    inputOf: (typed: Typed) => ({ broadcast_id: broadcast.id, ...inputOf(typed) }),
    question: () => ({
      title: 'Simpan perubahan?',
      text: 'Pengumuman ini belum tayang, jadi belum ada yang membacanya.',
      button: 'Simpan',
    }),
    said: () => 'Pengumuman disimpan.',
    onDone,
  });
  return <Fields form={form} onSubmit={onSubmit} onDirty={onDirty} button="Simpan perubahan" />;
}

const waysOf = ({ by_push, by_message }: Typed): string => {
  const ways = [
    ...(by_push ? ['pemberitahuan browser'] : []),
    ...(by_message ? ['pesan ke ponsel'] : []),
  ];
  return ways.length > 0 ? `, juga lewat ${ways.join(' dan ')}` : '';
};

type FieldsProps = {
  form: Form<Typed>;
  onSubmit: ReturnType<typeof useOperatorForm>['onSubmit'];
  onDirty: Props['onDirty'];
  button: string;
};

const tones = [
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Peringatan' },
];

function Fields({ form, onSubmit, onDirty, button }: FieldsProps) {
  const { values, errors, set, leave } = form;
  const [first] = useState(values);
  useEffect(() => onDirty(values !== first), [values, first, onDirty]);
  type Texts = 'title' | 'text';
  const field = (name: Texts) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: (event: { target: { value: string } }) => set(name, event.target.value),
    onBlur: () => leave(name),
  });
  return (
    <form ref={form.ref} noValidate className={styles['form']} onSubmit={onSubmit}>
      <TextField label="Judul" required maxLength={80} autoComplete="off" {...field('title')} />
      <TextArea
        label="Isi"
        required
        rows={4}
        maxLength={600}
        help="Alamat https:// menjadi tautan otomatis."
        {...field('text')}
      />
      <Select
        label="Jenis"
        name="tone"
        options={tones}
        value={values.tone}
        onChange={(event) => set('tone', event.target.value)}
      />
      <Audience form={form} />
      <Shown form={form} />
      <Checkbox
        label="Juga pemberitahuan browser"
        help="Ke browser pelanggan yang menyalakannya."
        checked={values.by_push}
        onChange={(event) => set('by_push', event.target.checked)}
      />
      <Checkbox
        label="Juga pesan ke ponsel"
        help="Lewat token sistem, tanpa biaya, sesudah semua kode verifikasi. Yang pernah membalas STOP tidak dikirimi."
        checked={values.by_message}
        onChange={(event) => set('by_message', event.target.checked)}
      />
      <Panel title="Yang dilihat pelanggan">
        <BroadcastNotice
          title={values.title || 'Judul'}
          text={values.text || 'Isi pengumuman'}
          tone={values.tone === 'warning' ? 'warning' : 'info'}
        />
      </Panel>
      <div className={styles['actions']}>
        <Button type="submit">{button}</Button>
      </div>
    </form>
  );
}

const Shown = ({ form }: { form: Form<Typed> }) => (
  <div className={styles['pair']}>
    <MomentField
      form={form}
      name="from"
      label="Mulai (WIB)"
      timeLabel="Jam mulai"
      placeholder="Sekarang juga"
    />
    <MomentField form={form} name="until" label="Sampai (WIB)" timeLabel="Jam selesai" required />
  </div>
);

function Audience({ form: { values, errors, set } }: { form: Form<Typed> }) {
  const { data } = useQuery(actQuery(broadcastAudiences, {}));
  const people = (n: number | undefined) => (n === undefined ? '' : ` (${formatNumber(n)})`);
  const of = { all: data?.all, linked: data?.linked, plan: undefined };
  return (
    <>
      <Select
        label="Untuk"
        name="audience"
        options={BroadcastAudience().options.map((one) => ({
          value: one,
          label: `${broadcastAudienceLabel[one]}${people(of[one])}`,
        }))}
        value={values.audience}
        error={errors.audience}
        onChange={(event) => set('audience', event.target.value)}
      />
      {values.audience === 'plan' && (
        <Select
          label="Paket"
          name="plan"
          required
          placeholder="Pilih paket"
          options={(data?.plans ?? []).map(({ code, name, people: n }) => ({
            value: code,
            label: `${name}${people(n)}`,
          }))}
          value={values.plan}
          error={errors.plan}
          onChange={(event) => set('plan', event.target.value)}
        />
      )}
    </>
  );
}

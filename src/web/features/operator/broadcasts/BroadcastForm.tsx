import { useQuery } from '@tanstack/react-query';
import type { InputFor, OutputOf } from '#contract/base/act.ts';
import { formatNumber } from '#contract/base/money.ts';
import {
  type Broadcast,
  BroadcastAudience,
  type BroadcastTone,
  broadcastAudienceLabel,
  broadcastAudiences,
  changeBroadcast,
  createBroadcast,
} from '#contract/operator/broadcasts.ts';
import { BroadcastNotice } from '#web/features/broadcasts/broadcasts.ts';
import { instantOf, momentAt } from '#web/features/operator/moment.ts';
import { MomentField } from '#web/features/operator/MomentField.tsx';
import styles from '#web/features/operator/operator.module.css';
import { OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';

/** The fields of a broadcast as typed; times as `momentAt` writes them. */
type Values = {
  title: string;
  text: string;
  tone: string;
  audience: string;
  plan: string;
  from: string;
  until: string;
  by_push: boolean;
  by_message: boolean;
};

const valuesOf = (broadcast: Broadcast | undefined): Values => ({
  title: broadcast?.title ?? '',
  text: broadcast?.text ?? '',
  tone: broadcast?.tone ?? 'info',
  audience: broadcast?.audience ?? 'all',
  plan: broadcast?.plan ?? '',
  from: broadcast ? momentAt(broadcast.from) : '',
  until: broadcast ? momentAt(broadcast.until) : '',
  by_push: broadcast?.by_push ?? false,
  by_message: broadcast?.by_message ?? false,
});

function inputOf(values: Values): InputFor<typeof createBroadcast> {
  const from = instantOf(values.from);
  return {
    title: values.title,
    text: values.text,
    tone: values.tone as BroadcastTone,
    audience: values.audience as BroadcastAudience,
    ...(values.audience === 'plan' && { plan: values.plan }),
    ...(from !== undefined && { from }),
    until: instantOf(values.until) ?? '',
    by_push: values.by_push ? 'yes' : 'no',
    by_message: values.by_message ? 'yes' : 'no',
  };
}

function peopleOf(
  { audience, plan }: Pick<Values, 'audience' | 'plan'>,
  counted: OutputOf<typeof broadcastAudiences> | undefined,
): number {
  if (audience === 'plan') return counted?.plans.find(({ code }) => code === plan)?.people ?? 0;
  return (audience === 'linked' ? counted?.linked : counted?.all) ?? 0;
}

const waysOf = ({ by_push, by_message }: Values): string => {
  const ways = [
    ...(by_push ? ['pemberitahuan browser'] : []),
    ...(by_message ? ['pesan ke ponsel'] : []),
  ];
  return ways.length > 0 ? `, juga lewat ${ways.join(' dan ')}` : '';
};

type Props = {
  /** `undefined` for a new one. */
  broadcast: Broadcast | undefined;
  onDone: () => void;
  onDirty: (isDirty: boolean) => void;
};

export function BroadcastForm({ broadcast, onDone, onDirty }: Props) {
  const { data } = useQuery(actQuery(broadcastAudiences, {}));
  const same = { initial: valuesOf(broadcast), onDone, onDirty };
  const fields = (form: Form<Values>) => <Fields form={form} />;
  if (broadcast) {
    return (
      <OperatorForm
        {...same}
        act={changeBroadcast}
        inputOf={(values) => ({ broadcast_id: broadcast.id, ...inputOf(values) })}
        question={() => ({
          title: 'Simpan perubahan?',
          text: 'Pengumuman ini belum tayang, jadi belum ada yang membacanya.',
          button: 'Simpan',
        })}
        said="Pengumuman disimpan."
        actions="Simpan perubahan"
      >
        {fields}
      </OperatorForm>
    );
  }
  return (
    <OperatorForm
      {...same}
      act={createBroadcast}
      inputOf={inputOf}
      question={(values) => ({
        title: values.from === '' ? 'Tayangkan sekarang?' : 'Jadwalkan pengumuman ini?',
        text: `Dibaca ${formatNumber(peopleOf(values, data))} orang${waysOf(values)}.`,
        button: values.from === '' ? 'Tayangkan' : 'Jadwalkan',
      })}
      said={({ state }) => (state === 'shown' ? 'Pengumuman tayang.' : 'Pengumuman dijadwalkan.')}
      actions="Tayangkan"
    >
      {fields}
    </OperatorForm>
  );
}

const tones = [
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Peringatan' },
];

const Fields = ({ form }: { form: Form<Values> }) => (
  <>
    <TextField label="Judul" required maxLength={80} autoComplete="off" {...form.field('title')} />
    <TextArea
      label="Isi"
      required
      rows={4}
      maxLength={600}
      help="Alamat https:// menjadi tautan otomatis."
      {...form.field('text')}
    />
    <Select label="Jenis" options={tones} {...form.field('tone')} />
    <Audience form={form} />
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
    <Checkbox
      label="Juga pemberitahuan browser"
      help="Ke browser pelanggan yang menyalakannya."
      checked={form.values.by_push}
      onChange={(event) => form.set('by_push', event.target.checked)}
    />
    <Checkbox
      label="Juga pesan ke ponsel"
      help="Lewat token sistem, tanpa biaya, sesudah semua kode verifikasi. Yang pernah membalas STOP tidak dikirimi."
      checked={form.values.by_message}
      onChange={(event) => form.set('by_message', event.target.checked)}
    />
    <Panel title="Yang dilihat pelanggan">
      <BroadcastNotice
        title={form.values.title || 'Judul'}
        text={form.values.text || 'Isi pengumuman'}
        tone={form.values.tone === 'warning' ? 'warning' : 'info'}
      />
    </Panel>
  </>
);

function Audience({ form: { values, field } }: { form: Form<Values> }) {
  const { data } = useQuery(actQuery(broadcastAudiences, {}));
  const people = (n: number | undefined) => (n === undefined ? '' : ` (${formatNumber(n)})`);
  const of = { all: data?.all, linked: data?.linked, plan: undefined };
  return (
    <>
      <Select
        label="Untuk"
        options={BroadcastAudience().options.map((one) => ({
          value: one,
          label: `${broadcastAudienceLabel[one]}${people(of[one])}`,
        }))}
        {...field('audience')}
      />
      {values.audience === 'plan' && (
        <Select
          label="Paket"
          required
          placeholder="Pilih paket"
          options={(data?.plans ?? []).map(({ code, name, people: n }) => ({
            value: code,
            label: `${name}${people(n)}`,
          }))}
          {...field('plan')}
        />
      )}
    </>
  );
}

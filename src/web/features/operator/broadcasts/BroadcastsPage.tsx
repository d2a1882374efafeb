import { formatNumber } from '#contract/base/money.ts';
import {
  type Broadcast,
  type BroadcastState,
  broadcastAudienceLabel,
  broadcastStateLabel,
  operatorBroadcasts,
  stopBroadcast,
  BroadcastAudience,
  type BroadcastTone,
  broadcastAudiences,
  changeBroadcast,
  createBroadcast,
} from '#contract/operator/broadcasts.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import { BroadcastNotice } from '#web/features/broadcasts/broadcasts.ts';
import { useConfirmedAct, OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { By, OperatorFrame, RecordDrawer } from '#web/features/operator/OperatorFrame.tsx';
import { momentColumn, OperatorList } from '#web/features/operator/OperatorList.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Facts, Row, Panel } from '#web/ui/panel/Panel.tsx';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { useQuery } from '@tanstack/react-query';
import type { InputFor, OutputOf } from '#contract/base/act.ts';
import { instantOf, momentAt } from '#web/features/operator/moment.ts';
import { MomentField } from '#web/features/operator/MomentField.tsx';
import styles from '#web/features/operator/operator.module.css';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';

const broadcastTones: Record<BroadcastState, Tone> = {
  scheduled: 'info',
  shown: 'success',
  over: 'neutral',
  stopped: 'warning',
};

const audienceWords = ({ audience, plan }: Pick<Broadcast, 'audience' | 'plan'>): string =>
  plan === null ? broadcastAudienceLabel[audience] : `Paket ${plan}`;

const wayWords = ({ by_push, by_message }: Pick<Broadcast, 'by_message' | 'by_push'>): string =>
  ['Spanduk', ...(by_push ? ['push'] : []), ...(by_message ? ['pesan'] : [])].join(', ');

const deliveryWords = ({ people, waiting }: Broadcast['told']): string =>
  `${formatNumber(people - waiting)} dari ${formatNumber(people)} orang`;

const State = ({ state }: Pick<Broadcast, 'state'>) => (
  <StatusChip tone={broadcastTones[state]}>{broadcastStateLabel[state]}</StatusChip>
);

const columns: readonly Column<Broadcast>[] = [
  { id: 'title', title: 'Judul', width: 240, phone: 'title', cell: ({ title }) => title },
  { id: 'state', title: 'Status', width: 130, phone: 'aside', cell: State },
  { id: 'audience', title: 'Untuk', width: 230, phone: 'line', cell: audienceWords },
  { id: 'ways', title: 'Lewat', width: 170, phone: 'fact', cell: wayWords },
  momentColumn({ id: 'from', title: 'Mulai', phone: 'fact', at: ({ from }) => from }),
  momentColumn({ id: 'until', title: 'Sampai', phone: 'fact', at: ({ until }) => until }),
  {
    id: 'closed',
    title: 'Ditutup',
    align: 'end',
    width: 110,
    phone: 'fact',
    cell: ({ closed }) => <span className="num">{formatNumber(closed)}</span>,
  },
];

const openAt = (open: string | undefined): void =>
  void navigate({ to: '/operator/pengumuman', change: { open }, resetScroll: false });

const NEW = 'baru';
const LOOK_MS = 5_000;

/** Route `/operator/pengumuman`: broadcasts to customers. */
export function BroadcastsPage() {
  const { open } = useSearch('/operator/pengumuman');
  const close = () => openAt(undefined);
  return (
    <OperatorFrame
      title="Pengumuman"
      context="Tampil di atas semua halaman pelanggan sampai mereka menutupnya."
      action={<Button onClick={() => openAt(NEW)}>Buat pengumuman</Button>}
    >
      <OperatorList
        to="/operator/pengumuman"
        act={operatorBroadcasts}
        everyMs={LOOK_MS}
        caption="Pengumuman"
        columns={columns}
        rowKey={({ id }) => id}
        empty={{
          title: 'Belum ada pengumuman',
          text: 'Kabarkan libur atau perubahan harga kepada semua pelanggan sekaligus.',
        }}
        drawer={{
          name: 'Pengumuman',
          title: ({ title }) => title,
          missing: 'Pengumuman ini tidak ada di halaman yang sedang ditampilkan.',
          except: NEW,
          children: (broadcast, { setDirty }) => (
            <>
              <BroadcastDetails broadcast={broadcast} />
              {broadcast.state === 'scheduled' && (
                <BroadcastForm broadcast={broadcast} onDone={close} onDirty={setDirty} />
              )}
            </>
          ),
        }}
      />
      {open === NEW && (
        <RecordDrawer title="Pengumuman baru" onClose={close}>
          {(setDirty) => <BroadcastForm broadcast={undefined} onDone={close} onDirty={setDirty} />}
        </RecordDrawer>
      )}
    </OperatorFrame>
  );
}

function BroadcastDetails({ broadcast }: { broadcast: Broadcast }) {
  const { state, from, until, told, created_by, created_at, stopped_by, stopped_at } = broadcast;
  const isSent = broadcast.by_push || broadcast.by_message;
  const number = (value: number) => <span className="num">{formatNumber(value)}</span>;
  return (
    <>
      <Row>
        <State state={state} />
      </Row>
      {state !== 'scheduled' && <BroadcastNotice {...broadcast} />}
      <Facts
        facts={[
          { term: 'Untuk', is: audienceWords(broadcast) },
          { term: 'Lewat', is: wayWords(broadcast) },
          { term: 'Mulai', is: <DateTime at={from} /> },
          { term: 'Sampai', is: <DateTime at={until} /> },
          { term: 'Dibuat', is: <By name={created_by} at={created_at} /> },
          stopped_at && { term: 'Dihentikan', is: <By name={stopped_by} at={stopped_at} /> },
          { term: 'Menutupnya', is: number(broadcast.closed) },
          ...(isSent && state !== 'scheduled'
            ? [
                { term: 'Diberi tahu', is: deliveryWords(told) },
                { term: 'Push', is: number(told.pushed) },
                { term: 'Pesan terkirim', is: number(told.sent) },
                { term: 'Menolak pesan (STOP)', is: number(told.opted_out) },
                { term: 'Pesan gagal', is: number(told.failed) },
              ]
            : []),
        ]}
      />
      {(state === 'shown' || state === 'scheduled') && <Stop broadcast={broadcast} />}
    </>
  );
}

function Stop({ broadcast: { id, state } }: { broadcast: Broadcast }) {
  const stop = useConfirmedAct(stopBroadcast);
  const ask = () =>
    stop(
      { broadcast_id: id },
      {
        title: 'Hentikan pengumuman ini?',
        text:
          state === 'scheduled'
            ? 'Pengumuman ini tidak akan tayang.'
            : 'Spanduknya hilang dari semua pelanggan, dan yang belum diberi tahu tidak diberi tahu lagi.',
        button: 'Hentikan',
        tone: 'danger',
        said: 'Pengumuman dihentikan.',
      },
    );
  return (
    <Row>
      <Button variant="outline" tone="danger" onClick={ask}>
        Hentikan sekarang
      </Button>
    </Row>
  );
}

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

function BroadcastForm({ broadcast, onDone, onDirty }: Props) {
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
        label="Mulai (WIB)"
        timeLabel="Jam mulai"
        placeholder="Sekarang juga"
        {...form.field('from')}
      />
      <MomentField label="Sampai (WIB)" timeLabel="Jam selesai" required {...form.field('until')} />
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

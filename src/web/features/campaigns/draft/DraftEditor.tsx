import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState, useRef } from 'react';
import {
  type Campaign,
  deleteCampaign,
  listRecipients,
  startCampaign,
  updateCampaign,
  PACE_MAX,
  type CampaignRecipient,
  fillVariables,
  variableKey,
  type VariableValues,
} from '#contract/campaigns.ts';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { formatDateTimeZone, formatTime } from '#contract/base/time.ts';
import { instantOfLocal } from '#web/ui/time/time.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { fieldsOf, sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { useUser } from '#web/api/user.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import {
  contentField,
  contentOf,
  draftErrors,
  draftValues,
  type DraftValues,
  placeIn,
} from '#web/features/campaigns/draft/content.ts';
import { type CostFigures, missingOf } from '#web/features/campaigns/draft/cost.ts';
import { useCost } from '#web/features/campaigns/draft/useCost.ts';
import { useCampaignChanged } from '#web/features/campaigns/queries.ts';
import { canSend, DisconnectedNumber } from '#web/features/messages/messages.ts';
import { RecipientList } from '#web/features/campaigns/progress/RecipientList.tsx';
import layout from '#web/ui/layout/layout.module.css';
import styles from '#web/features/campaigns/campaigns.module.css';
import { classes } from '#web/ui/classes.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { useStoredForm } from '#web/features/campaigns/draft/useStoredForm.ts';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Panel, Row, Stack, Facts } from '#web/ui/panel/Panel.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { listKey } from '#web/ui/table/list/useList.ts';
import { toast } from '#web/ui/toast/toasts.ts';
import { TopupLink } from '#web/features/campaigns/draft/TopupLink.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { TextField, TextArea } from '#web/ui/text/TextField.tsx';
import { ChevronLeft, ChevronRight, Braces } from 'lucide-react';
import { fillTemplate, valueOrderOf, type Template } from '#contract/messages/templates.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { perform } from '#web/api/act.ts';
import { templatesQuery } from '#web/features/campaigns/draft/templatesQuery.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import type { ChatMessage } from '#web/ui/chat/chat.ts';
import { TEXT_MAX } from '#contract/messages.ts';
import { CAPTION_MAX } from '#contract/rest/endpoint.ts';
import { typeNames } from '#web/api/uploads/fileTypes.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { insertText } from '#web/ui/text/insertText.ts';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

const editor = classes('stack gap-32', layout['editor']);

export function DraftEditor({ campaign }: { campaign: Campaign }) {
  const zone = useUser().timezone;
  const [initial] = useState(() => draftValues(campaign, zone));
  const form = useStoredForm<DraftValues>(`campaign ${campaign.id}`, initial, (values) =>
    draftErrors(values, { campaign, zone, now: new Date() }),
  );
  const { values } = form;
  const obstacle = obstacleOf(campaign);
  const costOf = useCost(campaign, values);
  const actions = useDraftActions(campaign, { zone, costOf, onRemoved: () => form.saved(values) });
  const refuse = (error: unknown, given: DraftValues) => {
    const { content, ...others } = fieldsOf(error);
    form.show(content === undefined ? others : { ...others, [contentField(given)]: content });
  };
  const onSaved = (given: DraftValues) => {
    form.set('upload', '');
    form.saved(given);
  };
  const onSubmit = form.submit(async (given) => {
    try {
      await actions.send(given, () => onSaved(given));
    } catch (error) {
      refuse(error, given);
    }
  });
  const onSave = form.submit(async (given) => {
    try {
      await actions.save(given);
      onSaved(given);
      toast('Draf disimpan.', { tone: 'success' });
    } catch (error) {
      refuse(error, given);
    }
  });
  return (
    <Stack gap={32}>
      <form ref={form.ref} noValidate className={editor} onSubmit={onSubmit}>
        <div className={styles['fields']}>
          <Alert id={OBSTACLE} state="warning" visible={obstacle !== undefined} label={obstacle} />
          {!canSend(campaign.token) && <OtherNumber campaign={campaign} />}
          <RefusalAlert error={actions.error} fields={['content']} />
          <ContentFields form={form} campaign={campaign} />
          <TimeFields form={form} campaign={campaign} />
          <Row>
            <Button
              type="submit"
              busy={actions.busy}
              disabled={obstacle !== undefined}
              aria-describedby={obstacle === undefined ? undefined : OBSTACLE}
            >
              {`${values.when === 'later' ? 'Jadwalkan' : 'Kirim'} ke ${formatNumber(campaign.recipients.waiting)} nomor`}
            </Button>
            <Button variant="outline" onClick={onSave}>
              Simpan draf
            </Button>
            <Button variant="link" tone="danger" onClick={() => void actions.remove()}>
              Hapus draf
            </Button>
          </Row>
        </div>
        <Aside campaign={campaign} values={values} figures={costOf(campaign.recipients.waiting)} />
      </form>
      <Panel title="Penerima">
        <Recipients campaign={campaign} />
      </Panel>
    </Stack>
  );
}

type AsideProps = { campaign: Campaign; values: DraftValues; figures: CostFigures };

const Aside = ({ campaign, values, figures }: AsideProps) => (
  <div className={layout['aside']}>
    <Stack gap={24}>
      <Panel title="Pratinjau">
        <Preview campaign={campaign} values={values} />
      </Panel>
      <Panel title="Biaya dan lamanya">
        <CostFacts figures={figures} campaignId={campaign.id} />
      </Panel>
    </Stack>
  </div>
);

const OBSTACLE = 'kiriman-terhalang';

/** Why a draft cannot be started, however it is edited, and the way out. */
function obstacleOf({ token, recipients }: Campaign): ReactNode {
  if (!canSend(token)) return <DisconnectedNumber token={token} />;
  // Another text may need no value that these lack.
  if (recipients.waiting + recipients.incomplete > 0) return undefined;
  return 'Tidak ada nomor yang dapat dikirimi di daftar ini. Pilih kolom nomor yang lain di bawah, atau buat kiriman dari daftar yang benar.';
}

/** Moves a draft to another number, once its own cannot send. */
function OtherNumber({ campaign }: { campaign: Campaign }) {
  const { data: tokens = [] } = useQuery(allTokensQuery);
  const changed = useCampaignChanged();
  const move = useAct(updateCampaign);
  const able = tokens.filter(canSend);
  if (able.length === 0) return null;
  const choose = async (tokenId: string) => {
    try {
      changed(await move.perform({ campaign_id: campaign.id, token_id: tokenId }));
    } catch {
      // Its error is shown below the field.
    }
  };
  return (
    <SelectOne
      label="Kirim dari nomor lain"
      placeholder="Pilih nomor"
      options={able.map(({ id, name }) => ({ value: id, label: name }))}
      value=""
      error={move.error ? sentenceOf(move.error) : undefined}
      onChange={(tokenId) => void choose(tokenId)}
    />
  );
}

const Recipients = ({ campaign }: { campaign: Campaign }) => (
  <Stack gap={16}>
    <NumberColumn campaign={campaign} />
    <RecipientList campaign={campaign} />
  </Stack>
);

function NumberColumn({
  campaign: { id, number_column: chosen, columns },
}: {
  campaign: Campaign;
}) {
  const changed = useCampaignChanged();
  const client = useQueryClient();
  const update = useAct(updateCampaign);
  if (columns.length === 0) return null;
  const choose = async (name: string) => {
    if (name === chosen || update.busy) return;
    try {
      changed(await update.perform({ campaign_id: id, number_column: name }));
      await client.invalidateQueries({ queryKey: listKey(listRecipients) });
    } catch {
      // Its error is shown below the field.
    }
  };
  const { number_column: fault } = fieldsOf(update.error);
  return (
    <div className={styles['fields']}>
      <SelectOne
        label="Kolom nomor"
        help="Nomor penerima diambil dari kolom ini. Pilih kolom lain jika bukan ini yang Anda maksud."
        options={[chosen, ...columns].map((name) => ({ value: name, label: name }))}
        value={chosen}
        error={fault ?? (update.error ? sentenceOf(update.error) : undefined)}
        onChange={(name) => void choose(name)}
      />
    </div>
  );
}

type Reckoning = {
  zone: string;
  costOf: (messages: number) => CostFigures;
  onRemoved: () => void;
};

function useDraftActions(campaign: Campaign, { zone, costOf, onRemoved }: Reckoning) {
  const changed = useCampaignChanged();
  const update = useAct(updateCampaign);
  const start = useAct(startCampaign);
  const remove = useAct(deleteCampaign);
  const save = async (values: DraftValues) => {
    const at = instantOfLocal(values.at, zone);
    const saved = await update.perform({
      campaign_id: campaign.id,
      content: contentOf(values),
      starts_at: values.when === 'later' && at ? at.toISOString() : 'now',
      pace: values.pace === '' ? 'token' : values.pace,
    });
    changed(saved);
    return saved;
  };
  return {
    busy: update.busy || start.busy,
    error: update.error ?? start.error,
    save,
    send: async (values: DraftValues, onSaved: () => void) => {
      const saved = await save(values);
      onSaved();
      const { waiting } = saved.recipients;
      const at = saved.starts_at;
      await confirm({
        title: `${at === null ? 'Kirim' : 'Jadwalkan'} ke ${formatNumber(waiting)} nomor?`,
        children: (
          <Stack gap={12}>
            {at !== null && <p>Mulai dikirim {formatDateTimeZone(at, zone)}.</p>}
            <CostFacts figures={costOf(waiting)} campaignId={campaign.id} />
            <p>
              Kiriman dapat dijeda atau dibatalkan kapan saja; yang sudah dikirim tidak dapat
              ditarik.
            </p>
          </Stack>
        ),
        tone: 'primary',
        confirmText: at === null ? 'Mulai kirim' : 'Jadwalkan',
        onConfirm: async () => changed(await start.perform({ campaign_id: campaign.id })),
      });
    },
    remove: () =>
      confirm({
        title: 'Hapus draf ini?',
        children: <p>Daftar penerima dan isinya ikut terhapus.</p>,
        confirmText: 'Hapus',
        onConfirm: async () => {
          await remove.perform({ campaign_id: campaign.id });
          onRemoved();
          changed();
          await navigate({ to: '/message-history/kiriman', replace: true });
        },
      }),
  };
}

type Props = { figures: CostFigures; campaignId: string };

function CostFacts({ figures, campaignId }: Props) {
  const { messages, quota, cost, available, isBonus, duration } = figures;
  const missing = missingOf(figures);
  return (
    <>
      <Facts
        facts={[
          { term: 'Penerima', is: formatNumber(messages) },
          ...(quota > 0 ? [{ term: 'Dari kuota paket', is: `${formatNumber(quota)} pesan` }] : []),
          {
            term: 'Biaya',
            is: cost === undefined ? <Skeleton width={88} /> : <Money amount={cost} />,
          },
          {
            term: 'Saldo tersedia',
            is: available === undefined ? <Skeleton width={88} /> : <Money amount={available} />,
          },
          { term: 'Lamanya', is: duration },
        ]}
      />
      <Alert
        state="warning"
        visible={missing > 0 && !isBonus}
        label={`Saldo kurang ${formatRupiah(missing)} untuk semua penerima. Kiriman dijeda saat saldo habis, dan dapat dilanjutkan setelah diisi.`}
      >
        <p>
          <TopupLink figures={figures} campaignId={campaignId} />
        </p>
      </Alert>
      <Alert
        state="warning"
        visible={isBonus}
        label={
          <>
            Bonus selamat datang hanya dapat dipakai ke nomor Anda sendiri dan nomor simulator.{' '}
            <TopupLink figures={figures} campaignId={campaignId} /> agar penerima lain juga
            dikirimi.
          </>
        }
      />
    </>
  );
}

const whens = [
  { value: 'now', label: 'Langsung dikirim' },
  { value: 'later', label: 'Pada waktu tertentu' },
];

const mostWords = ({ token_pace: most }: Campaign): string =>
  most === null
    ? 'secepat jaringannya menerima'
    : `${formatNumber(Math.min(most, PACE_MAX))} per menit`;

function TimeFields({ form, campaign }: { form: Form<DraftValues>; campaign: Campaign }) {
  const zoneName = formatDateTimeZone(new Date(), useUser().timezone).split(' ').at(-1);
  return (
    <>
      <div className={layout['pair']}>
        <Select label="Mulai" options={whens} {...form.field('when')} />
        {form.values.when === 'later' && (
          <TextField
            label={`Tanggal dan jam (${zoneName})`}
            required
            type="datetime-local"
            {...form.field('at')}
          />
        )}
      </div>
      <TextField
        label="Batas kecepatan (opsional)"
        inputMode="numeric"
        autoComplete="off"
        suffix="pesan per menit"
        help={`Dikosongkan: ${mostWords(campaign)}. Kecepatan yang lebih pelan lebih aman bagi nomor WhatsApp.`}
        {...form.field('pace')}
      />
    </>
  );
}

type PreviewProps = { campaign: Campaign; values: DraftValues };

function Preview({ campaign, values }: PreviewProps) {
  const { waiting } = campaign.recipients;
  const [at, setAt] = useState(0);
  const index = Math.min(at, Math.max(0, waiting - 1));
  const page = Math.floor(index / PAGE_SIZE);
  const { data } = useQuery({
    queryKey: [listRecipients.name, campaign.id, 'waiting', page],
    queryFn: ({ signal }) =>
      perform(listRecipients, { campaign_id: campaign.id, state: 'waiting', page }, { signal }),
  });
  const recipient = data?.rows[index % PAGE_SIZE];
  if (waiting === 0) {
    return <p className="small faint regular">Tidak ada penerima yang dapat dikirimi.</p>;
  }
  return (
    <div className="stack gap-16">
      <div className="grid align-center border rounded-lg sunken min-h-120">
        {recipient ? (
          <Bubble campaign={campaign} values={values} recipient={recipient} />
        ) : (
          <Skeleton height={96} />
        )}
      </div>
      <div className="row justify-between gap-8 small muted">
        <Button
          variant="outline"
          size="sm"
          square
          aria-label="Penerima sebelumnya"
          icon={<ChevronLeft size={18} />}
          disabled={index === 0}
          onClick={() => setAt(index - 1)}
        />
        <span role="status">
          <span className="num">{recipient ? whoOf(recipient) : '…'}</span>
          {`, ${formatNumber(index + 1)} dari ${formatNumber(waiting)}`}
        </span>
        <Button
          variant="outline"
          size="sm"
          square
          aria-label="Penerima berikutnya"
          icon={<ChevronRight size={18} />}
          disabled={index + 1 >= waiting}
          onClick={() => setAt(index + 1)}
        />
      </div>
    </div>
  );
}

const whoOf = ({ peer, peer_name, written }: CampaignRecipient): string =>
  peer === null ? written : nameAndNumberOf({ peer, peer_name });

function Bubble({ campaign, values, recipient }: PreviewProps & { recipient: CampaignRecipient }) {
  const { name, timezone } = useUser();
  const [now] = useState(() => new Date());
  const { data: templates } = useQuery({
    ...templatesQuery(campaign.token.id),
    enabled: values.type === 'template',
  });
  const own = new Map(
    campaign.columns.map((column, index) => [variableKey(column), recipient.values[index] ?? '']),
  );
  const template = templates?.find((one) => `${one.name}:${one.language}` === values.template);
  const message = messageOf(campaign, values, { own, template });
  if (message === undefined)
    return (
      <p className="small faint regular">
        Tulis isinya: di sini terlihat seperti di ponsel penerima.
      </p>
    );
  return (
    <ChatList label="Pratinjau di ponsel penerima">
      <ChatBubble
        side="in"
        sender={name}
        time={formatTime(now, timezone)}
        at={now}
        message={message}
      />
    </ChatList>
  );
}

type Filling = {
  own: VariableValues;
  template:
    | { header: string | null; body: string; footer: string | null; buttons: string[] }
    | undefined;
};

function messageOf(
  { content }: Campaign,
  values: DraftValues,
  { own, template }: Filling,
): ChatMessage | undefined {
  const filled = (text: string) => fillVariables(text, own);
  switch (values.type) {
    case 'file': {
      const name = content?.type === 'file' && values.upload === '' ? content.file.name : 'berkas';
      return { type: 'file', caption: filled(values.caption), filename: name };
    }
    case 'location': {
      const { place, address } = values;
      const at = placeIn(values);
      if (Number.isNaN(at.latitude + at.longitude)) return undefined;
      return { type: 'location', place: { ...at, name: place || null, address: address || null } };
    }
    case 'template': {
      if (!template) return undefined;
      const { header, body, footer, buttons } = template;
      return {
        type: 'template',
        caption: fillTemplate(body, values.variables.map(filled)),
        template: { header, footer, buttons: [...new Set(buttons)] },
      };
    }
    default:
      return values.text.trim() === '' ? undefined : { type: 'text', caption: filled(values.text) };
  }
}

type ContentProps = { form: Form<DraftValues>; campaign: Campaign };

const types = [
  { value: 'text', label: 'Teks' },
  { value: 'file', label: 'Gambar, video, atau dokumen' },
  { value: 'template', label: 'Templat' },
  { value: 'location', label: 'Lokasi' },
];

const fieldOf = (
  { values, errors, set, leave }: Form<DraftValues>,
  name: Exclude<keyof DraftValues, 'variables'>,
) => ({
  name,
  value: values[name],
  error: errors[name],
  onChange: ({ target }: { target: { value: string } }) => set(name, target.value),
  onBlur: () => leave(name),
});

function ContentFields({ form, campaign }: ContentProps) {
  const { type } = form.values;
  return (
    <>
      <Select {...fieldOf(form, 'type')} label="Jenis pesan" options={types} />
      {type === 'file' && <FileFields form={form} campaign={campaign} />}
      {type === 'template' && <TemplateFields form={form} campaign={campaign} />}
      {type === 'location' && <LocationFields form={form} />}
      {type === 'text' && (
        <WithVariables form={form} field="text" columns={campaign.columns}>
          {(ref) => (
            <TextArea
              {...fieldOf(form, 'text')}
              ref={ref}
              label="Isi pesan"
              required
              counter
              rows={7}
              maxLength={TEXT_MAX}
              placeholder="Halo {nama}, pesanan Anda sudah siap diambil."
            />
          )}
        </WithVariables>
      )}
    </>
  );
}

type VariablesProps = {
  form: Form<DraftValues>;
  field: 'text' | 'caption';
  columns: readonly string[];
  children: (ref: React.RefObject<HTMLTextAreaElement | null>) => React.ReactNode;
};

function WithVariables({ form, field, columns, children }: VariablesProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (variable: string) => {
    insertText(area.current, form.values[field], variable, (next) => form.set(field, next));
    area.current?.focus();
  };
  return (
    <div className="grid gap-8">
      {children(area)}
      {columns.length > 0 && (
        <div className="flex wrap gap-8" role="group" aria-label="Sisipkan variabel">
          {columns.map((name) => (
            <Button
              key={name}
              variant="outline"
              size="sm"
              icon={<Braces size={14} />}
              onClick={() => insert(`{${name}}`)}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
      {columns.length > 0 && (
        <p className="small faint regular">
          Variabel diisi dari daftar penerima. Pengganti untuk yang kosong ditulis setelah garis
          tegak, misalnya {`{${columns.find((name) => /nama/i.test(name)) ?? columns[0]}|Kak}`}.
        </p>
      )}
    </div>
  );
}

function FileFields({ form, campaign }: ContentProps) {
  const { content, columns } = campaign;
  const savedName = content?.type === 'file' ? content.file.name : undefined;
  const { upload } = form.values;
  return (
    <>
      <FileUpload
        label="Berkas"
        required
        purpose="media"
        labels={indonesianUploads}
        typeLabels={typeNames}
        maxFiles={1}
        help={
          savedName === undefined
            ? 'Semua penerima mendapat berkas yang sama.'
            : `Sekarang: ${savedName}. Pilih berkas lain untuk menggantinya.`
        }
        error={form.errors.upload}
        value={upload === '' ? [] : [upload]}
        onChange={([id = '']) => form.set('upload', id)}
      />
      <WithVariables form={form} field="caption" columns={columns}>
        {(ref) => (
          <TextArea
            {...fieldOf(form, 'caption')}
            ref={ref}
            label="Keterangan (opsional)"
            counter
            rows={4}
            maxLength={CAPTION_MAX}
          />
        )}
      </WithVariables>
    </>
  );
}

const sendableTemplates = (all: readonly Template[]): readonly Template[] =>
  all.filter(
    ({ header_file, header_variable, button_values, category }) =>
      header_file === null &&
      header_variable === null &&
      button_values.length === 0 &&
      category !== 'authentication',
  );

function TemplateFields({ form, campaign }: ContentProps) {
  const { data: all } = useQuery(templatesQuery(campaign.token.id));
  const { template: chosen, variables } = form.values;
  const offered = sendableTemplates(all ?? []);
  const keyOf = ({ name, language }: Template) => `${name}:${language}`;
  const template = offered.find((one) => keyOf(one) === chosen);
  const names = template ? valueOrderOf(template.body) : [];
  const choose = (key: string) => {
    const next = offered.find((one) => keyOf(one) === key);
    form.set('template', key);
    form.set('variables', next ? valueOrderOf(next.body).map((_, index) => suggested(index)) : []);
  };
  const isEmpty = (index: number) => (variables[index] ?? '').trim() === '';
  /** Empty ones; if there are none, the error is about their text and stands below the first. */
  const isFaulty = (index: number) =>
    isEmpty(index) || (index === 0 && !names.some((_, at) => isEmpty(at)));
  const suggested = (index: number) => {
    const column = campaign.columns[index];
    return column === undefined ? '' : `{${column}}`;
  };
  return (
    <>
      <SelectOne
        label="Templat"
        required
        options={[
          { value: '', label: 'Pilih templat' },
          ...offered.map((one) => ({ value: keyOf(one), label: `${one.name} (${one.language})` })),
        ]}
        value={chosen}
        error={form.errors.template}
        onChange={choose}
      />
      {all && offered.length === 0 && (
        <p className="small faint regular">
          Belum ada templat yang disetujui. <Link to="/token/templat">Buka halaman Templat</Link>
        </p>
      )}
      {names.map((name, index) => (
        <TextField
          key={name}
          label={`Isi {{${name}}}`}
          required
          autoComplete="off"
          help={index === 0 ? 'Tulis teks, atau variabel seperti {nama}.' : undefined}
          value={variables[index] ?? ''}
          error={isFaulty(index) ? form.errors.variables : undefined}
          onChange={({ target }) =>
            form.set(
              'variables',
              names.map((_, at) => (at === index ? target.value : (variables[at] ?? ''))),
            )
          }
        />
      ))}
    </>
  );
}

const LocationFields = ({ form }: Pick<ContentProps, 'form'>) => (
  <>
    <div className={layout['pair']}>
      <TextField
        {...fieldOf(form, 'latitude')}
        label="Lintang"
        required
        inputMode="decimal"
        autoComplete="off"
        placeholder="-6.9147"
      />
      <TextField
        {...fieldOf(form, 'longitude')}
        label="Bujur"
        required
        inputMode="decimal"
        autoComplete="off"
        placeholder="107.6098"
      />
    </div>
    <TextField
      {...fieldOf(form, 'place')}
      label="Nama tempat (opsional)"
      autoComplete="off"
      maxLength={200}
    />
    <TextField
      {...fieldOf(form, 'address')}
      label="Alamat (opsional)"
      autoComplete="off"
      maxLength={400}
    />
  </>
);

import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { useQuery, queryOptions, useQueryClient } from '@tanstack/react-query';
import { BookOpen, Braces, RefreshCw, FileText, Plus, Trash2 } from 'lucide-react';
import {
  type Template,
  createTemplate,
  TEMPLATE_LIMITS,
  templateCategories,
  syncTemplateList,
  listTemplates,
  deleteTemplate,
  type TemplateStatus,
  valueOrderOf,
  type TemplateFile,
} from '#contract/messages/templates.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  addressOf,
  buttonsOf,
  categoryLabel,
  languageLabel,
  nextVariable,
  offeredLanguages,
  type Examples,
  fileLabel,
  namedIn,
  statusLook,
  previewOf,
} from '#web/features/tokens/templates/labels.ts';
import { TokenTabs } from '#web/features/tokens/TokenTabs.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { LinkButton, Button, type ButtonLook } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { useRef, useState } from 'react';
import layout from '#web/ui/layout/layout.module.css';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { Panel, Facts, Stack } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { insertText } from '#web/ui/text/insertText.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { useAct } from '#web/api/query.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { formatDateTime, formatTime } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList, listKey } from '#web/ui/table/list/useList.ts';
import { isNotFound } from '#web/api/errors.ts';
import { sendSample } from '#web/features/tokens/templates/samples.ts';
import { useSending } from '#web/features/tokens/samples.ts';
import { CodeBlock } from '#web/ui/copy/CodeBlock.tsx';
import { confirm } from '#web/ui/overlay/confirm.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { perform } from '#web/api/act.ts';
import { fullListQuery } from '#web/api/lists/fullList.ts';
import { ChatBubble, ChatList } from '#web/ui/chat/ChatBubble.tsx';

/** Route `/token/templat`: templates of all tokens; with `view=new` the form for one. */
export function TemplatesPage() {
  const { view } = useSearch('/token/templat');
  const changed = useTemplatesChanged();
  const sync = useTemplateSync();
  const isFull = useQuery(templatesFullQuery).data === true;
  const made = (template: Template) => {
    changed(template);
    toast(`Templat ${template.name} disimpan.`, { tone: 'success' });
    const search = { open: addressOf(template) };
    void navigate({ to: '/token/templat', search, replace: true });
  };
  if (view === 'new') {
    return (
      <>
        <PageHead
          title="Templat baru"
          context={<Link to="/token/templat">Kembali ke daftar templat</Link>}
        />
        {isFull ? <TemplatesFull /> : <NewTemplate onMade={made} />}
      </>
    );
  }
  return (
    <>
      <PageHead
        title="Templat"
        context="Pesan siap pakai dengan isian, misalnya nama pelanggan. Dapat dikirim dari semua nomor Anda."
        action={<AddTemplate />}
        tools={
          <>
            {sync.button}
            <LinkButton
              to="/docs"
              hash="post-v1templates"
              variant="outline"
              icon={<BookOpen size={18} />}
            >
              Dokumentasi templat
            </LinkButton>
          </>
        }
      />
      <TokenTabs current="templates" />
      <div className="stack gap-16">
        {isFull && <TemplatesFull />}
        <RefusalAlert error={sync.error} />
        <TemplateTable />
      </div>
    </>
  );
}

const initial = {
  name: '',
  language: 'id',
  category: 'utility',
  header: '',
  body: '',
  footer: '',
  buttons: '',
};
type Values = typeof initial;

const inputOf = ({ name, language, category, header, body, footer, buttons }: Values) => ({
  name,
  language,
  category: templateCategories.find((one) => one === category) ?? 'utility',
  body,
  ...(buttons.trim() !== '' && { buttons: buttonsOf(buttons) }),
  ...(header.trim() !== '' && { header: header.trim() }),
  ...(footer.trim() !== '' && { footer: footer.trim() }),
});

const languages = offeredLanguages.map((value) => ({
  value,
  label: `${languageLabel(value)} (${value})`,
}));
const categories = templateCategories.map((value) => ({
  value,
  label: `${categoryLabel[value].title}: ${categoryLabel[value].means}`,
}));

function NewTemplate({ onMade }: { onMade: (template: Template) => void }) {
  const [examples, setExamples] = useState<Examples>({});
  const { form, onSubmit, busy, error } = useActForm(createTemplate, {
    initial,
    inputOf,
    onDone: onMade,
    fieldOf: { template_exists: 'name' },
  });
  const { values } = form;
  return (
    <form
      ref={form.ref}
      noValidate
      className={classes('stack gap-32', layout['editor'])}
      aria-label="Templat baru"
      onSubmit={onSubmit}
    >
      <div className="stack gap-16">
        <RefusalAlert error={error} fields={Object.keys(initial)} />
        <NamingFields form={form} />
        <ContentFields form={form} />
        <div>
          <Button type="submit" busy={busy}>
            Simpan templat
          </Button>
        </div>
      </div>
      <div className={layout['aside']}>
        <Panel title="Pratinjau">
          <TemplatePreview
            template={{
              header: values.header.trim() || null,
              body: values.body,
              footer: values.footer.trim() || null,
              buttons: buttonsOf(values.buttons),
            }}
            examples={examples}
            onExamples={setExamples}
          />
        </Panel>
      </div>
    </form>
  );
}

type FieldsProps = { form: Form<Values> };

const fieldOf = ({ values, errors, set, leave }: Form<Values>, name: keyof Values) => ({
  name,
  value: values[name],
  error: errors[name],
  onChange: ({ target }: { target: { value: string } }) => set(name, target.value),
  onBlur: () => leave(name),
});

const NamingFields = ({ form }: FieldsProps) => (
  <>
    <TextField
      {...fieldOf(form, 'name')}
      label="Nama templat"
      required
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      placeholder="pesanan_siap"
      help="Nama ini yang disebut program Anda: huruf kecil, angka, atau _."
    />
    <div className={layout['pair']}>
      <Select {...fieldOf(form, 'language')} label="Bahasa" options={languages} />
      <Select {...fieldOf(form, 'category')} label="Kategori" options={categories} />
    </div>
    {form.values.category === 'authentication' && (
      <p className="small faint">
        Lewat Cloud API, Meta menulis sendiri kata-kata templat autentikasi beserta tombol “Salin
        kode”. Isi di bawah dipakai kanal lain.
      </p>
    )}
  </>
);

const ContentFields = ({ form }: FieldsProps) => (
  <>
    <TextField
      {...fieldOf(form, 'header')}
      label="Judul (opsional)"
      maxLength={TEMPLATE_LIMITS.header}
      placeholder="Pesanan siap diambil"
      help="Satu baris tebal di atas isi, tanpa variabel."
    />
    <BodyField form={form} />
    <TextField
      {...fieldOf(form, 'footer')}
      label="Catatan kaki (opsional)"
      maxLength={TEMPLATE_LIMITS.footer}
      placeholder="Balas STOP untuk berhenti"
      help="Satu baris kecil di bawah isi, tanpa variabel."
    />
    <TextArea
      {...fieldOf(form, 'buttons')}
      label="Tombol balasan (opsional)"
      rows={3}
      placeholder={'Saya ambil sore\nAntar ke alamat saya'}
      help={`Satu tombol per baris, paling banyak ${TEMPLATE_LIMITS.buttons}, masing-masing ${TEMPLATE_LIMITS.button} karakter.`}
    />
  </>
);

function BodyField({ form }: FieldsProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const variable = `{{${nextVariable(form.values.body)}}}`;
  const insert = () => {
    insertText(area.current, form.values.body, variable, (body) => form.set('body', body));
    area.current?.focus();
  };
  return (
    <div className="grid gap-8">
      <TextArea
        {...fieldOf(form, 'body')}
        ref={area}
        label="Isi pesan"
        required
        counter
        rows={6}
        maxLength={TEMPLATE_LIMITS.body}
        placeholder="Halo {{1}}, pesanan {{2}} sudah siap diambil."
        help="Variabel ditulis {{1}}, {{2}}, atau {{nama}}, dan diisi setiap kali dikirim."
      />
      <div>
        <Button variant="outline" size="sm" icon={<Braces size={16} />} onClick={insert}>
          Sisipkan {variable}
        </Button>
      </div>
    </div>
  );
}

function useTemplateSync() {
  const { data: tokens } = useQuery(allTokensQuery);
  const changed = useTemplatesChanged();
  const sync = useAct(syncTemplateList, {
    onSuccess: () => {
      changed();
      toast('Templat diperbarui dari Meta.', { tone: 'success' });
    },
  });
  const isOffered =
    tokens?.some(({ channel, phone }) => channel === 'cloud' && phone !== null) ?? false;
  return {
    error: sync.error,
    button: isOffered && (
      <Button
        variant="outline"
        icon={<RefreshCw size={18} />}
        busy={sync.busy}
        onClick={() => sync.busy || sync.mutate({})}
      >
        Perbarui dari Meta
      </Button>
    ),
  };
}

const columns: readonly Column<Template>[] = [
  {
    id: 'name',
    title: 'Nama',
    sortable: true,
    width: 300,
    phone: 'title',
    cell: ({ name, body }) => (
      <span className="grid justify-items-start gap-2 min-w-0">
        <code className="max-w-full clip strong">{name}</code>
        <span className="max-w-full truncate small faint regular">
          <bdi>{body}</bdi>
        </span>
      </span>
    ),
  },
  {
    id: 'language',
    title: 'Bahasa',
    width: 130,
    phone: 'line',
    cell: ({ language }) => languageLabel(language),
  },
  {
    id: 'category',
    title: 'Kategori',
    width: 120,
    phone: 'hidden',
    cell: ({ category }) => categoryLabel[category].title,
  },
  {
    id: 'status',
    title: 'Status',
    width: 230,
    phone: 'aside',
    cell: ({ status, reason }) => (
      <span className={classes('grid justify-items-start gap-2 min-w-0', styles['status'])}>
        <TemplateStatusChip status={status} />
        {reason !== null && (
          <span className="max-w-full truncate small faint regular">
            <bdi>{reason}</bdi>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'created_at',
    title: 'Dibuat',
    sortable: true,
    width: 140,
    phone: 'note',
    cell: ({ created_at: at }) => <TimeAgo at={at} />,
  },
];

const FULL = 'templat-penuh';

/** Opens the form for a template; disabled if there is no room for another. */
function AddTemplate({ variant = 'solid' }: Pick<ButtonLook, 'variant'>) {
  const look = {
    variant,
    icon: <Plus size={18} />,
    children: 'Tambah templat',
  };
  return useQuery(templatesFullQuery).data ? (
    <Button {...look} disabled aria-describedby={FULL} />
  ) : (
    <LinkButton {...look} to="/token/templat" search={{ view: 'new' }} />
  );
}

/** Why no template can be added, and the way out. */
const TemplatesFull = () => (
  <Alert
    id={FULL}
    state="info"
    visible
    label={`Sudah ada ${TEMPLATE_LIMITS.all} templat, batas untuk satu akun. Hapus yang tidak diperlukan lagi.`}
  />
);

function TemplateTable() {
  const { open } = useSearch('/token/templat');
  const { view, onView } = useAddressView('/token/templat', {
    sorts: ['name', 'created_at'],
    order: 'asc',
    top: true,
  });
  const list = useList(listTemplates, {}, view);
  const openAt = (next: string | undefined, replace = false) =>
    void navigate({
      to: '/token/templat',
      change: { open: next },
      replace,
      resetScroll: false,
    });
  return (
    <>
      <DataTable
        {...list.table}
        caption="Templat"
        columns={columns}
        rowKey={addressOf}
        onView={onView}
        onOpen={(template) => openAt(addressOf(template))}
        openKey={open}
        empty={
          <NoRows list={list}>
            <EmptyState
              icon={<FileText size={24} />}
              title="Tulis sekali, kirim dengan namanya"
              action={<AddTemplate variant="subtle" />}
            >
              Templat adalah pesan dengan variabel, misalnya “Halo {'{{1}}'}, pesanan {'{{2}}'}{' '}
              siap”. Program Anda cukup menyebut nama dan isinya.
            </EmptyState>
          </NoRows>
        }
      />
      {open !== undefined && (
        <TemplateDrawer key={open} open={open} onClose={() => openAt(undefined, true)} />
      )}
    </>
  );
}

type Props = {
  /** The key from the address. */
  open: string;
  onClose: () => void;
};

function TemplateDrawer({ open, onClose }: Props) {
  const named = namedIn(open);
  const { data: template, error, refetch } = useQuery(templateQuery(named));
  return (
    <Drawer addressed open onClose={onClose} title={<bdi>{named.name}</bdi>} size="lg">
      {template ? (
        <Details template={template} onGone={onClose} />
      ) : error && !isNotFound(error) ? (
        <WentWrong query={{ error, refetch }} />
      ) : template === null || error ? (
        <EmptyState title="Templat ini tidak ada">
          Mungkin sudah dihapus, atau namanya atau bahasanya lain.
        </EmptyState>
      ) : (
        <div aria-busy="true">
          <Stack gap={24}>
            <Skeleton height={24} width={140} />
            <Skeleton height={180} />
            <Skeleton height={160} />
          </Stack>
        </div>
      )}
    </Drawer>
  );
}

function Details({ template, onGone }: { template: Template; onGone: () => void }) {
  const { timezone } = useUser();
  const [examples, setExamples] = useState<Examples>({});
  const { data: tokens } = useQuery(allTokensQuery);
  const sending = useSending({ channel: tokens?.find(({ phone }) => phone !== null)?.channel });
  const remove = useRemoveTemplate(template, onGone);
  const { status, category, language, created_at } = template;
  return (
    <Stack gap={24}>
      <Stack gap={12}>
        <StatusNotice template={template} />
        <Facts
          facts={[
            { term: 'Status', is: <TemplateStatusChip status={status} /> },
            { term: 'Bahasa', is: `${languageLabel(language)} (${language})` },
            { term: 'Kategori', is: categoryLabel[category].title },
            ...partFacts(template),
            { term: 'Dibuat', is: formatDateTime(created_at, timezone) },
          ]}
        />
      </Stack>
      <Panel title="Pratinjau">
        <TemplatePreview template={template} examples={examples} onExamples={setExamples} />
      </Panel>
      <Panel title="Kirim lewat API">
        <CodeBlock title="curl" code={sendSample(sending, template, examples)} />
      </Panel>
      <div>
        <Button
          variant="outline"
          tone="danger"
          icon={<Trash2 size={18} />}
          onClick={() => void remove()}
        >
          Hapus templat
        </Button>
      </div>
    </Stack>
  );
}

function partFacts({ header_file: file, header_variable: variable, button_values }: Template) {
  const buttons = button_values.map(({ title }) => title).join(', ');
  return [
    ...(file === null ? [] : [{ term: 'Berkas di atas', is: fileLabel[file] }]),
    ...(variable === null ? [] : [{ term: 'Variabel judul', is: `{{${variable}}}` }]),
    ...(buttons === '' ? [] : [{ term: 'Tombol yang diisi', is: <bdi>{buttons}</bdi> }]),
  ];
}

function StatusNotice({ template: { status, reason } }: { template: Template }) {
  if (status === 'approved') return null;
  if (status === 'pending') {
    return (
      <Alert
        visible
        state="info"
        label="Jaringan belum menyetujui templat ini, jadi belum dapat dikirim."
      />
    );
  }
  return (
    <Alert visible state="danger" label="Jaringan menolak templat ini, jadi tidak dapat dikirim.">
      <p>
        {reason === null ? 'Alasannya tidak disebutkan.' : <bdi>{reason}</bdi>} Perbaiki isinya,
        lalu ajukan dengan nama lain.
      </p>
    </Alert>
  );
}

function useRemoveTemplate({ name, language }: Template, onGone: () => void) {
  const changed = useTemplatesChanged();
  const remove = useAct(deleteTemplate);
  return async () => {
    const gone = await confirm({
      title: `Hapus templat ${name}?`,
      children: (
        <p>
          Permintaan API yang menyebut templat ini dalam bahasa {languageLabel(language)} akan
          ditolak. Pesan yang sudah dikirim dengannya tetap ada. Ini tidak dapat dibatalkan.
        </p>
      ),
      confirmText: 'Hapus',
      onConfirm: () => remove.perform({ name, language }),
    });
    if (!gone) return;
    onGone();
    changed();
    toast(`Templat ${name} dihapus.`, { tone: 'success' });
  };
}

const TemplateStatusChip = ({ status }: { status: TemplateStatus }) => (
  <StatusChip tone={statusLook[status].tone}>{statusLook[status].words}</StatusChip>
);

type Named = { name: string; language: string };

/** One template; null when none has its name and language. */
const templateQuery = ({ name, language }: Named) =>
  queryOptions({
    queryKey: [...listKey(listTemplates), 'one', name, language],
    queryFn: async ({ signal }): Promise<Template | null> =>
      (await perform(listTemplates, { name, language }, { signal })).rows[0] ?? null,
  });

/** Whether the account has as many templates as it may. */
const templatesFullQuery = fullListQuery(listTemplates, TEMPLATE_LIMITS.all, {});

function useTemplatesChanged(): (template?: Template) => void {
  const client = useQueryClient();
  return (template) => {
    if (template) client.setQueryData(templateQuery(template).queryKey, template);
    void client.invalidateQueries({ queryKey: listKey(listTemplates) });
  };
}

type Shown = {
  header: string | null;
  header_file?: TemplateFile | null;
  body: string;
  footer: string | null;
  buttons: readonly string[];
};

type PreviewProps = {
  template: Shown;
  examples: Examples;
  onExamples: (examples: Examples) => void;
};

/** A template as its recipient sees it, with examples for its variables, which are not stored. */
function TemplatePreview({ template, examples, onExamples }: PreviewProps) {
  const { name, timezone } = useUser();
  const [now] = useState(() => new Date());
  const { header_file: file, body, footer, buttons } = template;
  const header = file ? `[${fileLabel[file]}]` : template.header;
  return (
    <div className="stack gap-16">
      <div className="grid align-center border rounded-lg sunken min-h-120">
        {body.trim() === '' ? (
          <p className="small faint p-16 text-center">
            Tulis isinya: di sini terlihat seperti di ponsel penerima.
          </p>
        ) : (
          <ChatList label="Pratinjau di ponsel penerima">
            <ChatBubble
              side="in"
              sender={name}
              time={formatTime(now, timezone)}
              at={now}
              message={{
                type: 'template',
                caption: previewOf(body, examples),
                template: { header, footer, buttons: [...new Set(buttons)] },
              }}
            />
          </ChatList>
        )}
      </div>
      <ExampleFields body={body} examples={examples} onExamples={onExamples} />
    </div>
  );
}

type ExamplesProps = Pick<PreviewProps, 'examples' | 'onExamples'> & { body: string };

function ExampleFields({ body, examples, onExamples }: ExamplesProps) {
  const variables = valueOrderOf(body);
  if (variables.length === 0) return null;
  return (
    <fieldset className={classes('grid gap-10 gap-x-12', styles['examples'])}>
      <legend className="mb-8 strong">Contoh isi variabel</legend>
      {variables.map((variable) => (
        <TextField
          key={variable}
          label={`{{${variable}}}`}
          size="sm"
          autoComplete="off"
          value={examples[variable] ?? ''}
          onChange={({ target }) => onExamples({ ...examples, [variable]: target.value })}
        />
      ))}
      <p className="small faint col-all">
        Hanya untuk pratinjau dan contoh kode. Isi sebenarnya ditentukan setiap kali dikirim.
      </p>
    </fieldset>
  );
}

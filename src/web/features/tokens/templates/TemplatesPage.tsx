import { useQuery } from '@tanstack/react-query';
import { BookOpen, Braces, RefreshCw } from 'lucide-react';
import {
  type Template,
  createTemplate,
  TEMPLATE_LIMITS,
  templateCategories,
  syncTemplateList,
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
} from '#web/features/tokens/templates/labels.ts';
import { templatesFullQuery, useTemplatesChanged } from '#web/features/tokens/templates/queries.ts';
import {
  AddTemplate,
  TemplatesFull,
  TemplateTable,
} from '#web/features/tokens/templates/TemplateTable.tsx';
import { TokenTabs } from '#web/features/tokens/TokenTabs.tsx';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { LinkButton, Button } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { toast } from '#web/ui/toast/toasts.ts';
import { useRef, useState } from 'react';
import { TemplatePreview } from '#web/features/tokens/templates/TemplatePreview.tsx';
import layout from '#web/ui/layout/layout.module.css';
import styles from '#web/features/tokens/tokens.module.css';
import { classes } from '#web/ui/classes.ts';
import { useActForm } from '#web/ui/form/useActForm.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { Panel } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { insertText } from '#web/ui/text/insertText.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { useAct } from '#web/api/query.ts';
import { allTokensQuery } from '#web/api/allTokens.ts';

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
              tone="neutral"
              icon={<BookOpen size={18} aria-hidden="true" />}
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
      <div className="stack gap-18">
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
      <p className={classes('small faint', styles['note'])}>
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
        <Button
          variant="outline"
          tone="neutral"
          size="sm"
          icon={<Braces size={16} aria-hidden="true" />}
          onClick={insert}
        >
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
        tone="neutral"
        icon={<RefreshCw size={18} aria-hidden="true" />}
        busy={sync.busy}
        onClick={() => sync.busy || sync.mutate({})}
      >
        Perbarui dari Meta
      </Button>
    ),
  };
}

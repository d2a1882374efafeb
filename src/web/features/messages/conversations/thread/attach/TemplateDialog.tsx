import { AttachPreview } from '#web/features/messages/conversations/thread/attach/AttachPreview.tsx';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState, useEffect, useRef, type FormEvent } from 'react';
import {
  listTemplates,
  TEMPLATE_LIMITS,
  type Template,
  valueOrderOf,
} from '#contract/messages/templates.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { Link } from '#web/browser/router/Link.tsx';
import styles from '#web/features/messages/conversations/conversations.module.css';
import { classes } from '#web/ui/classes.ts';
import {
  type TemplateToSend,
  contentShown,
} from '#web/features/messages/conversations/thread/sending.ts';
import {
  templateCategoryLabel,
  templateLanguageLabel,
  channelsQuery,
  templateFileLabel,
} from '#web/features/tokens/tokens.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { Skeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { listKey } from '#web/ui/table/list/useList.ts';
import { SearchField } from '#web/ui/text/SearchField.tsx';
import { Paperclip } from 'lucide-react';
import { endingsOfKind, fitsKind, mimesOfKind } from '#contract/media.ts';
import { fileKinds } from '#contract/uploads.ts';
import { typeOfFile } from '#web/api/uploads/fileTypes.ts';
import {
  emptyFilling,
  faultsOf,
  shownTemplate,
  templateToSend,
  type Filling,
} from '#web/features/messages/conversations/thread/attach/templateFill.ts';
import { useMessagePrice } from '#web/features/messages/send/useMessagePrice.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { fileFault } from '#web/ui/chat/attachments/fileFault.ts';
import { fileShown, useObjectUrl } from '#web/ui/chat/thread/UnsentBubble.tsx';
import { Money } from '#web/ui/money/Money.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

type Props = {
  tokenId: string;
  channel: ChannelName | undefined;
  name: string;
  onSend: (template: TemplateToSend, file: File | undefined) => void;
  onClose: () => void;
};

export function TemplateDialog({ tokenId, channel, name, onSend, onClose }: Props) {
  const [chosen, setChosen] = useState<Template>();
  return (
    <Modal
      open
      size="lg"
      onClose={onClose}
      title={chosen ? <bdi>{chosen.name}</bdi> : 'Kirim templat'}
    >
      {chosen ? (
        <TemplateForm
          template={chosen}
          channel={channel}
          name={name}
          onBack={() => setChosen(undefined)}
          onSend={(template, file) => {
            onSend(template, file);
            onClose();
          }}
        />
      ) : (
        <Choice tokenId={tokenId} onChoose={setChosen} />
      )}
    </Modal>
  );
}

type TemplateQuery = {
  q: string;
  pages: number;
  tokenId: string;
};

const approvedQuery = ({ q, pages, tokenId }: TemplateQuery) =>
  queryOptions({
    queryKey: [...listKey(listTemplates), 'approved', tokenId, q, pages],
    queryFn: async ({ signal }) => {
      const all = await Promise.all(
        Array.from({ length: pages }, (_, page) =>
          perform(
            listTemplates,
            { status: 'approved', token_id: tokenId, q: q || undefined, page },
            { signal },
          ),
        ),
      );
      return { rows: all.flatMap(({ rows }) => rows), totalPages: all[0]?.totalPages ?? 0 };
    },
    placeholderData: keepPreviousData,
  });

type ChoiceProps = Pick<TemplateQuery, 'tokenId'> & { onChoose: (template: Template) => void };

function Choice({ tokenId, onChoose }: ChoiceProps) {
  const [{ q, pages }, setQuery] = useState({ q: '', pages: 1 });
  const { data, error, refetch } = useQuery(approvedQuery({ q, pages, tokenId }));
  if (error && !data) return <WentWrong query={{ error, refetch }} />;
  if (data?.rows.length === 0 && q === '') return <None />;
  return (
    <div className="stack gap-16">
      <SearchField
        label="Cari templat"
        placeholder="Nama atau isi templat"
        maxLength={TEMPLATE_LIMITS.search}
        value={q}
        onSearch={(words) => setQuery({ q: words, pages: 1 })}
      />
      {!data ? (
        <div aria-busy="true">
          <Skeleton lines={6} height="1.4em" />
        </div>
      ) : data.rows.length === 0 ? (
        <p className="small muted" role="status">
          Tidak ada templat yang cocok.
        </p>
      ) : (
        <ul
          className="stack plain-list border rounded-lg overflow-y divided max-h-list"
          aria-label="Templat yang disetujui"
        >
          {data.rows.map((template) => (
            <li key={`${template.name} ${template.language}`}>
              <Row template={template} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
      {data && data.totalPages > pages && (
        <div>
          <Button variant="outline" size="sm" onClick={() => setQuery({ q, pages: pages + 1 })}>
            Tampilkan lebih banyak
          </Button>
        </div>
      )}
    </div>
  );
}

type RowProps = { template: Template; onChoose: (template: Template) => void };

const Row = ({ template, onChoose }: RowProps) => (
  <button
    type="button"
    className="stack gap-2 w-full text-start min-h-52 py-8 px-12 hover ring-inset"
    onClick={() => onChoose(template)}
  >
    <bdi className="truncate strong">{template.name}</bdi>
    <span className="small muted break-anywhere clamp-2">{template.body}</span>
    <span className="tiny faint">
      {templateLanguageLabel(template.language)} · {templateCategoryLabel[template.category].title}
    </span>
  </button>
);

const None = () => (
  <EmptyState title="Belum ada templat yang disetujui">
    Ajukan templat di halaman <Link to="/token/templat">Templat</Link>; setelah disetujui, ia dapat
    dikirim dari sini.
  </EmptyState>
);

type TemplateFormProps = {
  template: Template;
  channel: ChannelName | undefined;
  name: string;
  onBack: () => void;
  onSend: (template: TemplateToSend, file: File | undefined) => void;
};

function TemplateForm({ template, channel, name, onBack, onSend }: TemplateFormProps) {
  const [filling, setFilling] = useState<Filling>(() => begun(template, name));
  const [file, setFile] = useState<File>();
  const [isJudged, setJudged] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const [turn, setTurn] = useState(0);
  const faults = faultsOf(template, filling, file !== undefined);
  const errors = isJudged ? faults : {};
  // The list that opened it is gone: focus moves to the first field.
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea, button')?.focus(), []);
  useEffect(() => {
    if (turn > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [turn]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(faults).length === 0) return onSend(templateToSend(template, filling), file);
    setJudged(true);
    setTurn(turn + 1);
  };
  return (
    <form
      ref={form}
      noValidate
      aria-label={`Isi templat ${template.name}`}
      className="stack gap-16"
      onSubmit={send}
    >
      <Facts template={template} channel={channel} />
      <div className={classes('stack gap-20', styles['fill'])}>
        <div className="stack gap-16">
          {template.header_file && (
            <HeaderFile
              kind={template.header_file}
              file={file}
              error={errors['file']}
              onChange={setFile}
            />
          )}
          <Fields template={template} filling={filling} errors={errors} onChange={setFilling} />
        </div>
        <Preview template={template} filling={filling} file={file} />
      </div>
      <div className="flex wrap justify-end gap-8">
        <Button variant="outline" onClick={onBack}>
          Pilih templat lain
        </Button>
        <Button type="submit">Kirim templat</Button>
      </div>
    </form>
  );
}

const begun = ({ body }: Template, name: string): Filling => ({
  ...emptyFilling,
  variables: Object.fromEntries(
    valueOrderOf(body)
      .filter((variable) => /^(?:nama|name)$/i.test(variable))
      .map((variable) => [variable, name]),
  ),
});

function Facts({ template, channel }: Pick<TemplateFormProps, 'template' | 'channel'>) {
  const { data: saldo } = useQuery(saldoQuery);
  const { data: channels } = useQuery({ ...channelsQuery, enabled: channel === 'cloud' });
  const usual = useMessagePrice(channel, saldo);
  const prices = channels?.find((one) => one.channel === 'cloud')?.prices;
  const own = prices?.find(({ category }) => category === template.category)?.price;
  const price = channel === 'cloud' ? own : usual;
  return (
    <p className="small muted">
      {templateLanguageLabel(template.language)} · {templateCategoryLabel[template.category].title}
      {price === 'quota' && ' · Termasuk kuota paket'}
      {price !== undefined && price !== 'quota' && (
        <>
          {' · '}
          <Money amount={price} /> per pesan
        </>
      )}
    </p>
  );
}

type FieldsProps = {
  template: Template;
  filling: Filling;
  errors: Readonly<Record<string, string>>;
  onChange: (filling: Filling) => void;
};

function Fields({ template, filling, errors, onChange }: FieldsProps) {
  const { body, header_variable: header, button_values: values } = template;
  const { variables, buttons } = filling;
  return (
    <>
      {header !== null && (
        <TextField
          label={`Judul {{${header}}}`}
          required
          autoComplete="off"
          maxLength={TEMPLATE_LIMITS.header}
          value={filling.header}
          error={errors['header']}
          onChange={({ target }) => onChange({ ...filling, header: target.value })}
        />
      )}
      {valueOrderOf(body).map((name) => (
        <TextField
          key={name}
          label={`Isi {{${name}}}`}
          required
          autoComplete="off"
          maxLength={TEMPLATE_LIMITS.variable}
          value={variables[name] ?? ''}
          error={errors[`variable ${name}`]}
          onChange={({ target }) =>
            onChange({ ...filling, variables: { ...variables, [name]: target.value } })
          }
        />
      ))}
      {values.map(({ index, title, takes }) => (
        <TextField
          key={index}
          label={`Tombol “${title}”`}
          required
          autoComplete="off"
          help={takes === 'url' ? 'Bagian akhir alamat yang dibuka.' : 'Kode yang disalin.'}
          maxLength={TEMPLATE_LIMITS.buttonValue}
          value={buttons[index] ?? ''}
          error={errors[`button ${index}`]}
          onChange={({ target }) =>
            onChange({ ...filling, buttons: { ...buttons, [index]: target.value } })
          }
        />
      ))}
    </>
  );
}

type HeaderFileProps = {
  kind: NonNullable<Template['header_file']>;
  file: File | undefined;
  error: string | undefined;
  onChange: (file: File | undefined) => void;
};

function HeaderFile({ kind, file, error, onChange }: HeaderFileProps) {
  const input = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const take = (chosen: File | undefined) => {
    if (!chosen) return;
    const wrong = fitsKind(kind, typeOfFile(chosen))
      ? fileFault(chosen, 0, 'media')
      : `${chosen.name} tidak sesuai. Pilih ${endingsOfKind(kind)}.`;
    setFault(wrong);
    onChange(wrong === undefined ? chosen : undefined);
  };
  const label = templateFileLabel[kind];
  const message = fault ?? error;
  return (
    <div className="row wrap gap-10">
      <input
        ref={input}
        type="file"
        hidden
        accept={acceptOf(kind)}
        aria-label={`${label} di atas teks`}
        onChange={({ target }) => {
          take(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button
        variant="outline"
        size="sm"
        aria-invalid={message !== undefined || undefined}
        icon={<Paperclip size={16} />}
        onClick={() => input.current?.click()}
      >
        {file ? 'Ganti' : 'Pilih'} {label.toLowerCase()}
      </Button>
      {file && <bdi className="min-w-0 small muted clip">{file.name}</bdi>}
      {message !== undefined && (
        <span role="alert" className="small text-danger">
          {message}
        </span>
      )}
    </div>
  );
}

const acceptOf = (kind: HeaderFileProps['kind']): string =>
  mimesOfKind[kind].flatMap((mime) => fileKinds[mime].extensions.map((end) => `.${end}`)).join();

type PreviewProps = { template: Template; filling: Filling; file: File | undefined };

function Preview({ template, filling, file }: PreviewProps) {
  const url = useObjectUrl(file);
  const shown = shownTemplate(template, filling);
  const { name, language } = template;
  return (
    <AttachPreview
      message={contentShown(
        { type: 'template', template: { name, language, shown } },
        file && fileShown(file, url),
      )}
    />
  );
}

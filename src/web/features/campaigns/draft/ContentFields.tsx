import { useQuery } from '@tanstack/react-query';
import { Braces } from 'lucide-react';
import { useRef } from 'react';
import type { Campaign } from '#contract/campaigns.ts';
import { TEXT_MAX } from '#contract/messages.ts';
import { valueOrderOf, type Template } from '#contract/messages/templates.ts';
import { CAPTION_MAX } from '#contract/rest/endpoint.ts';
import { typeNames } from '#web/api/uploads/fileTypes.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { templatesQuery } from '#web/features/campaigns/draft/templatesQuery.ts';
import type { DraftValues } from '#web/features/campaigns/draft/content.ts';
import layout from '#web/ui/layout/layout.module.css';
import { Button } from '#web/ui/button/Button.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { Select } from '#web/ui/select/Select.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { insertText } from '#web/ui/text/insertText.ts';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

type Props = { form: Form<DraftValues>; campaign: Campaign };

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

export function ContentFields({ form, campaign }: Props) {
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

function FileFields({ form, campaign }: Props) {
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

function TemplateFields({ form, campaign }: Props) {
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

const LocationFields = ({ form }: Pick<Props, 'form'>) => (
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

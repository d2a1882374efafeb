import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import {
  CAMPAIGN_NAME_MAX,
  type Campaign,
  createCampaign,
  RECIPIENTS_MAX,
} from '#contract/campaigns.ts';
import { formatNumber } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { formatDate } from '#contract/base/time.ts';
import { isUnanswered } from '#web/api/errors.ts';
import { typeNames } from '#web/api/uploads/fileTypes.ts';
import { listFromPasted } from '#web/features/campaigns/labels.ts';
import layout from '#web/ui/layout/layout.module.css';
import styles from '#web/features/campaigns/campaigns.module.css';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { useAct } from '#web/api/query.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { useStoredForm } from '#web/features/campaigns/draft/useStoredForm.ts';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { FormSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';
import type { Token } from '#contract/tokens.ts';
import { uploadServer } from '#web/api/uploads/uploadWire.ts';

type Props = { onMade: (campaign: Campaign) => void };

/** The list of a new campaign: the numbers and the token. `onMade` continues to its content. */
export function NewCampaign({ onMade }: Props) {
  const { data: tokens, error, refetch } = useQuery(allTokensQuery);
  if (!tokens && error) return <WentWrong query={{ error, refetch }} />;
  if (!tokens) return <FormSkeleton fields={[44, 44, 128]} />;
  if (tokens.length === 0) {
    return (
      <EmptyState
        title="Anda belum memiliki token"
        action={
          <LinkButton to="/token" search={{ view: 'new' }}>
            Tambah token
          </LinkButton>
        }
      >
        Pesan dikirim dari nomor Anda yang tersambung.
      </EmptyState>
    );
  }
  return <ListForm tokens={tokens} onMade={onMade} />;
}

type Values = { name: string; token_id: string; way: string; pasted: string; upload: string };

function check({ name, way, pasted, upload }: Values) {
  return {
    ...(name.trim() === '' && { name: 'Beri nama, supaya mudah dicari nanti.' }),
    ...(way === 'paste' && pasted.trim() === '' && { pasted: 'Tempel nomor penerima di sini.' }),
    ...(way === 'file' && upload === '' && { upload: 'Pilih berkas daftar penerima.' }),
  };
}

function ListForm({ tokens, onMade }: Props & { tokens: readonly Token[] }) {
  const able = tokens.find(({ status }) => status === 'linked') ?? tokens[0];
  const [today] = useState(() => formatDate(new Date()));
  const initial: Values = {
    name: `Kiriman ${today}`,
    token_id: able?.id ?? '',
    way: 'paste',
    pasted: '',
    upload: '',
  };
  const form = useStoredForm('campaign new', initial, check);
  const create = useAct(createCampaign);
  const [busy, setBusy] = useState(false);
  /** A retry after no response names the same upload, which becomes one draft. */
  const uploaded = useRef({ pasted: '', upload: '' });
  const uploadPasted = async (pasted: string) => {
    if (uploaded.current.pasted !== pasted)
      uploaded.current = { pasted, upload: await uploadText(listFromPasted(pasted)) };
    return uploaded.current.upload;
  };
  const onSubmit = form.submit(async (values) => {
    const { name, token_id, way, pasted, upload } = values;
    if (busy) return;
    setBusy(true);
    try {
      const list = way === 'paste' ? await uploadPasted(pasted) : upload;
      const made = await create.perform({ name, token_id, upload: list });
      form.saved(values);
      onMade(made);
    } catch (error) {
      // Its upload is unreadable or gone: the next attempt uploads again.
      if (!isUnanswered(error)) {
        uploaded.current = { pasted: '', upload: '' };
        if (way === 'file') form.set('upload', '');
      }
      form.refuse(error, { recipients_unreadable: way === 'paste' ? 'pasted' : 'upload' });
    } finally {
      setBusy(false);
    }
  });
  return (
    <form ref={form.ref} noValidate className={styles['fields']} onSubmit={onSubmit}>
      <RefusalAlert error={create.error} fields={['pasted', 'upload', 'name']} />
      <NameFields form={form} tokens={tokens} />
      <ListField form={form} />
      <div>
        <Button type="submit" busy={busy}>
          Periksa penerima
        </Button>
      </div>
    </form>
  );
}

const ListField = ({ form }: { form: Form<Values> }) => (
  <Tabs
    label="Cara memberi penerima"
    value={form.values.way}
    onChange={(way) => form.set('way', way)}
    tabs={[
      {
        value: 'paste',
        label: 'Tempel nomor',
        content: (
          <TextArea
            label="Nomor penerima"
            required
            rows={10}
            spellCheck={false}
            placeholder={'0812-3456-7890, Budi\n0813-1111-2222, Siti'}
            help="Satu penerima per baris. Nama atau data lain ditulis setelah koma."
            value={form.values.pasted}
            error={form.errors.pasted}
            onChange={({ target }) => form.set('pasted', target.value)}
          />
        ),
      },
      {
        value: 'file',
        label: 'Unggah berkas',
        content: (
          <FileUpload
            label="Daftar penerima"
            required
            purpose="recipients"
            labels={indonesianUploads}
            typeLabels={typeNames}
            maxFiles={1}
            help={`CSV atau XLSX, paling banyak ${formatNumber(RECIPIENTS_MAX)} penerima. Baris pertama berisi nama kolom, misalnya nomor, nama, tagihan.`}
            error={form.errors.upload}
            value={form.values.upload === '' ? [] : [form.values.upload]}
            onChange={([id = '']) => form.set('upload', id)}
          />
        ),
      },
    ]}
  />
);

const NameFields = ({ form, tokens }: { form: Form<Values>; tokens: readonly Token[] }) => (
  <div className={layout['pair']}>
    <TextField
      label="Nama kiriman"
      required
      autoComplete="off"
      maxLength={CAMPAIGN_NAME_MAX}
      help="Hanya Anda yang melihatnya."
      {...form.field('name')}
    />
    <SelectOne
      label="Dari nomor"
      required
      options={tokens.map(({ id, name, phone }) => ({
        value: id,
        label: phone ? `${isolated(name)} (${formatPhone(phone)})` : name,
      }))}
      value={form.values.token_id}
      onChange={(id) => form.set('token_id', id)}
    />
  </div>
);

/**
 * Uploads a pasted list of recipients as a file.
 *
 * @returns the upload's id. @throws Fault
 */
const uploadText = (list: string): Promise<string> =>
  uploadServer(() => ({ metadata: { purpose: 'recipients' } })).process({
    file: new File([list], 'penerima.csv', { type: 'text/csv' }),
    signal: new AbortController().signal,
    transferId: undefined,
    onTransfer: () => undefined,
    onProgress: () => undefined,
  });

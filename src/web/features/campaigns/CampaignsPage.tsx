import { TimeAgo } from '#web/ui/time/DateTime.tsx';
import { useQuery } from '@tanstack/react-query';
import { Plus, Megaphone } from 'lucide-react';
import {
  OPEN_CAMPAIGNS_MAX,
  type Campaign,
  listCampaigns,
  CAMPAIGN_NAME_MAX,
  createCampaign,
  RECIPIENTS_MAX,
} from '#contract/campaigns.ts';
import { Link } from '#web/browser/router/Link.tsx';
import { navigate } from '#web/browser/router/navigation.ts';
import { useSearch } from '#web/browser/router/Router.tsx';
import {
  campaignsFullQuery,
  useCampaignChanged,
  campaignQuery,
} from '#web/features/campaigns/queries.ts';
import { MessagesHead, useHeadLabel } from '#web/features/messages/messages.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button, LinkButton } from '#web/ui/button/Button.tsx';
import { PageHead } from '#web/ui/layout/PageHead.tsx';
import { Stack, Row } from '#web/ui/panel/Panel.tsx';
import { useMemo, useRef, useState } from 'react';
import { formatNumber } from '#contract/base/money.ts';
import { formatDateTimeZone, formatDate } from '#contract/base/time.ts';
import { useUser } from '#web/api/user.ts';
import { ProgressBar, recipientsOf } from '#web/features/campaigns/progress/ProgressBar.tsx';
import { scheduledAt, stateOf, listFromPasted } from '#web/features/campaigns/labels.ts';
import styles from '#web/features/campaigns/campaigns.module.css';
import { classes } from '#web/ui/classes.ts';
import { Money } from '#web/ui/money/Money.tsx';
import { EmptyState, WentWrong } from '#web/ui/panel/EmptyState.tsx';
import { DataTable } from '#web/ui/table/DataTable.tsx';
import type { Column } from '#web/ui/table/tableProps.ts';
import { NoRows } from '#web/ui/table/list/NoRows.tsx';
import { useAddressView } from '#web/ui/table/list/useAddressView.ts';
import { useList } from '#web/ui/table/list/useList.ts';
import { isNotFound, isUnanswered } from '#web/api/errors.ts';
import { DraftEditor } from '#web/features/campaigns/draft/DraftEditor.tsx';
import { CampaignProgress } from '#web/features/campaigns/progress/CampaignProgress.tsx';
import { FormSkeleton } from '#web/ui/skeleton/Skeleton.tsx';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';
import { isolated } from '#contract/base/names.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { typeNames } from '#web/api/uploads/fileTypes.ts';
import layout from '#web/ui/layout/layout.module.css';
import { allTokensQuery } from '#web/api/allTokens.ts';
import { RefusalAlert } from '#web/ui/alert/RefusalAlert.tsx';
import { useAct } from '#web/api/query.ts';
import type { Form } from '#web/ui/form/useForm.ts';
import { useStoredForm } from '#web/features/campaigns/draft/useStoredForm.ts';
import { SelectOne } from '#web/ui/select/SelectOne.tsx';
import { Tabs } from '#web/ui/tabs/Tabs.tsx';
import { TextArea, TextField } from '#web/ui/text/TextField.tsx';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';
import type { Token } from '#contract/tokens.ts';
import { uploadServer } from '#web/api/uploads/uploadWire.ts';

/**
 * Route `/message-history/kiriman`: campaigns; `view=new` for a new list, `open` for one of them.
 */
export function CampaignsPage() {
  const { view, open } = useSearch('/message-history/kiriman');
  const changed = useCampaignChanged();
  const { data: isFull = false } = useQuery(campaignsFullQuery);
  if (open !== undefined) return <CampaignView key={open} id={open} />;
  if (view === 'new') {
    return (
      <>
        <PageHead
          title="Kirim ke banyak nomor"
          context={<Link to="/message-history/kiriman">Kembali ke daftar kiriman</Link>}
        />
        {isFull ? (
          <Full />
        ) : (
          <NewCampaign
            onMade={(campaign) => {
              changed(campaign);
              void navigate({
                to: '/message-history/kiriman',
                search: { open: campaign.id },
                replace: true,
              });
            }}
          />
        )}
      </>
    );
  }
  return (
    <>
      <MessagesHead current="campaigns" action={<NewCampaignLink isFull={isFull} />} />
      <Stack gap={16}>
        {isFull && <Full />}
        <CampaignTable />
      </Stack>
    </>
  );
}

const FULL = 'kiriman-penuh';

function NewCampaignLink({ isFull }: { isFull: boolean }) {
  const look = {
    icon: <Plus size={18} />,
    ...useHeadLabel('Kiriman baru'),
  };
  return isFull ? (
    <Button {...look} disabled aria-describedby={FULL} />
  ) : (
    <LinkButton {...look} to="/message-history/kiriman" search={{ view: 'new' }} />
  );
}

const Full = () => (
  <Alert
    id={FULL}
    state="info"
    visible
    label={`Sudah ada ${OPEN_CAMPAIGNS_MAX} kiriman massal yang belum selesai. Hapus draf yang tidak diperlukan, atau tunggu sampai ada yang selesai.`}
  />
);

/** The interval for refetching rows whose progress may grow. */
const EVERY_MS = 5_000;

const columns = (zone: string): readonly Column<Campaign>[] => [
  {
    id: 'name',
    title: 'Nama',
    width: 260,
    phone: 'title',
    cell: ({ name, token }) => (
      <span className="grid justify-items-start gap-4 min-w-0">
        <bdi className="max-w-full clip strong">{name}</bdi>
        <span className="small faint regular">
          dari <bdi>{token.name}</bdi>
        </span>
      </span>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: 150,
    whole: true,
    phone: 'aside',
    cell: (campaign) => <CampaignStateChip campaign={campaign} />,
  },
  {
    id: 'progress',
    title: 'Kemajuan',
    width: 240,
    phone: 'line',
    cell: (campaign) => <Progress campaign={campaign} zone={zone} />,
  },
  {
    id: 'cost',
    title: 'Biaya',
    width: 110,
    align: 'end',
    whole: true,
    phone: 'fact',
    // Within the quota there is no cost to show.
    fills: ({ cost }) => cost > 0,
    cell: ({ cost }) => cost > 0 && <Money amount={cost} />,
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

function Progress({ campaign, zone }: { campaign: Campaign; zone: string }) {
  const { recipients } = campaign;
  const { waiting, placed, refused } = recipients;
  if (campaign.status === 'draft') return `${formatNumber(waiting)} penerima`;
  const at = scheduledAt(campaign, new Date());
  if (at) return `Mulai ${formatDateTimeZone(at, zone)}`;
  return (
    <span className={classes('grid justify-items-start gap-4 min-w-0', styles['progress'])}>
      <ProgressBar campaign={campaign} />
      <span className="small faint regular">
        {formatNumber(placed + refused)} dari {formatNumber(recipientsOf(recipients))}
      </span>
    </span>
  );
}

function CampaignTable() {
  const { timezone } = useUser();
  const { view, onView } = useAddressView('/message-history/kiriman', {
    sorts: ['created_at'],
    top: true,
  });
  const list = useList(listCampaigns, {}, view, { everyMs: EVERY_MS });
  const shown = useMemo(() => columns(timezone), [timezone]);
  return (
    <DataTable
      {...list.table}
      caption="Kiriman massal, yang terbaru lebih dulu kecuali diurutkan lain"
      columns={shown}
      rowKey={({ id }) => id}
      onView={onView}
      onOpen={({ id }) => void navigate({ to: '/message-history/kiriman', search: { open: id } })}
      empty={
        <NoRows list={list}>
          <EmptyState
            icon={<Megaphone size={24} />}
            title="Satu pesan untuk banyak pelanggan"
            action={
              <LinkButton to="/message-history/kiriman" search={{ view: 'new' }} variant="subtle">
                Kirim ke banyak nomor
              </LinkButton>
            }
          >
            Unggah daftar nomor, tulis pesannya sekali, dan sapa setiap orang dengan namanya. Biaya
            dan lamanya terlihat sebelum dikirim.
          </EmptyState>
        </NoRows>
      }
    />
  );
}

function CampaignView({ id }: { id: string }) {
  const { data: campaign, error, refetch } = useQuery(campaignQuery(id));
  return (
    <>
      <PageHead
        title={campaign?.name ?? 'Kiriman massal'}
        context={
          <Row>
            <Link to="/message-history/kiriman">Kembali ke daftar kiriman</Link>
            {campaign && <CampaignStateChip campaign={campaign} />}
            {campaign && (
              <span>
                dari <bdi>{campaign.token.name}</bdi>
              </span>
            )}
          </Row>
        }
      />
      {campaign ? (
        <Content campaign={campaign} />
      ) : error ? (
        isNotFound(error) ? (
          <EmptyState title="Kiriman ini tidak ditemukan">
            Alamatnya mungkin salah tulis, atau kiriman ini sudah dihapus.
          </EmptyState>
        ) : (
          <WentWrong query={{ error, refetch }} />
        )
      ) : (
        <FormSkeleton fields={[44, 104, 44]} />
      )}
    </>
  );
}

const Content = ({ campaign }: { campaign: Campaign }) =>
  campaign.status === 'draft' ? (
    <DraftEditor campaign={campaign} />
  ) : (
    <CampaignProgress campaign={campaign} />
  );

function CampaignStateChip({ campaign }: { campaign: Campaign }) {
  const { label, tone } = stateOf(campaign, new Date());
  return <StatusChip tone={tone}>{label}</StatusChip>;
}

type Props = { onMade: (campaign: Campaign) => void };

/** The list of a new campaign: the numbers and the token. `onMade` continues to its content. */
function NewCampaign({ onMade }: Props) {
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

import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useState } from 'react';
import { formatRupiah, formatNumber } from '#contract/base/money.ts';
import { PriceCategory } from '#contract/channels.ts';
import {
  getPrices,
  type PriceTables,
  setPpn,
  setPrice,
  listPlanDetails,
  type PlanDetails,
  savePlan,
} from '#contract/operator/books.ts';
import { instantOf } from '#web/features/operator/moment.ts';
import { MomentField } from '#web/features/operator/MomentField.tsx';
import styles from '#web/features/operator/operator.module.css';
import { OperatorForm } from '#web/features/operator/OperatorForm.tsx';
import { AmountField } from '#web/ui/money/CurrencyField.tsx';
import { Entry, Loaded, OperatorFrame, Rows } from '#web/features/operator/OperatorFrame.tsx';
import { actQuery } from '#web/features/operator/operatorQuery.ts';
import {
  categoryWords,
  fromWords,
  rateWords,
  whatOf,
} from '#web/features/operator/prices/priceWords.ts';
import { SellerGaps } from '#web/features/operator/settings/SellerGaps.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import type { Form } from '#web/ui/form/useForm.ts';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { Select } from '#web/ui/select/Select.tsx';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { Checkbox } from '#web/ui/form/Checkbox.tsx';

/** Route `/operator/harga`: prices of messages and plans, and the PPN, each with its start. */
export function PricesPage() {
  const prices = useQuery(actQuery(getPrices, {}));
  return (
    <OperatorFrame
      title="Harga & paket"
      context="Setiap perubahan berlaku mulai waktunya; yang sudah diterima tetap dengan harganya."
    >
      <Loaded query={prices} lines={8}>
        {(data) => <Tables data={data} />}
      </Loaded>
      <Plans />
    </OperatorFrame>
  );
}

type State = PriceTables['prices'][number]['state'];
const stateLabel: Record<State, string> = {
  past: 'Sudah diganti',
  now: 'Berlaku',
  future: 'Akan berlaku',
};
const stateTone: Record<State, Tone> = { past: 'neutral', now: 'success', future: 'info' };

const Tables = ({ data: { prices, rates, ppn } }: { data: PriceTables }) => (
  <>
    <Panel title="Harga pesan" tools={<Change title="Ubah harga pesan" Form={PriceForm} />}>
      <Stack>
        {PriceCategory().options.map((category) => (
          <PriceHistory
            key={category}
            category={category}
            rows={prices.filter((row) => row.category === category)}
          />
        ))}
      </Stack>
    </Panel>
    <Panel title="PPN" tools={<Change title="Ubah tarif PPN" Form={PpnForm} />}>
      <SellerGaps />
      <Stack>
        <Alert
          state="info"
          visible={!ppn}
          label="PPN dimatikan di instalasi ini, jadi tarif di bawah belum dipakai."
        />
        <Rows label="Riwayat tarif PPN">
          {rates.map((row) => (
            <Dated key={row.valid_from.toISOString()} row={row}>
              {rateWords(row)} harga
            </Dated>
          ))}
        </Rows>
      </Stack>
    </Panel>
  </>
);

type FormProps = { onDone: () => void };
type ChangeProps = { title: string; Form: ComponentType<FormProps> };

/** A button that opens a form in a drawer of the same title. */
function Change({ title, Form }: ChangeProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="outline" tone="primary" size="sm" onClick={() => setOpen(true)}>
        {title}
      </Button>
      {isOpen && (
        <Drawer open onClose={close} title={title}>
          <Form onDone={close} />
        </Drawer>
      )}
    </>
  );
}

type PriceHistoryProps = { category: PriceCategory; rows: PriceTables['prices'] };

const PriceHistory = ({ category, rows }: PriceHistoryProps) => (
  <section>
    <h3>{categoryWords(category)}</h3>
    <Rows label={`Riwayat harga ${categoryWords(category)}`}>
      {rows.map((row) => (
        <Dated
          key={row.valid_from.toISOString()}
          row={row}
          since={row.set_by === null ? 'Harga bawaan Kabari' : undefined}
        >
          {formatRupiah(row.price)} per pesan
        </Dated>
      ))}
    </Rows>
  </section>
);

type Row = Omit<PriceTables['prices'][number], 'category' | 'price'>;

type DatedProps = {
  row: Row;
  /** Shown instead of the moment, where that is meaningless. */
  since?: string | undefined;
  children: ReactNode;
};

const Dated = ({ row, since, children }: DatedProps) => (
  <Entry
    small={
      since ?? (
        <>
          Mulai <DateTime at={row.valid_from} />
          {row.set_by !== null && `, oleh ${row.set_by}: ${row.reason ?? ''}`}
        </>
      )
    }
    end={<StatusChip tone={stateTone[row.state]}>{stateLabel[row.state]}</StatusChip>}
  >
    <strong className="num">{children}</strong>
  </Entry>
);

const FromField = ({ form }: { form: Form<{ valid_from: string }> }) => (
  <MomentField
    label="Berlaku mulai (WIB)"
    timeLabel="Jam"
    placeholder="Sekarang juga"
    {...form.field('valid_from')}
  />
);

/** Without a moment, the change applies now. */
function fromOf(valid_from: string): { valid_from?: string } {
  const from = instantOf(valid_from);
  return from === undefined ? {} : { valid_from: from };
}

const categories = PriceCategory().options.map((value) => ({
  value,
  label: categoryWords(value),
}));

type NewPrice = { category: PriceCategory; price: string; valid_from: string; reason: string };

const newPrice: NewPrice = { category: 'message', price: '', valid_from: '', reason: '' };

const PriceForm = ({ onDone }: FormProps) => (
  <OperatorForm
    act={setPrice}
    initial={newPrice}
    inputOf={({ valid_from, ...values }) => ({ ...values, ...fromOf(valid_from) })}
    question={({ category, price, valid_from }) => ({
      title: category === 'message' ? 'Ubah harga pesan?' : 'Ubah harga Cloud API?',
      text: `${whatOf(category)} yang diterima mulai ${fromWords(valid_from)} berharga ${formatRupiah(Number(price))}. Pesan yang sudah diterima tetap dengan harganya.`,
      button: 'Ubah harga',
    })}
    said="Harga disimpan."
    onDone={onDone}
    actions="Simpan"
  >
    {(form) => (
      <>
        <Select label="Jenis" required options={categories} {...form.field('category')} />
        <div className={styles['pair']}>
          <AmountField label="Harga baru per pesan" required {...form.field('price')} />
          <FromField form={form} />
        </div>
      </>
    )}
  </OperatorForm>
);

const parts = [
  { name: 'num', label: 'Tarif, pembilang' },
  { name: 'den', label: 'Tarif, penyebut' },
  { name: 'dpp_num', label: 'DPP, pembilang' },
  { name: 'dpp_den', label: 'DPP, penyebut' },
] as const;

const PpnForm = ({ onDone }: FormProps) => (
  <OperatorForm
    act={setPpn}
    initial={{ num: '12', den: '100', dpp_num: '11', dpp_den: '12', valid_from: '', reason: '' }}
    inputOf={({ valid_from, ...rate }) => ({ ...rate, ...fromOf(valid_from) })}
    question={({ valid_from, ...rate }) => ({
      title: 'Ubah tarif PPN?',
      text: `Isi saldo yang dibuat mulai ${fromWords(valid_from)} dikenai ${rateWords(rate)} nominalnya. Isi saldo yang sudah dibuat tetap dengan PPN-nya.`,
      button: 'Ubah tarif',
    })}
    said="Tarif PPN disimpan."
    onDone={onDone}
    actions="Simpan"
  >
    {(form) => (
      <div className={styles['pair']}>
        {parts.map(({ name, label }) => (
          <TextField key={name} label={label} required inputMode="numeric" {...form.field(name)} />
        ))}
        <FromField form={form} />
      </div>
    )}
  </OperatorForm>
);

function Plans() {
  const plans = useQuery(actQuery(listPlanDetails, {}));
  const [edited, setEdited] = useState<PlanDetails | 'new'>();
  const plan = edited === 'new' ? undefined : edited;
  return (
    <Panel
      title="Paket"
      tools={
        <Button variant="outline" tone="primary" size="sm" onClick={() => setEdited('new')}>
          Tambah paket
        </Button>
      }
    >
      <p className="muted">
        Perubahan menjadi revisi baru: pelanggan tetap memakai revisinya sampai perpanjangan
        berikutnya.
      </p>
      <Loaded query={plans} lines={4}>
        {({ plans: all }) => (
          <Rows label="Paket" none="Belum ada paket.">
            {all.map((one) => (
              <PlanRow key={one.code} plan={one} onEdit={() => setEdited(one)} />
            ))}
          </Rows>
        )}
      </Loaded>
      {edited !== undefined && (
        <Drawer
          open
          onClose={() => setEdited(undefined)}
          title={plan ? `Ubah paket ${plan.name}` : 'Paket baru'}
        >
          <PlanForm plan={plan} onDone={() => setEdited(undefined)} />
        </Drawer>
      )}
    </Panel>
  );
}

const PlanRow = ({ plan, onEdit }: { plan: PlanDetails; onEdit: () => void }) => (
  <Entry
    note={
      <>
        {formatRupiah(plan.price)} sebulan, {formatNumber(plan.quota)} pesan,{' '}
        {formatNumber(plan.tokens)} token, lalu {formatRupiah(plan.overage)} per pesan
      </>
    }
    small={`${plan.code}, revisi ${plan.revision}`}
    end={
      <>
        <StatusChip tone={plan.is_offered ? 'success' : 'neutral'}>
          {plan.is_offered ? 'Ditawarkan' : 'Tidak ditawarkan'}
        </StatusChip>
        <Button variant="subtle" size="sm" aria-label={`Ubah paket ${plan.name}`} onClick={onEdit}>
          Ubah
        </Button>
      </>
    }
  >
    <strong>{plan.name}</strong>
  </Entry>
);

const texts = [
  { name: 'name', label: 'Nama paket', required: true },
  { name: 'description', label: 'Keterangan', required: false },
] as const;
const counts = [
  { name: 'tokens', label: 'Token' },
  { name: 'quota', label: 'Pesan sebulan' },
] as const;
const prices = [
  { name: 'price', label: 'Harga sebulan' },
  { name: 'overage', label: 'Harga pesan di luar kuota' },
] as const;

const initialOf = (plan: PlanDetails | undefined) => ({
  code: plan?.code ?? '',
  name: plan?.name ?? '',
  description: plan?.description ?? '',
  price: String(plan?.price ?? ''),
  tokens: String(plan?.tokens ?? ''),
  quota: String(plan?.quota ?? ''),
  overage: String(plan?.overage ?? ''),
  is_offered: plan?.is_offered ?? true,
  reason: '',
});

type PlanFormProps = { plan: PlanDetails | undefined; onDone: () => void };

const PlanForm = ({ plan, onDone }: PlanFormProps) => (
  <OperatorForm
    act={savePlan}
    initial={initialOf(plan)}
    inputOf={({ is_offered, ...values }) => ({
      ...values,
      offered: is_offered ? ('yes' as const) : ('no' as const),
    })}
    question={({ name }) => ({
      title: plan ? 'Simpan revisi baru?' : 'Buat paket ini?',
      text: plan
        ? `Yang mulai atau memperpanjang paket ${name} sejak sekarang memakai revisi ini. Pelanggan lain tetap dengan revisinya sampai perpanjangan.`
        : `Paket ${name} dapat dipilih pelanggan sejak sekarang, bila ditawarkan.`,
      button: 'Simpan',
    })}
    said={({ revision }) => `Disimpan sebagai revisi ${revision}.`}
    onDone={onDone}
    actions="Simpan"
  >
    {(form) => (
      <>
        <TextField
          label="Kode"
          required
          readOnly={plan !== undefined}
          help="Huruf kecil, angka, dan tanda hubung; tidak dapat diubah lagi."
          {...form.field('code')}
        />
        {texts.map(({ name, label, required }) => (
          <TextField key={name} label={label} required={required} {...form.field(name)} />
        ))}
        <div className={styles['pair']}>
          {prices.map(({ name, label }) => (
            <AmountField key={name} label={label} required {...form.field(name)} />
          ))}
          {counts.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              required
              inputMode="numeric"
              {...form.field(name)}
            />
          ))}
        </div>
        <Checkbox
          label="Ditawarkan kepada pelanggan"
          name="is_offered"
          checked={form.values.is_offered}
          onChange={(event) => form.set('is_offered', event.target.checked)}
        />
      </>
    )}
  </OperatorForm>
);

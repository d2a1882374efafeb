import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { formatRupiah } from '#contract/base/money.ts';
import { type PriceTables, getPrices } from '#contract/operator/books.ts';
import { PriceCategory } from '#contract/channels.ts';
import { actQuery } from '#web/features/operator/form/actQuery.ts';
import styles from '#web/features/operator/form/form.module.css';
import { Loaded } from '#web/features/operator/form/Loaded.tsx';
import { OperatorFrame } from '#web/features/operator/OperatorFrame.tsx';
import { categoryWords, rateWords } from '#web/features/operator/prices/priceWords.ts';
import { Plans } from '#web/features/operator/prices/Plans.tsx';
import { PpnForm } from '#web/features/operator/prices/PpnForm.tsx';
import { PriceForm } from '#web/features/operator/prices/PriceForm.tsx';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { SellerGaps } from '#web/features/operator/settings/SellerGaps.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { Drawer } from '#web/ui/overlay/Modal.tsx';
import { Panel, Stack } from '#web/ui/panel/Panel.tsx';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';

/** Route `/operator/harga`: prices of messages and plans, and the PPN, each with its start. */
export function PricesPage() {
  const prices = useQuery(actQuery(getPrices, {}));
  return (
    <OperatorFrame
      title="Harga & paket"
      context="Setiap perubahan berlaku mulai waktunya; yang sudah diterima tetap dengan harganya."
    >
      <div className={styles['page']}>
        <Loaded query={prices} lines={8}>
          {(data) => <Tables data={data} />}
        </Loaded>
        <Plans />
      </div>
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
    <Panel
      title="Harga pesan"
      tools={<Change title="Ubah harga pesan">{(onDone) => <PriceForm onDone={onDone} />}</Change>}
    >
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
    <Panel
      title="PPN"
      tools={<Change title="Ubah tarif PPN">{(onDone) => <PpnForm onDone={onDone} />}</Change>}
    >
      <SellerGaps />
      <Stack>
        <Alert
          state="info"
          visible={!ppn}
          label="PPN dimatikan di instalasi ini, jadi tarif di bawah belum dipakai."
        />
        <ul className={styles['rows']} aria-label="Riwayat tarif PPN">
          {rates.map((row) => (
            <Dated key={row.valid_from.toISOString()} row={row}>
              {rateWords(row)} harga
            </Dated>
          ))}
        </ul>
      </Stack>
    </Panel>
  </>
);

type ChangeProps = { title: string; children: (onDone: () => void) => ReactNode };

/** A button that opens a form in a drawer of the same title. */
function Change({ title, children }: ChangeProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="outline" size="sm" onClick={() => setOpen(true)}>
        {title}
      </Button>
      {isOpen && (
        <Drawer open onClose={close} title={title}>
          {children(close)}
        </Drawer>
      )}
    </>
  );
}

type PriceHistoryProps = { category: PriceCategory; rows: PriceTables['prices'] };

const PriceHistory = ({ category, rows }: PriceHistoryProps) => (
  <section>
    <h3>{categoryWords(category)}</h3>
    <ul className={styles['rows']} aria-label={`Riwayat harga ${categoryWords(category)}`}>
      {rows.map((row) => (
        <Dated
          key={row.valid_from.toISOString()}
          row={row}
          since={row.set_by === null ? 'Harga bawaan Kabari' : undefined}
        >
          {formatRupiah(row.price)} per pesan
        </Dated>
      ))}
    </ul>
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
  <li>
    <span className={styles['what']}>
      <strong className="num">{children}</strong>
      <span className={styles['small']}>
        {since ?? (
          <>
            Mulai <DateTime at={row.valid_from} />
            {row.set_by !== null && `, oleh ${row.set_by}: ${row.reason ?? ''}`}
          </>
        )}
      </span>
    </span>
    <StatusChip tone={stateTone[row.state]}>{stateLabel[row.state]}</StatusChip>
  </li>
);

import { type Topup, uploadTransferProof } from '#contract/saldo.ts';
import styles from '#web/features/saldo/saldo.module.css';
import { classes } from '#web/ui/classes.ts';
import { inFours, splitTotal } from '#web/features/saldo/topups/topups.ts';
import { CopyField } from '#web/ui/copy/CopyField.tsx';
import { DateTime } from '#web/ui/time/DateTime.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { FileCheck } from 'lucide-react';
import { useState } from 'react';
import { endingsFor } from '#contract/uploads.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { typeNames } from '#web/api/uploads/fileTypes.ts';
import { useAct } from '#web/api/query.ts';
import { topupQuery } from '#web/features/saldo/queries.ts';
import { Accordion, AccordionPart } from '#web/ui/disclosure/Accordion.tsx';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import { indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

/** The exact amount and the account; takes a slip for a manual review. */
export function BankTransfer({ topup }: { topup: Topup }) {
  const { head, tail } = splitTotal(topup.total);
  const { bank } = topup;
  return (
    <>
      <CopyField
        label="Transfer tepat sejumlah"
        value={String(topup.total)}
        look="amount"
        shown={
          <>
            {head}
            <mark className={classes('rounded-sm solid-warning', styles['code'])}>{tail}</mark>
          </>
        }
        help="Tiga angka terakhir harus sama persis: itulah tanda transfer Anda."
      />
      {bank && (
        <CopyField
          label={`Nomor rekening ${bank.name}`}
          value={bank.number}
          look="amount"
          shown={inFours(bank.number)}
          help={
            <>
              Atas nama <strong>{bank.holder}</strong>
            </>
          }
        />
      )}
      <ol className={styles['next']}>
        <li>
          Transfer dari bank atau dompet digital mana pun, sebelum{' '}
          <DateTime at={topup.expires_at} />.
        </li>
        <li>
          Saldo bertambah begitu transfer Anda kami temukan di mutasi bank. Bila terasa lama, kirim
          bukti transfernya di bawah.
        </li>
        <li>Halaman ini otomatis menjadi Lunas, dan boleh Anda tutup.</li>
      </ol>
      <Proof topup={topup} />
    </>
  );
}

/** Uploads a slip for a manual review, in case the automatic match takes too long. */
function Proof({ topup }: { topup: Topup }) {
  const [open, setOpen] = useState(false);
  const { proof } = topup;
  return (
    <>
      {proof && (
        <p className="flex gap-8 text-success rounded soft-success py-10 px-12" role="status">
          <FileCheck size={18} className="mt-2" />
          <span>
            Bukti transfer terkirim <DateTime at={proof.at} />. Kami akan memeriksanya.
          </span>
        </p>
      )}
      <Accordion>
        <AccordionPart
          title={proof ? 'Ganti bukti transfer' : 'Sudah transfer tetapi belum lunas?'}
          open={open}
          onToggle={setOpen}
        >
          {open && <ProofUpload topup={topup} onSent={() => setOpen(false)} />}
        </AccordionPart>
      </Accordion>
    </>
  );
}

function ProofUpload({ topup, onSent }: { topup: Topup; onSent: () => void }) {
  const client = useQueryClient();
  const [ids, setIds] = useState<readonly string[]>([]);
  const prove = useAct(uploadTransferProof, {
    onSuccess: (after) => {
      client.setQueryData(topupQuery(after.id).queryKey, after);
      onSent();
    },
    onError: () => void client.invalidateQueries({ queryKey: topupQuery(topup.id).queryKey }),
  });
  return (
    <div aria-busy={prove.busy || undefined}>
      <FileUpload
        label="Bukti transfer"
        purpose="proof"
        labels={indonesianUploads}
        typeLabels={typeNames}
        help={`${endingsFor('proof')}, paling besar 10 MB. Jumlah dan waktunya harus terbaca.`}
        error={prove.error ? sentenceOf(prove.error) : undefined}
        maxFiles={1}
        value={ids}
        onChange={(next) => {
          setIds(next);
          const [id] = next;
          if (id !== undefined) prove.mutate({ topup_id: topup.id, upload: id });
        }}
      />
    </div>
  );
}

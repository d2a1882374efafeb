import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type RefObject } from 'react';
import { TEXT_MAX } from '#contract/messages.ts';
import { CAPTION_MAX } from '#contract/rest/limits.ts';
import { later } from '#web/browser/lazyComponent.ts';
import type { Which } from '#web/features/messages/conversations/queries.ts';
import { Quote } from '#web/features/messages/conversations/thread/MessageLine.tsx';
import {
  sendFiles,
  sendText,
  type QuotedMessage,
} from '#web/features/messages/conversations/thread/outgoing.ts';
import styles from '#web/features/messages/conversations/thread/Reply.module.css';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { Alert } from '#web/ui/alert/Alert.tsx';
import { Attachments } from '#web/ui/chat/attachments/Attachments.tsx';
import { documentEndings, fileFault } from '#web/ui/chat/attachments/fileFault.ts';
import { Composer } from '#web/ui/chat/Composer.tsx';
import { useDraft } from '#web/ui/chat/useDraft.ts';
import { Money } from '#web/ui/money/Money.tsx';

const Recorder = later(async () => (await import('#web/ui/chat/recorder/Recorder.tsx')).Recorder);

const DOCUMENTS = documentEndings('media');

type Props = {
  which: Which;
  name: string;
  blocked: ReactNode;
  /** The message that is being answered. */
  replyTo: QuotedMessage | undefined;
  /** The answer is on its way, or was given up. */
  onReplied: () => void;
  /** Where files may be dropped. */
  dropZone: RefObject<HTMLElement | null>;
};

/** Where a message is written: text, files, a voice message. */
export function Reply({ which, name, blocked, replyTo, onReplied, dropZone }: Props) {
  const client = useQueryClient();
  const [draft, setDraft] = useDraft(`${which.tokenId} ${which.peer}`);
  const { files, faults, attach, setFiles, forgetFaults } = useAttached();
  const [recording, setRecording] = useState(false);
  const send = (text: string, going: readonly File[]) => {
    if (going.length === 0) sendText(client, which, text, replyTo);
    else sendFiles(client, which, { files: going, text, replyTo });
    onReplied();
  };
  return (
    <div className={styles['reply']}>
      {replyTo && !blocked && (
        <div className={styles['quoted']}>
          <Quote quoted={replyTo} name={name} onCancel={onReplied} />
        </div>
      )}
      <Faults faults={faults} onClose={forgetFaults} />
      <Attachments files={files} onChange={setFiles} />
      {recording && !blocked ? (
        <Recorder
          onClose={() => setRecording(false)}
          onSend={(file) => {
            setRecording(false);
            send('', [file]);
          }}
        />
      ) : (
        <Composer
          label={`Tulis pesan untuk ${name}`}
          value={draft}
          onChange={setDraft}
          attached={files.length > 0}
          maxLength={files.length > 0 ? CAPTION_MAX : TEXT_MAX}
          blocked={blocked}
          documents={DOCUMENTS}
          dropZone={dropZone}
          onFiles={attach}
          onContact={null}
          onRecord={() => setRecording(true)}
          onSend={(text) => {
            setDraft('');
            send(text, files);
            setFiles([]);
            forgetFaults();
          }}
        />
      )}
      {!blocked && <Price count={Math.max(1, files.length)} />}
    </div>
  );
}

/** The files that were chosen, and why others were not taken. */
function useAttached() {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const attach = (chosen: readonly File[]) => {
    const waiting = files.reduce((sum, { size }) => sum + size, 0);
    const wrong = chosen.map((file) => fileFault(file, waiting, 'media'));
    setFiles([...files, ...chosen.filter((_, index) => wrong[index] === undefined)]);
    setFaults(wrong.filter((fault) => fault !== undefined));
  };
  return { files, faults, attach, setFiles, forgetFaults: () => setFaults([]) };
}

/** Why files cannot be sent, until it was read or other ones are chosen. */
const Faults = ({ faults, onClose }: { faults: readonly string[]; onClose: () => void }) =>
  faults.length > 0 && (
    <div className={styles['faults']}>
      <Alert
        visible
        state="danger"
        label={faults.map((fault) => (
          <span key={fault} className={styles['fault']}>
            {fault}
          </span>
        ))}
        onClose={onClose}
      />
    </div>
  );

/** What sending costs: each file is a message. */
function Price({ count }: { count: number }) {
  const { data: saldo } = useQuery(saldoQuery);
  if (!saldo) return null;
  return (
    <p className={styles['price']}>
      {saldo.quota_left > 0 ? (
        'Termasuk kuota paket'
      ) : (
        <>
          <Money amount={saldo.message_price} /> per pesan
          {count > 1 && `, ${count} pesan`}
        </>
      )}
    </p>
  );
}

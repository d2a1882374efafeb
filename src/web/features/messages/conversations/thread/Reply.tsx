import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type RefObject } from 'react';
import { TEXT_MAX } from '#contract/messages.ts';
import type { ChannelName } from '#contract/tokens.ts';
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
import { useMessagePrice } from '#web/features/messages/send/useMessagePrice.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import { Attachments } from '#web/ui/chat/attachments/Attachments.tsx';
import { documentEndings } from '#web/ui/chat/attachments/fileFault.ts';
import { useAttached } from '#web/ui/chat/attachments/useAttached.ts';
import { Composer } from '#web/ui/chat/composer/Composer.tsx';
import { useDraft } from '#web/ui/chat/composer/useDraft.ts';
import { Money } from '#web/ui/money/Money.tsx';

const Recorder = later(async () => (await import('#web/ui/chat/recorder/Recorder.tsx')).Recorder);

const DOCUMENTS = documentEndings('media');

type Props = {
  which: Which;
  name: string;
  /** The channel that it leaves by; undefined while that is not known. */
  channel: ChannelName | undefined;
  /** What is to be known before something is written. */
  notice: string | undefined;
  blocked: ReactNode;
  /** The message that is being answered. */
  replyTo: QuotedMessage | undefined;
  /** The answer is on its way, or was given up. */
  onReplied: () => void;
  /** Where files may be dropped. */
  dropZone: RefObject<HTMLElement | null>;
};

/** Where a message is written: text, files, a voice message. */
export function Reply(props: Props) {
  const { which, name, channel, notice, blocked, replyTo, onReplied, dropZone } = props;
  const client = useQueryClient();
  const [draft, setDraft] = useDraft(`${which.tokenId} ${which.peer}`);
  const attached = useAttached('media');
  const { files } = attached;
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
      <Attachments attached={attached} />
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
          onFiles={attached.attach}
          onContact={null}
          onRecord={() => setRecording(true)}
          onSend={(text) => {
            setDraft('');
            send(text, files);
            attached.forget();
          }}
        />
      )}
      {!blocked && (
        <p className={styles['price']}>
          {notice && <span>{notice}</span>}
          {channel && <Price channel={channel} count={Math.max(1, files.length)} />}
        </p>
      )}
    </div>
  );
}

type PriceProps = { channel: ChannelName; count: number };

/** What sending costs: each file is a message. */
function Price({ channel, count }: PriceProps) {
  const { data: saldo } = useQuery(saldoQuery);
  const price = useMessagePrice(channel, saldo);
  if (price === undefined) return null;
  return (
    <span>
      {price === 'quota' ? (
        'Termasuk kuota paket'
      ) : (
        <>
          <Money amount={price} /> per pesan
          {count > 1 && `, ${count} pesan`}
        </>
      )}
    </span>
  );
}

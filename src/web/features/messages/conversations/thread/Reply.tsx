import { isolated } from '#contract/base/names.ts';
import { useQuery } from '@tanstack/react-query';
import { ContactRound, LayoutTemplate, MapPin, Zap } from 'lucide-react';
import { memo, useState, type ReactNode, type RefObject, Suspense } from 'react';
import { TEXT_MAX } from '#contract/messages.ts';
import { formatPeer, writtenPeer } from '#contract/messages/peer.ts';
import type { ChannelName } from '#contract/tokens.ts';
import { CAPTION_MAX } from '#contract/rest/endpoint.ts';
import { later } from '#web/browser/lazyComponent.ts';
import type { Which } from '#web/features/messages/conversations/queries.ts';
import { Quote } from '#web/features/messages/conversations/thread/MessageLine.tsx';
import {
  type Content,
  isWordless,
  sendFiles,
  sendTo,
  type QuotedMessage,
} from '#web/features/messages/conversations/thread/sending.ts';
import styles from '#web/features/messages/conversations/conversations.module.css';
import { classes } from '#web/ui/classes.ts';
import { useMessagePrice } from '#web/features/messages/send/useMessagePrice.ts';
import { saldoQuery } from '#web/features/saldo/saldo.ts';
import type { AttachedFile } from '#web/ui/chat/attachments/attachedFiles.ts';
import { Attachments } from '#web/ui/chat/attachments/Attachments.tsx';
import { documentEndings } from '#web/ui/chat/attachments/fileFault.ts';
import { useAttached } from '#web/ui/chat/attachments/useAttached.ts';
import { Composer } from '#web/ui/chat/composer/Composer.tsx';
import type { Tool } from '#web/ui/chat/composer/Tools.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { repliesQuery } from '#web/ui/chat/replies/stored.ts';
import { useReplies } from '#web/ui/chat/replies/useReplies.tsx';
import { quickReplies } from '#web/features/messages/conversations/thread/attach/quickReplies.ts';
import { Money } from '#web/ui/money/Money.tsx';

const Recorder = later(() => import('#web/ui/chat/recorder/Recorder.tsx'));

const DOCUMENTS = documentEndings('media');

type Props = {
  which: Which;
  name: string;
  channel: ChannelName | undefined;
  notice: string | undefined;
  blocked: ReactNode;
  /** Why only templates can be sent; undefined where anything can. */
  closed: string | undefined;
  replyTo: QuotedMessage | undefined;
  /** Called when the reply is on its way, or was dismissed. */
  onReplied: () => void;
  dropZone: RefObject<HTMLElement | null>;
};

/** The composer: text, files, a voice message. It does not rerender for incoming messages. */
export const Reply = memo(DrawnReply);

function DrawnReply(props: Props) {
  const { which, name, channel, notice, closed, replyTo, onReplied, dropZone } = props;
  const { dialog, offer, open } = useTools(props);
  const blocked = props.blocked ?? (closed && <OnlyTemplates why={closed} onOpen={open} />);
  const attached = useAttached({
    thread: `${which.tokenId} ${which.peer}`,
    purpose: 'media',
    captionMax,
  });
  const { files, text, write } = attached;
  const [recording, setRecording] = useState(false);
  const send = (said: string) => {
    if (!attached.check()) return;
    if (files.length === 0) sendTo(which, { text: said, replyTo });
    else sendFiles(which, { files, replyTo });
    attached.forget();
    onReplied();
  };
  return (
    <div className="flex-none surface">
      {dialog}
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
            sendTo(which, { file, replyTo });
            onReplied();
          }}
        />
      ) : (
        <Composer
          {...boxWords(attached.selected?.file, name)}
          box={attached.box}
          value={text}
          onChange={write}
          attached={files.length > 0}
          maxLength={attached.maxLength}
          blocked={blocked}
          documents={DOCUMENTS}
          dropZone={dropZone}
          onFiles={attached.attach}
          pictures={PICTURES}
          tools={toolsFor(open)}
          offer={offer(text, write)}
          onRecord={() => setRecording(true)}
          onSend={send}
        />
      )}
      {!blocked && (
        <p className={classes('flex wrap tiny faint gap-0 gap-x-12 relative', styles['price'])}>
          {notice && <span>{notice}</span>}
          {channel && <Price channel={channel} count={countOf(files)} />}
        </p>
      )}
    </div>
  );
}

const captionMax = (file: File): number => (isWordless(file) ? TEXT_MAX : CAPTION_MAX);

function boxWords(file: File | undefined, name: string) {
  if (!file) return { label: `Tulis pesan untuk ${isolated(name)}` };
  return isWordless(file)
    ? { label: `Tulis pesan setelah ${file.name}`, placeholder: 'Tulis pesan setelahnya' }
    : { label: `Tulis keterangan untuk ${file.name}`, placeholder: 'Tulis keterangan' };
}

/** One message for each file, and one for the text after an audio file. */
const countOf = (files: readonly AttachedFile[]): number =>
  Math.max(
    1,
    files.length +
      files.filter(({ file, caption }) => isWordless(file) && caption.trim() !== '').length,
  );

function useTools({ which, name, channel, replyTo, onReplied }: Props) {
  // A number is not a name to address a person by.
  const person = name === formatPeer(which.peer) ? '' : name;
  const [attaching, setAttaching] = useState<Attaching>();
  const { data: replies } = useQuery(repliesQuery(quickReplies));
  const offer = useReplies({
    replies,
    person,
    words: quickReplies.words,
    onManage: () => setAttaching('replies'),
  });
  const dialog = attaching && (
    <AttachDialogs
      attaching={attaching}
      which={which}
      name={person}
      channel={channel}
      onClose={() => setAttaching(undefined)}
      onSend={(content, file) => {
        sendTo(which, { content, file, replyTo });
        onReplied();
      }}
    />
  );
  return { dialog, offer, open: setAttaching };
}

type OnlyTemplatesProps = { why: string; onOpen: (tool: Attaching) => void };

const OnlyTemplates = ({ why, onOpen }: OnlyTemplatesProps) => (
  <div className="grid justify-items-center gap-10">
    <p>{why}</p>
    <Button icon={<LayoutTemplate size={18} />} onClick={() => onOpen('template')}>
      Kirim templat
    </Button>
  </div>
);

const PICTURES = {
  name: 'Foto atau video',
  accept: 'image/jpeg,image/png,image/webp,video/mp4,video/3gpp',
};

const toolsFor = (open: (tool: Attaching) => void): readonly Tool[] => [
  { icon: MapPin, name: 'Lokasi', onOpen: () => open('location') },
  { icon: ContactRound, name: 'Kontak', onOpen: () => open('contact') },
  { icon: LayoutTemplate, name: 'Templat', onOpen: () => open('template') },
  { icon: Zap, name: 'Balasan cepat', onOpen: () => open('replies') },
];

type PriceProps = { channel: ChannelName; count: number };

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

const LocationDialog = later(
  () => import('#web/features/messages/conversations/thread/attach/LocationDialog.tsx'),
);
const ContactDialog = later(
  () => import('#web/features/messages/conversations/thread/attach/ContactDialog.tsx'),
);
const TemplateDialog = later(
  () => import('#web/features/messages/conversations/thread/attach/TemplateDialog.tsx'),
);
const RepliesDialog = later(() => import('#web/ui/chat/replies/RepliesDialog.tsx'));

type Attaching = 'location' | 'contact' | 'template' | 'replies';

type AttachProps = {
  attaching: Attaching;
  which: Which;
  name: string;
  channel: ChannelName | undefined;
  onSend: (content: Content, file?: File) => void;
  onClose: () => void;
};

function AttachDialogs({ attaching, which, name, channel, onSend, onClose }: AttachProps) {
  const to = { token_id: which.tokenId, to: writtenPeer(which.peer) };
  return (
    <Suspense fallback={null}>
      {attaching === 'location' && (
        <LocationDialog
          to={to}
          onClose={onClose}
          onSend={(place) => onSend({ type: 'location', place })}
        />
      )}
      {attaching === 'contact' && (
        <ContactDialog
          to={to}
          onClose={onClose}
          onSend={(card) => onSend({ type: 'contact', card })}
        />
      )}
      {attaching === 'template' && (
        <TemplateDialog
          tokenId={which.tokenId}
          name={name}
          channel={channel}
          onClose={onClose}
          onSend={(template, file) => onSend({ type: 'template', template }, file)}
        />
      )}
      {attaching === 'replies' && <RepliesDialog of={quickReplies} onClose={onClose} />}
    </Suspense>
  );
}

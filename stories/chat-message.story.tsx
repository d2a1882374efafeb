import { useState } from 'react';
import { sampleMedia, samplePeaks } from '#stories/gallery/media/sampleMedia.ts';
import type { Piece } from '#stories/gallery/piece.ts';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { ChatBubble, ChatDivider, ChatList } from '#web/ui/chat/ChatBubble.tsx';
import { startsRun, type ChatMessage } from '#web/ui/chat/chat.ts';
import { ChatQuote } from '#web/ui/chat/quote/ChatQuote.tsx';
import { Ticks, type Mark } from '#web/ui/chat/Ticks.tsx';

const { picture, clip, voiceNote } = sampleMedia;

type Line = { side: 'in' | 'out'; minute: number; message: ChatMessage; mark?: Mark };

const types: readonly Line[] = [
  {
    side: 'in',
    minute: 0,
    message: {
      type: 'text',
      caption: 'Pagi, kue lapisnya masih ada? Menu: https://toko.example/menu',
    },
  },
  { side: 'in', minute: 2, message: { type: 'webp', url: picture, caption: 'Yang seperti ini' } },
  { side: 'in', minute: 9, message: { type: 'jpeg', url: picture } },
  {
    side: 'out',
    minute: 10,
    message: {
      type: 'ogg',
      url: voiceNote,
      file: { waveform: samplePeaks.map((peak) => Math.round(peak * 100)) },
    },
    mark: 'read',
  },
  { side: 'in', minute: 11, message: { type: 'ogg', url: voiceNote } },
  {
    side: 'out',
    minute: 12,
    message: { type: 'mp4', url: clip, caption: 'Cara menyimpannya' },
    mark: 'read',
  },
  {
    side: 'in',
    minute: 13,
    message: { type: 'vcard', name: 'Bu Sari (kurir)', phone: '0857-1111-2222' },
  },
  {
    side: 'out',
    minute: 14,
    message: {
      type: 'pdf',
      url: picture,
      filename: 'Daftar harga kue lapis dan kue basah untuk hajatan, November 2026.pdf',
      file: { size: 1_250_000 },
    },
    mark: 'delivered',
  },
  {
    side: 'in',
    minute: 15,
    message: { type: 'document', url: picture, filename: 'pesanan.xlsx', file: { size: 18_400 } },
  },
  { side: 'in', minute: 16, message: { type: 'zip', filename: 'foto-foto.zip' } },
  { side: 'in', minute: 17, message: { type: 'sticker', url: picture, external: false } },
  {
    side: 'in',
    minute: 18,
    message: {
      type: 'location',
      place: { latitude: -6.1754, longitude: 106.8272, name: 'Monas', address: 'Jakarta Pusat' },
    },
  },
  {
    side: 'out',
    minute: 19,
    message: {
      type: 'template',
      caption: 'Halo Ani, pesanan 1042 siap diambil.',
      template: { header: 'Pesanan siap', footer: 'Toko Melati', buttons: ['Ambil', 'Antar'] },
    },
    mark: 'read',
  },
  {
    side: 'out',
    minute: 19,
    message: {
      type: 'template',
      caption: 'Diskon 20% untuk kue lapis minggu ini.',
      url: picture,
      template: { header: null, media: 'jpeg', footer: null, buttons: ['Pesan sekarang'] },
    },
    mark: 'read',
  },
  { side: 'in', minute: 20, message: { type: 'jpeg', file: { missing: 'expired' } } },
  { side: 'in', minute: 20, message: { type: 'ogg', file: { missing: 'storage_full' } } },
];

const links: readonly Line[] = [
  {
    side: 'out',
    minute: 20,
    message: { type: 'jpeg', url: 'https://cdn.toko.example/kue.jpg', caption: 'Kue hari ini' },
    mark: 'read',
  },
  {
    side: 'out',
    minute: 21,
    message: { type: 'ogg', url: 'https://cdn.toko.example/salam.ogg', external: true },
    mark: 'read',
  },
  {
    side: 'in',
    minute: 22,
    message: { type: 'mp4', url: 'http://film.example:8080/cara.mp4', external: true },
  },
  {
    side: 'out',
    minute: 23,
    message: {
      type: 'pdf',
      url: 'https://berkas-pelanggan.toko-kue-lapis-legit-bu-ani.example/harga/2026.pdf',
      filename: 'Syarat pesanan kue lapis dan kue basah untuk hajatan, November 2026.pdf',
      external: true,
    },
    mark: 'delivered',
  },
  {
    side: 'in',
    minute: 24,
    message: { type: 'webp', url: 'https://user:pass@toko.example/x', external: true },
  },
];

const notices: readonly Line[] = [
  {
    side: 'in',
    minute: 30,
    message: { type: 'text', notice: 'other', caption: 'Polling: Ambil hari apa?' },
  },
  {
    side: 'in',
    minute: 31,
    message: {
      type: 'text',
      notice: 'other',
      caption: 'Menunggu pesan ini; periksa ponsel Anda',
    },
  },
  {
    side: 'in',
    minute: 32,
    message: { type: 'text', notice: 'edited', caption: 'Tiga loyang, bukan dua' },
  },
  {
    side: 'in',
    minute: 33,
    message: { type: 'text', notice: 'revoked', caption: 'Pesan dihapus pengirim' },
  },
  {
    side: 'in',
    minute: 34,
    message: {
      type: 'text',
      origin: 'Dari iklan: Batik parang diskon 20%, hanya sampai hari Minggu di semua cabang',
      caption: 'Masih ada?',
    },
  },
  {
    side: 'in',
    minute: 35,
    message: {
      type: 'webp',
      url: picture,
      origin: 'Diteruskan berkali-kali',
      caption: 'Foto dari grup arisan',
    },
  },
];

const marks: readonly Mark[] = [
  'scheduled',
  'waiting',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'cancelled',
  'expired',
];

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 2, minute));
const timeOf = (minute: number) => `09.${String(minute).padStart(2, '0')}`;

function Demo() {
  const [requested, setRequested] = useState('');
  return (
    <>
      <Show title="Every type">
        <div>
          <ChatList label="Percakapan dengan Budi">
            <ChatDivider>Hari ini</ChatDivider>
            <Lines lines={types} onMessage={setRequested} />
          </ChatList>
        </div>
        <Emitted of="Asked to write to">{requested}</Emitted>
      </Show>
      <Show title="Files that lie elsewhere">
        <div>
          <ChatList label="Percakapan dengan Rina">
            <Lines lines={links} />
          </ChatList>
        </div>
      </Show>
      <Show title="Notices, edited and deleted messages">
        <div>
          <ChatList label="Percakapan dengan Wati">
            <Lines lines={notices} />
          </ChatList>
        </div>
      </Show>
      <Naming onReply={() => setRequested('Balas')} />
      <Days />
      <Marks />
    </>
  );
}

type LinesProps = { lines: readonly Line[]; onMessage?: (digits: string) => void };

const Lines = ({ lines, onMessage }: LinesProps) =>
  lines.map(({ side, minute, message, mark }, index) => {
    const before = lines[index - 1];
    return (
      <ChatBubble
        key={minute}
        message={message}
        side={side}
        sender={side === 'out' ? 'Anda' : 'Budi'}
        time={timeOf(minute)}
        at={at(minute)}
        first={startsRun(
          { side, at: at(minute) },
          before && { side: before.side, at: at(before.minute) },
        )}
        ticks={mark && <Ticks mark={mark} iconOnly />}
        onMessage={onMessage}
      />
    );
  });

const Naming = ({ onReply }: { onReply: () => void }) => (
  <Show title="Answers and reactions">
    <div>
      <ChatList label="Percakapan dengan Dewi">
        <ChatBubble
          message={{ type: 'text', caption: 'Jadi ambil yang biru?' }}
          side="out"
          sender="Anda"
          time="10.01"
          reactions={[
            { emoji: '👍', by: 'Dewi' },
            { emoji: '🙏', by: 'Anda' },
          ]}
          onReply={onReply}
        />
        <ChatBubble
          message={{ type: 'text', caption: 'Ya, dua' }}
          side="in"
          sender="Dewi"
          time="10.02"
          head={<ChatQuote name="Anda" text="Jadi ambil yang biru?" />}
          onReply={onReply}
        />
      </ChatList>
    </div>
  </Show>
);

const Days = () => (
  <Show title="Days and the unread">
    <div>
      <ChatList label="Percakapan dengan Sari">
        <ChatDivider>Kemarin</ChatDivider>
        <ChatBubble
          message={{ type: 'text', caption: 'Besok jadi?' }}
          side="in"
          sender="Sari"
          time="17.40"
        />
        <ChatDivider>Hari ini</ChatDivider>
        <ChatDivider fresh>Belum dibaca</ChatDivider>
        <ChatBubble
          message={{ type: 'text', caption: 'Halo?' }}
          side="in"
          sender="Sari"
          time="08.02"
        />
      </ChatList>
    </div>
  </Show>
);

const Marks = () => (
  <Show title="How far it came">
    <div>
      <ChatList label="Percakapan dengan Tono">
        {marks.map((mark, index) => (
          <ChatBubble
            key={mark}
            message={{ type: 'text', caption: `Pesanan nomor ${index + 1}` }}
            side="out"
            sender="Anda"
            time={timeOf(index)}
            first={index === 0}
            pending={mark === 'sending'}
            ticks={<Ticks mark={mark} iconOnly />}
            note={
              mark === 'failed' && (
                <>
                  Nomor ini tidak memakai WhatsApp.{' '}
                  <Button size="sm" variant="link" tone="danger">
                    Kirim ulang
                  </Button>
                </>
              )
            }
          />
        ))}
      </ChatList>
    </div>
  </Show>
);

export const piece: Piece = {
  id: 'chat-message',
  title: 'ChatBubble',
  about:
    'One message of a conversation, whatever its type: picture (grows), sticker, voice message, film, contact, place, template, text, and a file for everything else. A file that is not kept any more says so. A file that lies with somebody else is a card with a link; nothing of it is loaded. ChatList holds them, ChatDivider stands between days and above the unread.',
  props: [
    {
      name: 'message',
      type: 'ChatMessage',
      about:
        'type, caption, url, external, filename, name, phone; file, place and template where there is one; notice for what the caption only describes, and for edited and deleted messages; origin for forwarded ones and advertisements.',
    },
    { name: 'side', type: "'out' | 'in'", about: 'Ours are at the end.' },
    {
      name: 'sender, time, at',
      type: 'string, string, Date',
      about: 'Who and when: the message’s accessible name.',
    },
    { name: 'ticks', type: 'ReactNode', about: 'How far it came, as Ticks.' },
    {
      name: 'first',
      type: 'boolean',
      default: 'true',
      about: 'Begins a run by the same sender (startsRun: five minutes).',
    },
    { name: 'note', type: 'ReactNode', about: 'Under the bubble: a failure and the way on.' },
    { name: 'pending', type: 'boolean', default: 'false', about: 'On its way to the server.' },
    {
      name: 'onMessage',
      type: '(digits: string) => void',
      about: 'Opens a conversation with a contact.',
    },
    {
      name: 'as',
      type: "'li' | 'div'",
      default: "'li'",
      about: 'div in a virtual list, whose items are made elsewhere.',
    },
  ],
  Demo,
};

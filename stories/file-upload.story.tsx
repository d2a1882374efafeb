import { useState, type ReactNode } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { FileItem, FileList } from '#web/ui/upload/FileItem.tsx';
import { FileUpload } from '#web/ui/upload/FileUpload.tsx';
import type { FileUploadProps } from '#web/ui/upload/uploadProps.ts';
import {
  buttonsOf,
  uploadOrigins,
  type UploadFault,
  type UploadItem,
  type UploadPhase,
} from '#web/ui/upload/queue/uploadState.ts';
import { englishUploads, indonesianUploads } from '#web/ui/upload/uploadLabels.ts';

const ofItem = (phase: UploadPhase, more: Partial<UploadItem> = {}): UploadItem => ({
  key: phase,
  name: 'laporan penjualan.pdf',
  size: 2_480_500,
  type: 'application/pdf',
  origin: uploadOrigins.input,
  phase,
  progress: undefined,
  file: undefined,
  source: undefined,
  id: undefined,
  transferId: undefined,
  fault: undefined,
  poster: undefined,
  ...more,
});

const wrong = (main: string, sub = ''): { fault: UploadFault } => ({ fault: { main, sub } });

const shown: readonly [string, UploadItem][] = [
  ['Waiting for its size', ofItem('init', { size: undefined })],
  ['Loading', ofItem('loading', { progress: 0.4, name: 'katalog.pdf' })],
  [
    'Of a wrong type',
    ofItem(
      'load-invalid',
      wrong('File is of invalid type', 'Expects image/jpeg, image/png or image/webp'),
    ),
  ],
  [
    'Not loaded',
    ofItem('load-error', { ...wrong('Error during load', 'tap to retry'), size: undefined }),
  ],
  ['Idle', ofItem('idle', { name: 'daftar harga.csv', size: 18_240 })],
  ['Waiting for its turn', ofItem('queued', { name: 'rekaman.ogg', size: 912_000 })],
  ['Uploading', ofItem('processing', { progress: 0.43 })],
  ['Uploading, nobody knows how far', ofItem('processing', { name: 'arsip.zip' })],
  ['Complete', ofItem('processing-complete', { progress: 1, name: 'struk transfer.jpg' })],
  ['Cancelled', ofItem('cancelled', { name: 'presentasi.pptx' })],
  ['Not uploaded', ofItem('processing-error', wrong('Error during upload', 'tap to retry'))],
  [
    'Not taken back',
    ofItem('processing-revert-error', wrong('Error during revert', 'tap to retry')),
  ],
  ['Not removed', ofItem('remove-error', wrong('Error during remove', 'tap to retry'))],
  [
    'With a poster',
    ofItem('processing-complete', { poster: '/favicon.svg', name: 'lambang.svg', size: 1_180 }),
  ],
  [
    'With a name that does not end',
    ofItem('idle', { name: `${'notulen rapat cabang Yogyakarta '.repeat(6)}.docx` }),
  ],
];

const ItemStates = () =>
  shown.map(([title, item]) => (
    <Show key={title} title={`An item: ${title.toLowerCase()}`}>
      <FileList label={title}>
        <FileItem
          item={item}
          labels={englishUploads}
          acts={buttonsOf(item)}
          onAct={() => undefined}
          instant={false}
        />
      </FileList>
    </Show>
  ));

type LiveProps = { title: string; name: string; children?: ReactNode } & FileUploadProps;

function Live({ title, name, children, ...props }: LiveProps) {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [stand, setStand] = useState('empty');
  const [order, setOrder] = useState('');
  return (
    <Show title={title}>
      <FileUpload
        {...props}
        value={ids}
        onChange={setIds}
        onStand={setStand}
        onReorder={(_, from, to) => setOrder(`${from} → ${to}`)}
      />
      <Emitted of={`Uploads of ${name}`}>{ids.join(' ')}</Emitted>
      <Emitted of={`Stand of ${name}`}>{stand}</Emitted>
      {props.allowReorder && <Emitted of={`Moves of ${name}`}>{order}</Emitted>}
      {children}
    </Show>
  );
}

/** Used uploads leave the list, and returned ones are shown again. */
function Controlled() {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [used, setUsed] = useState<readonly string[]>([]);
  const take = () => {
    setUsed(ids);
    setIds([]);
  };
  return (
    <Show title="A value that its owner changes">
      <FileUpload
        label="Lampiran balasan"
        purpose="chat"
        multiple
        labels={indonesianUploads}
        value={ids}
        onChange={setIds}
      />
      <Button onClick={take}>Use them</Button>
      <Button variant="outline" onClick={() => setIds([...used])}>
        Show them again
      </Button>
      <Emitted of="Used uploads">{used.join(' ')}</Emitted>
    </Show>
  );
}

function Demo() {
  return (
    <>
      <Live
        title="Several files, in any order"
        name="attachments"
        label="Lampiran"
        help="Gambar, suara, video atau dokumen"
        purpose="chat"
        multiple
        allowReorder
        maxFiles={5}
      />
      <Live title="One file" name="the proof" label="Bukti transfer" purpose="proof" required />
      <Live
        title="Uploaded when asked for, beside the page's other fields"
        name="the picture"
        label="Foto profil"
        purpose="avatar"
        instantUpload={false}
        forceRevert
        itemInsertLocation="after"
        multiple
        maxFiles={3}
      />
      <Live
        title="In Indonesian, of one type"
        name="the letter"
        label="Surat kuasa"
        purpose="chat"
        accept={['application/pdf']}
        typeLabels={{ 'application/pdf': 'PDF' }}
        labels={indonesianUploads}
        checkValidity
      />
      <Controlled />
      <Live
        title="With a sentence that says what is wrong"
        name="the identity"
        label="Kartu identitas"
        purpose="proof"
        error="Unggah kartu identitas Anda lebih dulu."
        labels={indonesianUploads}
      />
      <Live title="Disabled" name="the closed one" label="Arsip lama" purpose="chat" disabled />
      <ItemStates />
    </>
  );
}

export const piece: Piece = {
  id: 'file-upload',
  title: 'FileUpload',
  about:
    'Takes files: dropped (also folders), chosen or pasted. Sends them at once, two at a time, long ones in pieces that go on after a failure and after a reload; shows each with its picture, size and state. FilePond’s wire protocol and words without FilePond (decision 016). A chunk of its own.',
  props: [
    { name: 'label', type: 'ReactNode', about: 'Names the field.' },
    {
      name: 'purpose',
      type: "'avatar' | 'chat' | 'proof'",
      about: 'Which types and sizes are taken, and what the server does with them.',
    },
    {
      name: 'accept',
      type: 'string[]',
      default: 'of the purpose',
      about: 'Types and families such as image/*; an empty list takes all.',
    },
    {
      name: 'typeLabels',
      type: 'Record<string, string | null>',
      default: '{}',
      about: 'Names of types for people; null hides one.',
    },
    {
      name: 'maxBytes',
      type: 'number',
      default: 'of the purpose',
      about: 'Bytes of a file at most.',
    },
    { name: 'multiple', type: 'boolean', default: 'false', about: 'More than one file.' },
    {
      name: 'maxFiles',
      type: 'number',
      default: '1000000',
      about: 'Files in all; beyond it, nothing of what came together is taken: Max files.',
    },
    {
      name: 'value',
      type: 'string[]',
      about: 'Ids that are shown; what leaves it was used, what is new is fetched.',
    },
    {
      name: 'onChange',
      type: '(ids) => void',
      about: 'Ids of the complete uploads in their order.',
    },
    {
      name: 'onAdd',
      type: '(file) => void',
      about: 'A file was taken in; with instantUpload off nothing has been sent of it.',
    },
    {
      name: 'onStand',
      type: '(stand) => void',
      about: "'empty', 'idle', 'error', 'busy' or 'ready'.",
    },
    {
      name: 'stored',
      type: 'StoredUpload[]',
      about: 'What is known of ids in value: name, size, poster; local ones are kept files.',
    },
    {
      name: 'onDiscard',
      type: '(id) => Promise',
      about: 'Deletes a kept file for good when it is removed.',
    },
    { name: 'onReorder', type: '(ids, from, to) => void', about: 'An item was put elsewhere.' },
    { name: 'metadata', type: '{ crop }', about: 'Goes with every file.' },
    {
      name: 'instantUpload',
      type: 'boolean',
      default: 'true',
      about: 'Files are sent as soon as they are there.',
    },
    {
      name: 'allowDrop, allowBrowse, allowPaste',
      type: 'boolean',
      default: 'true',
      about: 'Ways in.',
    },
    {
      name: 'allowReplace',
      type: 'boolean',
      default: 'true',
      about: 'On a field for one file, another takes its place.',
    },
    {
      name: 'allowProcess, allowRevert, allowRemove',
      type: 'boolean',
      default: 'true',
      about: 'Buttons of an item.',
    },
    {
      name: 'allowReorder',
      type: 'boolean',
      default: 'false',
      about: 'Drag by more than 4 px, or the handle: Space, arrows, Space; Escape cancels.',
    },
    {
      name: 'dropOnPage',
      type: 'boolean',
      default: 'false',
      about: 'Also takes what is dropped beside it.',
    },
    {
      name: 'itemInsertLocation',
      type: "'before' | 'after'",
      default: "'before'",
      about: 'Where new files come.',
    },
    {
      name: 'forceRevert',
      type: 'boolean',
      default: 'false',
      about: 'What the server cannot take back stays.',
    },
    {
      name: 'checkValidity',
      type: 'boolean',
      default: 'false',
      about: 'Invalid files make the form invalid.',
    },
    { name: 'maxParallelUploads', type: 'number', default: '2', about: 'Files at the same time.' },
    {
      name: 'chunkBytes',
      type: 'number',
      default: '5000000',
      about: 'Bytes of a piece; a piece that failed goes again after 500, 1000 and 3000 ms.',
    },
    {
      name: 'chunkForce',
      type: 'boolean',
      default: 'false',
      about: 'Also shorter files in pieces.',
    },
    { name: 'sizeBase', type: '1000 | 1024', default: '1000', about: 'Bytes of a KB.' },
    { name: 'capture', type: "'user' | 'environment'", about: 'Asks a phone for its camera.' },
    {
      name: 'labels',
      type: 'Partial<UploadLabels>',
      default: 'English',
      about: 'Every word; screens pass indonesianUploads.',
    },
    { name: 'required, disabled, help, error, hideLabel', type: '', about: 'As with every field.' },
    {
      name: 'ref',
      type: 'FileUploadHandle',
      about: 'browse() and add(files), for tools beside it.',
    },
  ],
  Demo,
};
